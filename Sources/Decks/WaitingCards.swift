// New cards of a batch that wait to be written together, and what is known of those that the deck holds.
// Invariant: a card waits only where none of its prompt and answer waits; what is known of the deck's cards may name
// some that are gone, but misses none: once somebody else changes the database nothing is known any more.

import GRDB
import GRDBSQLite

/// Cards without a guid of their own on their way into one deck.
final class WaitingCards {
  private let db: Database
  private let connection: OpaquePointer
  private let deck: DeckID
  private let now: Double
  private let random: () -> UInt64
  private let rows: RowBatch
  private var contents: [Int64] = []
  private var known: HashFilter?
  /// The changes of the connection up to now, all of them this batch's.
  private var changes: Int32
  private var nextGuid: UInt64

  /// Columns of a row, in their order.
  private enum Column: Int, CaseIterable {
    case rank, guid, content, prompt, answer, tags, fields, document
  }

  init(_ db: Database, deck: DeckID, now: Double, random: @escaping () -> UInt64) throws {
    guard let connection = db.sqliteConnection else { throw DeckError.gone(what: "the database") }
    (self.db, self.connection, self.deck, self.now, self.random) = (db, connection, deck, now, random)
    rows = try RowBatch(
      db, into: "cards (deck, created, modified, rank, guid, content, prompt, answer, tags, fields, document)",
      "?1, ?2, ?2, *", shared: 2, columns: Column.allCases.count)
    known = try HashFilter(db, "SELECT content FROM cards WHERE deck = ?", [deck.rawValue]) {
      UInt64(bitPattern: $0.integer(0))
    }
    changes = sqlite3_total_changes(connection)
    nextGuid = random()
  }

  var count: Int { rows.count }
  var isFull: Bool { rows.isFull }

  /// Whether a card of that content waits.
  func holds(_ content: Int64) -> Bool { contents.contains(content) }

  /// Whether the deck may have a card of that content.
  func isPossible(_ content: Int64) -> Bool {
    if known != nil, sqlite3_total_changes(connection) != changes { known = nil }
    return known?.mayHold(UInt64(bitPattern: content)) ?? true
  }

  func add(_ card: CheckedCard, _ content: Int64) {
    rows.put(Column.content.rawValue, content)
    rows.put(Column.prompt.rawValue, text: card.prompt)
    rows.put(Column.answer.rawValue, text: card.answer)
    rows.put(Column.tags.rawValue, text: card.tags)
    rows.put(Column.fields.rawValue, text: card.fields)
    rows.put(Column.document.rawValue, text: card.document)
    rows.endRow()
    contents.append(content)
    known?.insert(UInt64(bitPattern: content))
  }

  /// Writes the cards that wait, one below the other.
  /// - Parameter rank: of the first.
  func write(from rank: Int64) throws {
    rows.putShared(1, deck.rawValue)
    rows.putShared(2, now)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Guid.length) { guid in
      for row in 0..<rows.count {
        rows.put(Column.rank.rawValue, rank + Int64(row) * CardOrder.step, row: row)
        Guid.write(nextGuid &+ UInt64(row), into: guid)
        rows.put(Column.guid.rawValue, text: TextBytes(guid), row: row)
      }
    }
    let written = rows.count
    do {
      try rows.write()
    } catch {
      nextGuid = random()
      throw error
    }
    nextGuid &+= UInt64(written)
    contents.removeAll(keepingCapacity: true)
    changes &+= Int32(written)
  }
}
