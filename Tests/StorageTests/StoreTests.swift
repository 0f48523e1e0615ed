// The database: operations, units of work, rollbacks, other processes.

import Files
import Glibc
import Problems
import Storage
import TestSupport

@Suite struct StoreTests {
  private let folder = TemporaryFolder()

  static let schema = Schema("CREATE TABLE words (word TEXT NOT NULL UNIQUE) STRICT")

  struct Failure: Error {}

  private func store(_ path: String? = nil) -> Store {
    Store(path: path, schema: StoreTests.schema, isInterrupted: { false })
  }

  private func words(_ store: Store) throws -> [String] {
    try store.read { try String.fetchAll($0, sql: "SELECT word FROM words ORDER BY rowid") }
  }

  @Test func `if SQLite cannot create its auxiliary files everything can be read, and a change reports the reason`()
    throws
  {
    let path = folder.file("data.sqlite")
    let first = store(path)
    try add(first, "one")
    try first.close()
    // Root may write to a disk whose mode says read-only; nobody may write to a folder as a file.
    mkdir(path + "-wal", 0o700)
    let second = store(path)
    #expect(try words(second) == ["one"])
    #expect(throws: StorageError.self) { try add(second, "two") }
    #expect(try words(second) == ["one"])
    try second.close()
    rmdir(path + "-wal")
    let third = store(path)
    try add(third, "two")
    #expect(try words(third) == ["one", "two"])
  }

  @Test func `if SQLite cannot create its auxiliary files the log of a killed program is read too`() throws {
    let (path, copy) = (folder.file("data.sqlite"), folder.file("copy.sqlite"))
    let first = store(path)
    try add(first, "one")
    try first.close()
    let second = store(path)
    try add(second, "two")
    try copyDatabase(path, to: copy, isInterrupted: { false })
    symlink("/nonexistent", copy + "-shm")
    #expect(try words(store(copy)) == ["one", "two"])
    try second.close()
  }

  @Test func `a finished change is on disk: every commit is synced, also while another process has the file open`()
    throws
  {
    let (first, second) = (store(folder.file("data.sqlite")), store(folder.file("data.sqlite")))
    try add(first, "one")
    #expect(try words(second) == ["one"])
    #expect(try first.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 2)
  }

