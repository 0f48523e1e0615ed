// What a session of reviews is about: which decks, which of their cards, and whether answers change schedules.
// Invariant: suspended and buried cards are never included.

public import Storage

/// What to study.
///
///     var selection = StudySelection([spanish, italian])
///     selection.kind = .ahead(days: 3)
///     let session = try ReviewSession(db, selection, at: moment)
public struct StudySelection: Equatable {
  public enum Kind: Equatable, Sendable {
    /// Due and new cards, within today's limits.
    case scheduled
    /// Learnt cards that are due within `days` days, without limits per day.
    case ahead(days: Int)
    /// Cards that were forgotten within the last `days` days, including today.
    case forgotten(days: Int)
    /// Every card, due or not.
    case everything
  }

  /// The decks to study, each with the decks within it.
  public var decks: [DeckID]
  public var kind = Kind.scheduled
  /// If set, only cards that match it are studied.
  public var query: CardQuery?
  /// The most cards to study, besides the decks' own limits.
  public var limit: Int?
  /// Whether answers change the cards' schedules and are logged. Otherwise a card that was not remembered comes back
  /// at the end, and nothing is written.
  public var reschedules = true

  /// Whether a new day brings its own cards and limits. A session of cards that are chosen otherwise ends with those
  /// with which it began, and so does one with a limit of its own.
  var isByDay: Bool { kind == .scheduled && reschedules && limit == nil }

  public init(_ decks: [DeckID], query: CardQuery? = nil, limit: Int? = nil) {
    (self.decks, self.query, self.limit) = (decks, query, limit)
  }

  /// The decks with the decks within them, each once; the first selected deck comes first.
  public func allDecks(_ db: Database) throws -> [DeckRecord] { try DeckFamilies.all(db, of: decks) }

  /// - Throws: `badOption` if the days of its kind are not from 1 to 36,500.
  func checked() throws(DeckError) {
    switch kind {
    case .scheduled, .everything: return
    case .ahead(let days), .forgotten(let days):
      if !(1...36_500).contains(days) {
        throw .badOption(name: "days", reason: "must be a whole number from 1 to 36,500")
      }
    }
  }
}
