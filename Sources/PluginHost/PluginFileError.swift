// What can be wrong with a plugin's files, and with the file of grants.

import Problems
import Text
import Values

enum PluginFileError: Problem, Equatable {
  case missing(file: String)
  /// The file, or a link on the way to it, leads out of the plugin's folder.
  case outside(file: String)
  /// `require` got something that is not a module name.
  case badModule(String)
  /// `require` finds no file; `stem` is its path without `.lua`.
  case noModule(stem: String)
  case damagedGrants(path: String, JSONFailure)
  /// The file is JSON, but not an object.
  case badGrants(path: String)
  /// The journal of a change to a plugin cannot be read.
  case badJournal(path: String)

  var report: ProblemReport {
    switch self {
    case .missing(let file): ProblemReport(.notFound, "A plugin's file", "\(printable(file)) is missing")
    case .outside(let file):
      ProblemReport(.badPath, "A plugin's file", "\(printable(file)) is outside the plugin's folder")
    case .badModule(let name):
      ProblemReport(
        .badName, "A plugin's file",
        "require: \(quoted(name)) is not a module name; a plugin can only require its own files")
    case .noModule(let stem):
      ProblemReport(.notFound, "A plugin's file", "require: no file \(stem).lua in the plugin's folder")
    case .damagedGrants(let path, let failure):
      ProblemReport(
        .badFile, "A damaged file",
        "\(printable(path)):\(failure.line):\(failure.column): \(failure.words); "
          + "no installed plugin is enabled until it is repaired or removed")
    case .badJournal(let path):
      ProblemReport(
        .damagedJournal, "A damaged record",
        "\(printable(path)) records an unfinished change of a plugin and cannot be read; no plugin is installed, "
          + "updated or removed until you delete the file")
    case .badGrants(let path):
      ProblemReport(
        .badFile, "A damaged file",
        "\(printable(path)): an object is expected; no installed plugin is enabled until it is repaired or removed")
    }
  }
}
