// `deck import` and `deck export`. Invariant: what was detected about a file, which rows were refused and what the
// format could not hold is reported; status 1 when nothing of a file could be used.

import Bindings
import Commands
import Decks
import Exchange
import Files
import Problems
import Text
import Workspace

enum DeckFileCommands {
  static var all: [BuiltIn] { [importDeck, exportDeck] }

  private static let formatOption = Option(
    "--format", "FORMAT", .format,
    help: "\(CardFormat.nativeNames.joined(separator: ", ")), or one of a plugin; from the file's ending when left out")

  private static let importDeck = BuiltIn(
    "deck", "import", effect: .changes, summary: "Adds the cards of files to a deck.",
    answer:
      "{added, updated, skipped, rejected_count, rejected, lines, blank, rows, used, left_count, left, FINDING} or "
      + "{entered, older, known, unknown}",
    details: """
      A list is read as it is: a table (.csv, .tsv), lines such as `gato - cat` (.txt), JSON with any names (.json, \
      .jsonl), a table or bullets in Markdown (.md). Its names or its order say what each column is, other columns are \
      shown below the answer, and the answer says how it was read; --dry-run shows the first three cards. What deck \
      export wrote, Anki's text files and packages (.apkg, .colpkg) and Markdown with cards are read as such. `-` is \
      standard input. Without DECK, packages are imported under the names of their own decks, and cards of other files \
      into a deck with the name of the file. A deck that does not exist is created. `import` alone is this command, \
      too. Several files are one undo step. A row that cannot become a card is refused and reported. A broken file \
      imports nothing, and the exit status is 1; it is also 1 if every row was refused or no card was found. Lines \
      that are part of no card are named, and comments counted. With --on-duplicate update, plain text in Markdown, or \
      in Anki's text with #html:true, removes the formatting of the card with its id; without an id, or from a file \
      that cannot contain formatting, such a row is refused, and so is a row of a note that is in another deck. The \
      notes of a package come with their types, media, presets and schedules; with DECK, its outermost deck becomes \
      DECK, and the others are within it; an existing note changes if the package has a newer one, with --on-duplicate \
      update also if it has an older one, with skip never. A folder is that of a profile of Anki \
      (`~/.local/share/Anki2/USER`, or its collection.anki2; close Anki first) or of CrowdAnki (or its deck.json). \
      --keep FIELD leaves a field of existing notes as it is; `deck options DECK keep_fields=FIELD,...` does so for \
      each import. --format answers imports what was answered on a page of the deck (deck page): schedules continue as \
      if it had been answered here, and answers that are already there are skipped.
      """,
    arguments: [
      Common.deck,
      Argument(
        "FILE", .file, isOptional: true, isRepeating: true, help: "a file, `-`, or a pattern such as part-*.jsonl"),
    ],
    options: [
      formatOption,
      Option(
        "--on-duplicate", choice: OnDuplicate.allCases.map(\.rawValue),
        help: "what to do with a card that already exists"),
      Option("--strict", help: "import nothing if a row is refused or a line is not read"), TextCommands.encoding,
      Option("--separator", "S", help: "for a table: comma, semicolon, tab, space, pipe, colon or a character"),
      Option("--columns", "CHOICES", help: "for a table: prompt=Spanish,answer=3,tags=Theme by header or number"),
      Option(
        "--notetype", "T", help: "for a table: its rows are notes of this type, and --columns names fields: Word=1"),
      Option("--no-header", help: "for a table: the first row is a card"),
      Option("--keep", "FIELD", isRepeating: true, help: "leave this field of notes that exist already as it is"),
      Option("--two-columns", help: "for a list: only its front and its back, as plain cards"),
    ], usage: ["deck import [DECK] FILE... [OPTION]..."], example: "deck import Spanish words.tsv"
  ) { invocation, session in try runImport(invocation, session) }

