// Notes for comparison, in the same form for a deck, a package and the rows of a file.
// Invariant: the same note gives the same entry from each source; a prompt and an answer are a Basic note, as
// everywhere else.

import Decks
import Storage
import Templates
import Text
import Values

/// Collects the notes of one content. Entries of the same type share their field names.
public struct ComparedNotes {
  public internal(set) var content: ComparedContent
  /// Of each note up to the last for which it is true: whether it is identified by a field, not by a guid.
  private var isUnnamed: [Bool] = []
  /// The name of the deck that contains all notes; empty when there is none.
  var root = ""
  /// The field that identifies rows even if they have a guid; empty for the first one.
  var keyField: String?
  private var keys: [String: String] = [:]
  /// What the format of the source can hold; nil for everything.
  var held: Set<CardPart>?
  var isStudied = false
  private(set) var media: [String: [UInt8]] = [:]
  var mediaPaths: [String: String] = [:]
  private let keepsSchedule: Bool
  private var names: [String: FieldNames] = [:]
  private var last: (own: [String], more: [String], fields: FieldNames)?
  /// The fields of the note types that rows define; the fields of a row may be in another order.
  private var typeFields: [String: [String]] = [:]
  /// For notes that are spread over several rows: the cards read so far.
  private var places: [String: [Place]] = [:]

  init(_ settings: ExchangeSettings, beside other: ComparedContent? = nil) {
    keepsSchedule = settings.keepsSchedule
    content = ComparedContent(other?.records ?? PackedRecords())
  }

  /// Returns the names of a note's own fields, of the fields of every note, and of the note's additional fields.
  private mutating func fields(_ own: [String], _ more: [String]) -> FieldNames {
    if let last, last.own == own, last.more == more { return last.fields }
    let all = own.map(ComparedField.escaped) + ComparedField.ofNotes + more
    let id = all.joined(separator: "\u{1F}")
    let fields = names[id] ?? FieldNames(all)
    names[id] = fields
    last = (own, more, fields)
    return fields
  }

