// Where the rows of an import are written: the deck, its nested decks, and the note types that rows name.
// Invariant: a refused row leaves nothing behind; decks and cards that existed before the import never get options or
// a schedule from it.

import Decks
import Files
import Problems
import Storage
import Templates
import Text

final class ImportPlaces {
  struct Written {
    var outcome = AddOutcome.rejected
    /// Cards added in addition to the one that `outcome` counts.
    var added = 0
    /// The card that the row made or belongs to; nil for a card that existed before, and for a row without a card.
    var card: CardID?
  }

  let deck: DeckRecord
  /// A change ends the batches, which were started with the old value.
  var onDuplicate = OnDuplicate.skip { didSet { if onDuplicate != oldValue { (batches, last) = ([:], nil) } } }
  /// Whether a row of plain texts means that its card has no formatting.
  var holdsFormatting = false
  /// Whether a row with a guid may make an empty note, because an export may have written it.
  var takesEmptyNotes = false
  /// The fields of existing notes that stay as they are, besides those that the options of a deck name; nil: none.
  var keptFields: Set<String>?
  private let db: Database
  private let now: Double
  private let random: () -> UInt64
  /// The batch of each deck that got cards, by the deck's name within the one that is imported into.
  private var batches: [String: CardBatch] = [:]
  /// The batch of the last card. It is the only one that can have cards waiting to be written.
  private var last: (name: String, batch: CardBatch)?
  private var types: [String: NoteType] = [:]
  private var basic: NoteType?
  /// The note types that are made when a row names one.
  var drafts: [NoteTypeDraft] = []
  /// The deck and its nested decks. Notes that only have cards in other decks do not belong to this import.
  private var own: Set<DeckID>
  private var made: Set<DeckID> = []
  private(set) var optioned: Set<DeckID> = []
  /// The options of new decks that could not be applied.
  private(set) var lost: [String] = []
  private var notes: Set<NoteID> = []
  private(set) var moved: Set<NoteID> = []

  init(_ db: Database, _ deck: DeckRecord, isNew: Bool, now: Double, random: @escaping () -> UInt64) throws {
    (self.db, self.deck, self.now, self.random) = (db, deck, now, random)
    own = Set([deck.id] + (try DeckTable.within(db, deck.id).map(\.id)))
    if isNew { made.insert(deck.id) }
  }

  /// Writes a row.
  /// - Parameter needsCard: whether the resulting card is needed at once. Otherwise it may wait in a batch.
  /// - Throws: `RowRefusal` for a row that breaks a rule; `DeckError.duplicate` when duplicates are errors.
  func write(_ row: CardRow, needsCard: Bool) throws -> Written {
    switch row.content {
    case .texts:
      return try holdsFormatting ? writePlain(row, needsCard: needsCard) : writeCard(row, needsCard: needsCard)
    case .formatted:
      try row.checkSides(row.sides)
      return try writeNote(row, noteType(of: row), row.noteFields, 0, needsCard: needsCard)
    case .note(let name, let fields, let ordinal):
      let found = try refusing { try type(named: name) }
      return try writeNote(row, found, fields, ordinal ?? 0, needsCard: needsCard)
    case .card(let ordinal): return try findCard(row, ordinal)
    case .type(let draft): try define(draft, isOfList: row.isOfList)
    case .options(let fields): try setOptions(row, fields)
    }
    return Written()
  }

  /// Writes a row over its existing note. A note that cannot become what the row says gets the row's type first; its
  /// cards are moved to the row's deck as by `place`.
  /// - Throws: `RowRefusal`; then the note is unchanged.
  func write(_ row: CardRow, over known: BuildContent) throws -> Written {
    if let refusal = try row.refusal() { throw refusal }
    let note = known.note.id
    var (row, type) = (row, known.type)
    if !known.canBecome(row) {
      var tried = row
      // Use a guid that no note has, so that only the row is tested.
      tried.guid = Array(BuildIDs.guid(of: String(decoding: row.guid, as: UTF8.self), namespace: "tried").utf8)
      if let refusal = try refusal(of: tried) { throw refusal }
      type = try noteType(of: row)
      try NoteTypeTable.assign(db, type, to: note, now: now, isInterrupted: isNeverInterrupted)
      row.emptyOthers(of: type.fields)
    } else if case .note = row.content {
      type = try noteType(of: row)
    }
    try place(note, within: row.subdeck)
    var written: Written
    if known.texts != nil, case .texts = row.content, let card = try NoteTable.card(db, of: note, ordinal: 0) {
      let isChanged = try row.checked { texts in
        try refusing { try CardTable.overwrite(db, card, with: texts, now: now) }
      }
      written = Written(outcome: isChanged ? .updated : .skipped)
    } else {
      written = try writeNote(row, type, row.noteFields, 0, over: note)
    }
    if moved.contains(note), written.outcome == .skipped { written.outcome = .updated }
    return written
  }

