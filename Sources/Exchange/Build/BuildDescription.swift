// The description of a deck that is built from a folder, `deck.json`, and everything that can go wrong with a build.
// Invariant: every error in the description has a line and a column; each error names the file that it is about.

package import Decks
import Files
public import Problems
package import Storage
import Text
import Values

/// A `deck.json`, or its defaults in a folder without one.
///
///     try BuildDescription(Array(#"{"name": "Spanish"}"#.utf8), "es/deck.json").name   // "Spanish"
package struct BuildDescription {
  package static let fileName = "deck.json"
  /// The limit on its size in bytes.
  static let limit = 1 << 20
  package static let keys = ["name", "namespace", "options", "formats"]

  package let name: String
  /// The namespace that makes ids unique; if it is empty, ids are used as guids unchanged.
  package let namespace: String
  /// The deck's options, in the form that `deck options` accepts.
  package let options: [(name: DeckOptions.Name, text: String)]
  /// The formats of plugins by the endings of their sources, each with what makes an error of a reason.
  package private(set) var formats: [(ending: String, name: String, fault: (String) -> BuildError)] = []

  package init(_ bytes: [UInt8], _ path: String) throws(BuildError) {
    let value: Value
    do throws(JSONFailure) {
      let limits = JSONLimits(bytes: Self.limit, depth: 16, values: 10_000, string: 100_000)
      value = try JSONParser.parse(bytes, limits: limits)
    } catch {
      throw .badDescription(path: path, line: error.line, column: error.column, reason: error.words)
    }
    let faults = Faults(bytes: bytes, path: path)
    do {
      let whole = try ValueReader(value).asRecord()
      for (key, reader) in try whole.fields() where !Self.keys.contains(key) {
        let hint = didYouMean(key, among: Self.keys)
        throw faults.fault(
          reader.pointer, "no key is called \(quoted(key))\(hint); the keys are \(Self.keys.joined(separator: ", "))")
      }
      name = try whole["name"].text("the deck's name")
      do throws(DeckError) { _ = try DeckName(name) } catch {
        throw faults.fault(whole["name"].pointer, error.message)
      }
      namespace = whole["namespace"].value == nil ? "" : try whole["namespace"].text()
      let given = whole["formats"].value == nil ? [] : try whole["formats"].fields("an object with formats")
      formats = try given.map { ending, reader in
        (ending, try reader.text("the name of a format"), { faults.fault(reader.pointer, $0) })
      }
      let options = whole["options"].value == nil ? [] : try whole["options"].fields("an object with options")
      self.options = try options.map { try faults.option($0.name, $0.reader) }
    } catch let failure as ShapeFailure {
      let found = failure.found.map { ", \($0) found" } ?? ""
      throw faults.fault(failure.pointer, "at \(failure.pointer): \(failure.expected) expected\(found)")
    } catch let error as BuildError {
      throw error
    } catch {
      throw faults.fault(.whole, "\(error)")
    }
  }

  /// Reads the description of a folder; without a file the deck gets the folder's name.
  /// - Throws: `BuildError`, `FileError`.
  package init(inFolder path: String, isInterrupted: @escaping () -> Bool) throws {
    let file = path + "/" + Self.fileName
    self =
      try fileExists(file)
      ? BuildDescription(FileText.bytes(file, limit: Self.limit, isInterrupted: isInterrupted), file)
      : BuildDescription(ofFolder: path)
  }

  /// The description of a folder without a file; nil when its name is not a valid deck name.
  package init?(ofName name: String) {
    do throws(DeckError) { _ = try DeckName(name) } catch {
      // Such a folder cannot be built.
      return nil
    }
    (self.name, namespace, options) = (name, "", [])
  }

  package func isBuilt(_ db: Database) throws -> Bool { try BuildTable.find(db, self) != nil }

  private init(ofFolder path: String) throws(BuildError) {
    guard Folder.isFolder(path) else { throw BuildError.noFolder(path: path) }
    name = String(path.split(separator: "/").last ?? "")
    (namespace, options) = ("", [])
    do throws(DeckError) { _ = try DeckName(name) } catch {
      throw .badDescription(path: path + "/" + Self.fileName, reason: "is needed because \(error.message)")
    }
  }
}

private struct Faults {
  let bytes: [UInt8]
  let path: String

  func fault(_ pointer: JSONPointer, _ reason: String) -> BuildError {
    let place = pointer.place(in: bytes)
    return .badDescription(path: path, line: place.line, column: place.column, reason: reason)
  }

  func option(_ name: String, _ reader: ValueReader) throws -> (name: DeckOptions.Name, text: String) {
    guard let known = DeckOptions.Name(rawValue: name) else {
      let hint = didYouMean(name, among: DeckOptions.Name.allCases.map(\.rawValue))
      throw fault(reader.pointer, "no option is called \(quoted(name))\(hint); `deck options` lists them")
    }
    let text = try Self.text(reader)
    do throws(DeckError) { _ = try known.value(of: text) } catch { throw fault(reader.pointer, error.message) }
    return (known, text)
  }

