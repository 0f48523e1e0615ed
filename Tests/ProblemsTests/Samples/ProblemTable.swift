// The tables that the sweep of problems reads: one of each error type, a sample of each of its cases.

import Problems
import Testing

/// The samples of one error type.
struct ProblemTable: CustomTestStringConvertible {
  /// The type's name, and where its cases are.
  let type: String
  let file: String
  /// By the name of the case; a case that answers differently has more than one.
  let samples: KeyValuePairs<String, any Problem>

  init<P: Problem>(_ type: P.Type, in file: String, _ samples: KeyValuePairs<String, any Problem>) {
    self.type = String(describing: type)
    self.file = file
    self.samples = samples
  }

  var testDescription: String { type }

  static let all =
    [
      authentication, storage, files, memory, decks, exchange, comparisons, packages, notes, lexicon, language,
      textFiles,
      dictionaries, builds, games,
      settings,
      workspace, syncs, listening,
    ] + safety + documents + commands
    + bindings
    + plugins + pluginPackages + pluginIndexes + shell
}

/// What somebody else may name a thing: a line end, an escape sequence, a mark that turns the text around.
let hostile = "a\nb\u{1B}[2J\u{202E}\"c"

extension Owner {
  static let quiz = PluginName("quiz").map(Owner.plugin) ?? .program
}
