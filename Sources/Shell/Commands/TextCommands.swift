// `text words`, `text sentences`, `text compare`, `text read`: what is known of texts. Invariant: what was detected
// about a file is reported; only the keys of `text read` change anything, each as an undo step.

import Commands
import Exchange
import Files
import Language
import Lexicon
import LuaRuntime
import Problems
import Text
import Values
import Workspace

enum TextCommands {
  static var all: [BuiltIn] { [TextShowCommand.command, words, sentences, compare, KnownWordsCommand.command, read] }

  static let files = Argument(
    "FILE", .file, isRepeating: true, access: .read,
    help: "a \(TextFormat.endings) file, or an e-reader's vocabulary; `-` is standard input")
  static let encoding = Option(
    "--encoding", "E", .choice(TextEncoding.allNames, spellings: TextEncoding.spellings),
    help: "utf-8, utf-16, latin-1, windows-1250 to windows-1256, koi8-r, shift_jis, euc-jp, gb18030 or big5; detected "
      + "when left out")
  private static let deck = Option("--deck", "DECK", .deck, help: "count only the cards of this deck as known words")
  static let translation = Option(
    "--translation", "FILE|LANGUAGE", .file, isRepeating: true, access: .read,
    help: "subtitles in another language, one file per text, or the language of those beside the texts")
  static let common = [Common.language, deck, encoding]
  /// The deck of new cards when none is named.
  static let usualDeck = "Mined"

  /// Opens the files of a command as one text, and prints what was detected about them. Options that the command does
  /// not take count as left out.
  /// - Parameter path: the only file to open.
  /// - Parameter deck: the deck whose cards count.
  static func open(
    _ invocation: Invocation, _ session: Session, only path: String? = nil, deck: String? = nil
  ) throws -> TextHandle {
    func list(_ name: String) -> [String] { invocation.command.takes(option: name) ? invocation.list(name) : [] }
    var (options, files) = (TextOptions(), try path.map { [$0] } ?? paths(invocation.list("FILE"), session))
    options.language = invocation.optionalText("--language")
    options.encoding = try list("--encoding").last.map { try TextEncoding(named: $0) }
    (options.deck, options.offset) = (deck, list("--offset").last.flatMap { Double($0) })
    options.knownLists = try paths(list("--known"), session)
    if invocation.command.takes(option: translation.name) {
      let films = try FilmTranslations(of: files, named: paths(list(translation.name), session))
      (files, options.translations) = (films.texts, films.paths)
    }
    if files.contains("-"), session.state.isAtPrompt { throw ShellError.promptIsStandardInput }
    let workspace = try session.workspace()
    while true {
      do {
        let text = try session.lua.withStack { stack in
          try TextHandle(files, options, in: workspace, hold: stack.memory.growingCharge())
        }
        try noteFindings(text, files, options, session, command: invocation.command.name)
        return text
      } catch WorkspaceError.otherLanguage(let path, let found, let usual) {
        guard session.canAsk, let other = Language.base(found) else {
          throw WorkspaceError.otherLanguage(path: path, found: found, read: usual)
        }
        let question = "\(quoted(path)) looks \(other.title), not \(usual.title). Read it as \(other.title)?"
        options.language = try session.confirm(question) ? other.name : usual.name
      }
    }
  }

  /// Prints what was detected about a text, its files and their translations.
  private static func noteFindings(
    _ text: TextHandle, _ files: [String], _ options: TextOptions, _ session: Session, command: String
  ) throws {
    if let reason = text.languageReason {
      let unknown = text.unknownLanguage.map { "its language, \(quoted($0)), is not in `word languages`; " } ?? ""
      let why = reason == .words ? "by its words" : "as game.language says"
      noteOnce("\(command): \(unknown)read as \(text.language.title), \(why); use --language for another one", session)
    }
    try LemmaCommand.noteMissing(text.missingPackage, of: text.language, session, command: command)
    if let failure = text.text.failure {
      session.console.note("\(command): \(failure.message); the text is read without it")
    }
    for (path, encoding) in text.encodings {
      let other = options.encoding == nil ? "; use --encoding for another encoding" : ""
      session.console.note("\(command): \(printable(path)) was read as \(encoding.rawValue)\(other)")
    }
    for (path, losses) in text.losses { noteLosses(losses, of: path, session, command: command) }
    let without = zip(files, options.translations).filter { $0.1 == nil }.map { printable(lastPart(of: $0.0)) }
    if !without.isEmpty { session.console.note("\(command): no translation for \(firstFew(without, 10))") }
    for pairing in text.pairings {
      let timing = pairing.timing
      // Adding 0 makes -0 to 0.
      let offset = (timing.offset * 10).rounded() / 10 + 0
      let speed = timing.speed == 1 ? "" : ", speed \((timing.speed * 10_000).rounded() / 10_000)"
      let share = "\(percent(pairing.share)) of the lines have one"
      session.console.note("\(command): translation paired, offset \(offset) s\(speed): \(share)")
    }
  }

