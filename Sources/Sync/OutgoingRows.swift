// The notes, cards and answers that a sync sends, in chunks.
// Invariant: a row becomes its own base in the same operation that sends it; a row that equals its base is not sent.

import Decks
import Exchange
import Storage
import Templates
import Values

extension SyncOutgoing {
  func findRows() throws {
    try renumberReturned()
    try bases.dropAgreed()
    let unsent = SyncTables.unsentNote
    waiting.notes = try db.rows("SELECT id FROM notes WHERE \(unsent) ORDER BY id") { $0.integer(0) }[...]
    try findTags(try db.rows("SELECT DISTINCT tags FROM notes WHERE \(unsent)") { $0.text(0) })
    let fresh = try numbered(
      try db.rows("SELECT id FROM cards WHERE \(SyncTables.unsentRow(.cards)) ORDER BY deck, rank") {
        CardID(rawValue: $0.integer(0))
      })
    let changed = try db.rows("SELECT cards.id \(SyncTables.changed(.cards)) ORDER BY deck, rank") { $0.integer(0) }
    waiting.cards = (fresh + changed)[...]
    try ReviewTable.renumberUnsent(db) { try bases[.review, $0] != nil }
    waiting.logs = try ReviewTable.unsentCards(db)[...]
    waiting.answers = try db.count("SELECT count(*) FROM reviews WHERE \(SyncTables.unsentReview)")
    let strays = "SELECT id FROM reviews WHERE \(SyncTables.unsentStray) ORDER BY card, at, id"
    waiting.strays = try db.rows(strays) { $0.integer(0) }[...]
    if !fresh.isEmpty {
      let highest = """
        SELECT max(json ->> 8) FROM server_rows
        WHERE kind = \(BaseKind.card.rawValue) AND json ->> 6 = 0 AND json ->> 8 < 900000
        """
      context.position = try db.count(highest)
    }
  }

  /// Finds tags that the server does not list: it would find their notes, but not list the tags.
  private func findTags(_ columns: [String]) throws {
    var listed = try bases[.tags, 0]?.list ?? []
    var known = Set(listed.compactMap { $0.text?.lowercased() })
    for tag in columns.flatMap(Tags.separated) where known.insert(tag.lowercased()).inserted {
      head.tags.append(tag)
      listed.append(.text(tag))
    }
    if !head.tags.isEmpty { try bases.put(.tags, 0, Value.list(listed).json, isHere: false) }
  }

  /// Gives a new id to each note that exists again after its grave was sent: the server never accepts the old id again.
  private func renumberReturned() throws {
    let notes = try db.rows(
      "SELECT notes.id FROM notes JOIN sent_graves g ON g.kind = \(BaseKind.note.rawValue) AND g.id = notes.id"
    ) { $0.integer(0) }
    for note in notes { try SyncedNotes.renumber(db, note, to: bases.freeID(.note, after: note)) }
  }

  /// Gives new cards other ids if the server has or had theirs.
  private func numbered(_ cards: [CardID]) throws -> [Int64] {
    try cards.map { id in
      guard try bases.isTaken(.card, id.rawValue), let card = try SyncedCards.stored(db, id) else { return id.rawValue }
      let free = try bases.freeID(.card, after: id.rawValue)
      try CardTable.renumber(db, card, to: CardID(rawValue: free))
      return free
    }
  }

  /// Returns the next rows; an empty chunk after the last.
  func next() throws -> OutgoingChunk {
    var chunk = OutgoingChunk()
    while !chunk.isFull, !waiting.isEmpty {
      if let note = waiting.notes.popFirst() {
        try addNote(note, to: &chunk)
      } else if let card = waiting.cards.popFirst() {
        try addCard(card, to: &chunk)
      } else if let card = waiting.logs.popFirst() {
        try addLog(card, to: &chunk)
      } else if let row = waiting.strays.popFirst() {
        try addStray(row, to: &chunk)
      }
    }
    return chunk
  }

