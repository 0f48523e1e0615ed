// Lua's view of texts: the module `texts`, the type `text`, and `deck:mine`. Invariant: a text can be opened only if
// its files may be read; what is known of it is determined by the cards at the time of the call. What a text takes is
// charged while it is read, and results are pushed one by one.

import Decks
import Exchange
import Language
import Lexicon
public import LuaRuntime
import Problems
import Text
import Values
public import Workspace

extension TextHandle: BoundObject {}

extension TextHandle: LuaGate {
  public var isOpen: Bool { workspace.isOpen }
}

func textsModule(_ context: BindingContext) -> BoundModule {
  context.module("texts", "Texts and subtitles, and how much of them your cards cover.", grant: .any(.texts)) {
    module in
    module.function(
      "open", ["path": .oneOf([.string, .list(.string)]), "options": .optional(.table)],
      returns: .object("text").orProblem, example: "(\"novel.txt\", {language = \"spanish\"})",
      "Opens one file or several as a text: \(TextFormat.endings). Options: language (default: "
        + "what the file declares or its words show), encoding, translation (a path, or one for each "
        + "file), offset, deck (only its cards count as known), known (a list of words that count as known)."
    ) { stack in
      let paths = try paths(at: 1, stack, context)
      let options = try readTextOptions(stack.optionalTable(2), context)
      for path in paths + options.translations.compactMap(\.self) + options.knownLists {
        try context.requireReadingOfFile(path)
      }
      let workspace = try context.workspace()
      // A language is loaded once for all texts, so that time does not count against a plugin's limit.
      try CallPause.pausingLimits {
        _ = workspace.languages.lemmatizer(of: try workspace.words.language(named: options.language))
      }
      return try TextHandle(paths, options, in: workspace, hold: stack.memory.growingCharge())
    }
  }
}

private func readTextOptions(_ table: consuming LuaTable?, _ context: BindingContext) throws -> TextOptions {
  var options = TextOptions()
  guard let table else { return options }
  try table.allowOnly(["language", "encoding", "translation", "offset", "deck", "known"])
  options.language = try table.optionalText("language")
  options.encoding = try table.optionalText("encoding").map { try TextEncoding(named: $0) }
  options.offset = try table.optionalNumber("offset")
  options.deck = try table.optionalText("deck")
  options.knownLists = try table.optionalText("known").map { [try context.expanded($0)] } ?? []
  if let path = try table.value("translation").text {
    options.translations = [try context.expanded(path)]
  } else {
    let paths = try table.optionalTable("translation") { try $0.elements { try $0.text(-1) } } ?? []
    options.translations = try paths.map { try context.expanded($0) }
  }
  return options
}

func paths(at index: Int, _ stack: borrowing LuaStack, _ context: BindingContext) throws -> [String] {
  guard stack.kind(index) == .table else { return [try context.expanded(stack.text(index))] }
  let count = try stack.table(index).count()
  guard (1...10_000).contains(count) else {
    throw LuaFailure.argument(index, "1 to 10,000 paths expected, got \(grouped(count))")
  }
  return try stack.table(index).elements { try context.expanded($0.text(-1)) }
}

func textType(_ context: BindingContext) -> BoundType<TextHandle> {
  BoundType<TextHandle>(
    "text", "A text, and what you know of it.", weight: .measured({ 4096 + $0.text.weight }),
    summary: { "text \"\(printable($0.titles.first ?? ""))\" (\(counted($0.text.tokens.count, "word")))" },
    identity: { .text($0.titles.first ?? "") }, checks: context.checks(.any(.texts)) { try requireOpen($0, "text") }
  ) { type in
    type.example = "texts.open(\"novel.txt\", {language = \"spanish\"})"
    type.field("coverage", .number, "How much of it you know, from 0 to 1.") { try $0.view().coverage }
    type.field("expected_coverage", .number, "How much of it you remember today by the memory model, from 0 to 1.") {
      try $0.view().expectedCoverage
    }
    type.field("count", .integer, "How many words it has, including names and numbers.") { $0.text.tokens.count }
    type.field("language", .string, "The language's name.") { $0.language.name }
    type.method(
      "words", ["options": .optional(.table)], returns: .list(.table), example: "{unknown = true, limit = 20}",
      "Its words, the most frequent first: lemma, count, state, forms, and for an unknown or new word the sentence "
        + "that shows it best. Options: unknown (only those that are not known), limit = 1000."
    ) { handle, stack in
      let options = try stack.optionalTable(2, allowing: ["unknown", "limit"])
      let onlyUnknown = try options?.optionalBoolean("unknown") ?? false
      let limit = try options?.optionalInteger("limit", in: 1...1_000_000) ?? 1_000
      let view = try handle.view()
      try stack.memory.charge(128 * view.text.lemmas.count)
      let lemmas = view.lemmasByGain { !onlyUnknown || $0.isToLearn }.prefix(limit)
      // Sentences may have any number of other unknown words.
      let sentences = try view.bestSentences(for: Array(lemmas)) { try stack.memory.charge(0) }
      return try LuaPushed.list(of: lemmas, on: stack) { LuaValue(word($0, sentence: sentences[$0], of: view)) }
    }
    describeSentences(type)
  }
}