  @Test func `an operation is committed, and one that throws leaves nothing`() throws {
    let store = store()
    try add(store, "one")
    #expect(throws: Failure.self) {
      try store.operation("failing") { db in
        try db.execute(sql: "INSERT INTO words VALUES ('two')")
        throw Failure()
      }
    }
    #expect(try words(store) == ["one"])
  }

  @Test func `a nested operation that fails and is caught rolls back only itself`() throws {
    let store = store()
    try store.operation("outer") { _ in
      try add(store, "outer")
      #expect(throws: Failure.self) {
        try store.operation("inner") { db in
          try db.execute(sql: "INSERT INTO words VALUES ('inner')")
          throw Failure()
        }
      }
      #expect(try words(store) == ["outer"])
    }
    #expect(try words(store) == ["outer"])
  }

  @Test func `operations that are one with the outer one have no savepoint, and fail with it`() throws {
    let store = store()
    #expect(throws: Failure.self) {
      try store.operation("outer") { db in
        var statements: [String] = []
        db.trace { statements.append($0) }
        try store.asOne { try add(store, "a") }
        db.trace(nil)
        #expect(!statements.contains { $0.hasPrefix("SAVEPOINT") })
        try store.asOne { try store.operation("inner") { _ in throw Failure() } }
      }
    }
    #expect(try words(store) == [])
  }

  @Test func `a unit is committed or rolled back as a whole`() throws {
    let store = store()
    store.beginUnit()
    #expect(store.isInUnit)
    try add(store, "a")
    try add(store, "b")
    #expect(try words(store) == ["a", "b"])
    try store.rollbackUnit()
    #expect(!store.isInUnit)
    #expect(try words(store) == [])
    store.beginUnit()
    try add(store, "c")
    try store.commitUnit()
    #expect(try words(store) == ["c"])
    store.beginUnit()
    try store.commitUnit()
    try store.rollbackUnit()
    #expect(try words(store) == ["c"])
  }

  @Test func `an operation that fails inside a unit leaves the rest of the unit`() throws {
    let store = store()
    store.beginUnit()
    try add(store, "a")
    #expect(throws: StorageError.self) { try add(store, "a") }
    try add(store, "b")
    try store.commitUnit()
    #expect(try words(store) == ["a", "b"])
  }

  @Test func `a failed first operation leaves the unit as it began, and holds no lock`() throws {
    let (mine, other) = (store(folder.file("x.sqlite")), store(folder.file("x.sqlite")))
    mine.beginUnit()
    #expect(throws: Failure.self) {
      try mine.operation("first") { db in
        try add(mine, "inner")
        throw Failure()
      }
    }
    #expect(mine.isInUnit && !mine.hasOpenTransaction)
    try add(other, "of another")
    try add(mine, "second")
    try mine.commitUnit()
    #expect(try words(mine) == ["of another", "second"])
  }

  @Test func `a unit takes the lock at its first write, not before`() throws {
    let (first, second) = (store(folder.file("x.sqlite")), store(folder.file("x.sqlite")))
    first.beginUnit()
    #expect(try words(first) == [])
    try add(second, "second")
    try add(first, "first")
    #expect(try words(second) == ["second"])
    try first.commitUnit()
    #expect(try words(second) == ["second", "first"])
  }

  @Test func `the change count grows with writes, rollbacks and changes by other connections`() throws {
    let (mine, other) = (store(folder.file("x.sqlite")), store(folder.file("x.sqlite")))
    var last = mine.changeCount
    func grew() -> Bool {
      defer { last = mine.changeCount }
      return mine.changeCount != last
    }
    _ = try words(mine)
    _ = grew()
    _ = try words(mine)
    #expect(!grew())
    try add(mine, "a")
    #expect(grew())
    #expect(throws: Failure.self) { try mine.operation("x") { _ in throw Failure() } }
    #expect(grew())
    try add(other, "b")
    _ = try words(mine)
    #expect(grew())
    _ = try words(mine)
    #expect(!grew())
    mine.beginUnit()
    try add(mine, "c")
    _ = grew()
    try mine.rollbackUnit()
    #expect(grew())
    let before = mine.changeCount
    try mine.close()
    _ = try words(mine)
    #expect(mine.changeCount > before)
  }

  @Test func `nothing is written to a file that was removed while it was open`() throws {
    let path = folder.file("x.sqlite")
    let store = store(path)
    try add(store, "a")
    try Folder.removeFile(path)
    let error = #expect(throws: StorageError.self) { try add(store, "b") }
    #expect(error?.message.contains("was removed or replaced while this program had it open") == true)
    try store.close()
    try add(store, "c")
    #expect(try words(store) == ["c"] && fileExists(path))
  }

  @Test(arguments: ["-wal", "-shm"])
  func `nothing is written to a log that was removed while it was open`(ending: String) throws {
    let path = folder.file("x.sqlite")
    let store = store(path)
    try add(store, "a")
    try Folder.removeFile(path + ending)
    let error = #expect(throws: StorageError.self) { try add(store, "b") }
    #expect(error?.message.contains("was removed or replaced while this program had it open") == true)
    try store.close()
    try add(store, "c")
    #expect(try words(store) == ["a", "c"])
  }

  @Test func `a read-only store can be changed as soon as its disk allows it`() throws {
    let path = folder.file("x.sqlite")
    let schema = Schema("CREATE TABLE t (n)")
    func store() -> Store { Store(path: path, schema: schema, isInterrupted: { false }) }
    func add(_ store: Store) throws {
      try store.operation("adding") { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
    }
    func count(_ store: Store) throws -> Int { try store.read { try $0.count("SELECT count(*) FROM t") } }
    let first = store()
    try add(first)
    try first.close()
    // SQLite's log cannot be created.
    try makePrivateFolder(path + "-wal")
    let second = store()
    #expect(try count(second) == 1)
    #expect(throws: StorageError.self) { try add(second) }
    #expect(
      try second.read { db in
        #expect(throws: StorageError.self) { try add(second) }
        return try db.count("SELECT count(*) FROM t")
      } == 1)
    try Folder.removeTree(path + "-wal")
    try add(second)
    let third = store()
    try add(third)
    #expect(try count(second) == 3 && count(third) == 3)
  }

  @Test func `a full disk ends the operation, and a unit refuses to go on`() throws {
    let store = store(folder.file("x.sqlite"))
    try add(store, "before")
    try store.read { try $0.execute(sql: "PRAGMA max_page_count = 20") }
    func fill(_ count: Int) throws {
      try store.operation("filling") { db in
        for number in 0..<count {
          try db.execute(sql: "INSERT INTO words VALUES (? || hex(zeroblob(2000)))", arguments: [number])
        }
      }
    }
    #expect(throws: StorageError.full(path: folder.file("x.sqlite"))) { try fill(100) }
    #expect(try words(store) == ["before"])
    try add(store, "after")
    store.beginUnit()
    try add(store, "in the unit")
    #expect(throws: StorageError.full(path: folder.file("x.sqlite"))) { try fill(100) }
    var goesOn = true
    do {
      try add(store, "alone?")
    } catch let error as StorageError {
      goesOn = false
      #expect(error.code == "storage_rolled_back")
      #expect(throws: StorageError.self) { try store.commitUnit() }
    }
    try store.rollbackUnit()
    // SQLite may roll back the statement alone or the whole transaction; either way no part of the unit is committed
    // by itself.
    _ = goesOn
    #expect(try words(store) == ["before", "after"])
    try add(store, "again")
    #expect(try words(store) == ["before", "after", "again"])
    #expect(try store.integrityProblems() == [])
  }

  @Test func `a unit that SQLite rolled back still reads but keeps refusing writes`() throws {
    let store = store()
    store.beginUnit()
    try add(store, "a")
    // The effect of a full disk: the transaction is gone, but the unit does not know.
    try store.read { try $0.execute(sql: "ROLLBACK") }
    for _ in 0..<2 {
      #expect(throws: StorageError.rolledBack(path: "the database in memory")) { try add(store, "b") }
    }
    #expect(throws: StorageError.rolledBack(path: "the database in memory")) { try store.commitUnit() }
    #expect(try words(store) == [])
    try store.rollbackUnit()
    try add(store, "c")
    #expect(try words(store) == ["c"])
  }

  @Test func `folders and files are accessible to their owner only`() throws {
    let path = folder.file("deep/er/x.sqlite")
    let store = store(path)
    try add(store, "a")
    #expect(mode(of: folder.file("deep")) == 0o700)
    #expect(mode(of: folder.file("deep/er")) == 0o700)
    for ending in ["", "-wal", "-shm"] { #expect(mode(of: path + ending) == 0o600) }
  }

  @Test func `nothing is opened before the first use, and a closed store can be opened again`() throws {
    let store = store(folder.file("x.sqlite"))
    #expect(folder.names == [])
    try add(store, "a")
    try store.close()
    #expect(folder.names == ["x.sqlite"])
    #expect(try words(store) == ["a"])
  }

  @Test(arguments: [0, 2]) func `a file with tables of another version is refused and left alone`(version: Int) throws {
    let path = folder.file("x.sqlite")
    let other = try ExclusiveDatabase(path)
    try other.use { try $0.execute(sql: "CREATE TABLE more (x); PRAGMA user_version = \(version)") }
    try other.close()
    let error = #expect(throws: StorageError.self) { try words(store(path)) }
    #expect(
      version == 0
        ? error == .damaged(path: path, detail: "its tables have no version") : error == .newer(path: path, version: 2)
    )
    let again = try ExclusiveDatabase(path)
    #expect(try again.use { try String.fetchAll($0, sql: "SELECT name FROM sqlite_master") } == ["more"])
  }

  @Test func `the tables are made together or not at all`() throws {
    let path = folder.file("x.sqlite")
    let broken = Store(path: path, schema: StoreTests.schema + Schema("CREATE NONSENSE"), isInterrupted: { false })
    #expect(throws: StorageError.self) { try words(broken) }
    let mended = Store(path: path, schema: StoreTests.schema, isInterrupted: { false })
    #expect(try words(mended) == [])
  }

  @Test(arguments: [
    [UInt8](repeating: 7, count: 5000), Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0xAB, count: 5000),
  ])
  func `a file that is not a database is refused as damaged and left as it is`(content: [UInt8]) throws {
    let path = folder.file("x.sqlite")
    try AtomicFile.write(path, content)
    let error = #expect(throws: StorageError.self) { try words(store(path)) }
    #expect(error?.code == "storage_damaged")
    #expect(try FileText.bytes(path, limit: 10_000) == content)
  }

  @Test func `a folder in place of the file is reported plainly`() throws {
    let error = #expect(throws: StorageError.self) { try words(store(folder.path)) }
    #expect(error?.code == "storage_unreadable")
  }
}
