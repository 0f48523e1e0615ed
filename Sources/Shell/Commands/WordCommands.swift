// `word ...`. Invariant: results come in a stable order: longest first, then by code point.

import Commands
import Files
import Language
import Lexicon
import LuaRuntime
import Problems
import Text
import Values
import Workspace

enum WordCommands {
  static var all: [BuiltIn] {
    [
      checkWords, LemmaCommand.lemma, LemmaCommand.forms, anagrams, formable, matching, randomWord, defineWord,
      DictionaryCommand.command, languages, compileList,
    ]
  }

  static func lexicon(_ invocation: Invocation, _ session: Session) throws -> Lexicon {
    try session.workspace().words.lexicon(
      invocation.optionalText("--language"), foldAccents: invocation.flag(Common.foldAccents.name)
    ).lexicon
  }

  private static let checkWords = BuiltIn(
    "word", "check", summary: "Checks whether words are in a language's word list.", answer: "{word, valid}...",
    arguments: [Argument("WORD", isRepeating: true, help: "a word")], options: [Common.language, Common.foldAccents],
    example: "word check grace zebre"
  ) { invocation, session in
    let lexicon = try lexicon(invocation, session)
    func isValid(_ word: String) -> Bool { lexicon.contains(lexicon.normalized(word)) }
    return CommandResult(listing: invocation.list("WORD"), ["", ""]) {
      ["word": $0, "valid": isValid($0)]
    } row: {
      [$0, isValid($0) ? "yes" : "no"]
    }
  }

  /// Lists words in columns at a terminal, one per line in a pipe.
  static func list(_ words: [String], none: String, _ session: Session) -> CommandResult {
    let lines =
      words.isEmpty
      ? [none] : session.console.hasScreen ? columns(words, width: session.console.terminal.width) : words
    return CommandResult(.list(words.map { .text($0) }), .lines(lines))
  }

  private static let anagrams = listing(
    "anagrams", "Lists the words made of exactly these letters.", example: "listen", none: "No anagrams."
  ) { $0.listAnagrams(of: $1).texts }

  private static let formable = listing(
    "formable", "Lists the words that can be made of some of these letters.", details: "? stands for any letter.",
    example: "cambering", none: "No words."
  ) { $0.formableWords(from: $1).texts }

  private static let matching = listing(
    "match", "Lists the words that match a pattern.",
    details: "? is one letter, * any number of letters, [abc] one of these. Quote it in your system's shell.",
    argument: Argument("PATTERN", help: "the pattern"), example: "'c?t*'", none: "No word matches."
  ) { lexicon, pattern in try lexicon.listMatches(of: pattern) { Interrupts.areRequested }.texts }

  /// A command that lists the words of a language that `find` gives for what is typed.
  private static func listing(
    _ name: String, _ summary: String, details: String = "",
    argument: Argument = Argument("LETTERS", help: "letters in any order"), example: String, none: String,
    find: @escaping @Sendable (Lexicon, _ normalized: String) throws -> [String]
  ) -> BuiltIn {
    BuiltIn(
      "word", name, summary: summary, answer: "text...", details: details, arguments: [argument],
      options: [Common.language, Common.foldAccents], example: "word \(name) \(example)"
    ) { invocation, session in
      let lexicon = try lexicon(invocation, session)
      return list(try find(lexicon, lexicon.normalized(invocation.text(argument.name))), none: none, session)
    }
  }

  private static let randomWord = BuiltIn(
    "word", "random", summary: "Shows a random word.", answer: "text",
    options: [
      Option("--length", "N", .integer(2...64), help: "its number of letters"), Common.language, Common.foldAccents,
    ], example: "word random --length 9"
  ) { invocation, session in
    let length = invocation.optionalInteger("--length")
    var choices = session.environment.random.choices
    guard let word = try lexicon(invocation, session).random(length: length, using: &choices) else {
      throw LookupError.noWord(length: length ?? 0)
    }
    return CommandResult(.text(word), line: word)
  }

