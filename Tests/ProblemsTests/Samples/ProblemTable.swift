// The tables for the problem sweep: one for each error type, with a sample of each of its cases.

import Problems
import Testing

/// The samples of one error type.
struct ProblemTable: CustomTestStringConvertible {
  /// The type's name, and the file with its cases.
  let type: String
  let file: String
  /// With the names of the cases; a case with varying messages has more than one.
  let samples: [(name: String, problem: any Problem)]

  /// - Parameters:
  ///   - plain: the cases without values, by name: nothing else says which one it is.
  init<P: Problem>(_ type: P.Type, in file: String, plain: KeyValuePairs<String, P> = [:], _ samples: [P] = []) {
    (self.type, self.file) = (String(describing: type), file)
    self.samples =
      plain.map { (name: $0.key, problem: $0.value) }
      + samples.map { (name: Mirror(reflecting: $0).children.first?.label ?? "", problem: $0) }
  }

  var testDescription: String { type }

  static let all =
    [
      authentication, storage, files, memory, decks, exchange, comparisons, packages, notes, lexicon, language,
      textFiles, dictionaries, builds, names, games, settings, workspace, syncs, listening, agents,
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
