// Reads a deck of CrowdAnki, an add-on of Anki that keeps decks in git, into a collection, which is then imported like
// that of a package. Source: `representation` of the add-on, version 0.9. Invariant: a note has its cards, or is left
// with a reason; ids depend on uuids and guids alone, so they are the same everywhere; memory holds one note, and
// 8 bytes for each note and card.

import Decks
import Files
import Storage
import Templates
import Text
import Values

final class CrowdAnkiReader {
  /// The key of what identifies a deck, a note type or a preset.
  static let uuid = "crowdanki_uuid"
  /// The key of what is kept with a deck for `CrowdAnkiWriter`: the uuids of presets and note types by name, what is
  /// the same in all its notes, and the media that it lists and that no note needs to name.
  static let kept = "deckhand"
  private static let limits = JSONLimits(bytes: 16 << 20, depth: 32, values: 1_000_000, string: 16 << 20)

  let file: ExclusiveDatabase
  /// The media files that the deck lists.
  private(set) var listed: Set<String> = []
  private(set) var lines = LineReport()
  private let source: ByteSource
  private var reader: JSONReader<ByteSource>
  private let now: Int
  private let isInterrupted: @Sendable () -> Bool
  /// Each deck, what is kept with it, and the place of the deck around it.
  private var decks: [(record: Value.Record, kept: Value.Record, around: Int?)] = []
  private var (types, presets): ([Value.Record], [Value.Record]) = ([], [])
  private var ids: Set<Int64> = []
  private var noteCount = 0

  /// - Parameter now: seconds since 1970, when everything in it counts as changed.
  init(
    _ path: String, _ kinds: FileKinds, into target: String, now: Double, isInterrupted: @escaping @Sendable () -> Bool
  ) throws {
    var options = SourceOptions(isInterrupted: isInterrupted)
    options.kinds = kinds
    source = try ByteSource(path: path, options)
    reader = JSONReader(source, rowLimit: Self.limits.bytes)
    (self.now, self.isInterrupted) = (Int(seconds(now)), isInterrupted)
    file = try ForeignDatabase.create(target, isInterrupted: isInterrupted)
    try file.use { db in
      // No rollback is needed: if reading fails, the file is deleted.
      try db.begin()
      try db.execute(sql: CollectionWriter.tables)
      try readDeck(db, within: nil, depth: 1)
      try reader.skipBlanks()
      if try source.peek() != nil { throw try source.expected("the end of the file") }
      var head = StagedHead()
      let uuids = { (parts: [Value.Record]) in
        Value.record(parts.map { ($0["name"]?.text ?? "", $0[Self.uuid] ?? .null) })
      }
      for var deck in decks {
        let outer = deck.around.flatMap { head.decks[$0]["name"]?.text }.map { $0 + "::" } ?? ""
        deck.record["name"] = .text(outer + (deck.record["name"]?.text ?? ""))
        (deck.kept["DeckConfig"], deck.kept["NoteModel"]) = (uuids(presets), uuids(types))
        deck.record[Self.kept] = .record(deck.kept)
        head.decks.append(deck.record)
      }
      (head.types, head.presets, head.decks) = (identified(types), identified(presets), identified(head.decks))
      head.settings = ["creationOffset": .integer(0), "schedVer": .integer(2), Self.kept: .boolean(true)]
      try head.write(to: db)
      try makeCards(db, head.types)
      try db.commit()
    }
  }

  private func readDeck(_ db: Database, within around: Int?, depth: Int) throws {
    if depth > Self.limits.depth { throw try source.failure(.tooDeep(limit: Self.limits.depth)) }
    let place = decks.count
    decks.append(([:], [:], around))
    try forEach("{", "}") {
      switch String(decoding: try reader.name().bytes, as: UTF8.self) {
      case "children": try forEach("[", "]") { try readDeck(db, within: place, depth: depth + 1) }
      case "notes": try forEach("[", "]") { try readNote(db, of: place) }
      case "note_models": try forEach("[", "]") { if let type = try read().record { types.append(type) } }
      case "deck_configurations": try forEach("[", "]") { if let one = try read().record { presets.append(one) } }
      case "media_files":
        let names = (try read().list ?? []).compactMap { $0.text?.composed }
        listed.formUnion(names)
        decks[place].kept["media"] = .list(names.filter { $0.hasPrefix("_") }.map { .text($0) })
      case "deck_config_uuid": decks[place].record["conf"] = .integer(Int(Self.id(try read().text ?? "")))
      case let name: decks[place].record[name] = try read()
      }
    }
  }

  private func forEach(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: () throws -> Void) throws {
    try reader.expect(UInt8(ascii: open))
    if try reader.isEmpty(until: UInt8(ascii: close)) { return }
    repeat {
      reader.beginRow()
      try body()
    } while try reader.hasNext(until: UInt8(ascii: close))
  }

  private func read() throws -> Value {
    try reader.skipBlanks()
    let (line, column) = (source.line, source.column)
    var raw: [UInt8] = []
    try reader.value(into: &raw)
    do throws(JSONFailure) { return try JSONParser.parse(raw, limits: Self.limits) } catch {
      throw ExchangeError.badFile(path: source.path, line: line, column: column, expected: error.words)
    }
  }

