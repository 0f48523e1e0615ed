// Reads the content of a deck or a package for a comparison.
// Invariant: a deck and the package that it was exported to have the same content.

public import Decks
public import Files
import Problems
import Storage
import Templates
import Text

/// The settings of comparisons and of exports of packages.
public struct ExchangeSettings {
  public var folder: String
  public var moment: StudyMoment
  /// Whether schedules and the review log are compared or exported. Otherwise every card is exported as a new one.
  public var keepsSchedule = false
  /// For tables and JSON Lines: the column or member that identifies rows.
  public var key: String?
  /// That of the files that are compared, or the one to export.
  public var format: CardFormat?
  /// Whether an exported file is one of Deckhand's own.
  public var isOwn = false
  public var kinds = FileKinds.any
  public var isInterrupted: @Sendable () -> Bool
  public var progress: ImportProgress = { _, _ in }
  public var mediaPath: (MediaRecord) -> String

  public init(
    folder: String, moment: StudyMoment, isInterrupted: @escaping @Sendable () -> Bool,
    mediaPath: @escaping (MediaRecord) -> String
  ) {
    (self.folder, self.moment) = (folder, moment)
    (self.isInterrupted, self.mediaPath) = (isInterrupted, mediaPath)
  }

  /// Whether all decks are exported, with their schedules; the package replaces another collection on import.
  var isWhole: Bool { format == .colpkg }
}

struct DeckContent {
  private let db: Database
  private let deck: DeckRecord
  private let settings: ExchangeSettings
  private var notes: ComparedNotes
  private var types: [NoteTypeID: NoteType] = [:]
  private var media: Set<String> = []
  /// The notes with several cards that were read.
  private var seen: Set<NoteID> = []

  init(_ db: Database, _ deck: DeckID, _ settings: ExchangeSettings) throws {
    (self.db, self.settings) = (db, settings)
    self.deck = try DeckTable.record(db, deck)
    notes = ComparedNotes(settings)
  }

  mutating func read() throws -> ComparedNotes {
    notes.root = deck.name
    let decks = try [deck] + DeckTable.within(db, deck.id)
    let names = Dictionary(uniqueKeysWithValues: decks.map { ($0.id, $0.name(within: deck)) })
    let whole = try DeckTable.nearestPreset(db, deck.id)
    for each in decks {
      let (cards, count) = (try SentCards(db, in: each.id), try DeckTable.count(db, each.id))
      var done = 0
      while let card = try cards.next()?.card {
        if done % 500 == 0 {
          if settings.isInterrupted() { throw FileError(settings.folder, .read, .interrupted) }
          try settings.progress(done, count)
        }
        done += 1
        if !seen.contains(card.note) { try add(card, names) }
      }
      try readOptions(of: each, within: whole)
    }
    for type in types.values.sorted(by: { $0.name < $1.name }) where !type.isStock {
      notes.content[.noteType].append(ComparedEntry(type: type.draft))
    }
    try readMedia()
    return notes
  }

  /// Reads one note with its cards; its decks are given by their full names.
  mutating func read(_ id: NoteID) throws -> ComparedEntry? {
    guard let card = try NoteTable.cards(db, of: id).first else { return nil }
    let decks = Dictionary(uniqueKeysWithValues: try DeckTable.list(db).map { ($0.id, $0.name) })
    try SentCards(db).with(card) { try add($0, decks) }
    return notes.content[.note].entries.last
  }

  private mutating func add(_ card: ListedCard, _ decks: [DeckID: String]) throws {
    let note = try card.sentNote()
    let type = try types[note.type] ?? NoteTypeTable.record(db, note.type)
    types[note.type] = type
    notes.isStudied = notes.isStudied || card.state != .new
    let cards = try SyncedCards.stored(db, of: note.id)
    if cards.count > 1 { seen.insert(note.id) }
    // A card of the note that is in a deck outside is not part of the content.
    let places = cards.compactMap { card in
      decks[card.deck].map { deck in
        ComparedNotes.Place(
          deck: deck, ordinal: card.ordinal, isSuspended: card.isSuspended, flag: card.flag,
          schedule: settings.keepsSchedule ? ComparedNotes.text(card.schedule) : "")
      }
    }
    for field in note.fields where field.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "[") }) {
      media.formUnion(MediaNames.inHTML(field) { _ in true })
    }
    try notes.add(
      guid: note.guid, type: type.name, names: type.fields, values: note.fields, tags: note.tags, places: places,
      kept: card.fields())
  }

  /// Reads the options of a deck. A nested deck has options of its own only if its preset differs from that of the
  /// whole deck.
  private mutating func readOptions(of each: DeckRecord, within whole: PresetID?) throws {
    let own = try DeckTable.preset(db, each.id)
    let preset = each.id == deck.id ? whole : own == whole ? nil : own
    let fields = NamedOptions.fields(
      preset: try preset.map { try PresetTable.record(db, $0) }, limits: try DeckTable.limits(db, each.id))
    notes.addOptions(fields, of: each.name(within: deck))
  }

  private mutating func readMedia() throws {
    for name in media.sorted() {
      guard let record = try MediaTable.named(db, name),
        let bytes = try ComparedFiles.content(settings.mediaPath(record), settings)
      else { continue }
      notes.content[.media].append(ComparedEntry(media: record.name, sha1: bytes.withUnsafeBytes(sha1)))
      notes.mediaPaths[record.name] = settings.mediaPath(record)
    }
  }
}

