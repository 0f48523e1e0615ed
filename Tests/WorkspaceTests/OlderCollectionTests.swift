// Collections that an older version of the program made.

import Decks
import Storage
import TestSupport
import Testing

@testable import Workspace

@Suite struct OlderCollectionTests {
  @Test func `what was removed in a collection of an older version is still to be sent`() throws {
    let folder = TemporaryFolder()
    let old = folder.file("old.sqlite")
    let (rebuilt, salvaged) = (folder.file("rebuilt.sqlite"), folder.file("salvaged.sqlite"))
    let first = Array(Workspace.migrations.dropLast(DecksSchema.lastMigrations.count))
    let made = Store(path: old, migrations: first, isInterrupted: { false })
    try made.operation("x") { db in
      try db.execute(sql: "INSERT INTO undo_removed (kind, id, modified, json) VALUES (1, 5, 0, '[]')")
      for number in 1...500 { _ = try DeckTable.create(db, name: "deck \(number)", now: 1_700_000_000) }
    }
    try made.close()
    let copy = folder.file("copy.sqlite")
    try copyDatabase(old, to: copy, isInterrupted: { false })
    func new(_ path: String) -> NewStore {
      NewStore(at: path, migrations: Workspace.migrations, isInterrupted: { false })
    }
    try new(rebuilt).rebuild(from: old) { _ in }
    #expect(try new(salvaged).salvage(from: copy).isEmpty)
    var schemas: Set<[String]> = []
    for path in [old, rebuilt, salvaged] {
      let store = Store(path: path, migrations: Workspace.migrations, isInterrupted: { false })
      try store.read { db in
        #expect(try db.count("SELECT count(*) FROM \(SyncedTable.notes.removed)") == 1)
        let pages = "SELECT CAST(pageno AS TEXT) FROM dbstat WHERE name IN ('sqlite_schema', 'sqlite_master')"
        let objects = "SELECT name || rootpage || ifnull(sql, '') FROM sqlite_master"
        schemas.insert(try String.fetchAll(db, sql: "\(objects) UNION ALL \(pages) ORDER BY 1"))
      }
    }
    #expect(schemas.count == 1)
  }
}