  private static let defineWord = BuiltIn(
    "word", "define", summary: "Shows what a word means, according to the dictionaries of this machine and your own.",
    answer: "{dictionary, word, text} or {dictionary, word, pronunciation} or {dictionary, word, frequency}...",
    details: """
      `word dictionaries` lists them, and shows where to put your own. If none has the word, its dictionary form is \
      looked up. If none of the language has that either, and --language is not given, those of other languages are \
      used, and a note says so. Yomitan dictionaries also show the pronunciation and frequency of a word if they have \
      them.
      """, arguments: [Argument("WORD", help: "a word")],
    options: [Option("--dictionary", "NAME", help: "use only this one"), Common.language, Common.foldAccents],
    example: "word define gato --language spanish",
    complete: { _, before, session in
      try before.last == "--dictionary" ? DictionaryCommand.names(session).map { Offer($0) } : []
    }
  ) { invocation, session in
    let (word, only) = (invocation.text("WORD"), invocation.optionalText("--dictionary"))
    let (meanings, language) = try meanings(of: word, invocation, session)
    let library = session.lexicons.meanings
    let lemma = try session.workspace().languages.lemmatizer(of: language).lemma(of: word)
    func remarks(_ kind: DictionaryEntryKind) throws -> [(dictionary: String, text: String)] {
      if only != nil { return [] }
      let found = try library.remarks(kind, on: word, in: language)
      return found.isEmpty ? try library.remarks(kind, on: lemma, in: language) : found
    }
    let (sounds, frequencies) = (try remarks(.pronunciation), try remarks(.frequency))
    return CommandResult(
      .list(
        meanings.map { .record(["dictionary": $0.dictionary, "word": $0.word, "text": $0.text]) }
          + [("pronunciation", sounds), ("frequency", frequencies)].flatMap { name, remarks in
            remarks.map {
              .record(["dictionary": $0.dictionary, "word": word, name: $0.text])
            }
          }),
      .lines(lines(meanings) + lines("Pronunciation:", sounds) + lines("Frequency:", frequencies)))
  }

  private static func lines(_ title: String, _ remarks: [(dictionary: String, text: String)]) -> [String] {
    remarks.isEmpty ? [] : ["", title] + remarks.map { "  \(printable($0.text)) by \(printable($0.dictionary))" }
  }

  private static func lines(_ meanings: [Meaning]) -> [String] {
    var lines: [String] = []
    for (index, meaning) in meanings.enumerated() {
      if index == 0 || meanings[index - 1].dictionary != meaning.dictionary {
        lines += (index == 0 ? [] : [""]) + [printable(meaning.dictionary) + ":"]
      }
      lines += meaning.text.lines.map { "  " + printable(String($0), limit: .max) }
    }
    return lines
  }

  /// A word's meanings with their language: of other languages when no dictionary of its own has it.
  private static func meanings(
    of word: String, _ invocation: Invocation, _ session: Session
  ) throws -> ([Meaning], Language) {
    let (named, only) = (invocation.optionalText("--language"), invocation.optionalText("--dictionary"))
    let folds = invocation.flag(Common.foldAccents.name)
    let (words, library) = (try session.workspace().words, session.lexicons.meanings)
    // A dictionary says which language its words are in.
    let own = named == nil ? only.flatMap { library.language(ofWordsIn: $0) } : nil
    let language = try own ?? words.language(named: named)
    if word.trimmed.isEmpty { throw LookupError.noMeaning(word: word, language: language.title) }
    var missing: DictionaryError?
    do {
      let found = try words.define(word, in: language, foldAccents: folds, only: only)
      for failure in library.failures { session.console.note("word define: \(failure.message)") }
      if !found.isEmpty { return (found, language) }
    } catch let error as DictionaryError {
      guard case .none = error else { throw error }
      missing = error
    }
    let others = named == nil && only == nil ? words.explained(besides: language) : []
    for other in others {
      let found = try words.define(word, in: other, foldAccents: folds)
      if found.isEmpty { continue }
      let why = missing == nil ? "has \(quoted(word))" : "is installed"
      session.console.note("no \(language.title) dictionary \(why); this is \(other.title) (--language \(other.name))")
      return (found, other)
    }
    if let missing, library.languages(besides: language).isEmpty { throw missing }
    let asked = (missing == nil ? [language] : []) + others
    throw LookupError.noMeaning(word: word, language: asked.map(\.title).joined(separator: ", "))
  }

