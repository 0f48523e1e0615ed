// Writes a deck, staged as for a package, as a folder of CrowdAnki: `deck.json` as the add-on writes it, and `media`.
// Source: `representation` and `export` of the add-on, version 0.9. Invariant: the same deck gives the same bytes, and
// a changed note changes only its own lines; the file is replaced once its media are there; a failure leaves nothing
// that was not there; other files stay; no link in the folder is followed. Memory holds the deck, as in a comparison.

import Decks
import Files
import Glibc
import Storage
import Templates
import Text
import Values

struct CrowdAnkiWriter {
  private static let unwritten = [
    "id", "mod", "usn", "did", "conf", "collapsed", "browserCollapsed", "newToday", "revToday", "lrnToday", "timeToday",
    CrowdAnkiReader.kept,
  ]

  private let root: DeckRecord
  private let media: [MediaRecord]
  private let destination: ExchangeSettings
  private let contents: PackageContents
  /// The notes of each deck, with the media and the note types that they use. A note is in the deck of its first card.
  private var notes: [Int64: (list: [Value], media: Set<String>, types: [Int64])] = [:]

  /// - Parameter db: the staged collection.
  init(_ db: Database, root: DeckRecord, media: [MediaRecord], _ destination: ExchangeSettings) throws {
    (self.root, self.media, self.destination) = (root, media, destination)
    contents = try ContentsReader(db: db, path: root.name).contents()
    let known = Set(media.map(\.name))
    let rows = "SELECT did, mid, guid, tags, flds, notes.data, min(ord), due FROM cards JOIN notes ON notes.id = nid"
    try db.forEachRow(rows + " GROUP BY nid ORDER BY due, nid") { row in
      let (deck, type, fields) = (row.integer(0), row.integer(1), PackageRows.fields(row.bytes(4)))
      var note = contents.decks[deck]?.record[CrowdAnkiReader.kept]?.record?["Note"]?.record ?? [:]
      (note["__type__"], note["guid"]) = (.text("Note"), .text(row.text(2)))
      note["note_model_uuid"] = .text(uuid(of: contents.types[type] ?? [:], "NoteModel"))
      note["tags"] = .list(PackageRows.tags(row.text(3)).map { .text($0) })
      note["fields"] = .list(fields.map { .text($0) })
      if !row.text(5).isEmpty { note["data"] = .text(row.text(5)) }
      notes[deck, default: ([], [], [])].list.append(.record(note))
      notes[deck]?.types.append(type)
      for field in fields { notes[deck]?.media.formUnion(MediaNames.inHTML(field) { known.contains($0) }) }
    }
  }

  /// - Parameter path: the folder, or its file; beside a file that the user did not type, no media are written.
  /// - Returns: the size of the file in bytes, and the media beside it that the deck does not use.
  func write(to path: String, _ kinds: FileKinds) throws -> (bytes: Int, unused: [String]) {
    let known = try CardFormat.ofAnki(path).flatMap { $0.format == .crowdanki ? $0.path : nil }
    let kind = try path == "-" ? .other : FileFacts.at(path)?.kind
    let isFolder = kind == .folder || kind == nil && !path.lowercased().hasSuffix(".json")
    let file = isFolder ? known ?? path + "/deck.json" : path
    var options = Replacement.exported(kinds, isInterrupted: destination.isInterrupted)
    // Another deck.json in a folder may be the description of one that is built.
    (options.replaces, options.followsLinks) = (!isFolder || known != nil, !isFolder)
    var (writer, unused) = (JSONWriter(.python), [String]())
    writer.write(.record(whole))
    try removingOnFailure { created in
      if isFolder { try makeExportedFolder(path, &created) }
      if isFolder || kind != .other && kinds == .any { unused = try writeMedia(parentFolder(of: file), &created) }
      try AtomicFile.writeGiven(file, options) { try $0.append(writer.bytes) }
    }
    return (writer.bytes.count, unused)
  }

  // MARK: The file

