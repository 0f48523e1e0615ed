// What `study` shows when nothing is due: when the next card comes, and what could be studied before. At a terminal it
// asks; elsewhere it lists the commands. Invariant: nothing is changed before the user chooses.

import Commands
import Decks
import Text
import Values
import Workspace

struct CustomStudy {
  /// Something to study: its command-line options and its description.
  private struct Offer {
    let words: String
    let text: String
    let choose: (inout SessionHandle.Options) throws -> Void

    init(words: String, text: String, choose: @escaping (inout SessionHandle.Options) throws -> Void) {
      (self.words, self.text, self.choose) = (words, text, choose)
    }

    /// All cards that a query finds, due or not.
    init(_ text: String, cramming query: String) {
      self.init(words: "--cram --query \(query)", text: text) { ($0.isCram, $0.query) = (true, query) }
    }
  }

  private static let moreNew = 10

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
      .record([
        "right": 0, "wrong": 0, "remaining": 0, "next_due": outlook.next,
      ]), .lines(isAsked ? [] : [why] + commands))
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

  // MARK: Words

  private var name: String { names.map { quoted($0) }.joined(separator: ", ") }
  private var has: String { names.count == 1 ? "has" : "have" }

  private var why: String {
    if options.mode == .sprint || outlook.all == 0 { return "\(name) \(has) no cards to study." }
    if let query = options.query { return "\(name) \(has) nothing to study for the query \(quoted(query))." }
    if options.isCram { return "\(name) \(has) no cards to study." }
    var text = "Nothing is due in \(name)."
    if let next = outlook.next { text += " The next card comes \(session.until(next))." }
    if outlook.dueWaiting > 0 {
      text += " \(session.counted(outlook.dueWaiting, "due card")) over the daily limit."
    }
    if outlook.buried > 0 { text += " \(session.counted(outlook.buried, "card")) buried until tomorrow." }
    return text
  }

  private var offers: [Offer] {
    var offers: [Offer] = []
    if outlook.newWaiting > 0 {
      let more = min(Self.moreNew, outlook.newWaiting)
      let text = "\(session.counted(more, "more new card")) today (\(session.grouped(outlook.newWaiting)) waiting)"
      offers.append(Offer(words: "--new \(more)", text: text) { [decks] _ in try Self.extend(decks, by: more) })
    }
    if outlook.tomorrow > 0 {
      offers.append(
        Offer("what is due tomorrow (\(session.counted(outlook.tomorrow, "card")))", cramming: "prop:due=1"))
    }
    if outlook.forgotten > 0 {
      let text = "what was forgotten today (\(session.counted(outlook.forgotten, "card")))"
      offers.append(Offer(text, cramming: "rated:1:1"))
    }
    let shown = outlook.all - outlook.buried
    if shown > 0 {
      let text = "every card, without changing schedules (\(session.counted(shown, "card")))"
      offers.append(
        Offer(words: "--cram --no-schedule", text: text) { ($0.isCram, $0.reschedules) = (true, false) })
    }
    return offers
  }

  private static func extend(_ decks: [DeckHandle], by more: Int) throws {
    for deck in decks { try deck.scheduling.extendToday(new: more) }
  }

  private var commands: [String] {
    guard isScheduled else { return [] }
    let offers = offers
    let study = "study " + ShellWords.line(of: names)
    let width = offers.map(\.words.count).max() ?? 0
    return offers.map { "  \(study) \($0.words.filled(to: width))  \($0.text)" }
  }
}
