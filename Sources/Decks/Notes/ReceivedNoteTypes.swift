// Note types that come from a package. Invariant: an existing type keeps its fields and cards. A type with the same id
// but other fields is added as another type, which is the same one each time.

public import Storage
public import Templates

extension NoteTypeTable {
  /// The local type for the notes of a received type: the type with its id if it has the same fields and cards, with
  /// the templates of the newer of the two; else one that was received earlier; else a new one. A type of CrowdAnki has
  /// the id of the type with its uuid, or else of one with its name, fields and cards.
  public static func receive(
    _ db: Database, _ given: NoteType, now: Double, isInterrupted: @escaping () -> Bool
  ) throws -> NoteType {
    var given = given
    let known = try list(db)
    if let uuid = given.uuid, !known.contains(where: { $0.id == given.id }) {
      let named = known.first { $0.name.lowercased() == given.name.lowercased() && $0.isShaped(as: given) }
      if let same = known.first(where: { $0.uuid == uuid }) ?? named {
        given.id = same.id
        // The stock types are those of the user's own notes, if there are any.
        let isStock = same.uuid != uuid && StockNoteType(rawValue: same.name) != nil
        if try isStock && !isUnused(same, db, given.name) { given.modified = 0 }
      }
    }
    if let here = known.first(where: { $0.id == given.id }), here.isShaped(as: given) {
      var same = given
      (same.name, same.modified) = (here.name, here.modified)
      if given.modified <= here.modified || same == here { return here }
      return try renew(db, here, to: given, now: now, isInterrupted)
    }
    let isTaken = known.contains { $0.id == given.id }
    if isTaken, let same = known.first(where: { $0.isShaped(as: given) && isMarked($0.name, from: given.name) }) {
      return same
    }
    // Anki's Basic takes the place of ours, instead of being named `Basic+` beside it.
    if !isTaken, let stock = try known.first(where: { try $0.isShaped(as: given) && isUnused($0, db, given.name) }) {
      try SyncedTable.noteTypes.take(db, given.id.rawValue, by: stock.id.rawValue, now: now)
      return try renew(db, record(db, given.id), to: given, now: now, isInterrupted)
    }
    var fresh = given
    if isTaken { fresh.id = NoteTypeID(rawValue: try SyncedTable.noteTypes.freeID(db, now: now)) }
    fresh.name = try freeName(db, like: given.name, except: nil)
    try insert(db, fresh)
    return fresh
  }

  /// Whether a type is the stock type of a name as the schema inserted it: unchanged, not sent, without notes.
  private static func isUnused(_ type: NoteType, _ db: Database, _ name: String) throws -> Bool {
    guard type.name.lowercased() == name.lowercased(), type.modified == DecksSchema.stockTime,
      DecksSchema.stockIDs.contains(type.id.rawValue)
    else { return false }
    let isUnsent = try db.hasRow("SELECT 1 FROM note_types WHERE id = ? AND \(Unsent.sql)", [type.id.rawValue])
    return try isUnsent && noteCount(db, type.id) == 0
  }

  private static func renew(
    _ db: Database, _ here: NoteType, to given: NoteType, now: Double, _ isInterrupted: @escaping () -> Bool
  ) throws -> NoteType {
    var renewed = given
    renewed.name = here.name
    try write(db, renewed)
    if zip(here.cards, given.cards).allSatisfy({ $0.front == $1.front && $0.back == $1.back }) { return renewed }
    var writer = NoteCardWriter(db, renewed, now: now, isInterrupted: isInterrupted)
    for id in try NoteTable.ids(db, of: here.id) {
      let note = try NoteTable.record(db, id)
      try writer.renew(note) { NoteOrdinals.made(note, here) }
    }
    return renewed
  }

  /// Replaces a type by a received one, except for its id. Its notes are not changed: call `updateTexts` to update
  /// their texts.
  /// - Returns: whether the texts of its notes may be different now.
  public static func replace(_ db: Database, _ id: NoteTypeID, with given: NoteType) throws -> Bool {
    let old = try record(db, id)
    var new = given
    new.id = id
    new.name = try freeName(db, like: given.name, except: id)
    try write(db, new)
    try markSent(db, id)
    return old.isCloze != new.isCloze || old.fields != new.fields || old.cards != new.cards
  }

  /// Stores a type of a server, under its id. A local type that was not sent becomes this type if it has the same
  /// fields and cards, and the same id or name; another local type with the id gets a new id.
  /// - Parameter isOurs: whether a local type is not on the server.
  /// - Returns: whether the texts of its notes may be different now.
  public static func place(
    _ db: Database, _ given: NoteType, now: Double, isOurs: (NoteTypeID) throws -> Bool
  ) throws -> Bool {
    let known = try list(db).filter { try isOurs($0.id) && $0.isShaped(as: given) }
    let same = known.first { $0.id == given.id } ?? known.first { $0.name.lowercased() == given.name.lowercased() }
    if let same {
      if same.id != given.id { try SyncedTable.noteTypes.take(db, given.id.rawValue, by: same.id.rawValue, now: now) }
      return try replace(db, given.id, with: given)
    }
    try SyncedTable.noteTypes.makeRoom(db, for: given.id.rawValue, now: now)
    var fresh = given
    fresh.name = try freeName(db, like: given.name, except: nil)
    try insert(db, fresh)
    try markSent(db, fresh.id)
    return false
  }

  private static func freeName(_ db: Database, like given: String, except id: NoteTypeID?) throws -> String {
    var name = given
    while let other = try named(db, name), other.id != id { name += "+" }
    return name
  }

  /// Whether a name is another one, or that one with a `+` because another type had it.
  public static func isMarked(_ name: String, from given: String) -> Bool {
    name.hasPrefix(given) && name.dropFirst(given.count).allSatisfy { $0 == "+" }
  }

  /// Marks a type as sent: the server has it in its present form.
  public static func markSent(_ db: Database, _ id: NoteTypeID) throws {
    try db.execute(sql: "UPDATE note_types SET usn = 0 WHERE id = ?", arguments: [id.rawValue])
  }

  /// Writes the texts of all cards of a type again.
  public static func updateTexts(_ db: Database, of id: NoteTypeID, isInterrupted: @escaping () -> Bool) throws {
    let type = try record(db, id)
    var writer = NoteCardWriter(db, type, now: Double(type.modified), isInterrupted: isInterrupted)
    for note in try NoteTable.ids(db, of: id) {
      if isInterrupted() { throw NoteError.interrupted }
      try writer.rewrite(NoteTable.record(db, note))
    }
  }
}

extension NoteType {
  /// Whether the other type has the same kind, and fields and cards with the same names in the same order.
  public func isShaped(as other: NoteType) -> Bool {
    isCloze == other.isCloze && fields == other.fields && cards.map(\.name) == other.cards.map(\.name)
  }
}