  /// Moves the cards of a note to a deck within the import's, except those that have been moved out of these decks.
  func place(_ note: NoteID, within name: String) throws {
    let cards = try CardTable.cards(db, ids: NoteTable.cards(db, of: note)).filter { own.contains($0.deck) }
    if cards.isEmpty { return }
    try flush()
    let target = name.isEmpty ? deck.id : try subdeck(name).id
    let others = cards.filter { $0.deck != target }.map(\.id)
    if others.isEmpty { return }
    _ = try CardTable.move(db, others, into: target, now: now)
    moved.insert(note)
  }

  /// Returns which rule a row breaks, by writing it and rolling back. Only the deck and the note type that it names
  /// remain.
  func refusal(of row: CardRow) throws -> RowRefusal? {
    do {
      // What several rows share is made outside the savepoint and remains.
      _ = try batch(within: row.subdeck)
      if case .texts = row.content {
        try row.checked { _ in }
        return nil
      }
      if case .note(let name, _, _) = row.content { _ = try refusing { try type(named: name) } }
      return try db.savepoint {
        _ = try write(row, needsCard: true)
        throw DryRunEnd.isOver
      }
    } catch let refusal as RowRefusal {
      return refusal
    } catch DryRunEnd.isOver {
      (last, batches, notes) = (nil, [:], [])
      return nil
    }
  }

  func schedule(_ card: CardID, _ plan: CardPlan) throws {
    if plan.isPlain { return }
    try CardHiding.setSchedule(db, card, to: plan.schedule, isSuspended: plan.isSuspended, flag: plan.flag, now: now)
  }

  /// Removes the nested decks that the import made and that have no cards, no decks in them and no options.
  func removeEmptyDecks() throws {
    try flush()
    if made.isEmpty { return }
    let all = try DeckTable.within(db, deck.id).map { (id: $0.id, parts: DeckName.split($0.name.lowercased())) }
    // The number of decks directly within each deck.
    var inner: [[String]: Int] = [:]
    for one in all { inner[one.parts.dropLast(), default: 0] += 1 }
    // Nested decks come after the deck that contains them.
    for one in all.reversed() where made.contains(one.id) && !optioned.contains(one.id) && inner[one.parts] ?? 0 == 0 {
      guard try DeckTable.count(db, one.id) == 0 else { continue }
      try DeckTable.remove(db, one.id)
      inner[one.parts.dropLast(), default: 0] -= 1
    }
  }

  // MARK: Cards

  func flush() throws { try last?.batch.flush() }

  private func writeCard(_ row: CardRow, needsCard: Bool) throws -> Written {
    try row.checked { card in
      var card = card
      card.saysNoFormatting = holdsFormatting
      let batch = try batch(within: row.subdeck)
      if !needsCard { return Written(outcome: try refusing { try batch.writeLater(card) }) }
      let outcome = try refusing { try batch.write(card) }
      guard outcome == .added else { return Written(outcome: outcome) }
      return Written(outcome: outcome, card: CardID(rawValue: db.lastInsertedRowID))
    }
  }

  /// Writes a card without formatting from a file that could have expressed it: if the deck has a formatted card of
  /// the same guid, its formatting is removed.
  private func writePlain(_ row: CardRow, needsCard: Bool) throws -> Written {
    if onDuplicate == .update, !row.guid.isEmpty {
      try row.checked { _ in }
      let known = try note(guid: String(decoding: row.guid, as: UTF8.self), within: row.subdeck)
      if let known = try BuildContent.of(db, known), known.isFormatted {
        return try writeNote(row, known.type, row.noteFields, 0)
      }
    }
    return try writeCard(row, needsCard: needsCard)
  }

