// Why a plugin's package is refused, as messages. Invariant: each message names the package or the plugin, and a
// remedy if there is one; a refused package leaves nothing behind.

public import Problems
import Text

/// Why a package is not installed.
public enum PluginPackageError: Problem, Equatable {
  case notAPlugin(path: String, missing: String)
  case installed(plugin: String, version: String)
  /// The name is that of a plugin that comes with the program.
  case bundled(plugin: String)
  /// What is at the path is another plugin or another version than the one that was asked for.
  case other(path: String, given: String, wanted: String)
  /// It was not installed from a file or a folder, so an update has to name one.
  case noSource(plugin: String)
  /// The version at the path is lower than the installed one.
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
        "nobody can be asked about the changes in \(plugin) \(version): `plugin update` with --diff shows them, and "
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
          + "`plugin update` with --diff shows all of them, and with --yes it installs \(plugin) without a question")
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