  private static let languages = BuiltIn(
    "word", "languages", summary: "Lists the languages, and which packages install their word lists.",
    answer: "{name, title, installed, package}..."
  ) { _, session in
    let here = Set(session.lexicons.languages().map(\.name))
    return CommandResult(listing: Language.known, [.name("Language"), "Title", "Word list"]) {
      ["name": $0.name, "title": $0.title, "installed": here.contains($0.name), "package": $0.lists.package]
    } row: { language in
      let missing = language.lists.package.isEmpty ? "not in Debian" : "install \(language.lists.package)"
      return [language.name, language.title, here.contains(language.name) ? "installed" : missing]
    }
  }

  private static let compileList = BuiltIn(
    "word", "compile", summary: "Compiles a word list again, and reports what was dropped.",
    answer: "{language, words, dropped}...",
    details: "Lists are compiled automatically when first used or changed. Without a language, all are compiled.",
    arguments: [Argument("LANGUAGE", .language, isOptional: true, help: "a language")], options: [Common.foldAccents],
    example: "word compile spanish"
  ) { invocation, session in
    let folds = invocation.flag(Common.foldAccents.name)
    let wanted =
      try invocation.optionalText("LANGUAGE").map { [try session.lexicons.language(named: $0)] }
      ?? session.lexicons.languages()
    var lines: [String] = []
    var values: [Value] = []
    var failure: LexiconError?
    for language in wanted {
      let lexicon = try session.lexicons.compile(language, foldAccents: folds)
      failure = lexicon.cacheFailure ?? failure
      let dropped = lexicon.report.dropped.map { "\(session.grouped($0.count)) \($0.reason.title)" }
      lines.append(
        "\(language.name): \(session.counted(lexicon.count, "word"))"
          + (dropped.isEmpty ? "" : "; dropped \(dropped.joined(separator: ", "))"))
      let report = lexicon.report.value.record?.fields.map { ($0.name, $0.value) } ?? []
      values.append(.record([("language", .text(language.name))] + report))
    }
    if let failure { session.console.note("word: \(failure.message)") }
    return CommandResult(.list(values), .lines(lines))
  }
}

/// Arranges words in columns of equal width, filled row by row.
func columns(_ words: [String], width: Int) -> [String] {
  let widest = (words.map(\.displayWidth).max() ?? 0) + 2
  let perLine = max(1, width / max(1, widest))
  return stride(from: 0, to: words.count, by: perLine).map { start in
    let row = words[start..<min(words.count, start + perLine)]
    return row.dropLast().map { $0.filled(to: widest) }.joined() + (row.last ?? "")
  }
}

