// Decides which options apply to a deck: those of its own preset, or of the nearest deck around it that has a preset.
// Invariant: a deck's own limits take precedence over its preset's, but only for the deck itself.

import Memory
public import Storage

extension DeckTable {
  /// The options that apply to a deck.
  /// - Throws: `gone`.
  public static func options(_ db: Database, _ id: DeckID) throws -> DeckOptions {
    try limits(db, id).applied(to: presetOptions(db, id))
  }

  /// The options that apply to a deck today, including the changes by a goal that applies today.
  public static func options(_ db: Database, _ id: DeckID, at moment: StudyMoment) throws -> DeckOptions {
    var options = try options(db, id)
    let key = try record(db, id).name.lowercased()
    if try GoalsUnderWay(db, at: moment).goal(ofKey: key) != nil {
      try options.set(.desiredRetention, to: RecallPlan.retention)
    }
    return options
  }

  /// Changes the deck's preset. A deck without its own preset gets a new one with the deck's name.
  public static func setOptions(_ db: Database, _ id: DeckID, to options: DeckOptions) throws {
    if let preset = try preset(db, id) { return try PresetTable.setOptions(db, preset, to: options) }
    let name = try PresetTable.freeName(db, like: record(db, id).name)
    // The id of the preset is not below that of the deck: both are times.
    let made = try PresetTable.create(db, name: name, options: options, now: Double(id.rawValue) / 1000)
    try setPreset(db, id, to: made.id)
  }

  /// The options of the preset that applies to a deck, without the deck's own limits.
  public static func presetOptions(_ db: Database, _ id: DeckID) throws -> DeckOptions {
    guard let preset = try nearestPreset(db, id) else { return DeckOptions() }
    return try PresetTable.record(db, preset).options
  }

  /// The preset of the deck itself; nil if it has none.
  public static func preset(_ db: Database, _ id: DeckID) throws -> PresetID? {
    let found = try db.firstRow("SELECT preset FROM decks WHERE id = ?", [id.rawValue]) {
      $0.optionalNumber(0) == nil ? PresetID?.none : PresetID(rawValue: $0.integer(0))
    }
    guard let found else { throw DeckError.gone(what: "the deck") }
    return found
  }

  /// The preset that applies to a deck: its own, or that of the nearest deck around it.
  public static func nearestPreset(_ db: Database, _ id: DeckID) throws -> PresetID? {
    if let own = try preset(db, id) { return own }
    for parent in DeckName(parts: DeckName.split(try record(db, id).name)).parents.reversed() {
      let found = try db.firstRow("SELECT preset FROM decks WHERE name_key = ? AND preset IS NOT NULL", [parent.key]) {
        PresetID(rawValue: $0.integer(0))
      }
      if let found { return found }
    }
    return nil
  }

  /// Sets the preset of a deck; with nil, the preset of the deck around it applies.
  public static func setPreset(_ db: Database, _ id: DeckID, to preset: PresetID?) throws {
    if let preset { _ = try PresetTable.record(db, preset) }
    try SyncedTable.decks.keep(db, [id.rawValue])
    try db.execute(sql: "UPDATE decks SET preset = ? WHERE id = ?", arguments: [preset?.rawValue, id.rawValue])
    if db.changesCount == 0 { throw DeckError.gone(what: "the deck") }
  }

  public static func limits(_ db: Database, _ id: DeckID) throws -> DeckLimits {
    let stored = try db.firstRow("SELECT options FROM decks WHERE id = ?", [id.rawValue]) { $0.text(0) }
    guard let stored else { throw DeckError.gone(what: "the deck") }
    return try DeckLimits(json: stored)
  }

  public static func setLimits(_ db: Database, _ id: DeckID, to limits: DeckLimits) throws {
    try SyncedTable.decks.keep(db, [id.rawValue])
    try db.execute(sql: "UPDATE decks SET options = ? WHERE id = ?", arguments: [limits.json, id.rawValue])
    if db.changesCount == 0 { throw DeckError.gone(what: "the deck") }
  }