  static func runImport(_ invocation: Invocation, _ session: Session) throws -> CommandResult {
    let (deck, isGiven, words) = try target(invocation, session)
    let paths = try TextCommands.paths(words, session)
    if paths.contains("-"), session.state.isAtPrompt { throw ShellError.promptIsStandardInput }
    let ending = "." + DeckPageCommands.answersFormat
    let format = invocation.optionalText("--format")
    if format.map({ $0 == DeckPageCommands.answersFormat }) ?? paths.allSatisfy({ $0.lowercased().hasSuffix(ending) }) {
      return try DeckPageCommands.importAnswers(deck, paths, session)
    }
    // The first card shows how a list was read.
    let options = try importOptions(invocation, session)
    let name = try isGiven || !paths.allSatisfy { try isPackage($0, options.format) } ? deck : nil
    let label = paths.count == 1 ? lastPart(of: paths[0]) : session.counted(paths.count, "file")
    let size = paths.count == 1 ? fileSize(paths[0]) : nil
    var report = try session.console.showing("Importing \(label)", total: size) {
      try session.workspace().exchange.importCards(intoDeck: name, from: paths, .any, options, progress: $0)
    }
    var lines = try self.words(report, name, session)
    if !session.rehearsal.isOn { report.preview = [] }
    if report.findings.format == .txt, report.findings.hasHeader == nil,
      !options.table.columns.isEmpty || options.table.hasNoHeader
    {
      lines.append(
        "--columns and --no-header do not apply to Anki's text files, whose headers name their columns; use "
          + "--format tsv to read the file as a table.")
    }
    let result = CommandResult(report.value, .lines(lines))
    guard report.cards.isRefused else { return result }
    if !session.state.isInScript { session.show(result, asJSON: invocation.wantsJSON(in: session)) }
    let isTable = report.findings.separator != nil
    throw ShellError.allRefused(file: label, first: report.cards.rejected[0].message, isTable: isTable)
  }

  /// The deck, whether it was given, and the files. The first word is a file if it is the only one, or if it names a
  /// file that is there and no deck; the deck then has the name of the first file, without its ending.
  private static func target(
    _ invocation: Invocation, _ session: Session
  ) throws -> (deck: String, isGiven: Bool, files: [String]) {
    let (first, files) = (invocation.text("DECK"), invocation.list("FILE"))
    let isFile = fileExists(session.environment.folders.expanded(first))
    // The collection is not opened before there is something to import, unless the word may be a file.
    guard files.isEmpty || isFile, try session.workspace().decks.named(first) == nil else {
      if files.isEmpty { throw invocation.missing("FILE") }
      return (first, true, files)
    }
    let name = lastPart(of: first)
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    guard isFile || dot > name.startIndex && dot < name.endIndex else { throw invocation.missing("FILE") }
    return (String(name[..<dot]), false, [first] + files)
  }

  private static func isPackage(_ path: String, _ format: CardFormat?) throws -> Bool {
    if let format { return format.isPackage }
    if try CardFormat.ofAnki(path) != nil { return true }
    return CardFormat.native.contains { $0.isPackage && $0.endings.contains { path.lowercased().hasSuffix(".\($0)") } }
  }

  private static func format(_ invocation: Invocation, _ session: Session) throws -> CardFormat? {
    try table { try invocation.optionalText("--format").map(session.formats.format(named:)) }
  }

  private static func importOptions(_ invocation: Invocation, _ session: Session) throws -> ImportOptions {
    var options = ImportOptions()
    options.format = try format(invocation, session)
    options.onDuplicate = invocation.optionalText("--on-duplicate").flatMap { OnDuplicate(rawValue: $0) }
    options.isStrict = invocation.flag("--strict")
    options.keptFields = Set(invocation.list("--keep").map { $0.trimmed.lowercased() })
    options.encoding = try invocation.optionalText("--encoding").map { try TextEncoding(named: $0) }
    options.table.separator = try table { try invocation.optionalText("--separator").map(Separator.byte(named:)) }
    options.table.columns = try table { try invocation.optionalText("--columns").map(ColumnChoice.list(of:)) } ?? []
    options.table.hasNoHeader = invocation.flag("--no-header")
    options.table.hasTwoColumns = invocation.flag("--two-columns")
    options.noteType = invocation.optionalText("--notetype")
    options.previewed = session.rehearsal.isOn ? 3 : 1
    return options
  }

