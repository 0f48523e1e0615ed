// A set of plugins by version and content, to be restored on another machine or another day: `plugin lock` writes it
// and `plugin sync` restores it. Invariant: plugins are compared by content, not by how they were packed.

import Files
import Text
import Values

/// The plugins of a file of locked versions.
///
///     {"format": 1, "plugins": {"verbs": {"version": "1.0.0", "content": "SHA-256 of its files"}}}
public struct PluginLock: Equatable, Sendable {
  public struct Entry: Equatable, Sendable {
    public let name: String
    public let version: String
    /// `PluginPackage.contentHash`.
    public let content: String
  }

  /// Sorted by name.
  public let entries: [Entry]
  private static let limits = JSONLimits(bytes: 1 << 20, depth: 8, values: 20_000, string: 4096)

  init(_ entries: [Entry]) { self.entries = entries.sorted { $0.name < $1.name } }

  /// Reads a file that `bytes` has written.
  /// - Throws: `FileError`, `PluginReleaseError.badLock`.
  public init(file path: String, isInterrupted: @escaping () -> Bool) throws {
    let bytes = try FileText.bytes(path, limit: Self.limits.bytes, isInterrupted: isInterrupted)
    func failure(_ reason: String) -> PluginReleaseError { .badLock(path: path, reason: reason) }
    let value: Value
    do throws(JSONFailure) { value = try JSONParser.parse(bytes, limits: Self.limits) } catch {
      throw failure(error.placedWords)
    }
    guard value.record?["format"]?.integer == 1, let fields = value.record?["plugins"]?.record?.fields else {
      throw failure("\"format\": 1 and \"plugins\", an object, are expected")
    }
    entries = try fields.map { field in
      guard Manifest.isName(field.name) else { throw failure("\(quoted(field.name)) is not a plugin name") }
      guard let version = field.value.record?["version"]?.text, Version(version) != nil,
        let content = field.value.record?["content"]?.text, content.utf8.count == 64
      else { throw failure("\(quoted(field.name)): \"version\" and \"content\" are expected") }
      return Entry(name: field.name, version: version, content: content)
    }
  }

  /// The file's text.
  public var bytes: [UInt8] {
    let plugins = entries.map { entry in
      (entry.name, Value.record([("version", .text(entry.version)), ("content", .text(entry.content))]))
    }
    return JSONWriter.bytes(of: .record([("format", .integer(1)), ("plugins", .record(plugins))]))
  }
}

extension PluginIndexes {
  /// Returns the installed plugins as they are now; bundled plugins are left out, as they come with every copy of the
  /// program.
  public func lock() throws -> PluginLock {
    PluginLock(
      try host.plugins.filter { !$0.isBundled && $0.manifest != nil }.map { plugin in
        let package = try installedPackage(of: plugin)
        return PluginLock.Entry(name: plugin.name, version: package.manifest.version, content: package.contentHash)
      })
  }

  /// Returns what must be installed for a lock, in the order of dependencies; plugins that already match it are left
  /// out.
  /// - Parameter path: the name of the file in errors.
  public func missing(of lock: PluginLock, path: String) throws -> [(listed: ListedRelease, package: PluginPackage)] {
    var wanted: [(listed: ListedRelease, package: PluginPackage)] = []
    for entry in lock.entries {
      if let there = host.plugins.first(where: { $0.name == entry.name && !$0.isBundled }),
        there.manifest?.version == entry.version, try installedPackage(of: there).contentHash == entry.content
      {
        continue
      }
      let listed = try found(for: entry.name, version: entry.version, in: nil)
      let package = try package(of: listed)
      guard package.contentHash == entry.content else {
        throw PluginReleaseError.changedSinceLock(plugin: entry.name, version: entry.version, path: path)
      }
      wanted.append((listed, package))
    }
    return Self.inOrder(wanted)
  }

  /// Sorts each plugin after those that it needs; a cycle is left as it is, and is refused when it is installed.
  private static func inOrder(
    _ wanted: [(listed: ListedRelease, package: PluginPackage)]
  ) -> [(listed: ListedRelease, package: PluginPackage)] {
    var (left, ordered) = (wanted, wanted)
    ordered.removeAll()
    while !left.isEmpty {
      let waiting = Set(left.map(\.package.name))
      let next = left.firstIndex { $0.package.manifest.needs.plugins.allSatisfy { !waiting.contains($0.name) } }
      ordered.append(left.remove(at: next ?? 0))
    }
    return ordered
  }

  /// Reads the files of an installed plugin.
  func installedPackage(of plugin: Plugin) throws -> PluginPackage {
    try PluginPackage(folder: plugin.folder, isInterrupted: host.environment.isInterrupted)
  }
}
