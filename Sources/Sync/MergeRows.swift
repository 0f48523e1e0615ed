// Notes, cards and rows of the log that came from a server, and what was deleted there.
// Invariant: a deletion wins over a change; of a row that both changed the later is kept, the server's where both are
// of one second; no card without its note.

import Decks
import Exchange
import GRDB
import Problems
import Text
import Values

extension SyncMerge {
  // MARK: Deleted ones

  /// What was deleted from here and is here again, since that was undone, stays: it goes under another id.
  func bury(_ graves: SyncGraves) throws {
    for id in graves.cards {
      guard let shadow = try shadows[.card, id] else { continue }
      try shadows.bury(.card, id)
      guard let local = shadow.local, try CardTable.known(db, local) != nil, try !shadows.wasTold(.card, id)
      else { continue }
      report.removedHere += try CardTable.remove(db, [CardID(rawValue: local)])
      // Its note may be there still, and get other cards.
      let note = ServerRows.parse(shadow.json)?.list.flatMap(ServerRows.card)?.note
      if let note, try NoteTable.known(db, note) == nil { try shadows.setLocal(.note, note, to: nil) }
    }
    for id in graves.notes {
      guard try shadows[.note, id] != nil else { continue }
      try shadows.bury(.note, id)
      if try shadows.wasTold(.note, id) { continue }
      let cards = try NoteTable.cards(db, of: NoteID(rawValue: id))
      let own = try cards.count { try shadows.remote(.card, of: $0.rawValue) == nil }
      report.removedHere += try CardTable.remove(db, cards)
      if own > 0 {
        report.note("\(counted(own, "new card")) went with a note that was deleted there")
      }
    }
  }

  // MARK: Notes

  func mergeNotes(_ receiver: NoteReceiver) throws {
    try pulled.staged.forEachRow(.notes) { row in
      try step()
      let shadow = try shadows[.note, row.id]
      if isKnown(shadow, row.json) { return }
      guard let values = ServerRows.parse(row.json)?.list, let (note, type) = ServerRows.note(values) else { return }
      var known = try NoteTable.known(db, row.id)
      // It was removed here, and is to be there.
      if shadow?.local != nil, known == nil { return }
      if shadow == nil { known = try own(note, type, known) }
      if known != nil, isOlder(row, than: shadow) {
        try NoteTable.markUnsent(db, row.id)
      } else if known != nil {
        try renew(note, type, known, isOurs: shadow == nil, receiver)
      }
      try shadows.put(
        .note, row.id, usn: row.usn, modified: row.modified, row.json, local: known == nil ? nil : row.id)
      report.received += 1
    }
  }

  /// A note here that a new one there is: of its guid and its type, or one that came back.
  private func own(_ note: ReceivedNote, _ type: Int64, _ known: KnownNote?) throws -> KnownNote? {
    if let known, known.guid == note.guid { return known }
    if known != nil {
      var free = note.id
      repeat { free += 1 } while try NoteTable.known(db, free) != nil || shadows.isTaken(.note, free)
      try NoteTable.renumber(db, note.id, to: free)
    }
    guard let twin = try NoteTable.id(db, guid: note.guid)?.rawValue,
      try shadows.remote(.note, of: twin) == nil,
      try NoteTable.known(db, twin)?.type.rawValue == shadows[.noteType, type]?.local
    else { return nil }
    try NoteTable.renumber(db, twin, to: note.id)
    return try NoteTable.known(db, note.id)
  }

  private func renew(
    _ note: ReceivedNote, _ type: Int64, _ known: KnownNote?, isOurs: Bool, _ receiver: NoteReceiver
  ) throws {
    guard let known, let local = try shadows[.noteType, type]?.local else { return }
    if isOurs || known.isUnsent {
      if known.modified > note.modified, known.type.rawValue == local {
        // Ours is to be sent, with what it has.
        return try NoteTable.markUnsent(db, note.id)
      }
      let mine = try NoteTable.record(db, NoteID(rawValue: note.id))
      if mine.fields != note.fields || mine.tags != note.tags {
        // Where its type was changed, that is why theirs is later.
        if heads.reshaped.contains(where: { $0.id == known.type }) {
          try setAside(mine, NoteTypeTable.record(db, known.type))
        }
        report.note("a note was changed on both sides: \(quoted(note.fields.first ?? "")) is the one of the server")
      }
    }
    try receiver.renew(note, of: NoteTypeTable.record(db, NoteTypeID(rawValue: local)), usn: 0)
    // New cards that our fields made and theirs do not.
    if isOurs || known.isUnsent {
      let unmade = try NoteTable.unmadeCards(db, of: note.id)
      _ = try CardTable.remove(db, unmade.filter { try shadows.remote(.card, of: $0.rawValue) == nil })
    }
  }

