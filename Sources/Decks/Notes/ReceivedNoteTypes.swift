// Note types that come from a package.
// Invariant: a type that is here keeps its fields and its cards; one of the same id and other fields comes in as
// another type, and the same one each time.

public import GRDB

extension NoteTypeTable {
  /// The type that notes of a received one are of from here on: the one of its id where that has the same fields and
  /// cards, with the templates of the newer of the two; else one that came before; else a new one.
  public static func receive(
    _ db: Database, _ given: NoteType, now: Double, isInterrupted: @escaping () -> Bool = { false }
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
    if isTaken { fresh.id = NoteTypeID(rawValue: try freeID(db, "note_types", now: now)) }
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

extension NoteType {
  /// Whether another has fields and cards of the same names in the same order.
  fileprivate func isShaped(as other: NoteType) -> Bool {
    isCloze == other.isCloze && fields == other.fields && cards.map(\.name) == other.cards.map(\.name)
  }
}
