// What a session of reviews is about: which decks, which of their cards, and whether answers change schedules.
// Invariant: suspended and buried cards are never included.

public import Storage

/// What to study.
///
///     var selection = StudySelection([spanish, italian])
///     selection.isCram = true
///     let session = try ReviewSession(db, selection, at: moment)
public struct StudySelection: Equatable {
  /// The decks to study, each with the decks within it.
  public var decks: [DeckID]
  /// Whether every card is studied, due or not, without limits per day.
  public var isCram = false
  /// If set, only cards that match it are studied.
  public var query: CardQuery?
  /// The most cards to study, besides the decks' own limits.
  public var limit: Int?
  /// Whether answers change the cards' schedules and are logged. Otherwise a card that was not remembered comes back
  /// at the end, and nothing is written.
  public var reschedules = true

  /// Whether a new day brings its own cards and limits. A session of cards that are chosen otherwise ends with those
  /// with which it began, and so does one with a limit of its own.
  var isByDay: Bool { !isCram && reschedules && limit == nil }

  public init(_ decks: [DeckID], query: CardQuery? = nil, limit: Int? = nil) {
    (self.decks, self.query, self.limit) = (decks, query, limit)
  }

  /// The decks with the decks within them, each once; the first selected deck comes first.
  public func allDecks(_ db: Database) throws -> [DeckRecord] { try DeckFamilies.all(db, of: decks) }
}
