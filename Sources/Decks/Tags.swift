// Tags: which texts can be tags, and how a card's tags are stored in one column. Invariant: a tag is composed and
// contains no white space, so that spaces can separate tags; the order is kept, and duplicates are dropped.

import Files
public import Storage
import Templates
import Text

/// Functions for the tags of a card.
public enum Tags {
  /// The limit on a tag in characters, above that of other programs.
  public static let limit = 500

  /// The column for some tags: ` animal farm ` for animal and farm, empty for none. `instr(tags, ' animal ')` finds a
  /// tag.
  static func column(_ tags: [String]) throws(DeckError) -> String {
    if tags.isEmpty { return "" }
    if tags.count > 1000 {
      throw .badTag(tag: tags[1000], reason: "exceeds the limit: a card can have at most 1,000 tags")
    }
    var kept: [String] = []
    var seen: Set<String> = []
    for given in tags {
      let tag = try checked(given)
      if seen.insert(tag.lowercased()).inserted { kept.append(tag) }
    }
    return joined(kept)
  }

  /// The column for tags that are known to be usable, in Anki's collections too.
  public static func joined(_ tags: [String]) -> String { tags.isEmpty ? "" : " \(tags.joined(separator: " ")) " }

  static func list(_ column: String) -> [String] {
    column.isEmpty ? [] : column.utf8.split(separator: UInt8(ascii: " ")).map { String($0) ?? "" }
  }

  /// The tags of a text that are separated by spaces, as tables of cards have them.
  public static func separated(_ text: String) -> [String] {
    text.unicodeScalars.split { $0.properties.isWhitespace }.map { String($0) }
  }

  /// The tags without those to remove, compared case-insensitively, and with those to add.
  public static func changed(_ tags: [String], adding: [String], removing: [String]) -> [String] {
    let removed = Set(removing.map { $0.trimmed.lowercased() })
    return tags.filter { !removed.contains($0.lowercased()) } + adding
  }

  /// The tags without those that come from studying, which Anki leaves out of packages without schedules.
  public static func withoutMarks(_ tags: [String]) -> [String] {
    changed(tags, adding: [], removing: [CardStatus.leechTag, "marked"])
  }

  private static func checked(_ given: String) throws(DeckError) -> String {
    let tag = given.trimmed.composed
    if tag.isEmpty { throw .badTag(tag: given, reason: "must not be blank") }
    if tag.unicodeScalars.count > limit { throw .badTag(tag: given, reason: "must have at most \(limit) characters") }
    for scalar in tag.unicodeScalars {
      if scalar.properties.isWhitespace {
        throw .badTag(tag: given, reason: "must not contain spaces; use an underscore")
      }
      if scalar.properties.generalCategory == .control {
        throw .badTag(tag: given, reason: "must not contain control characters")
      }
    }
    return tag
  }

  /// Removes and adds tags of some thousand cards, whatever tags they have.
  /// - Returns: whether other cards may have been added or removed.
  /// - Throws: `badTag`, `gone`.
  public static func change(
    _ db: Database, of ids: [CardID], adding: [String], removing: [String], now: Double
  ) throws -> Bool {
    let sql = """
      SELECT cards.id, notes.id, notes.type, tags FROM (SELECT value AS wanted FROM json_each(?))
      CROSS JOIN cards ON cards.id = wanted CROSS JOIN notes ON notes.id = note
      """
    let found = try db.rows(sql, [CardTable.list(ids.lazy.map(\.rawValue))]) {
      (id: CardTable.id($0), note: $0.integer(1), type: NoteTypeID(rawValue: $0.integer(2)), tags: $0.text(3))
    }
    if found.count < ids.count { throw CardTable.gone }
    // The types that make one card of each note, whatever its tags are.
    let single = Set(
      try Set(found.map(\.type)).filter { id in
        let type = try NoteTypeTable.record(db, id)
        return !type.isCloze && type.cards.count == 1
          && !NoteCardMaker(type, isInterrupted: isNeverInterrupted).showsTags
      })
    // As in `SearchLog.note`: with more cards, all indexes are forgotten.
    let areMany = found.count > SearchLog.logLimit
    var (changesOthers, hasForgotten) = (false, false)
    for (tags, cards) in Dictionary(grouping: found, by: \.tags).sorted(by: { $0.key < $1.key }) {
      let new = try column(changed(list(tags), adding: adding, removing: removing))
      if new.utf8.elementsEqual(tags.utf8) { continue }
      if areMany, !hasForgotten { try SearchLog.forget(db) }
      hasForgotten = true
      for card in cards where !single.contains(card.type) {
        if try CardTable.update(db, card.id, tags: list(new), now: now) { changesOthers = true }
      }
      let notes = cards.filter { single.contains($0.type) }.map(\.note)
      if notes.isEmpty { continue }
      try SyncedTable.notes.keep(db, notes)
      let (areThese, all) = ("IN (SELECT value FROM json_each(?))", CardTable.list(notes))
      // `OR FAIL` as in `CardTable.updateContent`.
      try db.run(
        "UPDATE OR FAIL notes SET mod = ?, \(Unsent.sql), tags = ? WHERE id \(areThese)", [seconds(now), new, all])
      let content = areMany ? "" : "content = content, "
      try db.run("UPDATE OR FAIL cards SET \(content)mod = ? WHERE note \(areThese)", [now, all])
    }
    return changesOthers
  }
}

extension CardTable {
  /// The tags of the cards that were added last, sorted; at most 500.
  /// - Parameter start: what they begin with, in upper or lower case.
  public static func recentTags(_ db: Database, beginningWith start: String = "") throws -> [String] {
    let last = "SELECT tags FROM card_rows ORDER BY id DESC LIMIT 10000"
    let rows = try db.rows("SELECT DISTINCT tags FROM (\(last)) WHERE tags <> ''") { Tags.list($0.text(0)) }
    let lowered = start.lowercased()
    let tags = Set(rows.joined()).filter { $0.lowercased().utf8.starts(with: lowered.utf8) }
    return Array(tags.sorted().prefix(500))
  }
}