  /// Parses an option for tables; a value that cannot be used is wrong usage.
  static func table<T>(_ parse: () throws -> T) throws -> T {
    do { return try parse() } catch let error as ExchangeError { throw error.reworded(code: .usage(.badValue)) }
  }

  /// - Parameter deck: nil if packages were imported under the names of their own decks.
  private static func words(_ report: ImportReport, _ deck: String?, _ session: Session) throws -> [String] {
    let cards = report.cards
    let decks = deck.map { [$0] } ?? report.decks
    let target = cards.added + cards.updated + cards.skipped == 0 ? "" : firstFew(decks.map { quoted($0) }, 5)
    var parts = ["Imported \(session.counted(cards.added, "card"))\(target.isEmpty ? "" : " into \(target)")"]
    // A note of a package exists once, in any deck.
    let isElsewhere =
      try cards.skipped > 0 && cards.added + cards.updated == 0
      && deck.map { try session.workspace().decks.named($0)?.countWithSubdecks() ?? 0 == 0 } ?? false
    let rest = session.counts([
      (cards.updated, "updated"), (cards.skipped, "skipped (already \(isElsewhere ? "in other decks" : "there"))"),
      (cards.rejectedCount, "refused"),
    ])
    if !rest.isEmpty { parts[0] += "; " + rest.joined(separator: ", ") }
    parts[0] += cards.rejectedCount > 0 ? ":" : "."
    let places = cards.rejected.prefix(20).map { $0.place?.inWords ?? "card \($0.index)" }
    let width = places.map(\.count).max() ?? 0
    for (place, rejection) in zip(places, cards.rejected) {
      parts.append("  \(place.filled(to: width))   \(rejection.message)")
    }
    if cards.rejectedCount > 20 { parts.append("  … \(session.grouped(cards.rejectedCount - 20)) more") }
    parts += cards.lost.map { "Not imported: \($0)." }
    if let history = words(report.history, session) { parts.append(history) }
    parts += words(report.lines, session)
    if !report.missingMedia.isEmpty {
      let names = firstFew(report.missingMedia.sorted().map { printable($0, limit: 60) }, 5)
      parts.append(
        "Not found next to the file: \(names). "
          + "Put them there and import again with --on-duplicate update.")
    }
    if let line = report.findings.answeredCloze {
      parts.append(
        "Line \(line): a cloze in an answer is plain text; to make it a cloze card, put it in its own paragraph "
          + "after ---."
      )
    }
    if let line = report.findings.listedPairs {
      parts.append("Line \(line): all text below this heading is one answer; \(CardFormat.markdownCards).")
    }
    if let found = words(report.findings) { parts.append(found) }
    if let names = report.findings.names { parts.append(words(report.findings, names, report.preview.first)) }
    let hint = headerHint(report.findings, isRehearsal: session.rehearsal.isOn)
    if cards.added > 0, let hint { parts.append(hint) }
    if !session.rehearsal.isOn || report.preview.isEmpty { return parts }
    return parts + ["The first cards would be:"] + report.preview.map { "  " + card($0) }
  }

  /// `5 cards keep what was learnt: 3 by their 21 answers, 2 by their intervals.`
  private static func words(_ history: HistoryReport, _ session: Session) -> String? {
    let words: [(HistoryReport.Part, String)] = [
      (.log, "by \(session.counted(history[.answers], "answer"))"), (.state, "by a state of memory"),
      (.interval, "by an interval"),
    ]
    let kept = words.filter { history[$0.0] > 0 }.map { "\(session.counted(history[$0], "card")) \($1)" }
    return kept.isEmpty ? nil : "What was learnt is kept: \(kept.joined(separator: ", "))."
  }

  /// Names the first 20 places of lines of no card, and counts the rest by reason; comments are only counted.
  private static func words(_ report: LineReport, _ session: Session) -> [String] {
    let parts = report.parts.filter { $0.reason != .comment }
    var rest = report.left
    var words: [String] = []
    for part in parts.prefix(20) {
      let place = part.to > part.line ? "\(part.place.inWords) to \(session.grouped(part.to))" : part.place.inWords
      words.append("  \(place)   \(part.inWords)")
      rest[part.reason, default: 0] -= part.to - part.line + 1
    }
    if !words.isEmpty { words.insert("Not read:", at: 0) }
    let counts = LeftReason.allCases.compactMap { reason -> String? in
      guard let count = rest[reason], count > 0 else { return nil }
      return "\(session.counted(count, reason == .unknownKey ? "key" : "line")) (\(reason.words))"
    }
    if !counts.isEmpty { words.append("Not read: \(counts.joined(separator: ", ")).") }
    return words
  }

