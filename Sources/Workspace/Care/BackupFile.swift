// Reads a backup: its files one after the other, and its manifest.
// Invariant: the file is read to its end; an unexpected file in it is an error.

import Archives
import CardDocuments
import Storage
import Text
import Values

struct BackupFile {
  static let manifest = "manifest.json"
  fileprivate static let version = 1
  private static let mostManifest = 1 << 16
  let path: String
  let isInterrupted: () -> Bool

  init(_ path: String, isInterrupted: @escaping () -> Bool) { (self.path, self.isInterrupted) = (path, isInterrupted) }

  /// Reads the backup to its end.
  /// - Parameter body: called with each file and what it is; it may read the file or ignore it.
  func read(_ body: (ArchiveReader, String, BackupPart) throws -> Void = { _, _, _ in }) throws -> BackupContents {
    let archive = try ArchiveReader(path, isInterrupted: isInterrupted)
    guard let first = try archive.next(), first.name == BackupFile.manifest else {
      throw BackupError.notABackup(path: path, reason: "it does not begin with \(BackupFile.manifest)")
    }
    let contents = try BackupFile.decoded(archive.rest(limit: BackupFile.mostManifest), path)
    let otherSize = BackupError.notABackup(path: path, reason: "its files have another size than its manifest says")
    var (names, bytes): (Set<String>, Int) = ([], 0)
    while let found = try archive.next() {
      if isInterrupted() { throw WorkspaceError.interrupted }
      guard let part = BackupPart(found.name), names.insert(found.name).inserted else {
        throw BackupError.strange(path: path, reason: "it contains an unexpected file, \(quoted(found.name))")
      }
      bytes += found.size
      // Checked before the file is unpacked, as a small archive can unpack to terabytes.
      guard bytes <= contents.bytes else { throw otherSize }
      try body(archive, found.name, part)
    }
    guard names.contains("collection.sqlite") else {
      throw BackupError.notABackup(path: path, reason: "it has no collection.sqlite")
    }
    guard bytes == contents.bytes else { throw otherSize }
    return contents
  }

  private static func decoded(_ bytes: [UInt8], _ path: String) throws -> BackupContents {
    let limits = JSONLimits(bytes: mostManifest, depth: 4, values: 100, string: 4096)
    let parsed: Value.Record?
    // Whatever is wrong with it, it is not a manifest.
    do { parsed = try JSONParser.parse(bytes, limits: limits).record } catch { parsed = nil }
    guard let manifest = parsed, manifest["format"]?.text == "deckhand-backup" else {
      throw BackupError.notABackup(path: path, reason: "its manifest cannot be read")
    }
    let found = manifest["version"]?.integer ?? 0
    if found > version { throw BackupError.newer(path: path, version: found) }
    var contents = BackupContents()
    contents.created = manifest["created"]?.double ?? 0
    contents.account = manifest["account"]?.text
    contents.decks = manifest["decks"]?.integer ?? 0
    contents.cards = manifest["cards"]?.integer ?? 0
    contents.reviews = manifest["reviews"]?.integer ?? 0
    contents.documents = manifest["documents"]?.integer ?? 0
    contents.bytes = manifest["bytes"]?.integer ?? 0
    return contents
  }
}

extension BackupContents {
  /// The manifest as JSON.
  var encoded: [UInt8] {
    JSONWriter.bytes(
      of: .record([
        "format": "deckhand-backup", "version": BackupFile.version, "created": created, "account": account,
        "decks": decks, "cards": cards, "reviews": reviews, "documents": documents, "bytes": bytes,
      ]))
  }

  static func counts(_ db: Database) throws -> BackupContents {
    var contents = BackupContents()
    contents.decks = try db.count("SELECT count(*) FROM decks")
    contents.cards = try db.count("SELECT count(*) FROM cards")
    contents.reviews = try db.count("SELECT count(*) FROM reviews")
    contents.documents = try DocumentTable.count(db)
    return contents
  }
}