  private func addNote(_ id: Int64, to chunk: inout OutgoingChunk) throws {
    let note = try NoteTable.record(db, NoteID(rawValue: id))
    let type = Value.integer(Int(note.type.rawValue))
    let was = try bases[.note, id]?.list.flatMap { $0.count == 11 ? $0 : nil }
    let none = Value.text("")
    var row =
      was ?? [
        .integer(Int(id)), .text(note.guid), type, .integer(0), .integer(0), none, none, none, none, .integer(0), none,
      ]
    row[2] = type
    if was.map({ ServerRows.tags($0) != note.tags }) ?? true { row[5] = .text(Tags.joined(note.tags)) }
    if was.map({ !$0.isSame(as: note) }) ?? true { row[6] = .text(note.fields.joined(separator: "\u{1F}")) }
    try SyncedNotes.markSent(db, note.id)
    if row == was { return }
    (row[3], row[4]) = (.integer(note.modified), .integer(usn))
    let json = Value.list(row).json
    try bases.put(.note, id, modified: Int64(note.modified), json, isHere: true)
    chunk.add(.notes, json)
  }

  private func addCard(_ id: Int64, to chunk: inout OutgoingChunk) throws {
    let card = CardID(rawValue: id)
    let base = try bases[.card, id].flatMap { $0.isHere ? $0 : nil }
    let was = base?.list.flatMap { $0.count == 18 ? $0 : nil }
    let changes = try was == nil ? CardChanges.all : bases.changedParts(of: id, since: base?.state)
    let made = try context.cards.with(card) { try row($0, was, changes) }
    guard var (row, state) = made ?? nil else { return }
    var same = row
    if let was { (same[4], same[5]) = (was[4], was[5]) }
    if same != was {
      chunk.add(.cards, Value.list(row).json)
      row[5] = .integer(0)
      try bases.put(.card, id, modified: state.modified, Value.list(row).json, isHere: true)
    } else {
      state.modified = Int64(same[4].integer ?? 0)
    }
    try SyncedCards.markSent(db, card, modified: Int64(row[4].integer ?? 0), raw: rows.raw(state))
    try bases.agree(.card, id)
  }

  private func row(
    _ card: ListedCard, _ base: [Value]?, _ changes: CardChanges
  ) throws -> (row: [Value], state: AnkiCard)? {
    guard let known = try SyncedCards.stored(db, card.id) else { return nil }
    let options = try options(of: known.deck)
    var position = base.flatMap(ServerRows.card)?.position ?? 0
    if card.schedule.state == .new {
      if base == nil || changes.contains(.schedule) && position == 0 {
        context.position += 1
        position = context.position
      } else if changes.contains(.place) {
        position = try self.position(of: known, having: position)
      }
    }
    let before = base?[4].integer ?? 0
    let modified = Int(known.changed) > before ? known.changed : Int64(max(before &+ 1, Int(moment.now)))
    return rows.row(
      of: card, in: (known.deck.rawValue, modified, position), lastReview: try ReviewTable.lastSecond(db, of: card.id),
      usn: usn, over: base, changes, options)
  }

  private func options(of deck: DeckID) throws -> DeckOptions {
    if let known = context.options[deck] { return known }
    let options = try DeckTable.options(db, deck)
    context.options[deck] = options
    return options
  }

  /// Returns the position of a new card that was moved: between the positions of its neighbours.
  private func position(of card: StoredCard, having old: Int) throws -> Int {
    let (above, below) = try SyncedCards.positionsAround(db, card)
    if let above, old < above { return above }
    if let below, old > below { return below }
    return old
  }

  private func addLog(_ card: CardID, to chunk: inout OutgoingChunk) throws {
    for (id, row, answer) in ServerRows.rows(ofUnsent: try context.log.of(card), card: card.rawValue, usn: usn) {
      chunk.add(.revlog, Value.list(row).json)
      try ReviewTable.markSent(db, id, as: answer)
    }
  }

  /// Adds an answer of a card that was removed locally.
  private func addStray(_ row: Int64, to chunk: inout OutgoingChunk) throws {
    guard let (card, review) = try context.log.ofRemovedCard(row) else { return }
    let last = context.stray.card == card ? context.stray.interval : 0
    let (values, answer) = ServerRows.row(of: review, card: card, last: last, usn: usn)
    context.stray = (card, answer.interval)
    chunk.add(.revlog, Value.list(values).json)
    try ReviewTable.markSent(db, row, as: answer)
  }
}

extension [Value] {
  /// Whether a remote note has the same fields as the local one.
  fileprivate func isSame(as note: NoteRecord) -> Bool {
    let fields = ServerRows.fields(self)
    return fields.count == note.fields.count && zip(fields, note.fields).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
  }
}
