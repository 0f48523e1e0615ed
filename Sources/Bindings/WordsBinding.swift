// Lua's view of words: the module `words` and the type `lexicon`. Invariant: a word that is looked up stays the bytes
// that Lua holds; no Swift String is made for it.

import Files
import Language
public import Lexicon
public import LuaRuntime
import Text
public import Workspace

extension LexiconHandle: BoundObject {}

extension ListedWords: LuaRepresentable {
  public func push(on stack: borrowing LuaStack) -> Int32 {
    LuaPushed.list(of: count, on: stack) { push in forEach(push) }.push(on: stack)
  }
  public var luaValue: LuaValue { texts.luaValue }
}

/// The maximum bytes of words and letters, far more than any word has.
let longestWords = 10_000

func wordsModule(_ context: BindingContext) -> BoundModule {
  context.module("words", "Word lists of languages, and functions about words.", grant: .any(.words)) { module in
    module.function("languages", returns: .list(.string), "The languages with a word list on this machine.") { _ in
      try context.workspace().lexicons.languages().map(\.name)
    }
    module.function(
      "lexicon", ["language": .string], returns: .object("lexicon").orProblem, example: "(\"english\")",
      "The words of a language. Code: no_word_list, which names the Debian package."
    ) { stack in
      let language = try stack.text(1)
      return try openLexicon(language, context.workspace())
    }
    module.function(
      "load", ["path": .string, "options": .optional(.table)], returns: .object("lexicon").orProblem,
      example: "(\"list.txt\", {name = \"mine\"})", "The words of a file, one per line. Options: name, language."
    ) { stack in
      let path = try context.expanded(stack.text(1))
      let options = try stack.optionalTable(2, allowing: ["name", "language"])
      let (name, language) = (try options?.optionalText("name"), try options?.optionalText("language"))
      try context.requireReading(path)
      // The list is compiled in memory; one that is too large is refused below.
      let file = try ByteFile(path) { Interrupts.areRequested }
      let limit = ListLimits { Interrupts.areRequested }.bytes
      if let size = file.size, size <= limit { try stack.memory.charge(3 * size) }
      return try context.workspace().words.load(path, name: name, language: language)
    }
    describeLemmas(module, context)
    describeQuestions(module) { try answerCanForm($0, &context.letters) }
    addFastPaths(module)
  }
}

/// Adds the functions for the dictionary forms and the inflected forms of words.
private func describeLemmas(_ module: BoundModule, _ context: BindingContext) {
  module.function(
    "lemma", ["form": .string, "options": .optional(.table)],
    returns: .string, example: "(\"casas\", {language = \"spanish\"})",
    "The dictionary form of a word; the second result lists all possible dictionary forms, the likeliest first. An "
      + "unknown form is its own dictionary form. Option: language."
  ) { stack in
    let form = try stack.text(1, limit: longestWords)
    let options = try stack.optionalTable(2, allowing: ["language"])
    let language = try options?.optionalText("language")
    let workspace = try context.workspace()
    // Reading data at its first use is the program's work, so the time does not count against a plugin's limit.
    let (library, known) = (workspace.languages, try workspace.words.language(named: language))
    if !library.isOpen(known) { CallPause.pausingLimits { _ = library.lemmatizer(of: known) } }
    let lemmas = library.lemmatizer(of: known).lemmas(of: form)
    stack.push(lemmas[0])
    _ = try lemmas.push(on: stack)
    return LuaPushed(2)
  }
  module.function(
    "forms", ["lemma": .string, "options": .optional(.table)], returns: .list(.table),
    example: "(\"tener\", {language = \"spanish\", part = \"verb\"})",
    "The inflected forms of a word, each with form, part and features: tense, mood, person, number, gender, degree, "
      + "as far as they apply, and other, Apertium's tags for the rest; none for an unknown word. Options: language, "
      + "part = \"verb\", \"noun\" or \"adjective\". Raises not_here if the language's data is not installed."
  ) { stack in
    let lemma = try stack.text(1, limit: longestWords)
    let options = try stack.optionalTable(2, allowing: ["language", "part"])
    let part = try options?.optionalText("part")
    if let part, !InflectedForm.parts.contains(part) {
      throw LuaFailure.argument(2, "part \"verb\", \"noun\" or \"adjective\" expected, got \(quoted(part))")
    }
    let words = try context.workspace().words
    let language = try words.language(named: options?.optionalText("language"))
    func forms(_ word: String) throws -> [InflectedForm] { try words.forms(of: word, part: part, in: language) }
    if try !context.workspace().languages.isOpen(language) { _ = try CallPause.pausingLimits { try forms("") } }
    return try LuaPushed.list(of: forms(lemma), on: stack) { LuaValue($0.value) }
  }
}

