// The functions on words for a script that is run over lines: word lists that were shipped with it, and questions
// about letters. Invariant: nothing is compiled into a folder and no user's data is opened.

import Language
import Lexicon
import LuaRuntime

/// A loaded word list.
private final class MapLexicon: BoundObject {
  let lexicon: Lexicon

  init(_ lexicon: Lexicon) { self.lexicon = lexicon }
}

/// Adds `words` and its lexicons to a state.
/// - Parameter reading: passes the path for a name that the script gave to the closure that loads the file.
func registerWords(
  in state: LuaState,
  reading: @escaping (_ name: String, _ load: (String) throws -> Lexicon) throws -> Lexicon = { try $1($0) }
) throws {
  let library = LexiconLibrary(
    listFolders: ["/usr/share/dict"], cacheFolder: nil, limits: ListLimits { Interrupts.areRequested })
  state.register(mapLexiconType())
  var letters = PlainLetters()
  try state.register(
    BoundModule("words", "Word lists, and functions about words.") { module in
      module.function(
        "lexicon", ["language": .string], returns: .object("lexicon").orProblem, "The words of an installed language."
      ) { stack in MapLexicon(try library.lexicon(for: library.language(named: stack.text(1)))) }
      module.function(
        "load", ["path": .string, "options": .optional(.table)],
        returns: .object("lexicon").orProblem, "The words of a file, one per line. Options: name, language."
      ) { stack in
        let options = try stack.optionalTable(2, allowing: ["name", "language"])
        let language = try options?.optionalText("language").map { try library.language(named: $0) }
        let name = try options?.optionalText("name")
        return MapLexicon(
          try reading(stack.text(1)) { path in try library.load(path: path, name: name, language: language) })
      }
      describeQuestions(module) { try answerCanForm($0, &letters) }
      describeLemmas(module, library)
    })
}

/// Adds the function for dictionary forms, which uses the data of this machine and files shipped with the script. It
/// is an error if both are missing, as another machine would produce other records.
private func describeLemmas(_ module: BoundModule, _ library: LexiconLibrary) {
  let languages = LanguageLibrary(
    ownFolder: "lemmas", sharedFolders: ["/usr/local/share", "/usr/share"], spellingFolders: [], shippedFolder: "."
  ) { Interrupts.areRequested }
  module.function(
    "lemma", ["form": .string, "options": .table], returns: .string,
    "The dictionary form of a word; the second result lists all possible dictionary forms. Option: language."
  ) { stack in
    let form = try stack.text(1, limit: longestWords)
    let options = try stack.table(2)
    try options.allowOnly(["language"])
    guard let name = try options.optionalText("language") else {
      throw LuaFailure.argument(2, "a table with language expected")
    }
    let lemmatizer = languages.lemmatizer(of: try library.language(named: name))
    if let failure = languages.failures.first { throw failure }
    if let package = lemmatizer.missing {
      throw LanguageError.missing(language: lemmatizer.language.title, package: package)
    }
    let lemmas = lemmatizer.lemmas(of: form)
    stack.push(lemmas[0])
    _ = try lemmas.push(on: stack)
    return LuaPushed(2)
  }
}

private func mapLexiconType() -> BoundType<MapLexicon> {
  BoundType<MapLexicon>(
    "lexicon", "The words of a language.", summary: { "lexicon \"\($0.lexicon.name)\"" },
    identity: { .text($0.lexicon.name) }
  ) { type in
    type.field("count", .integer, "How many words it has.") { $0.lexicon.count }
    type.field("name", .string, "The list's name.") { $0.lexicon.name }
    type.operation("__len") { handle, _ in handle.lexicon.count }
    type.method("contains", ["word": .string], returns: .boolean, "Whether the word is in it.") {
      $0.lexicon.contains(try $1.bytes(2))
    }
    type.method("anagrams", ["letters": .string], returns: .list(.string), "The words of these letters.") {
      $0.lexicon.listAnagrams(of: try $1.text(2, limit: longestWords))
    }
    type.method(
      "formable", ["letters": .string], returns: .list(.string),
      "The words that can be made of the letters."
    ) { $0.lexicon.formableWords(from: try $1.text(2, limit: longestWords)) }
  }
}