  /// Writes a note unless it was written before in this session.
  static func noteOnce(_ text: String, _ session: Session) {
    if session.state.toldNotes.insert(text).inserted { session.console.note(text) }
  }

  /// Says what was left out of a file or replaced.
  static func noteLosses(_ losses: TextLosses, of path: String, _ session: Session, command: String) {
    for message in losses.messages { session.console.note("\(command): \(printable(path)): \(message)") }
  }

  /// The files that words name: each is a path, or a pattern that stands for its matches.
  static func paths(_ words: [String], _ session: Session) throws -> [String] {
    try words.flatMap { try FilePattern.matches(session.environment.folders.expanded($0)) }
  }

  private static let words = BuiltIn(
    "text", "words", summary: "Lists the words of a text, the most frequent first.",
    answer: "{lemma, count, state, coverage, forms, gloss?}...",
    details: """
      `coverage` is how much of the text would be known if you knew the words up to there. A meaning is shown if a \
      dictionary of this machine has one.
      """, arguments: [files],
    options: common + [
      Option("--unknown", help: "only words that are not known yet: unknown, new or learning"),
      Option("--count", "N", .integer(1...1_000_000), help: "at most this many; 100 when left out"),
    ], example: "text words ep01.srt --unknown --count 20"
  ) { invocation, session in
    let text = try open(invocation, session, deck: invocation.optionalText("--deck"))
    let view = try text.view()
    let onlyUnknown = invocation.flag("--unknown")
    let all = view.lemmasByGain { !onlyUnknown || $0.isToLearn }
    let counted = max(1, view.words)
    var learned = onlyUnknown ? Int((view.coverage * Double(counted)).rounded()) : 0
    let rows = try all.prefix(invocation.optionalInteger("--count") ?? 100).map { number in
      let lemma = view.text.lemmas[Int(number)]
      learned += lemma.count
      return (
        lemma: lemma, state: view.lemmaStates[Int(number)].name, coverage: Double(learned) / Double(counted),
        forms: lemma.forms.map { view.text.forms[Int($0)].text },
        gloss: try text.workspace.words.gloss(of: lemma.text, isLemma: true, in: text.language)
      )
    }
    return CommandResult(
      listing: rows, [.main("Lemma"), .number("Count"), "State", .number("Coverage"), "Forms", "Meaning"]
    ) { row in
      [
        "lemma": row.lemma.text, "count": row.lemma.count, "state": row.state, "coverage": row.coverage,
        "forms": row.forms, "gloss": row.gloss,
      ]
    } row: { row in
      [
        printable(row.lemma.text), session.grouped(row.lemma.count), row.state, percent(min(1, row.coverage)),
        printable(row.forms.prefix(4).joined(separator: ", ")), printable(row.gloss ?? ""),
      ]
    }
  }

  private static let sentences = BuiltIn(
    "text", "sentences", summary: "Lists the sentences of a text that are easy enough.",
    answer: "{sentence, unknown, source, lemma?, translation?}...",
    details: """
      With --plan they are in the order to study them in: each has one word that is new at that point, the most useful \
      words first.
      """, arguments: [files],
    options: common + [
      Option("--unknown-at-most", "N", .integer(0...100), help: "unknown words in a sentence; 1 when left out"),
      Option("--plan", help: "use an order in which each sentence has one new word"),
      Option("--count", "N", .integer(1...1_000_000), help: "at most this many; 100 when left out"),
    ], example: "text sentences novel.epub --plan --count 30"
  ) { invocation, session in
    let text = try open(invocation, session, deck: invocation.optionalText("--deck"))
    let view = try text.view()
    let most = invocation.optionalInteger("--unknown-at-most") ?? 1
    let count = invocation.optionalInteger("--count") ?? 100
    let found: [(sentence: Int, unknown: Int, lemma: UInt32?)] =
      invocation.flag("--plan")
      ? try view.plan(count: count, poll: session.stopIfInterrupted).map { ($0.sentence, 1, $0.lemma) }
      : view.text.sentences.indices.lazy.filter { Int(view.missing[$0]) <= most }.prefix(count)
        .map { ($0, Int(view.missing[$0]), nil) }
    let rows = found.map { item in
      let sentence = view.text.sentences[item.sentence]
      return (
        words: view.text.text(of: sentence), unknown: item.unknown, source: text.source(of: sentence),
        lemma: item.lemma.map { view.text.lemmas[Int($0)].text }, translation: view.text.place(of: sentence).translation
      )
    }
    let isPlan = invocation.flag("--plan")
    return CommandResult(
      listing: rows, [.number("Unknown")] + (isPlan ? ["Word"] : []) + [.main("Sentence"), "Source"],
      whenEmpty: invocation.flag("--plan")
        ? "No sentence has exactly one new word."
        : "No sentence is that easy; --unknown-at-most allows more unknown words."
    ) {
      [
        "sentence": $0.words, "unknown": $0.unknown, "source": $0.source, "lemma": $0.lemma,
        "translation": $0.translation,
      ]
    } row: {
      [String($0.unknown)] + (isPlan ? [printable($0.lemma ?? "")] : [])
        + [printable($0.words, limit: 400), printable($0.source)]
    }
  }

