// A study session as it is handed to Lua and to the study screen: a sprint, or reviews by schedule. Invariant: a sprint
// starts again when the deck's cards have changed, which is checked before each use. Every answer of a review is one
// operation.

public import Decks
import Files
public import Memory
import Storage

/// What an answer in a session did.
///
///     let result = try session.answer(.good)
///     print(result.isRight, result.remaining)
public struct SessionResult {
  public let card: CardHandle
  public let rating: Rating
  public let remaining: Int
  /// Seconds until the card comes back; nil in a sprint, which changes no schedule.
  public let interval: Double?
  public let isLeech: Bool

  public var isRight: Bool { rating != .again }
}

/// A session under way.
///
///     let session = try deck.study(SessionHandle.Options(preferences))
///     while let card = try session.card() { try session.answer(.good) }
public final class SessionHandle: WorkspaceHandle {
  public enum SessionMode: String, CaseIterable, Sendable { case review, sprint }

  /// What a user asks for in a session.
  public struct Options {
    public var mode = SessionMode.review
    /// Of a sprint.
    public var seconds: Double
    public var limit: Int?
    public var query: String?
    /// Which cards a review is about.
    public var kind = StudySelection.Kind.scheduled
    /// Whether answers of a review change schedules.
    public var reschedules = true
    /// Decks that are studied together with the first one, each with those within it.
    public var moreDecks: [DeckHandle] = []

    /// What the settings say.
    public init(_ preferences: Preferences) {
      seconds = Double(preferences.sprintSeconds)
      limit = preferences.studyLimit
    }
  }

  private enum Kind {
    case review(ReviewSession)
    case sprint(Sprint)
  }

  public let workspace: Workspace
  public let deck: DeckHandle
  public let options: Options
  private let selection: StudySelection
  private let kind: Kind
  /// What a sprint's cards looked like; none of a review, which reads what it shows.
  private var marks: [DeckMark]
  /// What the acts of a review changed, the last one last: as many as the review can go back.
  private var changes: [RecordedChange] = []
  private var seenChanges: Int
  /// Whether its end was notified.
  private var hasEnded = false

