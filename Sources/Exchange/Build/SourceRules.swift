// Checks rows that have not been built against the rules of cards and notes.
// Invariant: a row is refused here exactly when a build refuses it, with the same message, because it is written to
// an in-memory collection with the user's note types and rolled back.

import Decks
import Problems
package import Storage
package import Templates

/// Checks rows and caches the results.
package final class SourceRules {
  private struct Key: Hashable {
    let whole: Int64
    let id: String

    init(_ row: BuildRow) { (whole, id) = (row.facts.whole, row.facts.id) }
  }

  private static let mostKnown = 500_000

  package let types: [NoteType]
  private let store: Store
  private var deck: DeckRecord?
  private var known: [Key: RowRefusal?] = [:]

  package init(_ types: [NoteType], _ schema: Schema, isInterrupted: @escaping @Sendable () -> Bool) {
    self.types = types
    store = Store(path: nil, schema: schema, isInterrupted: isInterrupted)
  }

  /// Returns the problems of refused rows.
  package func problems(of reading: SourceReading) throws -> [SourceProblem] {
    if known.count > Self.mostKnown { known = [:] }
    let fresh = reading.entries.filter { entry in entry.row.map { known[Key($0)] == nil } ?? false }
    if !fresh.isEmpty { try check(fresh.compactMap(\.row)) }
    return reading.entries.compactMap { entry in
      guard let row = entry.row, let refusal = known[Key(row)] ?? nil else { return nil }
      return SourceProblem(
        line: entry.line, column: entry.column, code: refusal.code.rawValue, message: refusal.message)
    }
  }

  private func check(_ rows: [BuildRow]) throws {
    try store.operation("checking") { db in
      let deck = try self.deck ?? makeDeck(db)
      self.deck = deck
      let places = try ImportPlaces(db, deck, isNew: false, now: 0, random: { 1 })
      places.onDuplicate = .update
      for row in rows { known[Key(row)] = .some(try places.refusal(of: row.row)) }
    }
  }

  private func makeDeck(_ db: Database) throws -> DeckRecord {
    for type in types where try NoteTypeTable.named(db, type.name) == nil {
      _ = try NoteTypeTable.create(db, type.draft, now: 0, isFromFile: true)
    }
    return try DeckTable.create(db, name: "sources", now: 0)
  }

  deinit {
    do { try store.close() } catch {
      // Nothing is lost, because the store is in memory.
    }
  }
}