struct PackageContent {
  let path: String
  let format: CardFormat
  let settings: ExchangeSettings

  func read() throws -> ComparedNotes {
    let scratch = try Scratch(.package, in: settings.folder)
    return try withExtendedLifetime(scratch) {
      let package = try PackageFile(
        path, as: format, settings.kinds, scratch: scratch, isInterrupted: settings.isInterrupted)
      let file = try package.collection(now: settings.moment.now)
      var notes = try PackageFile.reading(path) { try file.use(self.notes) }
      // What git compares has no folder.
      if package.isFolder, package.media.isEmpty { notes.held?.remove(.media) }
      for (name, media) in package.media.sorted(by: { $0.key < $1.key })
      where package.listed?.contains(name) ?? true {
        notes.content[.media].append(ComparedEntry(media: name, sha1: try package.digest(of: media)))
      }
      return notes
    }
  }

  private func notes(_ db: Database) throws -> ComparedNotes {
    let contents = try ContentsReader(db: db, path: path).contents()
    var notes = ComparedNotes(settings)
    notes.held = format.holds
    let (homes, depth) = try contents.homes(db)
    let decks = Dictionary(firstOf: homes.map { ($0.id, $0.parts.dropFirst(depth).joined(separator: "::")) })
    let root = homes.first?.parts.prefix(depth).joined(separator: "::") ?? ""
    notes.root = root
    // Keys that sort like `DeckTable.list`.
    let keys = decks.mapValues { $0.lowercased().replacing(text: "::", with: "\u{1}") }
    var types: [Int64: NoteType] = [:]
    let calendar = AnkiCalendar(moment: settings.moment, firstDay: contents.firstDay(settings.moment))
    let rows = try PackageRows(db)
    // The order after an import: a card without a position, which programs before 2022 did not record for studied
    // ones, comes last. A note is where its first card is.
    var order: [(deck: String, place: Int)] = []
    while let note = try rows.next() {
      if order.count % 1024 == 0, settings.isInterrupted() { throw PackageError.interrupted(path: path) }
      guard let first = note.cards.first else { continue }
      let number = note.note.type.rawValue
      let type = try types[number] ?? contents.types[number].map { try NoteType(received: $0, id: number) }
      guard let type else { continue }
      types[number] = type
      notes.isStudied = notes.isStudied || first.type != 0
      let spots = note.cards.map { (deck: keys[$0.deck] ?? "", place: max(0, $0.place ?? .max)) }
      order.append(spots.min { $0 < $1 } ?? (deck: "", place: .max))
      notes.add(
        guid: note.note.guid, type: type.name, names: type.fields, values: note.note.fields, tags: note.note.tags,
        places: places(note, decks, calendar), kept: NoteData.list(inData: note.note.data))
    }
    notes.sort(by: order)
    for type in types.values.sorted(by: { $0.name < $1.name }) where !type.isStock {
      notes.content[.noteType].append(ComparedEntry(type: type.draft))
    }
    addOptions(to: &notes, root, decks, contents)
    return notes
  }

  /// Adds the options of the decks in the form in which a deck has them.
  private func addOptions(
    to notes: inout ComparedNotes, _ root: String, _ decks: [Int64: String], _ contents: PackageContents
  ) {
    let outer = contents.decks.values.first { PackageTargets.parts($0).joined(separator: "::") == root }
    var all = decks.sorted { $0.value < $1.value }.compactMap { id, name in contents.decks[id].map { (name, $0) } }
    if let outer, !decks.values.contains("") { all.insert(("", outer), at: 0) }
    for (name, deck) in all {
      let isOwn = name.isEmpty || deck.preset != outer?.preset
      let preset = isOwn ? deck.preset.flatMap { contents.presets[$0] } : nil
      let fields = preset.map { NamedOptions.fields(named: $0.name, $0.options) } ?? []
      notes.addOptions(fields + NamedOptions.fields(preset: nil, limits: deck.limits), of: name)
    }
  }

  private func places(
    _ note: PackagedNote, _ decks: [Int64: String], _ calendar: AnkiCalendar
  ) -> [ComparedNotes.Place] {
    note.cards.map { card in
      var place = ComparedNotes.Place(
        deck: decks[card.deck] ?? "", ordinal: card.ordinal, isSuspended: card.queue == -1, flag: card.flags & 7)
      if settings.keepsSchedule {
        place.schedule = ComparedNotes.text(calendar.schedule(card, steps: (learning: 1, relearning: 1)))
      }
      return place
    }
  }
}

extension ComparedEntry {
  init(media name: String, sha1: [UInt8]) {
    self.init(key: name, title: name, fields: FieldNames.digest, values: [hexadecimal(sha1)])
  }
}

extension FieldNames {
  fileprivate static let digest = FieldNames([ComparedField.digest])
}

extension NoteType {
  var isStock: Bool { StockNoteType.allCases.contains { $0.rawValue == name && $0.draft == draft } }
}