/// Returns the lexicon of a language. The time to compile a list at its first use does not count against a plugin.
func openLexicon(_ language: String?, foldAccents: Bool = false, _ workspace: Workspace) throws -> LexiconHandle {
  func lexicon() throws -> LexiconHandle { try workspace.words.lexicon(language, foldAccents: foldAccents) }
  if try workspace.words.isLexiconOpen(language, foldAccents: foldAccents) { return try lexicon() }
  return try CallPause.pausingLimits(lexicon)
}

/// Adds the functions on two texts, which need no word list.
func describeQuestions(_ module: BoundModule, canForm: @escaping (borrowing LuaStack) throws -> Bool) {
  module.function(
    "can_form", ["letters": .string, "word": .string], returns: .boolean, example: "(\"cambering\", \"grace\")",
    "Whether the word can be made of the letters, each used at most as often as it occurs."
  ) { stack in try canForm(stack) }
  module.function(
    "normalize", ["text": .string, "language": .string], returns: .string, example: "(\" Árbol \", \"spanish\")",
    "The text trimmed, in normal form, and lowercased by the language's rules."
  ) { stack in
    _ = try stack.bytes(1, limit: longestWords)
    let (text, name) = (try stack.text(1), try stack.text(2))
    guard let language = Language.named(name) else {
      let near = suggestion(for: name, among: Language.known.map(\.name))
      throw LexiconError.unknownLanguage(name: name, suggestion: near)
    }
    return normalize(text, language: language)
  }
}

private func addFastPaths(_ module: BoundModule) {
  module.fastPath("can_form") { L, _, context in
    guard let call = FastCall(L, openedBy: context, as: BindingContext.self), let context,
      let letters = call.stack.bytesInPlace(1, limit: longestWords),
      let word = call.stack.bytesInPlace(2, limit: longestWords),
      let answer = borrowed(context, as: BindingContext.self, { $0.letters.canForm(letters, word) })
    else { return FastCall.declined }
    return call.answer(answer)
  }
  module.fastPath("normalize") { L, _, context in
    // Only what needs no String.
    guard let call = FastCall(L, openedBy: context, as: BindingContext.self),
      let text = call.stack.bytesInPlace(1, limit: longestWords),
      let name = call.stack.bytesInPlace(2, limit: longestWords), let letterCase = Language.letterCase(ofNamed: name)
    else { return FastCall.declined }
    if isPlain(text) { return call.answer(argument: 1) }
    return withNormalizedPlain(text, letterCase, { call.stack.push(bytes: $0) }) ? 1 : FastCall.declined
  }
}

/// Returns whether the letters at 1 form the word at 2.
func answerCanForm(_ stack: borrowing LuaStack, _ known: inout PlainLetters) throws -> Bool {
  let (letters, word) = (try stack.bytes(1, limit: longestWords), try stack.bytes(2, limit: longestWords))
  if let answer = known.canForm(letters, word) { return answer }
  return canForm(letters: try stack.text(1), word: try stack.text(2))
}

func lexiconType() -> BoundType<LexiconHandle> {
  BoundType<LexiconHandle>(
    "lexicon", "The words of a language.",
    weight: .measured({ (512 << 10) + ($0.lexicon.isMapped ? 0 : 2 * $0.lexicon.membershipBytes) }),
    summary: { "lexicon \"\(printable($0.lexicon.name))\" (\(counted($0.lexicon.count, "word")))" },
    identity: { .text($0.lexicon.name) },
    checks: LuaChecks {
      try requireOpen($0, "lexicon")
      if $0.lexicon.isDamaged { throw $0.lexicon.damage }
    }
  ) { type in
    type.example = "words.lexicon(\"english\")"
    type.field("count", .integer, "How many words it has.") { $0.lexicon.count }
    type.fastPath("count") { L, handle, _ in
      guard let call = FastCall(L, openedBy: handle, as: LexiconHandle.self), let handle else {
        return FastCall.declined
      }
      return call.answer(borrowed(handle, as: LexiconHandle.self) { $0.lexicon.count })
    }
    type.field("language", .string, "The language's name.") { $0.lexicon.language.name }
    type.field("name", .string, "The list's name.") { $0.lexicon.name }
    type.operation("__len") { handle, _ in handle.lexicon.count }
    type.method(
      "contains", ["word": .string], returns: .boolean, example: "(\"grace\")",
      "Whether it contains the word exactly as given."
    ) { handle, stack in handle.lexicon.contains(try stack.bytes(2)) }
    type.fastPath("contains") { L, handle, _ in
      guard let call = FastCall(L, openedBy: handle, as: LexiconHandle.self), let handle,
        let word = call.stack.bytesInPlace(2, limit: longestWords)
      else { return FastCall.declined }
      return call.answer(borrowed(handle, as: LexiconHandle.self) { $0.lexicon.contains(word) })
    }
    type.method(
      "random", ["options": .optional(.table)], returns: .optional(.string), example: "{length = 9}",
      "A random word. Options: length, difficulty = \"easy\", \"normal\" or \"hard\". "
        + "Nil when no word has that length."
    ) { handle, stack in
      let options = try stack.optionalTable(2, allowing: ["length", "difficulty"])
      let length = try options?.optionalInteger("length", in: 1...1000)
      var choices = handle.workspace.environment.random.choices
      guard let options, let word = try options.optionalText("difficulty") else {
        return handle.lexicon.random(length: length, using: &choices)
      }
      guard let difficulty = Difficulty(rawValue: word) else {
        throw LuaFailure.argument(
          options.argument, "difficulty \"easy\", \"normal\" or \"hard\" expected, got \(quoted(word))")
      }
      return handle.lexicon.random(length: length, difficulty: difficulty, using: &choices)
    }
    describeSearches(type)
  }
}