  /// Describes how a table was read:
  /// `Read as a table with semicolons in windows-1252; the first row names the columns: prompt, answer, tags.`
  private static func words(_ found: ImportFindings) -> String? {
    guard let separator = found.separator else {
      return found.encoding == .utf8 ? nil : "Read as \(found.encoding.rawValue)."
    }
    let name = Separator.name(of: separator)
    var words = "Read as a table with \(name.utf8.count > 1 ? name + "s" : quoted(name)) in \(found.encoding.rawValue)"
    if let hasHeader = found.hasHeader {
      words += hasHeader ? "; the first row names the columns: " : "; no header, the columns are "
      words += firstFew(found.columns, 20)
    }
    return words + "."
  }

  /// How a list was read, by its first card:
  /// `Read as: front "palabra", back "traducción", also "ejemplo" · gato → cat (El gato duerme.)`
  private static func words(_ found: ImportFindings, _ names: [String], _ first: ImportReport.Preview?) -> String {
    func columns(_ isWanted: (String) -> Bool) -> [String] {
      found.columns.indices.filter { isWanted(found.columns[$0]) }.map { index in
        index < names.count && !names[index].isEmpty ? quoted(names[index]) : "column \(index + 1)"
      }
    }
    var words = "Read as"
    for (title, column) in [(": front", "prompt"), (", back", "answer"), (", tags", "tags")] {
      for name in columns({ $0 == column }) { words += "\(title) \(name)" }
    }
    let others = columns { !["prompt", "answer", "tags", "guid", "subdeck", "document"].contains($0) }
    if !others.isEmpty { words += ", also " + firstFew(others, 20) }
    return words + (found.hasFoundTags ? " (it looks like tags)" : "") + (first.map { " · " + card($0) } ?? "")
  }

  /// A card on one line, what its answer shows below the first line in parentheses: `gato → cat (El gato duerme.)`
  private static func card(_ shown: ImportReport.Preview) -> String {
    let answer = shown.card.answer.split(separator: "\n").map { printable(String($0), limit: 60) }
    var line = "\(printable(shown.card.prompt, limit: 60)) → \(answer.first ?? "")"
    if answer.count > 1 { line += " (\(answer.dropFirst().prefix(5).joined(separator: "; ")))" }
    if !shown.card.tags.isEmpty { line += "  [\(printable(shown.card.tags.joined(separator: " "), limit: 40))]" }
    if !shown.subdeck.isEmpty { line += "  in \(printable(shown.subdeck, limit: 40))" }
    return line
  }

  /// A hint for the case that a first row that was imported as a card really names the columns.
  private static func headerHint(_ found: ImportFindings, isRehearsal: Bool) -> String? {
    guard found.assumedCard.count > 1 else { return nil }
    let isCard = found.columns.prefix(2) == ["prompt", "answer"]
    let named = zip(found.columns, found.assumedCard.map(\.trimmed)).filter { !isUnnamed($0.0) }.prefix(isCard ? 2 : 8)
    let canBeNamed = named.map(\.1).allSatisfy { name in
      !name.isEmpty && name.count <= 40 && !name.contains { ",=\"\\$`!'".contains($0) || $0.isNewline }
    }
    let choice = named.map { "\($0.0)=\(canBeNamed ? $0.1 : "NAME")" }.joined(separator: ",")
    let option = choice.contains(" ") ? "\"\(choice)\"" : choice
    let (state, way) = isRehearsal ? ("would be a card", "use") : ("is now a card", "`undo` and use")
    return "The first row \(state); if it names the columns, \(way) --columns \(option); "
      + "if not, --no-header."
  }

