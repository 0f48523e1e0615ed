// Merging notes, log rows and graves. Invariant: a grave wins over an edit. If both sides changed a note, the later
// version is kept, the server's within the same second.

import Decks
import Exchange
import Problems
import Storage
import Templates
import Text
import Values

extension SyncMerge {
  /// Removes the rows that have a grave. A row whose grave was sent from here and whose removal was undone since stays
  /// and is sent under another id. So does a row that exists only locally and shares its id with a grave by chance.
  func bury(_ graves: SyncGraves) throws {
    for id in graves.cards {
      guard let base = try bases[.card, id] else {
        if try SyncedCards.stored(db, CardID(rawValue: id)) != nil { try bases.bury(.card, id) }
        continue
      }
      let isGiven = try base.isHere && !bases.wasBuriedHere(.card, id)
      let removed = try CardTable.remove(db, isGiven ? [CardID(rawValue: id)] : [])
      try bases.bury(.card, id)
      if removed == 0 { continue }
      report.removedHere += removed
      // The server may still have the note, and may later have other cards of it.
      let note = base.list.flatMap(ServerRows.card)?.note
      if let note, try !NoteTable.exists(db, NoteID(rawValue: note)) { try bases.setHere(.note, note, false) }
    }
    for id in graves.notes {
      guard try bases[.note, id] != nil else {
        if try NoteTable.exists(db, NoteID(rawValue: id)) { try bases.bury(.note, id) }
        continue
      }
      let cards = try bases.wasBuriedHere(.note, id) ? [] : NoteTable.cards(db, of: NoteID(rawValue: id))
      let own = try cards.count { try !bases.isHere(.card, $0.rawValue) }
      report.removedHere += try CardTable.remove(db, cards)
      try bases.bury(.note, id)
      if own > 0 { report.note("\(counted(own, "new card")) removed with a note that was deleted on the server") }
    }
  }

  func mergeNotes(_ receiver: NoteReceiver) throws {
    try pulled.staged.forEachRow(.notes) { row in
      try step()
      let base = try bases[.note, row.id]
      if isKnown(base, row.json) { return }
      guard let values = ServerRows.parse(row.json)?.list, let note = ServerRows.note(values) else { return }
      var known = try NoteTable.known(db, NoteID(rawValue: row.id))
      // Removed locally: its grave will be sent.
      if base?.isHere == true, known == nil { return }
      if base == nil { try bases.unbury(.note, row.id) }
      var isOurs = base == nil
      if let known, let base, known.guid != note.guid,
        base.list.flatMap(ServerRows.note)?.guid != note.guid
      {
        // Two devices gave the same id to two notes.
        isOurs = true
        try bases.setHere(.note, row.id, false)
      }
      if isOurs { known = try own(note, known) }
      if let known, isOlder(row, than: base) {
        try SyncedNotes.markUnsent(db, known.id)
      } else if let known {
        try renew(note, known, isOurs: isOurs, receiver)
      }
      try bases.put(.note, row.id, modified: row.modified, row.json, isHere: known != nil)
      report.received += 1
    }
  }

  /// Returns the unsent local note of a new remote note: one with its guid and type, or one that came back.
  private func own(_ note: NoteRecord, _ known: NoteRecord?) throws -> NoteRecord? {
    if let known, known.guid == note.guid { return known }
    if known != nil {
      let free = try bases.freeID(.note, after: note.id.rawValue)
      try SyncedNotes.renumber(db, note.id.rawValue, to: free)
      // Its cards are sent again under the new id.
      try bases.forgetState(cardsOf: free)
    }
    guard let twin = try NoteTable.id(db, guid: note.guid), try !bases.isHere(.note, twin.rawValue),
      try NoteTable.known(db, twin)?.type == note.type, try bases.isHere(.noteType, note.type.rawValue)
    else { return nil }
    try SyncedNotes.renumber(db, twin.rawValue, to: note.id.rawValue)
    return try NoteTable.known(db, note.id)
  }

  private func renew(_ note: NoteRecord, _ known: NoteRecord, isOurs: Bool, _ receiver: NoteReceiver) throws {
    guard try bases.isHere(.noteType, note.type.rawValue) else { return }
    if isOurs || known.isUnsent {
      if known.modified > note.modified, known.type == note.type {
        // The local edit is the later one: it is sent.
        return try SyncedNotes.markUnsent(db, note.id)
      }
      if known.fields != note.fields || known.tags != note.tags {
        // The remote row may be later only because its type was changed.
        if heads.reshaped.contains(where: { $0.id == known.type }) {
          try setAside(known, NoteTypeTable.record(db, known.type))
        }
        report.note(
          "a note was changed on both sides; the server's version was kept: \(quoted(note.fields.first ?? ""))")
      }
    }
    try receiver.renew(note, of: NoteTypeTable.record(db, note.type))
    // Removes new cards that the local fields had generated and the remote fields do not.
    if isOurs || known.isUnsent {
      let obsolete = try SyncedNotes.obsoleteCards(db, of: note.id)
      _ = try CardTable.remove(db, obsolete.filter { try !bases.isHere(.card, $0.rawValue) })
    }
  }

  func mergeLog() throws {
    let receiver = try ReviewReceiver(db, of: nil)
    try pulled.staged.forEachRow(.revlog) { row in
      try step()
      guard let values = ServerRows.parse(row.json)?.list, let review = ServerRows.review(values) else { return }
      if try ReviewTable.isSent(db, review.id) || bases[.review, row.id] != nil { return }
      try ReviewTable.makeRoom(db, for: review)
      try receiver.receive(review)
      try receiver.flush()
      if try !ReviewTable.markReceived(db, review.id) { try bases.put(.review, row.id, row.json, isHere: false) }
      report.received += 1
    }
    try receiver.finish(withoutLastReview: heads.withoutLastReview)
    let odd = counted(receiver.impossible, "answer")
    if receiver.impossible > 0 { report.note("not received: \(odd) with an impossible rating or time") }
    for id in heads.withoutLastReview { try bases.agreeOnLastReview(card: id) }
  }
}
