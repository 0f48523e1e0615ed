// Note types that come from a package.
// Invariant: a type that is here keeps its fields and its cards; one of the same id and other fields comes in as
// another type, and the same one each time.

public import Storage
public import Templates

extension NoteTypeTable {
  /// The type that notes of a received one are of from here on: the one of its id where that has the same fields and
  /// cards, with the templates of the newer of the two; else one that came before; else a new one.
  public static func receive(
    _ db: Database, _ given: NoteType, now: Double, isInterrupted: @escaping () -> Bool
  ) throws -> NoteType {
    let known = try list(db)
    if let here = known.first(where: { $0.id == given.id }), here.isShaped(as: given) {
      if given.modified <= here.modified { return here }
      return try renew(db, here, to: given, now: now, isInterrupted)
    }
    let isTaken = known.contains { $0.id == given.id }
    if isTaken, let same = known.first(where: { $0.isShaped(as: given) && $0.name.hasPrefix(given.name) }) {
      return same
    }
    var fresh = given
    if isTaken { fresh.id = NoteTypeID(rawValue: try SyncedTable.noteTypes.freeID(db, now: now)) }
    let names = Set(known.map { $0.name.lowercased() })
    while names.contains(fresh.name.lowercased()) { fresh.name += "+" }
    try insert(db, fresh)
    return fresh
  }

  private static func renew(
    _ db: Database, _ here: NoteType, to given: NoteType, now: Double, _ isInterrupted: @escaping () -> Bool
  ) throws -> NoteType {
    var renewed = given
    renewed.name = here.name
    try write(db, renewed)
    if zip(here.cards, given.cards).allSatisfy({ $0.front == $1.front && $0.back == $1.back }) { return renewed }
    var writer = NoteCardWriter(db, renewed, now: now, isInterrupted: isInterrupted)
    for note in try NoteTable.ids(db, of: here.id) { try writer.renew(NoteTable.record(db, note)) }
    return renewed
  }
}

extension NoteTypeTable {
  /// Makes a type here what a received one is; it keeps its id. Its notes are not touched: their texts are renewed by
  /// `renewTexts`.
  /// - Returns: whether the texts of its notes may be others now.
  public static func replace(_ db: Database, _ id: NoteTypeID, with given: NoteType) throws -> Bool {
    let old = try record(db, id)
    var new = given
    new.id = id
    new.name = try freeName(db, like: given.name, except: id)
    try write(db, new)
    try markSent(db, id)
    return old.isCloze != new.isCloze || old.fields != new.fields || old.cards != new.cards
  }

  /// A type of a server, under its id. One here that was not sent is it where it has that id or that name, and the same
  /// fields and cards; another one that has its id gives way.
  /// - Parameter isOurs: whether a type here is not the server's.
  /// - Returns: whether the texts of its notes may be others now.
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

  /// A type is elsewhere as it is here.
  public static func markSent(_ db: Database, _ id: NoteTypeID) throws {
    try db.execute(sql: "UPDATE note_types SET usn = 0 WHERE id = ?", arguments: [id.rawValue])
  }

  /// Writes the texts of all cards of a type anew.
  public static func renewTexts(_ db: Database, of id: NoteTypeID, isInterrupted: @escaping () -> Bool) throws {
    let type = try record(db, id)
    var writer = NoteCardWriter(db, type, now: Double(type.modified), isInterrupted: isInterrupted)
    for note in try NoteTable.ids(db, of: id) {
      if isInterrupted() { throw NoteError.interrupted }
      try writer.rewrite(NoteTable.record(db, note))
    }
  }
}

extension NoteType {
  /// Whether another can hold the same notes: the number of fields and of cards, and the kind.
  public func holdsNotes(of other: NoteType) -> Bool {
    isCloze == other.isCloze && fieldList.count == other.fieldList.count && cards.count == other.cards.count
  }

  /// Whether another has fields and cards of the same names in the same order.
  public func isShaped(as other: NoteType) -> Bool {
    isCloze == other.isCloze && fields == other.fields && cards.map(\.name) == other.cards.map(\.name)
  }
}
