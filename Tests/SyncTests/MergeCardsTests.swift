// Cards changed on the server and locally: which side each property comes from, and what is sent afterwards.

import Decks
import Exchange
import Storage
import Testing
import Values

@testable import Sync

@Suite struct MergeCardsTests {
  private let sides = TwoSides()

  init() throws { try sides.linked() }

  /// The card as it arrives after an answer there.
  private func row(answered: Int, modified: Int, flag: Int = 0, deck: Int = 2) throws -> Value {
    var row = try #require(ServerSide.card(modified).list)
    (row[2], row[9], row[11]) = (.integer(deck), .integer(77), .integer(5))
    (row[16], row[17]) = (.integer(flag), .text(#"{"s":77.0,"d":5.0,"lrt":\#(answered)}"#))
    return .list(row)
  }

  private func answerHere(at now: Double, reps: Int = 9) throws {
    try sides.change { db, id in
      var schedule = CardSchedule()
      (schedule.state, schedule.stability, schedule.difficulty) = (.review, 40, 5)
      (schedule.due, schedule.lastReview, schedule.reps) = (now + 40 * 86_400, now, reps)
      var log = LoggedReview(at: now, rating: 3, state: .review, interval: 40 * 86_400)
      (log.stability, log.difficulty) = (40, 5)
      try CardTable.addLog(db, [log], to: id)
      try CardHiding.setSchedule(db, id, to: schedule, isSuspended: false, flag: 0, now: now)
    }
  }

  private func flagHere(_ flag: Int, at now: Double) throws {
    try sides.change { db, id in try CardHiding.setFlag(db, [id], to: flag, now: now) }
  }

  private func merged(_ rows: Value..., graves: SyncGraves = SyncGraves()) throws -> (SyncReport, [[Value]]) {
    let pulled = try sides.pulled(StagedHead(), [.cards: rows], graves: graves)
    let report = try sides.merge(pulled)
    let sent = try sides.outgoing(pulled).1[.cards] ?? []
    #expect(try sides.outgoing(pulled).0.count == 0)
    return (report, sent)
  }

  @Test(arguments: [#"{"s":30.0,"d":5.0,"lrt":1690000000}"#, "{}"])
  func `a card received in a missing deck is in the first deck on both sides`(data: String) throws {
    var graves = SyncGraves()
    graves.decks = [2]
    let (_, moved) = try merged(graves: graves)
    #expect(moved.first?[2] == .integer(1))
    var other = try #require(ServerSide.card(1_695_000_000).list)
    other[17] = .text(data)
    let (report, sent) = try merged(.list(other))
    #expect(report.findings == ["1 card of a deck that was deleted on the server: moved to Default"])
    #expect(sent.first?[2] == .integer(1))
    #expect(sent.first?[9] == .integer(30))
    #expect(try sides.store.read { try DeckTable.named($0, "Spanish") } == nil)
  }

  @Test func `the later local answer is kept, and so is the mark set there after it`() throws {
    try answerHere(at: 1_695_000_000)
    let sent = try merged(row(answered: 1_694_000_000, modified: 1_699_000_000, flag: 2)).1
    let card = try #require(try sides.here())
    #expect(card.schedule.reps == 9 && card.schedule.lastReview == 1_695_000_000 && card.flag == 2)
    #expect(sent.first?[11] == .integer(9) && sent.first?[16] == .integer(2))
    #expect(sent.first?[17].text?.contains(#""lrt":1695000000"#) == true)
  }

  @Test func `the later answer there is kept, and so is the mark set here after it`() throws {
    try answerHere(at: 1_694_000_000)
    try flagHere(3, at: 1_699_000_000)
    let sent = try merged(row(answered: 1_695_000_000, modified: 1_695_000_000)).1
    let card = try #require(try sides.here())
    #expect(card.schedule.reps == 5 && card.schedule.lastReview == 1_695_000_000 && card.flag == 3)
    #expect(sent.first?[11] == .integer(5) && sent.first?[16] == .integer(3))
  }

  @Test func `an older answer with which another device replaced a sent one is reverted`() throws {
    try answerHere(at: 1_695_000_000)
    #expect(try merged().1.count == 1)
    let sent = try merged(row(answered: 1_694_000_000, modified: 1_699_000_000, flag: 2)).1
    #expect(try sides.here()?.schedule.reps == 9)
    #expect(sent.first?[11] == .integer(9) && sent.first?[16] == .integer(2))
  }

  @Test func `a card reset there after the local answer is new`() throws {
    try answerHere(at: 1_695_000_000)
    var new = try #require(ServerSide.card(1_700_000_100).list)
    for index in [6, 7, 8, 9, 10, 11, 12] { new[index] = .integer(0) }
    new[17] = .text("{}")
    #expect(try merged(.list(new)).1.isEmpty)
    #expect(try sides.here()?.schedule.state == .new)
  }

  @Test func `a local mark is sent also if the server's row does not say when it was answered`() throws {
    try flagHere(3, at: 1_699_000_000)
    var row = try #require(row(answered: 0, modified: 1_695_000_000).list)
    row[17] = .text(#"{"s":77.0,"d":5.0}"#)
    let sent = try merged(.list(row)).1
    #expect(sent.first?[16] == .integer(3) && sent.first?[11] == .integer(5))
  }

  @Test func `a card there with the id of a local one leaves ours, which is sent with another id`() throws {
    let other = ServerSide.note + 5
    var note = try #require(ServerSide.note(1_695_000_000, "other").list)
    (note[0], note[1]) = (.integer(other), .text("g2"))
    var card = try #require(ServerSide.card(1_695_000_000).list)
    card[1] = .integer(other)
    let pulled = try sides.pulled(StagedHead(), [.notes: [.list(note)], .cards: [.list(card)]])
    try sides.merge(pulled)
    #expect(try sides.here()?.answer == "other")
    let sent = try #require(try sides.outgoing(pulled).1[.cards]?.first)
    #expect(sent[1] == .integer(ServerSide.note) && sent[0] != .integer(ServerSide.card))
    #expect(try sides.store.read { try Bases($0).counts() }.cards == 2)
    #expect(try sides.outgoing(pulled).0.count == 0)
  }

  @Test func `a note there with the id of a local one leaves ours, which is sent with its card under another id`()
    throws
  {
    var note = try #require(ServerSide.note(1_695_000_000, "other").list)
    note[1] = .text("g2")
    var card = try #require(ServerSide.card(1_695_000_000).list)
    card[0] = .integer(ServerSide.card + 7)
    let pulled = try sides.pulled(StagedHead(), [.notes: [.list(note)], .cards: [.list(card)]])
    try sides.merge(pulled)
    #expect(try sides.here()?.answer == "one")
    let rows = try sides.outgoing(pulled).1
    let sent = try #require(rows[.notes]?.first)
    #expect(sent[0] != .integer(ServerSide.note) && sent[1] == .text("g1") && sent[6] == .text("uno\u{1F}one"))
    #expect(rows[.cards]?.first?[0] == .integer(ServerSide.card) && rows[.cards]?.first?[1] == sent[0])
    #expect(try sides.store.read { try Bases($0).counts() }.notes == 2)
    #expect(try sides.outgoing(pulled).0.count == 0)
  }
}