  public mutating func addMedia(_ files: [String: [UInt8]]) {
    media = files
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) where content[.media][name] == nil {
      content[.media].append(ComparedEntry(media: name, sha1: bytes.withUnsafeBytes(sha1)))
    }
  }

  mutating func addOptions(_ fields: [CardField], of deck: String) {
    if let entry = ComparedEntry(options: fields, of: deck) { content[.deck].append(entry) }
  }

  /// Sorts the notes by deck and position; notes with the same position keep their order.
  mutating func sort(by places: [(deck: String, place: Int)]) {
    if zip(places, places.dropFirst()).allSatisfy({ $0 <= $1 }) { return }
    let notes = content[.note]
    let order = places.indices.sorted {
      (places[$0].deck, places[$0].place, $0) < (places[$1].deck, places[$1].place, $1)
    }
    content[.note] = ComparedList(content.records)
    for place in order { content[.note].append(place, of: notes) }
  }

  // MARK: From collections

  struct Place {
    var deck: String
    var ordinal: Int
    var isSuspended = false
    var flag = 0
    var schedule = ""
  }

  /// Adds a note with its cards; the first card determines the note's place.
  mutating func add(
    guid: String, type: String, names: [String], values: [String], tags: [String], places: [Place],
    kept: [CardField] = []
  ) {
    var more: [(name: String, text: String)] = []
    var conflicts: [MergeConflict] = []
    for field in kept {
      if field.name == MergeConflict.name, let found = MergeConflict.list(of: field.value.written) {
        conflicts = found
      } else {
        more.append((ComparedField.escaped(field.name), field.value.written))
      }
    }
    let cards = self.cards(places)
    more += cards.beside
    var values = Array(values.prefix(names.count))
    while values.count < names.count { values.append("") }
    values += [type] + cards.common + more.map(\.text)
    var entry = ComparedEntry(key: guid, fields: fields(names, more.map(\.name)), values: values, tags: tags)
    entry.conflicts = conflicts
    content[.note].append(entry)
  }

  /// Returns the fields that describe a note's cards: deck, suspension and flag, and those that not every note has.
  private func cards(_ places: [Place]) -> (common: [String], beside: [(name: String, text: String)]) {
    var beside: [(name: String, text: String)] = []
    if keepsSchedule {
      for place in places { beside.append(("card \(place.ordinal + 1)", place.schedule)) }
    }
    if places.count > 1, let first = places.first, places.contains(where: { $0.deck != first.deck }) {
      for place in places.dropFirst() { beside.append(("\(ComparedField.deckOfCard)\(place.ordinal + 1)", place.deck)) }
    }
    let suspended = Self.numbers(places) { $0.isSuspended }
    return ([places.first?.deck ?? "", suspended, Self.flags(places)], beside)
  }

  private mutating func add(_ place: Place, to note: String) {
    places[note, default: []].append(place)
    let cards = cards((places[note] ?? []).sorted { $0.ordinal < $1.ordinal })
    content[.note].update(note) { entry in
      for (name, text) in zip([ComparedField.deck, ComparedField.suspended, ComparedField.flag], cards.common) {
        entry.set(name, to: text)
      }
      for (name, text) in cards.beside { entry.set(name, to: text) }
    }
  }

  /// Returns `yes` if the condition holds for all cards, otherwise a list of the cards for which it does.
  private static func numbers(_ places: [Place], _ isSo: (Place) -> Bool) -> String {
    let some = places.filter(isSo)
    if some.isEmpty { return "" }
    return some.count == places.count ? "yes" : some.map { "card \($0.ordinal + 1)" }.joined(separator: ", ")
  }

  private static func flags(_ places: [Place]) -> String {
    let flagged = places.filter { $0.flag != 0 }
    if flagged.count == places.count, let first = flagged.first, flagged.allSatisfy({ $0.flag == first.flag }) {
      return "\(first.flag)"
    }
    return flagged.map { "card \($0.ordinal + 1): \($0.flag)" }.joined(separator: ", ")
  }

  // MARK: From rows

  /// - Throws: `noColumn` for a row without the field that identifies rows.
  mutating func add(_ row: CardRow, of path: String) throws(ExchangeError) {
    let guid = String(decoding: row.guid, as: UTF8.self)
    var values: [String]
    var names = Self.sides
    var type = StockNoteType.basic.rawValue
    var ordinal = 0
    switch row.content {
    case .note(let given, let fields, let number):
      ordinal = number ?? 0
      type = given.trimmed
      let stock = StockNoteType.allCases.first { $0.rawValue.lowercased() == type.lowercased() }
      let own = typeFields[type] ?? stock?.draft.fields ?? []
      names = fields.enumerated().map { index, field in
        field.name ?? (index < own.count ? own[index] : "column\(index + 1)")
      }
      values = fields.map(\.html)
      if !own.isEmpty, !own.starts(with: names) {
        let order = names.indices.sorted { one, other in
          (own.firstIndex(of: names[one]) ?? own.count, one) < (own.firstIndex(of: names[other]) ?? own.count, other)
        }
        (names, values) = (order.map { names[$0] }, order.map { values[$0] })
      }
    case .type(let draft):
      typeFields[draft.name] = draft.fields
      content[.noteType].append(ComparedEntry(type: draft))
      return
    case .options(let fields): return addOptions(fields, of: row.subdeck)
    case .card(let ordinal): return add(Self.place(row, ordinal), to: keys[guid] ?? guid)
    case .texts, .formatted: values = row.sides
    }
    let isByField = guid.isEmpty || keyField != nil
    var first = values.first ?? ""
    if let keyField, !keyField.isEmpty {
      let all = (names + row.fields.map(\.name)).map(ComparedField.escaped)
      guard let place = all.firstIndex(ofName: keyField) else {
        throw .noColumn(path: path, name: keyField, names: all)
      }
      first = (values + row.fields.map(\.value.written))[place]
    }
    let key = isByField ? FieldHTML.sortText(first) : guid
    if isByField { keys[guid] = key }
    if let plan = row.schedule, plan.schedule.state != .new { isStudied = true }
    let place = Self.place(row, ordinal)
    if case .note = row.content, !row.isOfList { places[key] = [place] }
    add(guid: key, type: type, names: names, values: values, tags: row.tags, places: [place], kept: row.fields)
    guard isByField, let place = content[.note].place(of: key) else { return }
    isUnnamed += repeatElement(false, count: max(0, place + 1 - isUnnamed.count))
    isUnnamed[place] = true
  }

  private static func place(_ row: CardRow, _ ordinal: Int) -> Place {
    var place = Place(deck: row.subdeck, ordinal: ordinal)
    if let plan = row.schedule {
      (place.isSuspended, place.flag) = (plan.isSuspended, plan.flag)
      place.schedule = text(plan.schedule)
    }
    return place
  }

  private static let sides = StockNoteType.basic.draft.fields

  /// Returns a schedule as text, with the precision of a package; empty for a card that was never studied.
  static func text(_ schedule: CardSchedule) -> String {
    if schedule.state == .new { return "" }
    var parts = [schedule.state.name, "reps \(schedule.reps)", "lapses \(schedule.lapses)"]
    for (name, number) in [("due", schedule.due), ("last", schedule.lastReview)] {
      if let number { parts.append("\(name) \(Value.measure(number.rounded(.down)).json)") }
    }
    // Rounded as in packages, so that a package equals the deck that it was written from.
    for (name, number, places) in [
      ("stability", schedule.stability, 10_000.0), ("difficulty", schedule.difficulty, 1000.0),
    ] {
      guard let number else { continue }
      let kept = (number * places).rounded() / places
      parts.append("\(name) \(Value.measure((kept * 1000).rounded() / 1000).json)")
    }
    return parts.joined(separator: ", ")
  }

  /// Returns the content for a merge. Parts that the format cannot hold are taken from the base, because nobody
  /// removed them.
  func content(since base: ComparedNotes) -> ComparedContent {
    var content = self.content
    let held = self.held ?? Set(CardPart.allCases)
    if !held.contains(.options) { content[.deck] = base.content[.deck] }
    if !held.contains(.media) { content[.media] = base.content[.media] }
    // If no card is studied any more although some were, the file was written without schedules, suspensions and flags.
    let keepsMarks = held.contains(.schedule) && (isStudied || !base.isStudied || hasMarks)
    if keepsMarks && held.contains(.fields) { return content }
    let known = base.content[.note]
    content[.note].updateAll { note in
      guard let before = known[note.key] else { return }
      var names = keepsMarks ? [] : [ComparedField.suspended, ComparedField.flag]
      if !held.contains(.fields), hasFields(of: note, before, in: base) { names += before.names(besides: note) }
      for name in names { note.set(name, to: before[name]) }
    }
    return content
  }

  /// Whether the note's type still has the fields that it had in the base.
  private func hasFields(of note: ComparedEntry, _ before: ComparedEntry, in base: ComparedNotes) -> Bool {
    let (now, then) = (note[ComparedField.type], before[ComparedField.type])
    return now == then && content[.noteType][now]?["fields"] == base.content[.noteType][then]?["fields"]
  }

  private var hasMarks: Bool {
    content[.note].entries.contains { !$0[ComparedField.suspended].isEmpty || !$0[ComparedField.flag].isEmpty }
  }

  /// Gives notes that are identified by a field the key of the note in another content that has the same one.
  mutating func adopt(from other: ComparedNotes) {
    if isUnnamed.isEmpty { return }
    let (others, name) = (other.content[.note], keyField ?? "")
    // Of each note: the place of the other content's note plus one; 0 if there is none, the maximum if there are two,
    // of which neither is used.
    var found = [UInt32](repeating: 0, count: isUnnamed.count)
    for place in 0..<others.count where !(place < other.isUnnamed.count && other.isUnnamed[place]) {
      let note = others.entry(at: place)
      guard let field = name.isEmpty ? 0 : note.fields.list.firstIndex(ofName: name),
        let own = content[.note].place(of: FieldHTML.sortText(note.values[field])), own < found.count, isUnnamed[own]
      else { continue }
      found[own] = found[own] == 0 ? UInt32(place + 1) : .max
    }
    var list = ComparedList(content.records)
    for (place, var note) in content[.note].entries.enumerated() {
      if place < found.count, found[place] > 0, found[place] < .max {
        note.key = others.key(at: Int(found[place]) - 1)
        isUnnamed[place] = false
      }
      list.append(note, likely: others)
    }
    content[.note] = list
  }
}