private func describeSearches(_ type: BoundType<LexiconHandle>) {
  type.method(
    "formable", ["letters": .string, "options": .optional(.table)], returns: .list(.string),
    example: "(\"cambering\", {min = 5})",
    "The words that can be made of the letters: longest first, then by code point. Option: min = 2."
  ) { handle, stack in
    let letters = try stack.text(2, limit: longestWords)
    let options = try stack.optionalTable(3, allowing: ["min"])
    let least = try options?.optionalInteger("min", in: 1...1000) ?? 2
    return handle.lexicon.formableWords(from: letters, minLength: least)
  }
  type.method(
    "match", ["pattern": .string], returns: .list(.string).orProblem, example: "(\"c?t*\")",
    "The words that match a pattern: ? is one letter, * any number, [abc] a choice."
  ) { handle, stack in
    try handle.lexicon.listMatches(of: stack.text(2, limit: longestWords)) { Interrupts.areRequested }
  }
  type.method(
    "anagrams", ["letters": .string], returns: .list(.string), example: "(\"listen\")",
    "The words of exactly these letters."
  ) { handle, stack in handle.lexicon.listAnagrams(of: try stack.text(2, limit: longestWords)) }
  type.method(
    "neighbours", ["word": .string], returns: .list(.string), example: "(\"cold\")",
    "The words that differ in one letter."
  ) { handle, stack in handle.lexicon.listNeighbours(of: try stack.text(2, limit: longestWords)) }
  type.method(
    "define", ["word": .string], returns: .list(.string).orProblem, example: "(\"grace\")",
    "The entries for a word in the dictionaries of this machine and your own, each a text; an empty list if "
      + "there is none. Code: not_found, if there is no dictionary of the language."
  ) { handle, stack in
    let word = try stack.text(2, limit: longestWords)
    // The time to read a dictionary at its first use does not count against a plugin's limit.
    if try handle.areDictionariesOpen { return try handle.define(word).map(\.text) }
    return try CallPause.pausingLimits { try handle.define(word).map(\.text) }
  }
  describeLists(type)
}

/// Adds the methods that take no word.
private func describeLists(_ type: BoundType<LexiconHandle>) {
  type.method(
    "word_of_the_day", ["options": .optional(.table)], returns: .optional(.string),
    "The word of a day, the same for everybody. Options: length, day (days since 1970; default: today)."
  ) { handle, stack in
    let options = try stack.optionalTable(2, allowing: ["length", "day"])
    let clocks = handle.workspace.environment.clocks
    let day = try options?.optionalInteger("day", in: -1_000_000...1_000_000) ?? clocks.day(of: clocks.now())
    return handle.lexicon.wordOfTheDay(day, length: try options?.optionalInteger("length", in: 1...1000))
  }
  type.method("palindromes", returns: .list(.string), "The words that read the same from both ends.") { handle, _ in
    handle.lexicon.listPalindromes()
  }
  type.method(
    "words", ["options": .optional(.table)], returns: .iterator(.string), example: "{length = 3, prefix = \"ca\"}",
    "All words, longest first. Options: length, prefix."
  ) { handle, stack in
    let options = try stack.optionalTable(2, allowing: ["length", "prefix"])
    let length = try options?.optionalInteger("length", in: 1...1000)
    var words = handle.lexicon.words(length: length, prefix: try options?.optionalText("prefix") ?? "")
    return LuaFunction("next", cost: 512) { stack in
      try requireOpen(handle, "iterator")
      if words.withNext({ stack.push(bytes: $0) }) == nil { stack.pushNil() }
      return LuaPushed(1)
    }
  }
}