private func describeSentences(_ type: BoundType<TextHandle>) {
  type.method(
    "sentences", ["options": .optional(.table)], returns: .list(.table), example: "{unknown_at_most = 0}",
    "Its sentences: text, unknown, source, start, translation. Options: unknown_at_most = 1, limit = 1000."
  ) { handle, stack in
    let options = try stack.optionalTable(2, allowing: ["unknown_at_most", "limit"])
    let most = try options?.optionalInteger("unknown_at_most", in: 0...1_000) ?? 1
    let limit = try options?.optionalInteger("limit", in: 1...1_000_000) ?? 1_000
    let view = try handle.view()
    let found = view.text.sentences.indices.lazy.filter { Int(view.missing[$0]) <= most }.prefix(limit)
    return try LuaPushed.list(of: found, on: stack) {
      LuaValue(sentence($0, unknown: Int(view.missing[$0]), of: handle))
    }
  }
  type.method(
    "plan", ["options": .optional(.table)], returns: .list(.table), example: "{limit = 30}",
    "Sentences in an order in which each adds one new word, given as `lemma`. Option: limit = 1000."
  ) { handle, stack in
    let options = try stack.optionalTable(2, allowing: ["limit"])
    let limit = try options?.optionalInteger("limit", in: 1...1_000_000) ?? 1_000
    let view = try handle.view()
    try stack.memory.charge(view.planWeight)
    let plan = try view.plan(count: limit) { try stack.memory.charge(0) }
    return try LuaPushed.list(of: plan, on: stack) { word in
      LuaValue(
        sentence(word.sentence, unknown: 1, lemma: handle.text.lemmas[Int(word.lemma)].text, of: handle))
    }
  }
}

/// Characters of a sentence or a translation in a result: a text without full stops is one sentence.
private let longestSentence = 2_000

private func word(_ number: UInt32, sentence: Int?, of view: TextView) -> Value {
  let lemma = view.text.lemmas[Int(number)]
  return .record([
    "lemma": lemma.text, "count": lemma.count, "state": view.lemmaStates[Int(number)].name,
    "forms": Value.list(lemma.forms.map { .text(view.text.forms[Int($0)].text) }),
    "sentence": sentence.map { view.text.text(of: view.text.sentences[$0], limit: longestSentence) },
  ])
}

private func sentence(_ number: Int, unknown: Int, lemma: String? = nil, of handle: TextHandle) -> Value {
  let sentence = handle.text.sentences[number]
  let place = handle.text.place(of: sentence)
  return .record([
    "text": handle.text.text(of: sentence, limit: longestSentence), "unknown": unknown,
    "source": handle.source(of: sentence), "start": place.start,
    "translation": place.translation.map { $0.shortened(to: longestSentence) }, "lemma": lemma,
  ])
}

func describeMining(_ type: BoundType<DeckHandle>) {
  type.method(
    "mine", ["text": .object("text"), "options": .optional(.table)],
    returns: .table.orProblem, grant: .decksWrite, example: "(texts.open(\"novel.txt\"), {count = 30})",
    "Adds a card for each unknown word of a text with the sentence that shows it best; returns added, present, "
      + "the lemmas, and the words that are left_out with the reason. Options: count (new cards), cloze, dictionary, "
      + "type (a note type to use instead of Mined)."
  ) { deck, stack in
    let text = try stack.object(2, TextHandle.self)
    var (options, type): (MiningOptions, String?) = (MiningOptions(), nil)
    if let table = try stack.optionalTable(3) {
      try table.allowOnly(["count", "cloze", "dictionary", "type"])
      options.count = try table.optionalInteger("count", in: 1...100_000)
      options.isCloze = try table.optionalBoolean("cloze") ?? false
      options.dictionary = try table.optionalText("dictionary")
      type = try table.optionalText("type")
    }
    let (given, noteType) = (options, type)
    let name = try deck.record().name
    let (report, added) = try CallPause.pausingLimits {
      let report = try text.minable(given)
      return (report, try text.mine(report.added, into: name, isCloze: given.isCloze, noteType: noteType))
    }
    return LuaValue(
      .record([
        "added": added, "present": report.present,
        "lemmas": Value.list(report.added.map { .text($0.lemma) }),
        "left_out": report.leftOut.map { Value.record(["word": $0.word, "reason": $0.reason]) },
      ]))
  }
}
