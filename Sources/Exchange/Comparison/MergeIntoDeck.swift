// Applies the result of a merge to a deck: changes what differs from the deck.
// Invariant: notes that the merge leaves unchanged keep their schedule and position; nothing is applied partially,
// because the caller's operation is rolled back on an error; a note that was studied is not removed.

public import Decks
import Memory
public import Storage
import Templates
import Text
import Values

/// Changes a deck to a merged content.
///
///     let merge = try MergeIntoDeck(
///       db, deck, now: now, random: random, isInterrupted: isInterrupted, receiveMedia: receive)
///     let counts = try merge.run(from: ours, to: merged)
public final class MergeIntoDeck {
  /// Imports the file with a digest into the account. Returns its name there, which is different if the name belongs
  /// to another content; nil when there is nothing to import.
  public typealias FileReceiver = (_ name: String, _ digest: String) throws -> String?

  private let db: Database
  private let deck: DeckRecord
  private let now: Double
  private let random: () -> UInt64
  private let isInterrupted: () -> Bool
  private let receiveMedia: FileReceiver
  private var decks: [String: DeckID] = [:]
  private let own: Set<DeckID>

  public init(
    _ db: Database, _ deck: DeckID, now: Double, random: @escaping () -> UInt64, isInterrupted: @escaping () -> Bool,
    receiveMedia: @escaping FileReceiver
  ) throws {
    (self.db, self.now, self.random) = (db, now, random)
    (self.isInterrupted, self.receiveMedia) = (isInterrupted, receiveMedia)
    self.deck = try DeckTable.record(db, deck)
    own = Set([deck] + (try DeckTable.within(db, deck).map(\.id)))
  }

  public func run(from ours: ComparedContent, to result: ComparedContent) throws -> MergeCounts {
    var merged = result
    try importMedia(ours, &merged)
    let difference = ContentDifference(ours, merged)
    var (elsewhere, kept): ([String], [String]) = ([], [])
    for change in difference.changes {
      let entry = merged[change.kind][change.key]
      switch change.kind {
      case .noteType: if let entry { try apply(type: entry) }
      case .deck: try setOptions(of: change.key, entry, beside: merged[.deck])
      case .note where try entry != nil && isElsewhere(change.key): elsewhere.append(change.key)
      case .note where try entry == nil && isStudied(change.key): kept.append(change.key)
      case .note: try apply(change, entry)
      case .column, .preset, .media: continue
      }
    }
    // If both sides changed a file, theirs is imported beside ours under a new name.
    let known = Set(ours[.note].allConflicts)
    for conflict in merged[.note].allConflicts where !known.contains(conflict) {
      guard conflict.isOfContent, let file = conflict.owner?.key, let digest = conflict.theirs else { continue }
      _ = try receiveMedia(file, digest)
    }
    if !ours[.note].keys.elementsEqual(merged[.note].keys) { try arrange(merged[.note]) }
    var counts = difference.counts
    counts.added -= elsewhere.count
    counts.removed -= kept.count
    (counts.elsewhere, counts.kept) = (elsewhere, kept)
    return counts
  }

  // MARK: Media

  /// Imports files that the deck lacks or has with other content. If something outside the deck also uses the name,
  /// it keeps the old file, and the deck's notes and their types are changed to use the new name.
  private func importMedia(_ ours: ComparedContent, _ merged: inout ComparedContent) throws {
    var known: [String: MediaReferences]?
    for entry in merged[.media].entries where !(ours[.media][entry.key]?.isSame(as: entry) ?? false) {
      guard let name = try receiveMedia(entry.key, entry[ComparedField.digest]), name != entry.key,
        let file = try MediaTable.named(db, name)
      else { continue }
      let other = try MediaTable.named(db, entry.key)
      if other == file { continue }
      let references = try known ?? MediaTable.references(db)
      known = references
      if try other == nil || isOutside(references[entry.key.composed], ours) {
        rename(entry.key, to: name, in: &merged)
      } else {
        try MediaTable.setContent(db, of: entry.key, toThatOf: file)
        if references[name] == nil, merged[.media][name] == nil { try MediaTable.remove(db, name) }
      }
    }
  }

  private func isOutside(_ references: MediaReferences?, _ ours: ComparedContent) throws -> Bool {
    guard let references else { return false }
    return try !references.types.isEmpty
      || references.notes.contains { try ours[.note][NoteTable.record(db, $0).guid] == nil }
  }

  private func rename(_ file: String, to name: String, in merged: inout ComparedContent) {
    for kind in [ComparedKind.note, .noteType] {
      merged[kind].updateAll { entry in
        entry.values = entry.values.map {
          kind == .note
            ? MediaNames.renaming(file.composed, to: name, in: $0)
            : MediaNames.renaming(file.composed, to: name, inTemplate: $0)
        }
      }
    }
  }

  // MARK: Types and options

  private func apply(type entry: ComparedEntry) throws {
    let draft = entry.draft
    guard let known = try NoteTypeTable.named(db, draft.name) else {
      _ = try NoteTypeTable.create(db, draft, now: now, isFromFile: true)
      return
    }
    if known.draft == draft { return }
    try NoteTypeTable.edit(
      db, known.id, NoteTypeEdit(known, to: draft), agreed: true, now: now, isInterrupted: isInterrupted)
  }

