// Turns a staged collection into a file: a collection to replace a server's, or a package for the user.
// Source: SyncRules.md, "Other collections".
// Invariant: a collection for a server is read back and its rows are counted before it is returned.

public import Decks
import Files
import Storage
import Templates
import Text
import Values

extension StagedCollection {
  /// Finishes the file as a collection that replaces the one on a server.
  /// - Parameters:
  ///   - usn: the number of the next change on the server.
  ///   - now: milliseconds since 1970.
  ///   - tags: the tags that the collection lists.
  /// - Returns: the file's bytes.
  /// - Throws: `StagedFault` when the file fails its integrity check or lacks rows that were added.
  public func makeWhole(usn: Int, now: Int, tags: [String], limit: Int) throws -> [UInt8] {
    try finish()
    try file.use { db in
      try db.transaction {
        try writeSortFields(db)
        for kind in StagedKind.allCases { try db.execute(sql: "UPDATE \(kind.rawValue) SET usn = 0") }
        let listed = Value.record(tags.map { ($0, .integer(0)) }).json
        try db.execute(
          sql: "UPDATE col SET mod = ?1, scm = ?1, ls = ?1, usn = ?2, tags = ?3", arguments: [now, usn, listed])
        try db.execute(sql: CollectionWriter.indices)
      }
    }
    try check()
    return try FileText.bytes(scratch.path("collection"), limit: limit, isInterrupted: isNeverInterrupted)
  }

  /// Writes the sort field and the checksum of each note.
  private func writeSortFields(_ db: Database) throws {
    var places: [Int64: Int] = [:]
    for type in head.types {
      guard let id = type["id"]?.integer else { continue }
      places[Int64(id)] = type["sortf"]?.integer ?? 0
    }
    let update = try Statement(db, "UPDATE notes SET sfld = ?1, csum = ?2 WHERE id = ?3")
    let walk = try Statement(db, "SELECT id, mid, flds FROM notes ORDER BY id")
    while let row = try walk.next() {
      let fields = PackageRows.fields(row.bytes(2))
      let place = places[row.integer(1)] ?? 0
      var first = FieldHTML.sortText(fields.first ?? "")
      update.bind(1, fields.indices.contains(place) && place > 0 ? FieldHTML.sortText(fields[place]) : first)
      update.bind(2, first.withUTF8(CollectionWriter.checksum))
      update.bind(3, row.integer(0))
      try update.run()
    }
  }

  private func check() throws {
    let file = try ForeignDatabase.open(scratch.path("collection"), longest: nil) { false }
    try file.use { db in
      let problem = try db.firstRow("PRAGMA integrity_check") { $0.text(0) } ?? ""
      if problem != "ok" { throw StagedFault(reason: "failed the integrity check: \(problem)") }
      for kind in StagedKind.allCases {
        let count = try db.count("SELECT count(*) FROM \(kind.rawValue)")
        if count != counts[kind] { throw StagedFault(reason: "lacks rows of \(kind.rawValue)") }
      }
    }
  }

  /// Writes the collection as a package, which `deck import` and Anki can read.
  public func pack(to path: String, _ moment: StudyMoment) throws {
    var destination = PackageDestination(
      folder: scratch.folder, moment: moment, isInterrupted: isNeverInterrupted
    ) { $0.name }
    (destination.isWhole, destination.isOwn) = (true, true)
    _ = try PackageBuilder(path, scratch, destination).build(
      collection: scratch.path("collection"), media: [], .plain)
  }
}
