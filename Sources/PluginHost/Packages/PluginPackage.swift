// A plugin as it is distributed: the files of its folder, or those packed into one file. Invariant: whatever it was
// read from, a package has plain files with names below its folder, within the limits, and a `plugin.json` with that
// folder's name; none of its code was run; a refused package leaves nothing behind.

import Archives
import Commands
import Files
public import Problems
import Text

/// The files of one plugin, read from a folder or from a package.
public struct PluginPackage {
  /// The path it was read from, for messages.
  public let path: String
  public let manifest: Manifest
  let files: [PackedFile]

  /// The absolute path that it was read from.
  var source: String { realPath(parentFolder(of: path)).map { $0 + "/" + lastPart(of: path) } ?? path }
  public var name: String { manifest.name.description }
  public var size: Int { files.reduce(0) { $0 + $1.bytes.count } }
  public var fileCount: Int { files.count }
  public var hasTests: Bool { files.contains { $0.path == "test.lua" } }

  static let limits = PackedLimits()

  /// Reads a package that `packed` or another program has made.
  /// - Throws: `ArchiveError`, `PluginPackageError` or `PluginError`: it is damaged, refused, or not a plugin.
  public init(file path: String, isInterrupted: @escaping () -> Bool) throws {
    let bytes = try Self.bytes(path, isInterrupted)
    let files = try PackedFiles(unpacking: bytes, path: path, limits: Self.limits)
    try self.init(files, path: path)
  }

  private static func bytes(_ path: String, _ isInterrupted: @escaping () -> Bool) throws -> [UInt8] {
    do { return try FileText.bytes(path, limit: limits.packed, isInterrupted: isInterrupted) } catch {
      guard case .tooLarge = error.reason else { throw error }
      throw ArchiveError.refused(path: path, reason: "it has more than \(grouped(limits.packed)) bytes")
    }
  }

  /// Reads a plugin's folder. Hidden files are left out; a link in it is refused.
  public init(folder: String, isInterrupted: @escaping () -> Bool) throws {
    guard let path = realPath(folder) else { throw FileError(folder, .open) }
    try self.init(Self.files(inFolder: path, isInterrupted), path: path)
  }

  /// - Parameter path: the folder's path without symbolic links.
  static func files(inFolder path: String, _ isInterrupted: @escaping () -> Bool) throws -> PackedFiles {
    var reader = FolderReader(root: path, isInterrupted: isInterrupted)
    try reader.read("")
    return try PackedFiles(folder: lastPart(of: path), reader.files, path: path, limits: limits)
  }

  private init(_ packed: PackedFiles, path: String) throws {
    self.path = path
    files = packed.files
    guard let source = files.first(where: { $0.path == "plugin.json" })?.bytes else {
      throw PluginPackageError.notAPlugin(path: path, missing: "plugin.json")
    }
    guard files.contains(where: { $0.path == "init.lua" }) else {
      throw PluginPackageError.notAPlugin(path: path, missing: "init.lua")
    }
    guard Manifest.isName(packed.folder) else { throw PluginError.badName(packed.folder) }
    manifest = try Manifest(source, folder: packed.folder)
    if manifest.isNewer { throw PluginError.newerAPI(plugin: packed.folder, api: manifest.api) }
  }

  /// The SHA-256 of the files' names and contents; it does not depend on how they are packed.
  public var contentHash: String { Self.contentHash(of: files) }

  static func contentHash(of files: [PackedFile]) -> String {
    let lines = files.map { "\(hexadecimal(sha256($0.bytes)))  \($0.path)\n" }
    return hexadecimal(sha256(Array(lines.joined().utf8)))
  }

  /// Returns the package's bytes; the same files always give the same bytes.
  public func packed(as path: String) throws -> [UInt8] {
    try PackedFiles(folder: name, files, path: path, limits: Self.limits).packed(as: path, limits: Self.limits)
  }
}