enum LemmaCommand {
  static let lemma = BuiltIn(
    "word", "lemma", summary: "Shows the dictionary forms of words.", answer: "{form, lemma, all}...",
    details: """
      Your own table is used first (lemmas/CODE.tsv in the data folder: form, tab, lemma), then tables of forms (`word \
      dictionaries add FILE --forms`), Debian's Apertium data for Spanish, Italian, Catalan, Portuguese and French, \
      WordNet for English, dictionaries that list forms, and hunspell.
      """, arguments: [Argument("FORM", isRepeating: true, help: "a word as it occurs in a text")],
    options: [Common.language], example: "word lemma casas dámelo --language spanish"
  ) { invocation, session in
    let workspace = try session.workspace()
    let language = try workspace.words.language(named: invocation.optionalText("--language"))
    let lemmatizer = workspace.languages.lemmatizer(of: language)
    try noteMissing(lemmatizer.missing, of: lemmatizer.language, session, command: "word lemma")
    let rows = invocation.list("FORM").map { (form: $0, lemmas: lemmatizer.lemmas(of: $0)) }
    return CommandResult(listing: rows, ["", "", ""]) {
      ["form": $0.form, "lemma": $0.lemmas[0], "all": $0.lemmas]
    } row: { row in
      let others = row.lemmas.dropFirst().map { printable($0) }.joined(separator: ", ")
      return [printable(row.form), printable(row.lemmas[0]), others.isEmpty ? "" : "or \(others)"]
    }
  }

  static let forms = BuiltIn(
    "word", "forms", summary: "Shows the inflected forms of a word: conjugation, plural, gender.",
    answer: "{form, part, features}...",
    details: """
      For Spanish, Italian, French, Portuguese and Catalan, from Debian's Apertium data (apertium-spa-cat, ...). Of \
      two forms for the same, such as tuviera and tuviese, it has one. An inflected form stands for its dictionary \
      form.
      """, arguments: [Argument("LEMMA", help: "a word in its dictionary form")],
    options: [
      Option("--part", choice: InflectedForm.parts, help: "only the forms of this part of speech"), Common.language,
    ], example: "word forms tener --language spanish"
  ) { invocation, session in
    let (words, word) = (try session.workspace().words, invocation.text("LEMMA"))
    let language = try words.language(named: invocation.optionalText("--language"))
    let forms = try words.forms(of: word, part: invocation.optionalText("--part"), in: language)
    if forms.isEmpty { throw LookupError.noForms(word: word, language: language.title) }
    let tables = forms.map(\.part).distinct(by: \.self).flatMap { part in
      let own = forms.filter { $0.part == part }
      return [
        table(own.filter { $0.features["person"] == nil }, part, columns: [nil]),
        table(own.filter { $0.features["person"] != nil }, part, columns: ["1", "2", "3"]),
      ]
    }.filter { !$0.rows.isEmpty }.map { [Display.table($0)] }
    return CommandResult(.list(forms.map(\.value)), .parts(Array(tables.joined(separator: [.lines([""])]))))
  }

  /// Returns the table of some forms of a part of speech, with a column for each person.
  private static func table(_ forms: [InflectedForm], _ part: String, columns: [String?]) -> TableText {
    func row(_ form: InflectedForm) -> [String] {
      let number = form.features["number"] ?? ""
      return [printable(form.title), number == "both" ? "" : number]
    }
    let rows = forms.map(row).distinct(by: \.self).map { title in
      let own = forms.filter { row($0) == title }
      return title
        + columns.map { person in
          own.filter { $0.features["person"] == person }.map { printable($0.form) }.joined(separator: " / ")
        }
    }
    let titles: [String?: String] = ["1": "1st", "2": "2nd", "3": "3rd"]
    return TableText(
      [.init(printable(part)), ""] + columns.map { TableText.Column(titles[$0] ?? "", fit: .wraps) }, rows: rows)
  }

  /// Prints which lemma data is missing or could not be read.
  static func noteMissing(_ package: String?, of language: Language, _ session: Session, command: String) throws {
    if let package {
      session.console.note(
        "\(command): dictionary forms of \(language.title) need Debian's \(package); without it, words count as written"
      )
    }
    let languages = try session.workspace().languages
    if let table = try languages.largeTable(of: language) {
      let advice = "`word dictionaries add FILE --forms --language \(language.name)` indexes it once"
      session.console.note("\(command): \(printable(table)) is large and read at each start; \(advice), then remove it")
    }
    for failure in languages.failures { session.console.note("\(command): \(failure.message)") }
  }
}