  /// Returns the value of an option in the form that `deck options` accepts; the parts of a list are separated by
  /// spaces.
  private static func text(_ reader: ValueReader) throws(ShapeFailure) -> String {
    switch reader.value {
    case .text(let text): return text
    case .boolean(let flag): return flag ? "on" : "off"
    case .integer(let number): return String(number)
    case .number(let number): return "\(number.value)"
    case .list: return try reader.elements().map(text).joined(separator: " ")
    default: throw reader.failure("a text, a number, true or false")
    }
  }
}

/// Why a folder could not be built.
///
///     BuildError.badDescription(path: "es/deck.json", reason: "no key is called \"nmae\"").message
public enum BuildError: Problem, Equatable {
  case noFolder(path: String)
  case nothingToBuild(folder: String)
  /// An invalid deck.json; the column counts characters.
  case badDescription(path: String, line: Int? = nil, column: Int? = nil, reason: String)
  case sameID(path: String, line: Int, id: String, other: String)
  /// Two sources whose names differ only in their Unicode normal form.
  case sameSource(path: String, other: String)
  case sameMedia(path: String, other: String)
  /// The account has another file of that name, which something outside the build shows.
  case mediaTaken(path: String, name: String)
  /// git fails to list the uncommitted changes of the folder.
  case noGit(path: String, reason: String)
  case uncommitted(folder: String, files: [String])
  case generator(path: String, reason: String)
  /// Pruning would remove more than half of the notes.
  case prunesMost(folder: String, removed: Int, of: Int)
  case tooMany(path: String, what: String)

  /// The description of the fault without the file's name and the place.
  var words: String {
    switch self {
    case .badDescription(_, _, _, let reason): "\(reason); `help build` shows one"
    case .sameID(_, _, let id, let other):
      "the id \(quoted(id)) is also used by a row in \(printable(other)); change one of them"
    default: message
    }
  }

  public var report: ProblemReport {
    switch self {
    case .noFolder(let path):
      ProblemReport(
        .fileMissing, "Not a folder to build",
        "there is no folder \(quoted(path)); a folder with .md, .csv, .tsv, .jsonl or .lua files expected",
        ["path": path])
    case .nothingToBuild(let folder):
      ProblemReport(
        .fileMissing, "Not a folder to build",
        "\(quoted(folder)) has no sources: a folder with .md, .csv, .tsv, .jsonl or .lua files expected",
        ["path": folder])
    case .badDescription(let path, let line, let column, _):
      ProblemReport(
        .badFile, "Invalid deck.json",
        ([printable(path)] + [line, column].compactMap { $0.map(String.init) }).joined(separator: ":") + ": \(words)",
        ["path": path, "line": line, "column": column])
    case .sameID(let path, let line, _, _):
      ProblemReport(.duplicateID, "Duplicate id", "\(printable(path)):\(line): \(words)", ["path": path, "line": line])
    case .sameSource(let path, let other):
      ProblemReport(
        .duplicateID, "Two sources with the same name",
        "\(printable(path)) and \(printable(other)) have the same name in two Unicode normal forms; "
          + "rename one", ["path": path])
    case .sameMedia(let path, let other):
      ProblemReport(
        .duplicateID, "Two media files with the same name",
        "\(printable(path)) and \(printable(other)) would have the same name on the cards; rename one", ["path": path])
    case .mediaTaken(let path, let name):
      ProblemReport(
        .exists, "The name of a media file is taken",
        "\(printable(path)): the account has another file called \(quoted(name)), which cards from elsewhere show; "
          + "rename yours", ["path": path])
    case .noGit(let path, let reason):
      ProblemReport(
        .fileMissing, "git cannot be used",
        "\(printable(path)): \(reason); --git only writes back to committed files; without --git this is not checked",
        ["path": path])
    case .uncommitted(let folder, let files):
      ProblemReport(
        .exists, "Changes that are not committed",
        "\(printable(folder)): nothing was written, because "
          + "\(files.prefix(5).map { printable($0) }.joined(separator: ", "))"
          + "\(files.count > 5 ? " and \(files.count - 5) more have" : files.count > 1 ? " have" : " has") "
          + "uncommitted changes; commit or stash them", ["path": folder])
    case .generator(let path, let reason):
      // Lua's own message begins with the place, which includes the path.
      ProblemReport(
        .luaError, "A generator failed",
        (reason.hasPrefix(path + ":") ? "" : printable(path) + ": ") + printable(reason, limit: 2_000), ["path": path])
    case .prunesMost(let folder, let removed, let count):
      ProblemReport(
        .losesCards, "Cards would be removed",
        "\(printable(folder)): pruning would remove \(grouped(removed)) of the \(counted(count, "note")) of the "
          + "earlier build; nothing was changed", ["path": folder])
    case .tooMany(let path, let what):
      ProblemReport(
        .tooLarge, "The source is too large", "\(printable(path)) has more than \(what); split it", ["path": path])
    }
  }
}