  // MARK: Cards

  func mergeCards(_ receiver: NoteReceiver, _ changed: [Int64: Int64]) throws {
    var places = NewPlaces()
    var types: [Int64: NoteType] = [:]
    try pulled.staged.forEachRow(.cards) { row in
      try step()
      let shadow = try shadows[.card, row.id]
      if isKnown(shadow, row.json) { return }
      guard let values = ServerRows.parse(row.json)?.list, let given = ServerRows.card(values) else { return }
      report.received += 1
      if let local = shadow?.local, try CardTable.known(db, local) == nil { return }
      let note = try shadows[.note, given.note]
      if let local = note?.local, try NoteTable.known(db, local) == nil {
        // Its note was removed here: it goes with it.
        return try shadows.put(.card, row.id, usn: row.usn, modified: row.modified, row.json, local: nil)
      }
      let known =
        try shadow?.local.flatMap { try CardTable.known(db, $0) }
        ?? CardTable.known(db, foreign: row.id, note: given.note, ordinal: given.ordinal)
      if let known, try isTaken(known, by: row.id) {
        return try shadows.put(.card, row.id, usn: row.usn, modified: row.modified, row.json, local: nil)
      }
      if let known, isOlder(row, than: shadow) {
        // Without a state it is one to be sent.
        return try shadows.put(.card, row.id, usn: row.usn, modified: row.modified, row.json, local: known.id.rawValue)
      }
      let isOurs = known.map { staysOurs($0, given, changed) } ?? false
      if let known, let shadow, changed[known.id.rawValue] != nil {
        let ours = try shadows.changedParts(of: known.id.rawValue, since: shadow.state)
        let isAnsweredHereAlone = ours.contains(.schedule) && ServerRows.haveOneSchedule(row.json, shadow.json)
        if isOurs, ours.contains(.schedule), !isAnsweredHereAlone { return }
        if isOurs || isAnsweredHereAlone {
          // Answered on one side and marked on the other: both stay.
          let marks = isOurs ? try CardTable.marks(db, known.id) : nil
          let schedule = isAnsweredHereAlone ? try CardTable.card(db, known.id)?.schedule : nil
          _ = try take(given, known, note, receiver, &places, &types)
          try shadows.put(.card, row.id, usn: row.usn, modified: row.modified, row.json, local: known.id.rawValue)
          try shadows.agree(.card, row.id)
          if let marks { try restore(marks, ours, known) }
          if let schedule {
            try CardTable.setSchedule(db, known.id, to: schedule, isSuspended: false, flag: 0, now: moment.now)
          }
          return
        }
      }
      var local = known?.id
      if !isOurs { local = try take(given, known, note, receiver, &places, &types) }
      if isOurs, let known { try CardTable.setForeign(db, known.id, id: row.id, modified: row.modified, raw: "") }
      try shadows.put(.card, row.id, usn: row.usn, modified: row.modified, row.json, local: local?.rawValue)
      if !isOurs { try shadows.agree(.card, row.id) }
    }
  }

  /// Whether another row there is this card already.
  private func isTaken(_ card: KnownCard, by id: Int64) throws -> Bool {
    let remote = try shadows.remote(.card, of: card.id.rawValue)
    return remote != nil && remote != id
  }

  /// Gives a card back what of its marks was changed here.
  private func restore(_ marks: CardMarks, _ ours: CardChanges, _ known: KnownCard) throws {
    try CardTable.restore(
      db, known, marks, place: !ours.isDisjoint(with: [.deck, .place]), hiding: ours.contains(.hiding),
      flag: ours.contains(.flag))
  }

  private func staysOurs(_ known: KnownCard, _ given: ServerCard, _ changed: [Int64: Int64]) -> Bool {
    guard let mine = changed[known.id.rawValue] else { return false }
    return mine > given.modified
  }

