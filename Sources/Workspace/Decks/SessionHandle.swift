// A study session as Lua and the study screen see it: a sprint, or scheduled reviews. Invariant: a sprint restarts
// when the deck's cards have changed, which is checked before each use. Every answer of a review is one operation.

public import Decks
import Files
public import Memory
import Storage

public struct SessionResult {
  public let card: CardHandle
  public let rating: Rating
  public let remaining: Int
  /// Seconds until the card is shown again; nil if the answer changed no schedule.
  public let interval: Double?
  public let isLeech: Bool

  public var isRight: Bool { rating != .again }
}

/// A running session.
public final class SessionHandle: WorkspaceHandle {
  public enum SessionMode: String, CaseIterable, Sendable { case review, sprint }

  public struct Options {
    public var mode = SessionMode.review
    public var seconds: Double
    public var limit: Int?
    public var query: String?
    /// Whether a review includes every card, due or not.
    public var isCram = false
    /// Whether answers of a review change schedules.
    public var reschedules = true
    /// How the cards of a review are asked, if not as themselves.
    public var exercise: Exercise?
    /// Whether a user hears what an exercise says, or a program that is told.
    public var canSpeak = true
    /// Decks that are studied together with the first one, each with its subdecks.
    public var moreDecks: [DeckHandle] = []

    /// Whether answers change schedules: never those of an exercise of recognition.
    public var changesSchedule: Bool { mode == .review && reschedules && exercise?.isRecognition != true }

    /// Creates the options given by the settings.
    public init(_ preferences: Preferences) {
      seconds = Double(preferences.study.seconds)
      limit = preferences.study.most
    }
  }

  private enum Kind {
    case review(ReviewSession)
    case sprint(Sprint)

    var progress: any StudyProgress {
      switch self {
      case .review(let session): session
      case .sprint(let sprint): sprint
      }
    }
  }

  public let workspace: Workspace
  public let deck: DeckHandle
  public let options: Options
  private let selection: StudySelection
  private let kind: Kind
  /// The state of a sprint's decks, to detect changes; empty in a review, which reads the cards that it shows.
  private var marks: [DeckMark]
  /// The changes made by the actions of a review, the last one last; as many as the review can step back.
  private var changes: [RecordedChange] = []
  private var seenChanges: Int
  /// Whether the end of the session was notified.
  private var hasEnded = false
  var questions: SessionQuestions

  init(_ deck: DeckHandle, _ options: Options) throws {
    workspace = deck.workspace
    (self.deck, self.options) = (deck, options)
    questions = SessionQuestions(seed: deck.workspace.environment.random.choices.next())
    let query = try options.query.map { try CardQuery($0, isInterrupted: deck.workspace.environment.isInterrupted) }
    let workspace = deck.workspace
    let selection = options.selection(of: deck.id, query)
    self.selection = selection
    marks = try options.mode == .sprint ? workspace.read { try Self.marks($0, selection) } : []
    seenChanges = workspace.changeCount
    kind = try workspace.read { db in
      switch options.mode {
      case .review: .review(try ReviewSession(db, selection, at: workspace.moment))
      case .sprint:
        .sprint(
          Sprint(
            cards: try CardTable.stack(db, selection, at: workspace.moment), seconds: options.seconds,
            clock: workspace.environment.clocks.elapsed))
      }
    }
  }

  private static func marks(_ db: Database, _ selection: StudySelection) throws -> [DeckMark] {
    try selection.allDecks(db).map { try DeckMark(db, $0.id) }
  }

  /// Returns the session; a sprint restarts when the cards have changed, and a review goes on with a new day's cards.
  private func current() throws -> Kind {
    _ = try workspace.store(for: "session")
    if case .review(let session) = kind {
      let moment = workspace.moment
      session.advance(to: moment)
      if session.isOutdated(at: moment) { try workspace.read { try session.buildQueue($0, at: moment) } }
    }
    guard case .sprint(let sprint) = kind, seenChanges != workspace.changeCount else { return kind }
    let now = try workspace.read { try Self.marks($0, selection) }
    seenChanges = workspace.changeCount
    if now != marks {
      marks = now
      sprint.reset(cards: try workspace.read { try CardTable.stack($0, selection, at: workspace.moment) })
    }
    return kind
  }

  // MARK: State

  /// The number of cards in the queue, as a measure of memory use.
  public var queueLength: Int { kind.progress.remaining }

  /// Returns the card to answer; nil when the session is over.
  public func card() throws -> CardHandle? {
    switch try current() {
    case .sprint(let sprint): return sprint.card.map { workspace.handle(of: $0) }
    case .review(let session):
      return try workspace.read { try session.card($0, at: workspace.moment) }.map { workspace.handle(of: $0.id) }
    }
  }

  /// Returns the score, how many cards are left, and whether it runs or is over.
  public func progress() throws -> any StudyProgress { try current().progress }

  /// Returns the seconds left in a sprint; nil in a review.
  public func timeRemaining() throws -> Double? {
    if case .sprint(let sprint) = try current() { return sprint.timeRemaining }
    return nil
  }

  /// Returns the due and new cards left; zeros in a sprint.
  public func counts() throws -> (due: Int, new: Int) {
    if case .review(let session) = try current() { return (session.dueCount, session.newCount) }
    return (0, 0)
  }

  /// Returns for each rating the seconds until the card would be shown again; empty in a sprint.
  /// - Parameter seconds: the time of the answer so far; nil if it is not known.
  public func choices(seconds: Double? = nil) throws -> [(rating: Rating, interval: Double)] {
    guard case .review(let session) = try current() else { return [] }
    return try workspace.read { try session.choices($0, at: workspace.moment, seconds: seconds) }
  }