  /// - Parameters:
  ///   - entry: nil for a deck that no longer has options of its own.
  ///   - all: the options of all decks after the merge.
  private func setOptions(of name: String, _ entry: ComparedEntry?, beside all: ComparedList) throws {
    let target = try place(name)
    var given = try entry?.options ?? NamedOptions([])
    try DeckTable.setLimits(db, target, to: given.limits ?? DeckLimits())
    let (old, isWhole) = (try DeckTable.nearestPreset(db, target), target == deck.id)
    if entry == nil || given.isOfLimitsAlone {
      // A nested deck without options here shares the preset of the whole deck.
      if try !isWhole && old == DeckTable.nearestPreset(db, deck.id) { return }
      try DeckTable.setPreset(db, target, to: nil)
    } else {
      let known = try old.map { try PresetTable.record(db, $0) }
      given.preset = given.preset ?? known?.name
      guard let name = given.preset else { return try DeckTable.setOptions(db, target, to: given.options) }
      if let known, try change(known, of: target, to: given, beside: all) { return }
      try DeckTable.setPreset(db, target, to: preset(named: name, given.options, fitted: known?.options.fitted))
    }
    if isWhole, let old { try leave(old, beside: all) }
  }

  /// Changes the preset of a deck if it keeps its name.
  /// - Returns: false when the deck gets another preset, or when decks that keep their options also use this one.
  private func change(
    _ preset: PresetRecord, of target: DeckID, to given: NamedOptions, beside all: ComparedList
  ) throws -> Bool {
    guard preset.name.lowercased() == given.preset?.lowercased() else { return false }
    if preset.options.changedFields == given.options.changedFields { return true }
    let inside = Set(try ([deck] + DeckTable.within(db, deck.id)).map(\.id))
    for other in try DeckTable.list(db) where try other.id != target && DeckTable.preset(db, other.id) == preset.id {
      guard inside.contains(other.id) else { return false }
      // A deck without options shares the preset of the whole deck, or loses it.
      guard let wanted = try all[other.name(within: deck)]?.options, !wanted.isOfLimitsAlone else { continue }
      if wanted.preset ?? preset.name != given.preset || wanted.options != given.options { return false }
    }
    var options = given.options
    options.fitted = preset.options.fitted
    try PresetTable.setOptions(db, preset.id, to: options)
    return true
  }

  /// Returns an existing preset with this name and these options, or a new one, which gets the fitted models.
  private func preset(named name: String, _ given: DeckOptions, fitted: FittedModels?) throws -> PresetID {
    let known = try PresetTable.list(db).first {
      $0.name.lowercased() == name.lowercased() && $0.options.changedFields == given.changedFields
    }
    if let known { return known.id }
    var options = given
    options.fitted = fitted
    return try PresetTable.receive(db, named: name, options, now: now)
  }

  /// Lets nested decks that shared the old preset of the whole deck, and get no other one, share its new preset.
  private func leave(_ old: PresetID, beside all: ComparedList) throws {
    for inner in try DeckTable.within(db, deck.id) where try DeckTable.preset(db, inner.id) == old {
      if try all[inner.name(within: deck)]?.options.preset == nil { try DeckTable.setPreset(db, inner.id, to: nil) }
    }
  }

  private func place(_ name: String) throws -> DeckID {
    if name.isEmpty { return deck.id }
    return try decks.kept(name) { try DeckTable.ensure(db, name, within: deck.id, now: now).id }
  }

  // MARK: Notes

  private func isElsewhere(_ guid: String) throws -> Bool {
    try NoteTable.id(db, guid: guid, in: own) == nil && NoteTable.id(db, guid: guid) != nil
  }

  private func isStudied(_ guid: String) throws -> Bool {
    try NoteTable.id(db, guid: guid, in: own).map { try NoteOrdinals.isStudied(db, $0) } ?? false
  }

  private func apply(_ change: ComparedChange, _ entry: ComparedEntry?) throws {
    let known = try NoteTable.id(db, guid: change.key, in: own)
    guard let entry else {
      if let known { _ = try NoteTable.remove(db, [known]) }
      return
    }
    guard let known else { return try add(entry) }
    if change.event == .moved { return }
    var type = try NoteTypeTable.record(db, NoteTable.record(db, known).type)
    if type.name.lowercased() != entry[ComparedField.type].lowercased() {
      type = try NoteTypeTable.findOrMake(db, named: entry[ComparedField.type], now: now)
      try NoteTypeTable.assign(db, type, to: known, now: now, isInterrupted: isInterrupted)
    }
    _ = try NoteTable.update(
      db, known, fields: texts(entry, type), tags: entry.markedTags, now: now, isInterrupted: isInterrupted)
    try finish(known, entry, type)
  }

  private func texts(_ entry: ComparedEntry, _ type: NoteType) -> [String: String] {
    Dictionary(firstOf: type.fields.map { ($0, entry[ComparedField.escaped($0)]) })
  }

