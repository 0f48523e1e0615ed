// The rules of a card's status, checked in SQLite and in Swift.

import TestDecks

@testable import Decks

@Suite struct CardStatusTests {
  private let collection = TestCollection()

  private static let columns = "id, state, suspended, due, buried_until, tags"

  /// Creates random cards, many of them exactly at a limit of the current moment.
  private func fill(_ collection: TestCollection, _ moment: StudyMoment, _ generator: inout TestGenerator) throws {
    let deck = try collection.deck("d")
    _ = try collection.addAll(deck, (0..<400).map { NewCard(prompt: "p\($0)", answer: "x") })
    let borders = [moment.now, moment.latestBurial, moment.endOfToday, moment.dueCutoff]
    let times: [Double?] = borders + borders.map { $0 - 1 } + borders.map { $0 + 1 } + [nil, 0, 1e12]
    let tags = ["", " leech ", " a LEECH b ", " leech::old ", " leeches ", " my::leech ", " leech: ", " a b "]
    try collection.store.operation("random") { db in
      for id in try Int64.fetchAll(db, sql: "SELECT id FROM cards") {
        try db.execute(
          sql: "UPDATE cards SET state = ?, suspended = ?, due = ?, buried_until = ? WHERE id = ?",
          arguments: [
            Int.random(in: 0...3, using: &generator), Int.random(in: 0...4, using: &generator) / 4,
            times.randomElement(using: &generator) ?? nil, times.randomElement(using: &generator) ?? nil, id,
          ])
        try db.execute(
          sql: "UPDATE notes SET tags = ? WHERE id = (SELECT note FROM cards WHERE id = ?)",
          arguments: [tags.randomElement(using: &generator) ?? "", id])
      }
    }
  }

  @Test func `SQLite, Swift and queries agree on every card`() throws {
    var generator = TestGenerator(71)
    let moment = StudyMoment(now: collection.now, utcOffset: 7200)
    try fill(collection, moment, &generator)
    try collection.store.read { db in
      for status in CardStatus.allCases {
        let sql = "SELECT \(Self.columns), \(status.sql()) FROM card_rows"
        var found: Set<CardID> = []
        try db.forEachRow(sql, moment.arguments(of: sql)) { row in
          let card = StatusColumns(
            state: row.integer(1), isSuspended: row.integer(2) != 0, due: row.optionalNumber(3),
            buriedUntil: row.optionalNumber(4), hasLeechTag: StatusColumns.isLeech(row.bytes(5)))
          #expect(row.optionalNumber(6) == (status.holds(card, at: moment) ? 1 : 0), "\(status) \(card)")
          if status.holds(card, at: moment) { found.insert(CardID(rawValue: row.integer(0))) }
        }
        #expect(!found.isEmpty && found.count < 400, "\(status)")
        let deck = try #require(try DeckTable.list(db).first).id
        // SQLite cannot evaluate the second query by itself.
        for text in ["is:\(status)", "is:\(status) (prompt:p* or prompt:x)"] {
          #expect(try Set(CardTable.ids(db, in: deck, matching: CardQuery(text), at: moment)) == found, "\(text)")
        }
      }
    }
  }

  @Test func `SQLite and Swift agree on unsent rows, when they are made and when they change`() throws {
    var generator = TestGenerator(72)
    let deck = try collection.deck("d")
    for number in 0..<40 { _ = try collection.add(deck, "p\(number)", "x") }
    func unsent() throws -> [NoteID] {
      try collection.store.read { db in
        let rows = try db.rows("SELECT id, usn, \(Unsent.sql) FROM notes") {
          (id: NoteID(rawValue: $0.integer(0)), usn: $0.integer(1), holds: $0.integer(2) == 1)
        }
        for row in rows { #expect(Unsent.holds(usn: row.usn) == row.holds, "\(row.usn)") }
        for row in rows { #expect(try NoteTable.record(db, row.id).isUnsent == row.holds) }
        return rows.filter(\.holds).map(\.id)
      }
    }
    let all = try unsent()
    #expect(all.count == 40)
    let sent = all.filter { _ in Bool.random(using: &generator) }
    try collection.store.operation("sent") { db in
      for id in sent {
        try db.execute(
          sql: "UPDATE notes SET usn = ? WHERE id = ?",
          arguments: [Int.random(in: 0...9, using: &generator), id.rawValue])
      }
    }
    #expect(try unsent().count == 40 - sent.count)
    let changed = try #require(sent.first)
    try collection.store.operation("change") { db in
      try NoteTable.update(db, changed, fields: ["Back": "y"], now: collection.now, isInterrupted: { false })
    }
    #expect(try unsent().contains(changed))
  }
}