  // MARK: Actions

  /// Answers the card and notifies of the answer; also notifies of the end of the session if this was the last answer
  /// or the time is up.
  /// - Parameters:
  ///   - seconds: how long a user at a keyboard took; nil for an answer from a script or a pipe.
  ///   - mistyped: what was typed if it is not the answer.
  /// - Throws: `DeckError.over`, `.paused`, or an interrupt of the code that was notified.
  @discardableResult
  public func answer(_ rating: Rating, seconds: Double? = nil, mistyped: String? = nil) throws -> SessionResult {
    let result: SessionResult
    do {
      result = try record(rating, seconds, mistyped)
    } catch DeckError.over {
      try finishIfOver()
      throw DeckError.over
    }
    let answer = options.mode == .sprint ? (result.isRight ? "right" : "wrong") : rating.name
    let change = changes.last ?? RecordedChange()
    try change.takeAlong(in: workspace.database) {
      try workspace.observer?.notify(.cardAnswered(result.card, answer: answer))
    }
    try finishIfOver()
    return result
  }

  /// Notifies of the end of the session once it has ended, unless that was done already: a sprint may end without an
  /// answer.
  public func finishIfOver() throws {
    let progress = try progress()
    guard progress.isOver else { return hasEnded = false }
    guard !hasEnded else { return }
    hasEnded = true
    try workspace.observer?.notify(.sessionFinished(right: progress.right, wrong: progress.wrong))
  }

  private func record(_ rating: Rating, _ seconds: Double?, _ mistyped: String?) throws -> SessionResult {
    switch try current() {
    case .sprint(let sprint):
      let result = try sprint.answer(isRight: rating != .again)
      return SessionResult(
        card: workspace.handle(of: result.card), rating: rating, remaining: result.remaining, interval: nil,
        isLeech: false)
    case .review(let session):
      let result = try act(session, .answerCard, rating) { db in
        try session.answer(db, rating, at: workspace.moment, seconds: seconds, mistyped: mistyped)
      }
      return SessionResult(
        card: workspace.handle(of: result.card), rating: rating, remaining: result.remaining,
        interval: selection.reschedules ? result.interval : nil, isLeech: result.isLeech)
    }
  }

  /// Runs one action of a review as one operation; the review steps back if the operation fails.
  private func act<T>(
    _ session: ReviewSession, _ operation: Operation, _ rating: Rating? = nil, _ body: (Database) throws -> T
  ) throws -> T {
    let card = try workspace.read { try session.card($0, at: workspace.moment) }
    let subject = card.map { $0.stepName + (rating.map { ": \($0.name)" } ?? "") }
    let before = session.actionCount
    do {
      let (result, change) = try workspace.database.recordingChange {
        try workspace.perform(operation, on: subject, body)
      }
      changes.append(change)
      changes.removeFirst(max(0, changes.count - session.pastCount))
      return result
    } catch {
      if session.actionCount > before { try session.stepBack() }
      throw error
    }
  }

  /// Undoes the last answer, suspension or burial: its undo step, those of the code that was notified of the answer,
  /// and the card's place in the session.
  /// - Throws: `DeckError.nothingToUndo`; `UndoError` if what it changed has been changed since.
  public func undo() throws {
    switch try current() {
    case .sprint(let sprint): try sprint.undo()
    case .review(let session):
      guard let change = changes.last else { throw DeckError.nothingToUndo }
      try workspace.care.takeBack(change)
      try session.stepBack()
      changes.removeLast()
    }
    hasEnded = false
  }

  /// Suspends the current card; does nothing in a sprint.
  public func suspend() throws { try hide { try $0.suspend($1, at: workspace.moment) } }

  /// Buries the current card until tomorrow; does nothing in a sprint.
  public func bury() throws { try hide { try $0.bury($1, at: workspace.moment) } }

  private func hide(_ body: (ReviewSession, Database) throws -> Void) throws {
    guard case .review(let session) = try current() else { return }
    try act(session, .editCard) { try body(session, $0) }
    try finishIfOver()
  }

  /// Sets the flag of the current card, from 1 to 7; 0 removes it.
  /// - Throws: `DeckError.over`, `.badOption`.
  public func flag(_ flag: Int) throws {
    guard let card = try card() else { throw DeckError.over }
    try workspace.cards.setFlag([card], to: flag)
    if case .review = kind { return }
    // This change does not restart a sprint.
    marks = try workspace.read { try Self.marks($0, selection) }
    seenChanges = workspace.changeCount
  }

  /// Returns when the next card in learning is due, in seconds since 1970; nil if none is due today.
  public func nextDue() throws -> Double? {
    if case .review(let session) = try current() { return session.nextDue }
    return nil
  }

  public func pause() throws { try progress().pause() }

  public func resume() throws { try progress().resume() }

  public func restart() throws {
    switch try current() {
    case .sprint(let sprint): sprint.restart()
    case .review(let session):
      try workspace.read { try session.restart($0, at: workspace.moment) }
      changes = []
    }
    hasEnded = false
  }
}

extension SessionHandle.Options {
  fileprivate func selection(of deck: DeckID, _ query: CardQuery?) -> StudySelection {
    var selection = StudySelection([deck] + moreDecks.map(\.id), query: query, limit: limit)
    (selection.isCram, selection.reschedules) = (isCram, changesSchedule)
    return selection
  }
}