/// The plain files below a folder.
private struct FolderReader {
  let root: String
  let isInterrupted: () -> Bool
  var files: [PackedFile] = []
  var total = 0
  private static let deepest = 16

  mutating func read(_ inner: String, depth: Int = 0) throws {
    let folder = inner.isEmpty ? root : root + "/" + inner
    guard depth < Self.deepest else {
      throw ArchiveError.refused(path: folder, reason: "it is more than \(Self.deepest) folders deep")
    }
    for name in try Folder.names(in: folder) where !name.hasPrefix(".") {
      let relative = inner.isEmpty ? name : inner + "/" + name
      let path = root + "/" + relative
      switch try FileFacts.at(path, followingLinks: false)?.kind {
      case .folder: try read(relative, depth: depth + 1)
      case .file: try add(relative, path)
      case .symbolicLink: throw ArchiveError.refused(path: path, reason: "it is a link; a package has only plain files")
      case .other: throw ArchiveError.refused(path: path, reason: "it is not a file; a package has only plain files")
      case nil: continue
      }
    }
  }

  private mutating func add(_ relative: String, _ path: String) throws {
    let limits = PluginPackage.limits
    let room = limits.unpacked - total
    do {
      let file = try ByteFile(path, followingLinks: false, isInterrupted: isInterrupted)
      let bytes = try file.rest(limit: room)
      total += bytes.count
      files.append(PackedFile(relative, bytes))
    } catch {
      guard case .tooLarge = error.reason else { throw error }
      throw ArchiveError.refused(path: root, reason: "it has more than \(grouped(limits.unpacked)) bytes")
    }
    if files.count > limits.files {
      throw ArchiveError.refused(path: root, reason: "it has more than \(grouped(limits.files)) files")
    }
  }
}

/// A plugin's folder, checked before it is given to others.
public struct PluginCheck {
  /// Nil if the folder cannot be packed at all.
  public let package: PluginPackage?
  public private(set) var faults: [String] = []
  /// The size of its package in bytes; 0 if there is none.
  public let packedSize: Int

  public init(folder: String, _ host: PluginHost) throws {
    var (read, size): (PluginPackage?, Int) = (nil, 0)
    do {
      let package = try PluginPackage(folder: folder, isInterrupted: host.environment.isInterrupted)
      size = try package.packed(as: package.path).count
      read = package
    } catch let problem as any Problem where problem.report.code != .interrupted {
      faults.append(problem.message)
    }
    (package, packedSize) = (read, size)
    if let read { look(at: read, host) }
  }

  private mutating func look(at package: PluginPackage, _ host: PluginHost) {
    let manifest = package.manifest
    let expected = [
      ("version", manifest.version != "0", "a version such as \"1.0.0\""),
      ("summary", !manifest.summary.isEmpty, "a text"),
      ("author", manifest.author?.isEmpty == false, "a text"),
      ("licence", manifest.licence?.isEmpty == false, "a text such as \"MIT\""),
    ]
    for (key, isThere, what) in expected where !isThere {
      faults.append("plugin.json: \"\(key)\": \(what) is expected, it is missing")
    }
    if !package.hasTests { faults.append("test.lua is missing, so nothing would be tested when it is installed") }
    if host.plugins.contains(where: { $0.name == package.name && $0.isBundled && realPath($0.folder) != package.path })
    {
      faults.append(PluginPackageError.bundled(plugin: package.name).message)
    }
    for name in manifest.commands
    where host.registry.commands.contains(where: { $0.path.first == name && $0.owner == .program }) {
      faults.append("plugin.json: \"commands\": \(quoted(name)) is a command of Deckhand")
    }
  }
}

