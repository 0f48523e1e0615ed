// A card's row lent in place, for lists of many cards: what a list shows is copied from SQLite's own memory once.
// Invariant: a row is good until the next one is read.

public import Storage

/// A row of `cards` while it is read. Its texts are bytes, which a damaged file may hold in any form.
///
///     try CardTable.forEachRow(db, ids) { _, row in line.append(contentsOf: row.prompt) }
public struct ListedCard {
  private let columns: Row

  init(_ columns: Row) { self.columns = columns }

  public var id: CardID { CardID(rawValue: columns.integer(0)) }
  public var deck: DeckID { DeckID(rawValue: columns.integer(1)) }
  public var guid: UnsafeBufferPointer<UInt8> { columns.bytes(2) }
  public var prompt: UnsafeBufferPointer<UInt8> { columns.bytes(3) }
  public var answer: UnsafeBufferPointer<UInt8> { columns.bytes(4) }
  /// The tags, with a space between two.
  public var tags: UnsafeBufferPointer<UInt8> {
    var padded = columns.bytes(5)[...]
    while padded.first == UInt8(ascii: " ") { padded.removeFirst() }
    while padded.last == UInt8(ascii: " ") { padded.removeLast() }
    return UnsafeBufferPointer(rebasing: padded)
  }
  /// Whether it shows a document.
  public var hasDocument: Bool { columns.optionalText(7) != nil }
  public var isSuspended: Bool { columns.integer(10) != 0 }
  public var state: CardState { CardState(rawValue: columns.integer(11)) ?? .new }
  public var schedule: CardSchedule { CardTable.schedule(columns) }
  /// What its note is known by.
  public var noteGuid: UnsafeBufferPointer<UInt8> { columns.bytes(24) }
  public var flag: Int { columns.count(21) }

  /// Whether it waits for the next day.
  public func isBuried(at moment: StudyMoment) -> Bool { moment.isBuried(until: columns.optionalNumber(22)) }

  /// A copy of all of it.
  public func record() throws -> CardRecord { try CardTable.record(columns) }
}

extension CardTable {
  /// Reads the rows of cards in the order of their ids, each with its place in the slice; removed ones are passed over.
  /// The body must not read rows this way itself. One statement reads all: they are of one moment.
  public static func forEachRow(
    _ db: Database, _ ids: ArraySlice<CardID>, _ body: (Int, ListedCard) throws -> Void
  ) throws {
    // SQLite walks the list from its first to its last element, and looks each up.
    let sql = """
      SELECT \(columns), place, (SELECT guid FROM notes WHERE id = note)
      FROM (SELECT key AS place, value AS wanted FROM json_each(?))
      CROSS JOIN cards ON cards.id = wanted
      """
    try db.forEachRow(sql, [list(ids.lazy.map(\.rawValue))]) { row in
      try body(ids.startIndex + row.count(23), ListedCard(row))
    }
  }

  /// Numbers of cards for SQLite's `json_each`.
  static func list(_ ids: some Sequence<Int64>) -> String {
    var list = "["
    for id in ids { list += (list.utf8.count > 1 ? "," : "") + String(id) }
    return list + "]"
  }
}