  /// Returns the batch of a deck within the one that is imported into; a missing deck is made.
  private func batch(within name: String) throws -> CardBatch {
    if let last, last.name == name { return last.batch }
    try flush()
    if let known = batches[name] {
      last = (name, known)
      return known
    }
    let target = name.isEmpty ? deck : try subdeck(name)
    let batch = try CardBatch(db, deck: target.id, onDuplicate: onDuplicate, now: now, random: random)
    if let keptFields { batch.keptFields = try keptFields.union(DeckTable.options(db, target.id).keptFields) }
    batches[name] = batch
    last = (name, batch)
    return batch
  }

  private func subdeck(_ name: String) throws -> DeckRecord {
    let parts = DeckName.split(name)
    let names = (1...parts.count).map { ([deck.name] + parts.prefix($0)).joined(separator: "::") }
    let missing = try names.filter { try DeckTable.named(db, $0) == nil }
    let found = try refusing { try DeckTable.ensure(db, name, within: deck.id, now: now) }
    for name in missing {
      guard let new = try DeckTable.named(db, name) else { continue }
      made.insert(new.id)
      own.insert(new.id)
    }
    return found
  }

  /// Returns the note of the card with a guid in a deck within the one that is imported into.
  func note(guid: String, within name: String) throws -> NoteID? {
    try flush()
    let card = try CardTable.id(db, guid: guid, in: name.isEmpty ? deck.id : subdeck(name).id)
    return try card.flatMap { try CardTable.card(db, $0)?.note }
  }

  /// Returns the note with a guid that has a card in the deck or in one of its nested decks.
  func note(guid: String) throws -> NoteID? { try NoteTable.id(db, guid: guid.trimmed, in: own) }

  /// Returns the card that was here before and that a row names by its guid.
  func known(_ row: CardRow) throws -> CardID? {
    try flush()
    guard let note = try note(guid: String(decoding: row.guid, as: UTF8.self)) else { return nil }
    switch row.content {
    case .card(let ordinal), .note(_, _, let ordinal?): return try NoteTable.card(db, of: note, ordinal: ordinal)
    default: return try NoteTable.cards(db, of: note).first
    }
  }

  // MARK: Notes

  /// - Parameter known: the note that the row belongs to; nil: the one with its guid.
  private func writeNote(
    _ row: CardRow, _ type: NoteType, _ fields: [(name: String?, html: String)], _ ordinal: Int,
    over known: NoteID? = nil, needsCard: Bool = true
  ) throws -> Written {
    if row.isOfColumns {
      var settled = row
      let values = settled.settle(fields.map { ($0.name, $0.html) }, in: type.fields) { FieldHTML.plain($0) }
      settled.isOfColumns = false
      let named = values.map { (name: $0.name, html: $0.text) }
      return try writeNote(settled, type, named, ordinal, over: known, needsCard: needsCard)
    }
    try row.checkBeside()
    var note = NewNote(
      fields: try values(fields, of: type), tags: row.tags,
      guid: row.guid.isEmpty ? nil : String(decoding: row.guid, as: UTF8.self))
    note.mayBeEmpty = takesEmptyNotes && note.guid != nil
    let batch = try batch(within: row.subdeck)
    if !needsCard, known == nil, row.fields.isEmpty, row.document == nil, row.ordinals == nil,
      let outcome = try refusing({ try batch.writeLater(note, type: type) })
    {
      return Written(outcome: outcome)
    }
    try flush()
    let same = try known ?? note.guid.flatMap { try self.note(guid: $0) }
    // A note in a deck outside the import must not be changed.
    if same == nil, onDuplicate == .update, let guid = note.guid?.trimmed,
      let other = try NoteTable.id(db, guid: guid), let card = try NoteTable.cards(db, of: other).first,
      let deck = try CardTable.card(db, card)?.deck
    {
      throw RowRefusal(ExchangeError.noteElsewhere(guid: guid, deck: try DeckTable.record(db, deck).name))
    }
    let (outcome, id) = try refusing { try batch.write(note, type: type, over: same, random: random) }
    if let id, !row.fields.isEmpty { try NoteData.set(db, of: id, to: row.fields) }
    guard outcome == .added, let id else { return Written(outcome: outcome) }
    notes.insert(id)
    if let ordinals = row.ordinals { try NoteOrdinals.keep(db, ordinals, of: id) }
    let cards = try NoteTable.cards(db, of: id)
    let card = try NoteTable.card(db, of: id, ordinal: ordinal) ?? cards.first
    try attach(row, to: card)
    return Written(outcome: outcome, added: cards.count - 1, card: card)
  }