  private func add(_ entry: ComparedEntry) throws {
    let type = try NoteTypeTable.findOrMake(db, named: entry[ComparedField.type], now: now)
    var note = NewNote(fields: texts(entry, type), tags: entry.markedTags, guid: entry.key)
    note.mayBeEmpty = true
    let id = try NoteTable.add(
      db, note, type: type, to: place(entry[ComparedField.deck]), now: now, random: random,
      isInterrupted: isInterrupted)
    try finish(id, entry, type)
  }

  private func finish(_ id: NoteID, _ entry: ComparedEntry, _ type: NoteType) throws {
    let known = Set(type.fields.map(ComparedField.escaped))
    let cards = try CardTable.cards(db, ids: NoteTable.cards(db, of: id))
    // An entry has only the texts of values; what was a text stays one, even if it looks like a number.
    let texts = Set((cards.first?.fields ?? []).filter { $0.value == .text($0.value.written) }.map(\.name))
    var kept = zip(entry.fields.list, entry.values).filter { name, text in
      !text.isEmpty && !known.contains(name) && !ComparedField.isSpecial(name[...])
    }.map { name, text in
      let name = ComparedField.unescaped(name)
      return CardField(name, isJSON(text) && !texts.contains(name) ? .json(text) : .text(text))
    }
    if !entry.conflicts.isEmpty {
      kept.append(CardField(MergeConflict.name, .json(MergeConflict.json(entry.conflicts))))
    }
    try NoteData.set(db, of: id, to: kept)
    for card in cards { try finish(card, entry) }
  }

  /// Sets what the entry says of one card. A value is `yes`, a number or a deck for all cards, or a list by card
  /// number.
  private func finish(_ card: CardRecord, _ entry: ComparedEntry) throws {
    // A card that was moved out of the deck stays as it is.
    guard self.own.contains(card.deck) || decks.values.contains(card.deck) else { return }
    let name = "card \(card.ordinal + 1)"
    let suspended = entry[ComparedField.suspended]
    let isSuspended = suspended == "yes" || suspended.split(at: ", ").contains { $0 == name }
    if isSuspended != card.isSuspended { try CardHiding.setSuspended(db, [card.id], isSuspended, now: now) }
    let flags = entry[ComparedField.flag]
    let own = flags.split(at: ", ").first { $0.hasPrefix(name + ": ") }?.dropFirst(name.count + 2)
    let flag = Int(flags) ?? own.flatMap { Int($0) } ?? 0
    if flag != card.flag { try CardHiding.setFlag(db, [card.id], to: flag, now: now) }
    let deck = entry["\(ComparedField.deckOfCard)\(card.ordinal + 1)"]
    _ = try CardTable.move(db, [card.id], into: place(deck.isEmpty ? entry[ComparedField.deck] : deck), now: now)
  }

  // MARK: Order

  /// Sorts the cards of each deck in the order of their notes. A further card of a note stays after the card that
  /// precedes it.
  private func arrange(_ notes: ComparedList) throws {
    var places: [NoteID: Int] = [:]
    let all = try [deck] + DeckTable.within(db, deck.id)
    let within = Set(all.map(\.id))
    for (place, key) in notes.keys.enumerated() {
      if let id = try NoteTable.id(db, guid: key, in: within) { places[id] = place }
    }
    for each in all {
      var (seen, place): (Set<NoteID>, Int) = ([], 0)
      let cards = try CardOrder.cards(db, in: each.id).map { card, note in
        if seen.insert(note).inserted { place = places[note] ?? Int.max }
        return (place: place, card: card)
      }
      let sorted = cards.sorted { ($0.place, $0.card.rank) < ($1.place, $1.card.rank) }
      try CardOrder.arrange(db, sorted.map(\.card), in: each.id)
    }
  }
}

extension ComparedEntry {
  /// The tags, with the conflict tag if and only if there are conflicts.
  var markedTags: [String] { tags.filter { $0 != MergeConflict.tag } + (conflicts.isEmpty ? [] : [MergeConflict.tag]) }

  /// The options of a deck, as encoded by `init(options:of:)`.
  fileprivate var options: NamedOptions {
    get throws(DeckError) {
      try NamedOptions(
        zip(fields.list, values).filter { !$1.isEmpty }.map { name, text in
          CardField(name, isJSON(text) && name != NamedOptions.presetName ? .json(text) : .text(text))
        })
    }
  }

  /// A note type, as encoded by `init(type:)`.
  fileprivate var draft: NoteTypeDraft {
    var cards: [CardTemplate] = []
    // Of a card that one side removed, only the names of its fields are left.
    for name in fields.list where name.hasSuffix(", front") && !self[name].isEmpty {
      let card = String(name.dropLast(7))
      cards.append(CardTemplate(card, front: self[name], back: self["\(card), back"]))
    }
    return NoteTypeDraft(
      name: key, fields: self["fields"].split(separator: "\n").map { String($0) }, cards: cards, css: self["css"],
      isCloze: self["kind"] == "cloze")
  }
}