  /// Makes the card here what it is there.
  private func take(
    _ given: ServerCard, _ known: KnownCard?, _ note: Shadow?, _ receiver: NoteReceiver, _ places: inout NewPlaces,
    _ types: inout [Int64: NoteType]
  ) throws -> CardID? {
    guard let values = note.flatMap({ ServerRows.parse($0.json)?.list }), let (record, id) = ServerRows.note(values),
      let type = try type(id, &types)
    else { return nil }
    let deck = try deck(given.deck)
    let isToday = moment.day(of: Double(given.modified)) == moment.today
    var card = rows.received(given, in: deck, rank: 0, try options(given.deck), isBuriedToday: isToday)
    let isNew = given.position != nil
    let stays = known.map { $0.deck == deck && (!isNew || $0.isNew) } ?? false
    let isMoved = try isNew && known.map { try position(of: $0) != given.position } ?? true
    if !stays || isMoved { card.rank = try places.rank(db, in: deck, at: given.position) }
    let made: CardID
    if let known {
      try CardTable.renew(db, known, to: card, keepsRank: stays && !isMoved)
      made = known.id
    } else {
      do {
        made = try receiver.add(card, of: record, type, usn: 0)
      } catch let error as NoteError where error != .interrupted {
        report.note("the note \(record.id) has no place here: \(error.message)")
        return nil
      } catch let error as DeckError {
        report.note("the note \(record.id) has no place here: \(error.message)")
        return nil
      }
      try shadows.setLocal(.note, given.note, to: given.note)
    }
    if given.lacksLastReview { heads.withoutLastReview.append(given.id) }
    return made
  }

  private func type(_ id: Int64, _ known: inout [Int64: NoteType]) throws -> NoteType? {
    if let type = known[id] { return type }
    guard let local = try shadows[.noteType, id]?.local else { return nil }
    let type = try NoteTypeTable.record(db, NoteTypeID(rawValue: local))
    known[id] = type
    return type
  }

  /// The position that a card had there; nil where it has none.
  private func position(of card: KnownCard) throws -> Int? {
    guard card.isNew, let remote = try shadows.remote(.card, of: card.id.rawValue),
      let row = try shadows[.card, remote].flatMap({ ServerRows.parse($0.json)?.list })
    else { return nil }
    return ServerRows.card(row)?.position
  }

  // MARK: The log

  func mergeLog() throws {
    let receiver = try ReviewReceiver(db, lastCardBefore: CardID(rawValue: 0))
    try pulled.staged.forEachRow(.revlog) { row in
      try step()
      guard let values = ServerRows.parse(row.json)?.list, let review = ServerRows.review(values) else { return }
      let isKnown = try ReviewTable.isSent(db, review.id)
      if try isKnown || shadows[.review, row.id] != nil { return }
      try ReviewTable.makeRoom(db, for: review)
      try receiver.receive(review)
      if try !ReviewTable.markSent(db, review.id, raw: nil) {
        try shadows.put(.review, row.id, usn: row.usn, row.json, local: nil)
      }
      report.received += 1
    }
    try receiver.finish(withoutLastReview: heads.withoutLastReview)
    for id in heads.withoutLastReview { try shadows.agree(.card, id) }
  }
}

/// Where new cards come in their decks: by the positions that they have there.
struct NewPlaces {
  private var decks: [DeckID: [(position: Int, rank: Int64)]] = [:]

  /// A rank for a card that comes.
  /// - Parameter position: nil for one that is no new card: it comes to the bottom.
  mutating func rank(_ db: Database, in deck: DeckID, at position: Int?) throws -> Int64 {
    guard let position else {
      decks[deck] = nil
      return try CardTable.lowestRank(db, in: deck)
    }
    var known = try decks[deck] ?? CardTable.newPlaces(db, in: deck)
    // Below the last one whose position is not higher.
    let place = known.lastIndex { $0.position <= position }.map { $0 + 1 } ?? 0
    var rank = try CardTable.lowestRank(db, in: deck)
    if known.indices.contains(place) {
      let below = known[place].rank
      let above = place > 0 ? known[place - 1].rank : below &- (1 << 20)
      let middle = above &+ (below &- above) / 2
      if middle > above, middle < below { rank = middle }
    }
    known.insert((position, rank), at: place)
    decks[deck] = known
    return rank
  }
}