extension ComparedEntry {
  /// Returns the additional fields of this entry that another entry of the same type lacks.
  fileprivate func names(besides other: ComparedEntry) -> [String] {
    fields.list.filter { name in
      let isOfCard = name.hasPrefix(ComparedField.deckOfCard) && ComparedField.isSpecial(name[...])
      return other.fields.place(of: name) == nil && !isOfCard
    }
  }

  init(type: NoteTypeDraft) {
    var names = ["kind", "fields"]
    var values = [type.isCloze ? "cloze" : "", type.fields.joined(separator: "\n")]
    for card in type.cards {
      names += ["\(card.name), front", "\(card.name), back"]
      values += [card.front, card.back]
    }
    self.init(key: type.name, title: type.name, fields: FieldNames(names + ["css"]), values: values + [type.css])
  }

  /// Creates an entry for the options of a deck, without those that have their default; nil when none remain.
  init?(options fields: [CardField], of deck: String) {
    let names = [NamedOptions.presetName, NamedOptions.limitsName]
    var options = fields.filter { names.contains($0.name) }
    let changed = DeckOptions(fields: fields.filter { !names.contains($0.name) }).changedFields
    if changed.isEmpty { options.removeAll { $0.name == NamedOptions.presetName && $0.value.written == "Default" } }
    options += changed
    if options.isEmpty { return nil }
    self.init(key: deck, title: deck, fields: FieldNames(options.map(\.name)), values: options.map(\.value.written))
  }
}
