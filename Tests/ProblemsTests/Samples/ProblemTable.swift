// The tables for the problem sweep: one for each error type, with a sample of each of its cases.

import Problems
import Testing

/// The samples of one error type.
struct ProblemTable: CustomTestStringConvertible {
  /// The type's name, and the file with its cases.
  let type: String
  let file: String
  /// By case name; a case with varying messages has more than one.
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
    + plugins + pluginPackages + shell
}

/// A name that an attacker may choose: with a line feed, an escape sequence, and a mark that reverses the text
/// direction.
let hostile = "a\nb\u{1B}[2J\u{202E}\"c"

extension Owner {
  static let quiz = PluginName("quiz").map(Owner.plugin) ?? .program
}