public enum PluginPackageError: Problem, Equatable {
  case notAPlugin(path: String, missing: String)
  case installed(plugin: String, version: String)
  /// The name is that of a plugin that comes with the program.
  case bundled(plugin: String)
  /// What is at the path is another plugin or another version than the one that was asked for.
  case other(path: String, given: String, wanted: String)
  /// It was not installed from a file or a folder, so an update has to name one.
  case noSource(plugin: String)
  case lower(plugin: String, installed: String, given: String, path: String)
  /// What is at the path is installed already.
  case unchanged(plugin: String, version: String, path: String)
  /// Nobody can be asked about the changes of an update.
  case notAgreed(plugin: String, version: String)
  /// It cannot be loaded, or one of its tests failed; `kept` is the version that stays.
  case doesNotWork(plugin: String, version: String, reason: String, kept: String?)
  /// An update changes more than a user can be asked about.
  case tooMuchToReview(plugin: String, lines: Int, most: Int)
  /// The package would be written into the folder that is being packed.
  case insideItself(path: String, folder: String)
  /// `plugin check` found faults.
  case hasFaults(path: String, count: Int)

  public var report: ProblemReport {
    switch self {
    case .notAPlugin(let path, let missing):
      ProblemReport(
        .badManifest, "Not a plugin", "\(quoted(path)) has no \(missing), so it is not a plugin", ["path": path])
    case .installed(let plugin, let version):
      .of(
        plugin, .exists, "Already installed",
        "\(plugin) \(version) is already installed; `plugin update \(plugin) FILE` replaces it")
    case .bundled(let plugin):
      .of(
        plugin, .exists, "Part of the program",
        "\(plugin) comes with Deckhand: it cannot be installed, updated or removed by itself; "
          + "`plugin disable \(plugin)` turns it off")
    case .other(let path, let given, let wanted):
      ProblemReport(
        .badValue, "Something else", "\(quoted(path)) has \(printable(given)), not \(printable(wanted))", ["path": path]
      )
    case .noSource(let plugin):
      .of(
        plugin, .notFound, "Nothing to update from",
        "\(plugin) was not installed from a file or a folder; name one: `plugin update \(plugin) FILE`")
    case .lower(let plugin, let installed, let given, let path):
      .of(
        plugin, .notNewer, "A lower version",
        "\(plugin) \(installed) is installed, and \(quoted(path)) has \(given); to go back to that version, name it "
          + "at the end of the command")
    case .unchanged(let plugin, let version, let path):
      .of(plugin, .notNewer, "Nothing new", "\(plugin) \(version) is installed, and \(quoted(path)) has the same")
    case .notAgreed(let plugin, let version):
      .of(
        plugin, .notGranted, "Not agreed",
        "nobody can be asked about the changes in \(plugin) \(version): `plugin update` with --dry-run shows them, and "
          + "with --yes it makes them")
    case .doesNotWork(let plugin, let version, let reason, let kept):
      .of(
        plugin, .pluginFailed, "The plugin does not work",
        "\(plugin) \(version) is not installed: \(reason.withoutPrefix(plugin + ": "))"
          + (kept.map { "; \(plugin) \($0) stays" } ?? ""))
    case .tooMuchToReview(let plugin, let lines, let most):
      .of(
        plugin, .tooLarge, "Too much to review before a question",
        "the difference has \(grouped(lines)) lines, and a question follows at most \(grouped(most)): "
          + "`plugin update` with --dry-run shows all of them, and with --yes it installs \(plugin) without a question")
    case .hasFaults(let path, let count):
      ProblemReport(
        .pluginFailed, "A plugin has faults", "\(quoted(path)) has \(counted(count, "fault"))", ["path": path])
    case .insideItself(let path, let folder):
      ProblemReport(
        .badPath, "A package in its own folder",
        "\(quoted(path)) is within \(quoted(folder)), and the next package would contain this one; "
          + "write it elsewhere", ["path": path])
    }
  }
}

extension ProblemReport {
  static func of(_ plugin: String, _ code: ProblemCode.Failure, _ title: String, _ message: String) -> ProblemReport {
    ProblemReport(code, title, message, ["plugin": plugin])
  }
}