  private func noteType(of row: CardRow) throws -> NoteType {
    guard case .note(let name, _, _) = row.content else {
      if let basic { return basic }
      try flush()
      let found = try NoteTypeTable.record(db, NoteTypeTable.basic(db, now: now))
      basic = found
      return found
    }
    return try refusing { try type(named: name) }
  }

  private func type(named name: String) throws -> NoteType {
    let key = name.trimmed.lowercased()
    if let known = types[key] { return known }
    try flush()
    if let draft = drafts.first(where: { $0.name.trimmed.lowercased() == key }) { try define(draft, isOfList: false) }
    let found = try types[key] ?? NoteTypeTable.findOrMake(db, named: name, now: now)
    types[key] = found
    return found
  }

  /// Returns the fields by the names of the type; fields without a name are assigned by order.
  private func values(_ fields: [(name: String?, html: String)], of type: NoteType) throws -> [String: String] {
    let names = type.fields
    var values: [String: String] = [:]
    for (index, field) in fields.enumerated() {
      let name = field.name ?? (index < names.count ? names[index] : "")
      guard names.contains(name) else {
        if field.html.isEmpty { continue }
        if let name = field.name { throw RowRefusal(type.unknownField(name)) }
        throw RowRefusal(ExchangeError.tooManyFields(type: type.name, has: type.fields.count, given: fields.count))
      }
      values[name] = field.html
    }
    return values
  }

  /// Finds another card of a note that the import added, and moves it to its position. The caller sets its schedule.
  private func findCard(_ row: CardRow, _ ordinal: Int) throws -> Written {
    try flush()
    let guid = String(decoding: row.guid, as: UTF8.self)
    guard let note = try note(guid: guid) ?? NoteTable.id(db, guid: guid) else {
      throw RowRefusal(ExchangeError.noSuchNote(guid: guid))
    }
    guard notes.contains(note) else { return Written() }
    try row.checkBeside()
    guard let card = try NoteTable.card(db, of: note, ordinal: ordinal) else {
      throw RowRefusal(NoteError.noSuchCard(guid: guid, number: ordinal + 1))
    }
    try batch(within: row.subdeck).place([card])
    try attach(row, to: card)
    return Written(card: card)
  }

  private func attach(_ row: CardRow, to card: CardID?) throws {
    guard let card, let document = row.document else { return }
    try CardTable.setDocument(db, card, to: document, now: now)
  }

  /// Uses an existing type of the same name that makes the same cards; otherwise creates one, under another name if
  /// the name is taken. A type that an earlier list made is used even if its templates were edited since.
  private func define(_ draft: NoteTypeDraft, isOfList: Bool) throws {
    try flush()
    let key = draft.name.trimmed.lowercased()
    try refusing {
      var draft = draft
      while let there = try NoteTypeTable.named(db, draft.name) {
        if there.draft.makesSameCards(as: draft) || isOfList && there.fields == draft.fields {
          return types[key] = there
        }
        draft.name += "+"
      }
      types[key] = try NoteTypeTable.create(db, draft, now: now, isFromFile: true)
    }
  }

  /// Applies options to a deck that the import made; existing decks keep theirs.
  private func setOptions(_ row: CardRow, _ fields: [CardField]) throws {
    try flush()
    let target = row.subdeck.isEmpty ? deck : try subdeck(row.subdeck)
    guard made.contains(target.id) else { return }
    optioned.insert(target.id)
    let given = try refusing { try NamedOptions(fields) }
    lost += given.faults.map { "an option of \(quoted(target.name)), because \($0.message)" }
    if let limits = given.limits { try DeckTable.setLimits(db, target.id, to: limits) }
    if given.isOfLimitsAlone { return }
    guard let name = given.preset else { return try DeckTable.setOptions(db, target.id, to: given.options) }
    let preset = try refusing { try PresetTable.receive(db, named: name, given.options, now: now) }
    try DeckTable.setPreset(db, target.id, to: preset)
  }

  // MARK: Refusing

  /// Turns an error of a rule for notes, or an invalid name, tag, guid, option or text, into a refusal of the row.
  private func refusing<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch let error as NoteError { throw RowRefusal(error) } catch let error as DeckError {
      switch error {
      case .badName, .badPresetName, .badTag, .badGuid, .badText, .badOption: throw RowRefusal(error)
      default: throw error
      }
    }
  }
}

/// Ends what is only tried.
package enum DryRunEnd: Error { case isOver }
