// `study`, and what it offers when nothing is due. Invariant: the command only connects a session to the screen; a deck
// within another one is studied with it, never twice; when nobody can be asked, everything due is studied.

import Commands
import Decks
import PluginHost
import Problems
import Text
import Values
import Workspace

enum StudyCommands {
  static let command = BuiltIn(
    "study", effect: .depends { $0.flag("--list") ? .reads : .changes },
    summary: "Studies decks: what is due by schedule, or a race against the clock.",
    answer: "{right, wrong, remaining, next_due?}",
    details: """
      Enter shows the answer; then 1 to 4 (again, hard, good, easy) say how well you knew it, and the card comes back \
      when it is due (FSRS-6 or FSRS-7). `?` lists the other keys. When nothing is due, it shows when the next card \
      is due, and what can be studied before then. With --sprint it is a race: r or w says right or wrong, a wrong \
      card goes back under the others, and no schedule is changed. The decks within a deck are studied with it. \
      Without a name, everything that is due is studied, deck by deck; at a terminal you choose first. In the last \
      days before a deck's goal (`deck goal`), it shows the cards that help the goal most. An exercise (--exercise, \
      or `deck options DECK exercise=NAME`) asks the cards its own way and proposes an answer: Enter takes it. One of \
      recognition changes no schedule. With --json it writes an object for each card, reads a line, writes what that \
      is worth, and reads an answer (1 to 4, or an empty line for the proposal).
      """,
    arguments: [
      Argument("DECK", .deck, isOptional: true, isRepeating: true, help: "left out: all that have new or due cards")
    ],
    options: [
      Option("--list", help: "only list the decks, with their new and due cards"),
      Option("--sprint", help: "a race against the clock"),
      Option("--seconds", "N", .integer(1...86_400), help: "how long a sprint lasts; `study.seconds` when left out"),
      Option("--limit", "N", .positive, help: "at most this many cards"),
      Option("--query", "QUERY", .query, help: "only the cards that match it"),
      Option("--new", "N", .integer(1...9999), help: "this many more new cards today, above the limit"),
      Option(
        "--exercise", "NAME", .exercise,
        help: "another way to ask the cards: dictation, forms, gap, reorder, a plugin's"),
      Option("--cram", help: "every card, due or not; with --query, every card that matches it"),
      Option("--no-schedule", help: "answers change no schedule and are not recorded"),
    ], example: "study Spanish --query \"tag:verb\" --cram --no-schedule"
  ) { invocation, session in
    try checkOptions(invocation)
    let choice = StudyChoice(session: session)
    if invocation.flag("--list") { return try choice.list() }
    let options = try options(invocation, session)
    let isDue = options.mode == .review && !options.isCram && options.query == nil
    guard
      let decks = try choice.decks(named: invocation.list("DECK"), areDue: isDue, mayBeSeveral: options.mode == .review)
    else { return CommandResult() }
    if let more = invocation.optionalInteger("--new") {
      for deck in decks { try deck.scheduling.extendToday(new: more) }
    }
    if options.mode == .review, let warning = try session.futureWarning() {
      session.console.note("warning: \(warning)")
    }
    if options.mode == .review, options.isCram {
      let buried = try session.workspace().decks.outlook(of: decks).buried
      let words = "\(session.counted(buried, "card")) \(buried == 1 ? "is" : "are") left out: buried until tomorrow."
      if buried > 0 { session.console.note(words) }
    }
    let wantsJSON = invocation.wantsJSON(in: session)
    var asked = wantsJSON ? try exercise(of: decks[0], options, session) : options
    asked.moreDecks = Array(decks.dropFirst())
    if wantsJSON, asked.exercise != nil { return try ExerciseLines(session: session).run(decks[0].study(asked)) }
    session.console.usesStandardError = wantsJSON && !session.console.hasScreen
    defer { session.console.usesStandardError = false }
    let isInTurn = invocation.list("DECK").isEmpty && decks.count > 1
    return try isInTurn ? runInTurn(options, decks, session) : run(options, decks, session)
  }

