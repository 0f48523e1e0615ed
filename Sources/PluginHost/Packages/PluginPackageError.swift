// Why a plugin's package is refused, as messages. Invariant: each message names the package or the plugin, and a
// remedy if there is one; a refused package leaves nothing behind.

public import Problems
import Text

/// Why a package is not installed.
public enum PluginPackageError: Problem, Equatable {
  case notAPlugin(path: String, missing: String)
  case installed(plugin: String, version: String)
  case notInstalled(plugin: String)
  /// The name is that of a plugin that comes with the program.
  case bundled(plugin: String)
  /// The package's version is not higher than the installed one.
  case notNewer(plugin: String, installed: String, given: String)
  /// It cannot be loaded, or one of its tests failed; `kept` is the version that stays.
  case doesNotWork(plugin: String, version: String, reason: String, kept: String?)
  /// An update changes more than a user can be asked about.
  case tooMuchToReview(plugin: String, lines: Int, most: Int)
  /// The package would be written into the folder that is being packed.
  case insideItself(path: String, folder: String)
  /// Other plugins need it in its current version.
  case needed(plugin: String, by: [String])

  public var report: ProblemReport {
    switch self {
    case .notAPlugin(let path, let missing):
      ProblemReport(
        .badManifest, "Not a plugin", "\(quoted(path)) has no \(missing), so it is not a plugin", ["path": path])
    case .installed(let plugin, let version):
      .of(
        plugin, .exists, "Already installed",
        "\(plugin) \(version) is already installed; `plugin update FILE` replaces it with a newer one")
    case .notInstalled(let plugin):
      .of(
        plugin, .notFound, "Not installed",
        "\(plugin) is not installed; `plugin install FILE` installs it, `plugin list` shows all plugins")
    case .bundled(let plugin):
      .of(
        plugin, .exists, "Part of the program",
        "\(plugin) comes with Deckhand: it cannot be installed, updated or removed by itself; "
          + "`plugin disable \(plugin)` turns it off")
    case .notNewer(let plugin, let installed, let given):
      .of(
        plugin, .notNewer, "Not a newer version",
        "\(plugin) \(installed) is installed, and the package has \(given); an update needs a higher version")
    case .doesNotWork(let plugin, let version, let reason, let kept):
      .of(
        plugin, .pluginFailed, "The plugin does not work",
        "\(plugin) \(version) is not installed: \(reason.withoutPrefix(plugin + ": "))"
          + (kept.map { "; \(plugin) \($0) stays" } ?? ""))
    case .tooMuchToReview(let plugin, let lines, let most):
      .of(
        plugin, .tooLarge, "Too much to review before a question",
        "the difference has \(grouped(lines)) lines, and a question follows at most \(grouped(most)): "
          + "`plugin update` with --diff shows all of them, and with --grant it installs \(plugin) without a question")
    case .insideItself(let path, let folder):
      ProblemReport(
        .badPath, "A package in its own folder",
        "\(quoted(path)) is within \(quoted(folder)), and the next package would contain this one; "
          + "write it elsewhere", ["path": path])
    case .needed(let plugin, let others):
      .of(
        plugin, .inUse, "Another plugin needs it",
        "\(plugin) is needed by \(others.joined(separator: "; ")): update, disable or remove that first")
    }
  }
}

extension ProblemReport {
  static func of(
    _ plugin: String, _ code: ProblemCode.Failure, _ title: String, _ message: String
  ) -> ProblemReport {
    ProblemReport(code, title, message, ["plugin": plugin])
  }
}