  init(_ deck: DeckHandle, _ options: Options) throws {
    workspace = deck.workspace
    self.deck = deck
    self.options = options
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

  /// The session; a sprint starts again when the cards have changed.
  private func current() throws -> Kind {
    _ = try workspace.store(for: "session")
    if case .review(let session) = kind { session.advance(to: workspace.moment) }
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

  /// Cards that it has in its queue, for what it weighs.
  public var queueLength: Int {
    switch kind {
    case .review(let session): session.remaining
    case .sprint(let sprint): sprint.remaining
    }
  }

  /// The card to answer; nil when the session is over.
  public func card() throws -> CardHandle? {
    switch try current() {
    case .sprint(let sprint): return sprint.card.map { workspace.handle(of: $0) }
    case .review(let session):
      return try workspace.read { try session.card($0, at: workspace.moment) }.map { workspace.handle(of: $0.id) }
    }
  }

  public func remaining() throws -> Int {
    switch try current() {
    case .sprint(let sprint): sprint.remaining
    case .review(let session): session.remaining
    }
  }

  /// Seconds left of a sprint; nil in a review.
  public func timeRemaining() throws -> Double? {
    if case .sprint(let sprint) = try current() { return sprint.timeRemaining }
    return nil
  }

  public func isActive() throws -> Bool {
    switch try current() {
    case .sprint(let sprint): sprint.isActive
    case .review(let session): session.isActive
    }
  }

  public func isOver() throws -> Bool {
    switch try current() {
    case .sprint(let sprint): sprint.isOver
    case .review(let session): session.isOver
    }
  }

  public func right() throws -> Int {
    switch try current() {
    case .sprint(let sprint): sprint.right
    case .review(let session): session.right
    }
  }

  public func wrong() throws -> Int {
    switch try current() {
    case .sprint(let sprint): sprint.wrong
    case .review(let session): session.wrong
    }
  }

  /// Due and new cards left; in a sprint all count as neither.
  public func counts() throws -> (due: Int, new: Int) {
    if case .review(let session) = try current() { return (session.dueCount, session.newCount) }
    return (0, 0)
  }

  /// For each answer the seconds until the card would come back; empty in a sprint.
  public func choices() throws -> [(rating: Rating, interval: Double)] {
    guard case .review(let session) = try current() else { return [] }
    return try workspace.read { try session.choices($0, at: workspace.moment) }
  }

  // MARK: Acts

  /// Answers the card, and notifies of it, and of the end of the session when it was the last answer or the time is
  /// out.
  /// - Parameters:
  ///   - seconds: that the user took, for the record of reviews.
  ///   - mistyped: what was typed and is not the answer.
  /// - Throws: `DeckError.over`, `.paused`, and a stop of code that was notified.
  @discardableResult
  public func answer(_ rating: Rating, seconds: Double? = nil, mistyped: String? = nil) throws -> SessionResult {
    let result: SessionResult
    do {
      result = try take(rating, seconds, mistyped)
    } catch DeckError.over {
      try finishIfOver()
      throw DeckError.over
    }
    let answer = options.mode == .sprint ? (result.isRight ? "right" : "wrong") : rating.name
    try workspace.observer?.notify(.cardAnswered(result.card, answer: answer))
    try finishIfOver()
    return result
  }

  /// Notifies of the end of the session when it has come and nobody was notified yet: a sprint may end while nobody
  /// answers.
  public func finishIfOver() throws {
    guard try isOver() else { return hasEnded = false }
    guard !hasEnded else { return }
    hasEnded = true
    try workspace.observer?.notify(.sessionFinished(right: right(), wrong: wrong()))
  }

  private func take(_ rating: Rating, _ seconds: Double?, _ mistyped: String?) throws -> SessionResult {
    switch try current() {
    case .sprint(let sprint):
      let result = try sprint.answer(isRight: rating != .again)
      return SessionResult(
        card: workspace.handle(of: result.card), rating: rating, remaining: result.remaining, interval: nil,
        isLeech: false)
    case .review(let session):
      let result = try act(session, .answerCard, try subject(session, rating)) { db in
        try session.answer(db, rating, at: workspace.moment, seconds: seconds, mistyped: mistyped)
      }
      return SessionResult(
        card: workspace.handle(of: result.card), rating: rating, remaining: result.remaining,
        interval: result.interval, isLeech: result.isLeech)
    }
  }

  /// The card that is answered, and how, for the name of the step.
  private func subject(_ session: ReviewSession, _ rating: Rating) throws -> String? {
    try workspace.read { try session.card($0, at: workspace.moment) }.map { "\($0.stepName): \(rating.name)" }
  }

  /// One act of a review as one operation; the review goes back when it fails.
  private func act<T>(
    _ session: ReviewSession, _ operation: Operation, _ subject: String?, _ body: (Database) throws -> T
  ) throws -> T {
    let before = session.actCount
    do {
      let (result, change) = try workspace.database.recordingChange {
        try workspace.perform(operation, on: subject, body)
      }
      changes.append(change)
      changes.removeFirst(max(0, changes.count - session.pastCount))
      return result
    } catch {
      if session.actCount > before { try session.stepBack() }
      throw error
    }
  }

  /// Takes the last answer, suspension or burial back: its step of the undo log, and the card's place in the session.
  /// - Throws: `DeckError.nothingToUndo`; `UndoError` when what it changed was changed since.
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

  /// Suspends the card that is shown; in a sprint nothing is suspended.
  public func suspend() throws {
    if case .review(let session) = try current() {
      try hide(session) { try session.suspend($0, at: workspace.moment) }
      try finishIfOver()
    }
  }

  /// Buries the card that is shown until tomorrow; in a sprint nothing is buried.
  public func bury() throws {
    if case .review(let session) = try current() {
      try hide(session) { try session.bury($0, at: workspace.moment) }
      try finishIfOver()
    }
  }

  private func hide(_ session: ReviewSession, _ body: (Database) throws -> Void) throws {
    let card = try workspace.read { try session.card($0, at: workspace.moment) }
    try act(session, .editCard, card?.stepName, body)
  }

  /// Gives the card that is shown a flag from 1 to 7, or none with 0.
  /// - Throws: `DeckError.over`, `.badOption`.
  public func flag(_ flag: Int) throws {
    guard let card = try card() else { throw DeckError.over }
    try workspace.cards.setFlag([card], to: flag)
  }

  /// When the next card comes that is being learnt, in seconds since 1970; nil when none does today.
  public func nextDue() throws -> Double? {
    if case .review(let session) = try current() { return session.nextDue }
    return nil
  }

  public func pause() throws {
    switch try current() {
    case .sprint(let sprint): sprint.pause()
    case .review(let session): session.pause()
    }
  }

  public func resume() throws {
    switch try current() {
    case .sprint(let sprint): sprint.resume()
    case .review(let session): session.resume()
    }
  }

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
    (selection.kind, selection.reschedules) = (kind, reschedules)
    return selection
  }
}

extension DeckHandle {
  /// Starts a session with the deck's cards, those of the decks within it too.
  public func study(_ options: SessionHandle.Options) throws -> SessionHandle { try SessionHandle(self, options) }
}

extension Workspace {
  /// Now, as schedules need it.
  var moment: StudyMoment {
    let now = environment.clocks.now()
    return StudyMoment(now: now, utcOffset: environment.clocks.zoneOffset(now))
  }
}
