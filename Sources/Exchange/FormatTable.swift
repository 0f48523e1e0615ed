// The formats that plugins and scripts add beside the native ones, and which format a file has.
// Invariant: a name with an ending has one owner, which alone removes it; a native format keeps its endings. A file
// that could be of two formats is never guessed: adding a format does not change what a script imports.

public import Problems
import Text
public import Values

/// The functions of a format that a plugin adds; what they throw ends the import or the export.
public struct FormatHooks {
  public typealias Reader = (ForeignFile, _ take: @escaping (Value) throws -> Void) throws -> Void

  /// How likely a file is of the format, from 0 to 1, by its first bytes.
  public var sniff: ((_ head: [UInt8]) throws -> Double)?
  /// Reads a file, and passes each item (a row, or lines that are used or left) on.
  public var read: Reader
  /// Returns the text of some cards of a deck; with the first and the last ones come the beginning and end of a file.
  public var write: ((_ cards: [Value], _ deck: String, _ isFirst: Bool, _ isLast: Bool) throws -> [UInt8])?

  public init(read: @escaping Reader) { self.read = read }
}

/// The formats that are added while the program runs.
///
///     try formats.add(format, hooks, owner: .plugin(name))
///     try formats.format(of: "deck.org") { head }
public final class FormatTable {
  /// The bytes that `sniff` sees.
  public static let headSize = 4_096
  /// How sure a plugin must be for a file to be of its format.
  private static let isSure = 0.8

  private var entries: [(format: CardFormat, hooks: FormatHooks, owner: Owner)] = []
  /// Loads the plugins that offer a format by a name or an ending. If they are not needed, a failure is only reported.
  public var prepare: (_ word: String, _ isNeeded: Bool) throws -> Void = { _, _ in }
  /// Returns which plugin has a format that is not in the table, and why the plugin cannot be used.
  public var reasonForMissing: (String) -> String? = { _ in nil }

  /// The folder in which files are copied and unpacked while they are read.
  public var folder = ""

  /// Returns the names of the formats that plugins offer, loaded or not.
  public var offered: () -> [String] = { [] }

  public init() {}

  public var added: [CardFormat] { entries.map(\.format) }

  /// The names of all formats that are not native.
  public var addedNames: [String] {
    (added.map(\.name) + offered()).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  public func added(by owner: Owner) -> [CardFormat] { entries.filter { $0.owner == owner }.map(\.format) }

  /// Adds a format. The same name may stand for several kinds of file, with other endings.
  /// - Throws: `badFormatName`, or `formatTaken`; the user's own formats replace each other.
  public func add(_ format: CardFormat, _ hooks: FormatHooks, owner: Owner) throws(ExchangeError) {
    let name = format.name
    let isName = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
    guard isName, (1...64).contains(name.utf8.count), name.utf8.first.map({ $0 >= 0x61 }) == true,
      !format.endings.isEmpty
    else { throw .badFormatName(name: name) }
    if CardFormat.native.contains(where: { $0.name == name || $0.endings.contains(name) }) {
      throw .formatTaken(name: name, owner: .program)
    }
    let same = entries.filter { $0.format.name == name }
    if let taken = same.first(where: { $0.owner != owner || owner != .user && shareEnding($0.format, format) }) {
      throw .formatTaken(name: name, owner: taken.owner)
    }
    entries.removeAll { $0.owner == .user && $0.format.name == name && shareEnding($0.format, format) }
    entries.append((format, hooks, owner))
  }

  private func shareEnding(_ a: CardFormat, _ b: CardFormat) -> Bool { !Set(a.endings).isDisjoint(with: b.endings) }

  public func remove(owner: Owner) { entries.removeAll { $0.owner == owner } }

  /// Opens a file of a plugin's format; nil for other formats.
  func rows(
    of format: CardFormat, _ path: String, _ source: SourceOptions, _ table: TableOptions,
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws -> PluginRows? {
    guard case .added(let kind, _) = format.form else { return nil }
    let hooks = try hooks(of: format)
    let file = try ForeignFile(path, as: kind, source, scratch: folder, isInterrupted: isInterrupted)
    return PluginRows(file, table, read: hooks.read)
  }

  /// - Throws: `unknownFormat` for a format that was removed.
  func hooks(of format: CardFormat) throws(ExchangeError) -> FormatHooks {
    guard let entry = entries.first(where: { $0.format == format }) else { throw .unknownFormat(name: format.name) }
    return entry.hooks
  }

  /// Returns the format with a name.
  /// - Throws: `unknownFormat`, and the error of loading its plugin.
  public func format(named name: String) throws -> CardFormat {
    let lowered = name.lowercased()
    do throws(ExchangeError) { return try CardFormat(named: lowered) } catch { try prepare(lowered, true) }
    if let entry = entries.first(where: { $0.format.name == lowered }) { return entry.format }
    throw ExchangeError.unknownFormat(
      name: name, added: addedNames, reason: reasonForMissing(lowered))
  }

  /// Returns the format of a file.
  /// - Parameters:
  ///   - given: the format that was asked for. If its name stands for several kinds of file, the ending decides.
  ///   - head: returns the first bytes of the file; nil for a file that is to be written.
  /// - Throws: `ambiguousFormat`, `unknownFormat`, `formatNeeded`, and errors of `sniff`.
  public func format(
    of path: String, given: CardFormat? = nil, head: (() throws -> [UInt8])? = nil
  ) throws -> CardFormat {
    let ending: String
    do throws(ExchangeError) { ending = try CardFormat.ending(of: path).lowercased() } catch {
      if let given { return given }
      throw error
    }
    if let given {
      return added.first { $0.name == given.name && $0.endings.contains(ending) } ?? given
    }
    let native = CardFormat.native.first { $0.endings.contains(ending) }
    try prepare(ending, native == nil)
    let able = entries.filter { $0.format.endings.contains(ending) }
    guard let head, !able.isEmpty, native != nil || able.count > 1 else {
      if let format = native ?? able.first?.format { return format }
      throw ExchangeError.unknownFormat(name: ending, added: addedNames, reason: reasonForMissing(ending))
    }
    let bytes = try head()
    let sure = able.filter { entry in
      do { return try entry.hooks.sniff?(bytes) ?? 0 >= Self.isSure } catch {
        // The owner of the format reports it; whoever cannot say what the file is does not claim it.
        return false
      }
    }
    if sure.isEmpty, let native { return native }
    if sure.count == 1, native == nil { return sure[0].format }
    let names = [native?.name].compactMap { $0 } + (sure.isEmpty ? able : sure).map(\.format.name)
    throw ExchangeError.ambiguousFormat(path: path, names: names)
  }
}