  /// Raises today's limits of a deck by the given numbers of cards; negative numbers lower them. More new cards come
  /// besides those that the limits still allow, also if the limit of reviews is reached. They are also allowed in the
  /// decks within it that have some, because their own limits hold them back as well.
  public static func extendToday(
    _ db: Database, _ id: DeckID, new: Int = 0, reviews: Int = 0, at moment: StudyMoment
  ) throws {
    let decks = try DeckFamilies.all(db, of: [id])
    let answered = try WaitingCounts.answered(db, today: moment)
    let room = try StudyLimits(db, decks, at: moment)
    for (place, deck) in decks.enumerated() where place == 0 || new > 0 {
      let key = deck.name.lowercased()
      let family = decks[place...].prefix { $0.id == deck.id || DeckName.isKey($0.name.lowercased(), within: key) }
      let hasNew = try family.contains { try newCount(db, $0.id, at: moment, upTo: 1) > 0 }
      guard deck.id == id || hasNew else { continue }
      var limits = try limits(db, deck.id)
      let today = try limits.applied(to: presetOptions(db, deck.id), day: moment.today)
      if new != 0 {
        // The decks within it may have shown more than its own limit allows.
        let shown = family.reduce(0) { $0 + (answered[$1.id]?.new ?? 0) }
        let before = new < 0 ? today.newPerDay : shown + room.newRoom(of: deck.id)
        limits.newToday = .init(day: moment.today, limit: sum(before, new), ignoresReviews: new > 0)
      }
      if reviews != 0, deck.id == id {
        limits.reviewsToday = .init(day: moment.today, limit: sum(today.reviewsPerDay, reviews))
      }
      try setLimits(db, deck.id, to: limits)
    }
  }

  private static func sum(_ a: Int, _ b: Int) -> Int { a + min(99_999, max(-99_999, b)) }

  /// The options of all decks, with today's limits and the changes by goals, in one pass over decks and presets.
  /// - Parameter root: a deck; then only the options of this deck, or of the deck around it whose goal applies to it,
  ///   and of the decks within are read.
  public static func allOptions(
    _ db: Database, at moment: StudyMoment, within root: DeckRecord? = nil
  ) throws -> [DeckID: DeckOptions] {
    let goals = try GoalsUnderWay(db, at: moment)
    let presets = try PresetTable.options(db)
    var (known, byKey): ([DeckID: DeckOptions], [String: DeckOptions]) = ([:], [:])
    // A goal chooses cards by the options of its own deck, which may be around `root`.
    let root = root.map { goals.goal(ofKey: $0.name.lowercased())?.deck ?? $0 }
    let rootKey = root?.name.lowercased() ?? ""
    if let root { byKey[DeckName.split(rootKey).dropLast().joined(separator: "::")] = try presetOptions(db, root.id) }
    // A parent's key is shorter than that of the decks within it, so parents come first.
    let condition = root == nil ? "" : "WHERE name_key = ? OR \(isKeyWithin)"
    let sql = "SELECT id, name_key, preset, options FROM decks \(condition) ORDER BY length(name_key)"
    try db.forEachRow(sql, root == nil ? [] : [rootKey, rootKey + "::", rootKey + ":;"]) { row in
      let key = row.text(1)
      let parent = DeckName.split(key).dropLast().joined(separator: "::")
      let options = presets[PresetID(rawValue: row.integer(2))] ?? byKey[parent] ?? DeckOptions()
      byKey[key] = options
      var own = try DeckLimits(json: row.text(3)).applied(to: options, day: moment.today)
      if goals.goal(ofKey: key) != nil { try own.set(.desiredRetention, to: RecallPlan.retention) }
      known[DeckID(rawValue: row.integer(0))] = own
    }
    return known
  }
}

extension [DeckID: DeckOptions] {
  /// The options of a deck; the initial ones if it has none.
  func of(_ deck: DeckID) -> DeckOptions { self[deck] ?? DeckOptions() }
}
