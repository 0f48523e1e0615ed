// Why a version that an index or a lock file names is not installed, as messages. Invariant: each message names the
// plugin and the reason, and a remedy if there is one.

public import Problems
import Text

/// Why a version of a plugin is not installed.
public enum PluginReleaseError: Problem, Equatable {
  /// - Parameter indexes: the number of indexes that were searched.
  case notListed(plugin: String, suggestion: String?, indexes: Int)
  case inSeveral(plugin: String, indexes: [String])
  case noVersion(plugin: String, version: String, there: [String])
  /// Its author yanked it.
  case yanked(plugin: String, version: String, reason: String)
  /// Its package is not in the index's folder.
  case notThere(plugin: String, version: String, path: String, address: String?, size: Int)
  /// The package there differs from what the index states.
  case changed(plugin: String, version: String, path: String, reason: String)
  case nothingNewer(plugin: String, version: String)
  /// The lock file cannot be read.
  case badLock(path: String, reason: String)
  /// The lock file has different content for the version.
  case changedSinceLock(plugin: String, version: String, path: String)
  /// The plugin or index that was given to `plugin check` has faults.
  case hasFaults(path: String, count: Int)

  public var report: ProblemReport {
    switch self {
    case .notListed(let plugin, let near, let indexes):
      ProblemReport(
        .notFound, "In no index",
        indexes == 0
          ? "no plugin index was added: `plugin index add FOLDER` adds one, `plugin install FILE` installs a package"
          : "no index has a plugin called \(quoted(plugin))\(didYouMean(near)); `plugin search` lists all plugins",
        ["plugin": plugin, "suggestion": near])
    case .inSeveral(let plugin, let indexes):
      .of(
        plugin, .ambiguous, "In several indexes",
        "\(plugin) is in the indexes \(indexes.map { quoted($0) }.joined(separator: ", ")); choose one with --index")
    case .noVersion(let plugin, let version, let there):
      .of(
        plugin, .notFound, "No such version",
        "\(plugin) \(printable(version)) is in no index; there are \(there.joined(separator: ", "))")
    case .yanked(let plugin, let version, let reason):
      .of(
        plugin, .yanked, "A withdrawn version",
        "\(plugin) \(version) is refused: its author withdrew it: \(printable(reason))")
    case .notThere(let plugin, let version, let path, let address, let size):
      .of(
        plugin, .fileMissing, "The package is not here",
        "\(plugin) \(version) is not in the index's folder: "
          + (address.map { "get \($0) (\(counted(size, "byte"))) and put it at \(printable(path)), then try again" }
            ?? "put its package (\(counted(size, "byte"))) at \(printable(path)), then try again"))
    case .changed(let plugin, let version, let path, let reason):
      .of(
        plugin, .badSignature, "A changed package",
        "\(quoted(path)) is refused: it is not the \(plugin) \(version) of the index: \(reason)")
    case .nothingNewer(let plugin, let version):
      .of(plugin, .notNewer, "Nothing newer", "\(plugin) \(version) is installed, and no index has a higher version")
    case .badLock(let path, let reason):
      ProblemReport(
        .badFile, "Not a file of `plugin lock`", "\(printable(path)): \(reason); nothing was changed", ["path": path])
    case .changedSinceLock(let plugin, let version, let path):
      .of(
        plugin, .badSignature, "A changed version",
        "\(plugin) \(version) is refused: its content is not the one recorded in \(quoted(path))")
    case .hasFaults(let path, let count):
      ProblemReport(
        .notAccepted, "An index would refuse it",
        "an index would refuse \(quoted(path)): it has \(counted(count, "fault"))",
        ["path": path])
    }
  }
}