  /// Refuses options that would be ignored.
  private static func checkOptions(_ invocation: Invocation) throws {
    let kinds = ["--sprint", "--new", "--cram"]
    try invocation.allowOne(of: kinds)
    let others = ["--seconds", "--limit", "--query", "--no-schedule"]
    try invocation.refuse(["DECK", "--exercise"] + kinds + others, beside: "--list")
    try invocation.refuse(["--exercise"], beside: "--sprint")
    try invocation.require("--sprint", beside: "--seconds")
  }

  private static func options(_ invocation: Invocation, _ session: Session) throws -> SessionHandle.Options {
    var options = SessionHandle.Options(try session.workspace().preferences())
    options.mode = invocation.flag("--sprint") ? .sprint : .review
    options.seconds = invocation.optionalInteger("--seconds").map(Double.init) ?? options.seconds
    options.limit = invocation.optionalInteger("--limit") ?? options.limit
    options.query = try session.query("--query", of: invocation)
    (options.isCram, options.reschedules) = (invocation.flag("--cram"), !invocation.flag("--no-schedule"))
    options.exercise = try invocation.optionalText("--exercise").map(session.tables.exercises.named)
    if let name = options.exercise?.name, options.reschedules, !options.changesSchedule {
      session.console.note("\(name) asks to recognise the answer: answers change no schedule.")
    }
    options.canSpeak = try invocation.wantsJSON(in: session) || session.workspace().speech.canBeHeard
    return options
  }

  /// Adds the exercise of a deck, unless another was asked for; if it cannot be asked, says so.
  static func exercise(
    of deck: DeckHandle, _ options: SessionHandle.Options, _ session: Session
  ) throws -> SessionHandle.Options {
    var options = options
    guard options.exercise == nil, options.mode == .review, let name = try deck.scheduling.limits().exercise else {
      return options
    }
    do {
      options.exercise = try session.tables.exercises.named(name)
      if !options.reschedules || options.changesSchedule { return options }
      session.console.note("The cards are asked as usual: \(name) asks to recognise, which needs --no-schedule.")
    } catch let problem as any Problem {
      session.console.note("The cards are asked as usual: \(problem.message).")
    }
    options.exercise = nil
    return options
  }

  /// Studies decks together in one session; offers other kinds of study when nothing is due.
  private static func run(
    _ options: SessionHandle.Options, _ decks: [DeckHandle], _ session: Session
  ) throws -> CommandResult {
    let names = try decks.map { try $0.record().name }
    var options = options
    options.moreDecks = Array(decks.dropFirst())
    while true {
      options = try exercise(of: decks[0], options, session)
      let study = try decks[0].study(options)
      if try study.card() != nil {
        let screen = try StudyScreen(session, study, name: names.joined(separator: ", "))
        return try screen.run().map(\.result) ?? CommandResult()
      }
      let custom = try CustomStudy(session, decks, names, options)
      guard try custom.choose(&options) else { return custom.result }
    }
  }

  /// Studies decks one after the other until the user leaves one; studies them together when none has anything due.
  private static func runInTurn(
    _ options: SessionHandle.Options, _ decks: [DeckHandle], _ session: Session
  ) throws -> CommandResult {
    var (score, hasStudied) = (StudyScore(), false)
    for deck in decks {
      let study = try deck.study(exercise(of: deck, options, session))
      if try study.card() == nil { continue }
      hasStudied = true
      let screen = try StudyScreen(session, study, name: try deck.record().name)
      guard let more = try screen.run() else { return CommandResult() }
      score = score + more
      if screen.hasLeft || session.state.leaving != nil { break }
    }
    return try hasStudied ? score.result : run(options, decks, session)
  }
}

struct StudyChoice {
  let session: Session

  /// `study --list`: lists the decks that have something to study.
  func list() throws -> CommandResult {
    let due = try dueDecks(session.workspace().decks.outermost())
    return CommandResult(.objects(due.map(\.deck)), .table(try table(due, areNumbered: false)))
  }