  private static let compare = BuiltIn(
    "text", "compare", summary: "Lists texts by how much of each is known, the easiest first.",
    answer: "{file, coverage, words, lemmas, unknown_lemmas, easy_sentences}...",
    details: "A file that cannot be read as a text is reported and left out; the exit status is then 1.",
    arguments: [files], options: common, example: "text compare *.epub --language italian"
  ) { invocation, session in
    let (read, leftOut) = try compared(invocation, session)
    let rows = read.sorted { $0.view.coverage > $1.view.coverage }.map { row in
      let (counts, sentences) = (row.view.counts(), max(1, row.view.sentenceCount))
      return (
        row.path, row.view.coverage, words: row.view.words,
        lemmas: counts.values.reduce(0) { $0 + $1.lemmas },
        unknown: (counts[.unknown]?.lemmas ?? 0) + (counts[.new]?.lemmas ?? 0),
        easy: Double(row.view.sentences(missing: 0) + row.view.sentences(missing: 1)) / Double(sentences)
      )
    }
    var result = CommandResult(
      listing: rows,
      [
        .init("Text", isMain: true, fit: .middle), .number("Coverage"), .number("Words"), .number("Lemmas"),
        .number("Unknown"),
        .number("Easy sentences"),
      ]
    ) {
      [
        "file": $0.0, "coverage": $0.1, "words": $0.words, "lemmas": $0.lemmas, "unknown_lemmas": $0.unknown,
        "easy_sentences": $0.easy,
      ]
    } row: {
      [printable($0.0), percent($0.1)] + [$0.words, $0.lemmas, $0.unknown].map(session.grouped) + [percent($0.easy)]
    }
    result.status = leftOut == 0 ? ExitStatus.done : ExitStatus.failed
    return result
  }

  /// Opens each text by itself, and reports those that cannot be read.
  /// - Returns: the texts that can be read, and the number of others.
  /// - Throws: `TextFileError` if none can be read.
  private static func compared(
    _ invocation: Invocation, _ session: Session
  ) throws -> (read: [(path: String, view: TextView)], leftOut: Int) {
    var (read, errors): ([(path: String, view: TextView)], [TextFileError]) = ([], [])
    for path in try paths(invocation.list("FILE"), session) {
      do {
        let text = try open(invocation, session, only: path, deck: invocation.optionalText("--deck"))
        read.append((path, try text.view()))
      } catch let error as TextFileError { errors.append(error) }
    }
    if read.isEmpty, let error = errors.first { throw error }
    for error in errors { session.console.message("text compare: left out: \(error.message)") }
    return (read, errors.count)
  }

  static let read = BuiltIn(
    "text", "read", access: .atTerminal, effect: .changes,
    summary: "Shows a text in pages, with its unknown words marked to look up or to make cards of.", answer: "nothing",
    details: """
      An unknown word is followed by *, one with a card that was never studied by +; the selected word is in brackets. \
      Keys go from one unknown word to the next, show its meaning, make a card of it with its sentence (after asking \
      for one of its meanings), or list it as known or as not to be learned; u undoes that. / finds a text and selects \
      a word of it, g goes to a percentage or to a chapter. The reading position is saved.
      """, arguments: [files],
    options: [
      Option("--deck", "DECK", .deck, help: "the deck for the cards; \(usualDeck) when left out"), Common.language,
      encoding, translation,
    ], example: "text read novel.epub --language spanish --deck Novel"
  ) { invocation, session in
    let text = try open(invocation, session)
    if text.text.sentences.isEmpty { throw TextFileError.empty(path: invocation.list("FILE").joined(separator: ", ")) }
    try ReadingScreen(session, text, deck: invocation.optionalText("--deck") ?? usualDeck).run()
    return CommandResult()
  }
}