  /// Stages a note, with its line, its deck and its place in the file in columns that an import does not read.
  private func readNote(_ db: Database, of deck: Int) throws {
    try reader.skipBlanks()
    let line = source.line
    let note = try read().record ?? [:]
    let same = (decks[deck].kept["Note"]?.record ?? note).fields.filter { note[$0.name] == $0.value }
    decks[deck].kept["Note"] = .record(same.map { ($0.name, $0.value) })
    let (guid, fields) = (note["guid"]?.text ?? "", (note["fields"]?.list ?? []).map { $0.text ?? "" })
    let tags = (note["tags"]?.list ?? []).compactMap(\.text)
    noteCount += 1
    try db.cachedStatement(sql: "INSERT INTO notes VALUES (?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?)").execute(arguments: [
      freeID(guid), guid, Self.id(note["note_model_uuid"]?.text ?? ""), now, noteCount, tags.joined(separator: " "),
      fields.joined(separator: "\u{1F}"), line, deck, note["data"]?.text ?? "",
    ])
  }

  /// An id below those of Anki, which are times since 2006, so that a card does not count as made on some day.
  private static func id(_ text: String) -> Int64 {
    let hash = sha256(Array(text.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int64(hash % 1_000_000_000_000) + 1_000_000_000
  }

  /// The id of a note or a card: another one if an earlier row has it.
  private func freeID(_ text: String) -> Int64 {
    let id = Self.id(text)
    return ids.insert(ids.contains(id) ? 1_002_000_000_000 + Int64(ids.count) : id).memberAfterInsert
  }

  private static func id(_ part: Value.Record, _ place: Int) -> Int64 { id(part[uuid]?.text ?? "\(place)") }

  private func identified(_ parts: [Value.Record]) -> [Value.Record] {
    parts.enumerated().map { place, part in
      var part = part
      (part["id"], part["mod"]) = (.integer(Int(Self.id(part, place))), .integer(now))
      part["__type__"] = nil
      return part
    }.distinct(by: { ServerRows.id($0) })
  }

  private func makeCards(_ db: Database, _ types: [Value.Record]) throws {
    let makers = try Dictionary(
      firstOf: types.map { type in
        let id = ServerRows.id(type)
        return (id, NoteCardMaker(try NoteType(received: type, id: id), isInterrupted: isInterrupted))
      })
    let walk = try Statement(db, "SELECT id, guid, mid, usn, tags, flds, csum, flags FROM notes ORDER BY usn")
    while let row = try walk.next() {
      let (guid, line, deck) = (row.text(1), row.count(6), row.count(7))
      let fields = PackageRows.fields(row.bytes(5))
      var (ordinals, reason) = ([Int](), LeftReason.noType)
      if let maker = makers[row.integer(2)] {
        let facts = maker.facts(tags: PackageRows.tags(row.text(4)), deckName: "d", subdeckName: "d")
        reason = fields.count == maker.type.fields.count ? .noCards : .otherFields
        ordinals = maker.filledOrdinals(NoteFields(names: maker.type.fields, values: fields).adding(facts))
      }
      guard reason == .noCards, !ordinals.isEmpty else {
        lines.leave(LeftLines(line: line, to: line, reason: reason, name: guid), count: 1)
        continue
      }
      let insertion = "INSERT INTO cards VALUES (?, ?, ?, ?, ?, 0, 0, 0, ?, 0, 0, 0, 0, 0, 0, 0, 0, '')"
      let home = Self.id(decks[deck].record, deck)
      for ordinal in ordinals {
        try db.cachedStatement(sql: insertion).execute(arguments: [
          freeID("\(guid)/\(ordinal)"), row.integer(0), home, ordinal, now, row.integer(3),
        ])
      }
    }
    try db.execute(sql: "DELETE FROM notes WHERE id NOT IN (SELECT nid FROM cards)")
  }
}

extension CardFormat {
  /// Returns the file in a folder of Anki or CrowdAnki, and its format, also for a JSON file of CrowdAnki whose format
  /// the user did not name; nil for any other path.
  public static func ofAnki(_ path: String, given: CardFormat? = nil) throws -> (path: String, format: CardFormat)? {
    if Folder.isFolder(path) {
      let decks = try ["deck", lastPart(of: path)].compactMap { try ofAnki("\(path)/\($0).json") }
      return decks.first ?? (fileExists(path + "/collection.anki2") ? (path + "/collection.anki2", anki2) : nil)
    }
    guard given == nil, path.lowercased().hasSuffix(".json"), try FileFacts.at(path)?.kind == .file else { return nil }
    let head = try ByteFile(path, isInterrupted: isNeverInterrupted).bytes(at: 0, count: ByteSource.chunk)
    let start = String(decoding: head.filter { !isASCIISpace($0) }, as: UTF8.self)
    return start.hasPrefix("{") && start.contains(text: #""__type__":"Deck""#) ? (path, crowdanki) : nil
  }
}