  /// The decks with the given names. Without names, those the user chooses, or all that can be studied.
  /// - Parameters:
  ///   - areDue: whether decks without anything new or due are left out.
  ///   - mayBeSeveral: whether several decks can be studied one after the other.
  /// - Returns: the decks; nil when the user chose none.
  func decks(named names: [String], areDue: Bool, mayBeSeveral: Bool) throws -> [DeckHandle]? {
    if !names.isEmpty { return try names.map { try session.workspace().decks.open($0) } }
    let decks = try session.workspace().decks.outermost()
    if decks.count == 1 { return decks }
    if decks.isEmpty || !mayBeSeveral { throw LookupError.whichDeck(isAny: !decks.isEmpty, usage: "study DECK") }
    let due = try dueDecks(decks)
    guard areDue, !due.isEmpty else { return decks }
    if due.count == 1 { return [due[0].deck] }
    return isAsked ? try chosen(due) : due.map(\.deck)
  }

  /// The only deck; throws when there is none or more than one.
  static func only(_ session: Session, usage: String) throws -> DeckHandle {
    let decks = try session.workspace().decks.all()
    guard decks.count == 1 else { throw LookupError.whichDeck(isAny: !decks.isEmpty, usage: usage) }
    return decks[0]
  }

  private var isAsked: Bool { session.canAsk && !session.state.isInScript && !session.options.wantsJSON }

  private typealias DueDeck = (deck: DeckHandle, name: String, counts: StudyCounts)

  private func dueDecks(_ decks: [DeckHandle]) throws -> [DueDeck] {
    let counts = try session.workspace().decks.studyCounts()
    return try decks.compactMap { deck in
      guard let found = counts[deck.id], found.new + found.due > 0 else { return nil }
      return (deck, try deck.record().name, found)
    }
  }

  private func table(_ decks: [DueDeck], areNumbered: Bool) throws -> TableText {
    let number: [TableText.Column] = areNumbered ? [.number("#")] : []
    let rows = decks.enumerated().map { place, deck in
      (areNumbered ? [session.grouped(place + 1)] : [])
        + [deck.name, session.grouped(deck.counts.new), session.grouped(deck.counts.due)]
    }
    return TableText(
      number + [.name("Deck"), .number("New"), .number("Due")], rows: rows, whenEmpty: "Nothing is due.")
  }

  /// Shows the decks and asks for a number, a prefix of a name, or Enter for all; nil at the end of input.
  private func chosen(_ decks: [DueDeck]) throws -> [DeckHandle]? {
    session.console.show(.table(try table(decks, areNumbered: true)))
    while let answer = try session.ask("Study which? [1-\(decks.count), a name, Enter for all] ")?.trimmed {
      if answer.isEmpty { return decks.map(\.deck) }
      if ["q", "quit"].contains(answer.lowercased()) { return nil }
      if let number = Int(answer), number > 0, number <= decks.count { return [decks[number - 1].deck] }
      let found = decks.filter { $0.name.lowercased().hasPrefix(answer.lowercased()) }
      if let exact = found.first(where: { $0.name.lowercased() == answer.lowercased() })
        ?? (found.count == 1 ? found[0] : nil)
      {
        return [exact.deck]
      }
      session.console.note(
        found.isEmpty
          ? "\(quoted(answer)) is not one of these decks\(didYouMean(answer, among: decks.map(\.name)))."
          : "\(quoted(answer)) could be \(found.map { quoted($0.name) }.joined(separator: ", ")).")
    }
    return nil
  }
}

struct CustomStudy {
  /// Something to study: its command-line options and its description.
  private struct Offer {
    let words: String
    let text: String
    let choose: (inout SessionHandle.Options) throws -> Void
  }

  private let session: Session
  private let decks: [DeckHandle]
  private let names: [String]
  private let options: SessionHandle.Options
  private let outlook: StudyOutlook

  init(_ session: Session, _ decks: [DeckHandle], _ names: [String], _ options: SessionHandle.Options) throws {
    (self.session, self.decks, self.names, self.options) = (session, decks, names, options)
    outlook = try session.workspace().decks.outlook(of: decks)
  }