  /// The root deck, with the note types and the presets in the order of their first use.
  private var whole: Value.Record {
    var (types, presets): ([Int64], [Value.Record]) = ([], [])
    func deck(_ id: Int64, _ given: PackagedDeck?) -> Value.Record {
      let parts = DeckName.split(given?.name ?? "")
      types += notes[id]?.types ?? []
      presets.append(contents.presets[given?.preset ?? Int64(DeckRecord.firstNumber)]?.record ?? [:])
      var record = part(given?.record ?? [:], "Deck")
      record["deck_config_uuid"] = presets.last.map { .text(uuid(of: $0, "DeckConfig")) }
      let inner = contents.decks.filter { DeckName.split($0.value.name).dropLast() == parts[...] }
      record["children"] = .list(inner.sorted { $0.value.name < $1.value.name }.map { .record(deck($0, $1)) })
      let names = (notes[id]?.media ?? []).union(media.map(\.name).filter { $0.hasPrefix("_") })
      record["media_files"] = .list(names.sorted().map { .text($0) })
      (record["name"], record["notes"]) = (parts.last.map { .text($0) }, .list(notes[id]?.list ?? []))
      return record
    }
    var record = deck(root.id.rawValue, contents.decks[root.id.rawValue])
    record["name"] = .text(root.name)
    let used = types.distinct { $0 }.compactMap { contents.types[$0] }
    record["note_models"] = .list(used.map { .record(part($0, "NoteModel")) })
    record["deck_configurations"] = .list(presets.distinct { $0 }.map { .record(part($0, "DeckConfig")) })
    return record
  }

  private func part(_ given: Value.Record, _ type: String) -> Value.Record {
    var record = given
    for key in Self.unwritten { record[key] = nil }
    (record["__type__"], record[CrowdAnkiReader.uuid]) = (.text(type), .text(uuid(of: given, type)))
    return record
  }

  /// Returns the uuid with which it came with this deck, or else with another one, or a new one.
  private func uuid(of record: Value.Record, _ type: String) -> String {
    let kept = contents.decks[root.id.rawValue]?.record[CrowdAnkiReader.kept]?.record?[type]?.record
    let name = record["name"]?.text ?? ""
    return kept?[name]?.text ?? record[CrowdAnkiReader.uuid]?.text ?? Self.uuid(of: name, type)
  }

  /// Returns the uuid of what came without one: the same for a name on each machine.
  static func uuid(of name: String, _ type: String) -> String {
    let digits = Array(hexadecimal(sha256(Array("\(type) \(name)".utf8))))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
  }

  /// Writes the media that are not beside the file, then those that have another content there.
  private func writeMedia(_ parent: String, _ created: inout [String]) throws -> [String] {
    let folder = parent + "/media"
    let kind = try FileFacts.at(folder, followingLinks: false)?.kind
    if let kind, kind != .folder { throw FileError(folder, .write, number: ENOTDIR) }
    let there = Dictionary(firstOf: try Folder.names(in: folder).map { ($0.composed, $0) })
    var options = Replacement.exported(isInterrupted: destination.isInterrupted)
    // One name, because a search for leftovers would list the folder for each file.
    (options.followsLinks, options.isSynced, options.temporaryName) = (false, false, ".new-\(getpid())")
    for file in media.filter({ there[$0.name] == nil }) + media.filter({ there[$0.name] != nil }) {
      let target = "\(folder)/\(there[file.name] ?? file.name)"
      if let facts = try FileFacts.at(target, followingLinks: false), facts.kind == .file, facts.size == file.size {
        let bytes = try FileText.bytes(target, limit: file.size, isInterrupted: destination.isInterrupted)
        if hexadecimal(sha256(bytes)) == file.hash { continue }
      }
      try makeExportedFolder(folder, &created)
      if there[file.name] == nil { created.append(target) }
      let source = try ByteFile(destination.mediaPath(file), isInterrupted: destination.isInterrupted)
      try AtomicFile.write(target, options) { sink in try source.forEachPiece { try sink.append($0) } }
    }
    if !media.isEmpty { try Folder.syncFileSystem(of: folder) }
    let used = notes.values.reduce(Set(media.map(\.name))) { $0.union($1.media) }
    return there.keys.filter { !$0.hasPrefix(".") && !used.contains($0) }.sorted()
  }
}