  /// Whether a column has the default name of a column without a role: `column3`.
  private static func isUnnamed(_ column: String) -> Bool {
    column.hasPrefix("column") && Int(column.dropFirst("column".count)) != nil
  }

  private static let exportDeck = BuiltIn(
    "deck", "export", effect: .announces, summary: "Writes the cards of a deck and the decks within it to a file.",
    answer: "{cards, bytes, lost, unused?}",
    details: """
      The file's extension determines the format: .json, .jsonl, .csv, .tsv, .txt (Anki's text file), .md or .apkg \
      (Anki's package; --format apkg-legacy is for older programs); `-` is standard output, with --format. A .colpkg \
      contains all decks with their schedules, whichever deck you name: in Anki it replaces the whole collection. \
      --format crowdanki writes a folder of CrowdAnki, for git; other files in it stay. \
      The file is written completely or not at all; what its format cannot contain is reported. JSON is an array of \
      prompts and answers; with notes of other types or --with-schedule it is an object with everything.
      """, arguments: [Common.deck, Argument("FILE", .file, help: "the file, or `-`")],
    options: [
      formatOption, Option("--with-schedule", help: "include schedules, in .json, .jsonl and .apkg"),
      Option("--for-spreadsheet", help: "for a table: begin as Excel expects, escape cells that it would run"),
    ], example: "deck export Spanish spanish.csv"
  ) { invocation, session in
    let deck = try session.workspace().decks.open(invocation.text("DECK"))
    let path = session.environment.folders.expanded(invocation.text("FILE"))
    var options = ExportOptions()
    options.format = try format(invocation, session)
    options.hasSchedule = invocation.flag("--with-schedule")
    options.isForSpreadsheet = invocation.flag("--for-spreadsheet")
    try deck.checkExport(to: path, options)
    let count = try deck.countWithSubdecks()
    let target = path == "-" ? "standard output" : path
    guard session.rehearsal.mayActOutside("write \(session.counted(count, "card")) to \(target)") else {
      return CommandResult()
    }
    let report = try deck.exportCards(to: path, .any, options)
    let lines = exportWords(report, try deck.record().name, target, session)
    guard path == "-" else { return CommandResult(report.value, .lines(lines)) }
    for line in lines { session.console.note(line) }
    return CommandResult()
  }

  private static func exportWords(
    _ report: ExportReport, _ deck: String, _ target: String, _ session: Session
  ) -> [String] {
    var lines = ["Exported \(session.counted(report.cards, "card")) of \(quoted(deck)) to \(target)."]
    if !report.unused.isEmpty {
      let names = firstFew(report.unused.map { printable($0, limit: 40) }, 5)
      lines.append("The deck does not use \(session.counted(report.unused.count, "file")) in media: \(names).")
    }
    if report.lost.isEmpty { return lines }
    var lost = report.lost.map { $0.part.words(session.counted($0.count, $0.part == .options ? "deck" : "card")) }
      .joined(separator: "; ")
    let names = firstFew(report.omitted.map { printable($0, limit: 40) }, 5)
    if !names.isEmpty { lost += " (\(names))" }
    lost += "."
    if report.lost.contains(where: { $0.part == .schedule }) {
      lost += " --with-schedule writes schedules into .json, .jsonl, .apkg and formats that hold them."
    }
    if !names.isEmpty { lost += " Only a package (.apkg) contains such cards." }
    return lines + ["Not in the file: \(lost)"]
  }
}

extension CardPart {
  /// The part with the cards that lost it: `the schedule of 12 cards`.
  fileprivate func words(_ cards: String) -> String {
    switch self {
    case .fieldKinds: "which fields of \(cards) are numbers"
    case .reviews: "the log of answers of \(cards)"
    case .options: "the options of \(cards)"
    case .documents: "the documents of \(cards), except their ids"
    case .media: "sounds and pictures of \(cards)"
    case .largeCards: "\(cards) too large for a row"
    case .unmadeCards: "\(cards) no longer made by a template"
    case .fields, .notes, .formatting, .schedule, .tags: "the \(rawValue) of \(cards)"
    case .guid: "the ids of \(cards)"
    case .deck: "the decks within the deck of \(cards)"
    case .suspended: "that \(cards) are suspended"
    }
  }
}