  var result: CommandResult {
    CommandResult(
      .record(["right": 0, "wrong": 0, "remaining": 0, "next_due": outlook.next]),
      .lines(isAsked ? [] : [why] + commands))
  }

  /// Asks at a terminal what to study.
  /// - Returns: whether the user chose something and the options were changed accordingly.
  func choose(_ options: inout SessionHandle.Options) throws -> Bool {
    guard isAsked else { return false }
    let offers = offers
    session.console.show(.lines([why] + offers.enumerated().map { "  \($0.offset + 1)  \($0.element.text)" }))
    guard !offers.isEmpty else { return false }
    let numbers = offers.count == 1 ? "1" : "1-\(offers.count)"
    let answer = try session.ask("Study more? [\(numbers), Enter for no] ")?.trimmed ?? ""
    guard let number = Int(answer), number > 0, number <= offers.count else { return false }
    try offers[number - 1].choose(&options)
    return true
  }

  private var isAsked: Bool { isScheduled && session.canAsk && !session.state.isInScript }

  /// Whether the request was for due cards only, without a special selection.
  private var isScheduled: Bool { options.mode == .review && !options.isCram && options.query == nil }

  private var name: String { names.map { quoted($0) }.joined(separator: ", ") }
  private var has: String { names.count == 1 ? "has" : "have" }

  private var why: String {
    if outlook.all == 0, outlook.suspended > 0 {
      let cards = outlook.suspended == 1 ? "The only card" : "All \(session.grouped(outlook.suspended)) cards"
      let verb = outlook.suspended == 1 ? "is" : "are"
      return "\(cards) of \(name) \(verb) suspended; `card resume` resumes cards."
    }
    if options.mode == .sprint || outlook.all == 0 { return "\(name) \(has) no cards to study." }
    if let query = options.query { return "\(name) \(has) nothing to study for the query \(quoted(query))." }
    if options.isCram { return "\(name) \(has) no cards to study." }
    var text = "Nothing is due in \(name)."
    if let next = outlook.next { text += " The next card comes \(session.until(next))." }
    if outlook.dueWaiting > 0 { text += " \(session.counted(outlook.dueWaiting, "due card")) over the daily limit." }
    if outlook.buried > 0 { text += " \(session.counted(outlook.buried, "card")) buried until tomorrow." }
    return text
  }

  private var offers: [Offer] {
    var offers: [Offer] = []
    if outlook.newWaiting > 0 {
      let more = min(10, outlook.newWaiting)
      let text = "\(session.counted(more, "more new card")) today (\(session.grouped(outlook.newWaiting)) waiting)"
      offers.append(
        Offer(words: "--new \(more)", text: text) { [decks] _ in
          for deck in decks { try deck.scheduling.extendToday(new: more) }
        })
    }
    if outlook.tomorrow > 0 {
      offers.append(cramming("prop:due=1", "what is due tomorrow (\(session.counted(outlook.tomorrow, "card")))"))
    }
    if outlook.forgotten > 0 {
      offers.append(cramming("rated:1:1", "what was forgotten today (\(session.counted(outlook.forgotten, "card")))"))
    }
    let shown = outlook.all - outlook.buried
    if shown > 0 {
      let text = "every card, without changing schedules (\(session.counted(shown, "card")))"
      offers.append(Offer(words: "--cram --no-schedule", text: text) { ($0.isCram, $0.reschedules) = (true, false) })
    }
    return offers
  }

  /// All cards that a query finds, due or not.
  private func cramming(_ query: String, _ text: String) -> Offer {
    Offer(words: "--cram --query \(query)", text: text) { ($0.isCram, $0.query) = (true, query) }
  }

  private var commands: [String] {
    guard isScheduled else { return [] }
    let offers = offers
    let study = "study " + ShellWords.line(of: names)
    let width = offers.map(\.words.count).max() ?? 0
    return offers.map { "  \(study) \($0.words.filled(to: width))  \($0.text)" }
  }
}
