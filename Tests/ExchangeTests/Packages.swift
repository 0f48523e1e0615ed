// Packages for collections in memory, and packages assembled member by member.

import Archives
import Files
import TestDecks

@testable import Exchange

/// A collection with a folder and media of its own.
final class PackageCollection {
  let collection: TestCollection
  let folder = TemporaryFolder()
  /// The imported media, by name.
  var media: [String: [UInt8]] = [:]

  init(hasUndo: Bool = false) { collection = TestCollection(hasUndo: hasUndo) }

  var moment: StudyMoment { StudyMoment(now: collection.now, utcOffset: 0) }

  func settings() -> PackageSettings {
    PackageSettings(folder: folder.path, moment: moment, isInterrupted: { false }) { [unowned self] bytes, name in
      let hash = "\(bytes.hashValue.magnitude)" + String(repeating: "0", count: 20)
      let name = try collection.store.operation("media") {
        try MediaTable.add($0, name: name, hash: hash, size: bytes.count)
      }
      media[name] = bytes
      try folder.write(bytes, to: hash)
      return name
    }
  }

  @discardableResult
  func importing(
    _ path: String, into deck: String = "Here", keepsSchedule: Bool = true, onDuplicate: OnDuplicate? = nil
  ) throws -> AddReport {
    var settings = settings()
    (settings.keepsSchedule, settings.onDuplicate) = (keepsSchedule, onDuplicate)
    return try collection.store.operation("import") { db in
      let id = try DeckTable.findOrMake(db, named: deck, now: collection.now).deck.id
      return try PackageImport(db, into: id, settings).run(path)
    }
  }

  @discardableResult
  func exporting(
    _ deck: String, _ name: String = "out.apkg", keepsSchedule: Bool = false, isLegacy: Bool = false,
    isWhole: Bool = false, format: CardFormat = .apkg
  ) throws -> (path: String, report: ExportReport) {
    var destination = ExchangeSettings(folder: folder.path, moment: moment, isInterrupted: { false }) { [folder] in
      folder.file($0.hash)
    }
    destination.keepsSchedule = keepsSchedule
    destination.format = isWhole ? .colpkg : isLegacy ? .apkgLegacy : format
    let path = folder.file(name)
    let report = try collection.store.read { db in
      try PackageExport(db, decks: [DeckTable.find(db, named: deck).id], destination).run(to: path)
    }
    return (path, report)
  }

  /// Returns the cards of a deck, top first.
  func cards(_ deck: String) throws -> [CardRecord] {
    let id = try collection.store.read { try DeckTable.find($0, named: deck).id }
    return try collection.cards(id)
  }

  func count(_ table: String) throws -> Int {
    try collection.store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }

  /// Returns all rows that an import could change, as text.
  func everything() throws -> [String] {
    try collection.store.read { db in
      try ["decks", "cards", "notes", "note_types", "reviews", "presets", "media"].flatMap { table in
        try db.rows("SELECT * FROM \(table)") { "\(table) \($0.values)" }
      }
    }
  }

  /// Leftover package files in the account's folder.
  var leftovers: [String] { get throws { try Folder.names(in: folder.path).filter { $0.hasPrefix(".package") } } }
}

/// Writes a package with the given members; returns its path.
func package(_ folder: TemporaryFolder, _ members: [(name: String, bytes: [UInt8])], deflated: Bool = false) throws
  -> String
{
  let name = "made-\(members.count)-\(members.reduce(0) { $0 + $1.bytes.count }).apkg"
  return try zip(folder, named: name, members, deflated: deflated)
}

/// Writes a zip file with the given members.
func zip(
  _ folder: TemporaryFolder, named name: String, _ members: [(name: String, bytes: [UInt8])], deflated: Bool
) throws -> String {
  let path = folder.file(name)
  let builder = try ZipBuilder(path, named: path)
  for (index, member) in members.enumerated() {
    let file = try folder.write(member.bytes, to: "member-\(index)")
    try builder.add(member.name, from: file, offset: 0, count: member.bytes.count, isDeflated: deflated)
  }
  try builder.finish()
  return path
}

/// Compresses bytes as a zstd frame.
func frame(_ bytes: [UInt8]) throws -> [UInt8] {
  var packed: [UInt8] = []
  try bytes.withUnsafeBytes { try FrameWriter(level: 1).feed($0, isLast: true) { packed.append(contentsOf: $0) } }
  return packed
}

/// Returns a schema 11 collection file, filled by some SQL.
func collectionFile(_ folder: TemporaryFolder, _ sql: String) throws -> [UInt8] {
  let path = folder.file("made.anki2")
  removeTree(path)
  let file = try ForeignDatabase.create(path) { false }
  try file.use { db in
    _ = try CollectionWriter(db, ofSeveralDecks: false)
    try db.commit()
    try db.execute(sql: sql)
  }
  try file.close()
  return try #require(folder.read("made.anki2"))
}
