// Copies of a database in use, and replacing the whole content of one.

import Files
import Storage
import TestSupport

@Suite struct StoreCopiesTests {
  private let folder = TemporaryFolder()
  private func filled(_ path: String, _ names: String...) throws -> Store {
    let store = UndoTests.store(path)
    for name in names {
      try store.operation("box") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES (?)", arguments: [name]) }
    }
    return store
  }

  private func names(_ store: Store) throws -> [String] {
    try store.read { try String.fetchAll($0, sql: "SELECT name FROM boxes ORDER BY id") }
  }

  @Test func `a copy has everything that existed when it began, but no undo steps`() throws {
    let path = folder.file("data.sqlite")
    let store = try filled(path, "a", "b")
    let held = try DatabaseSnapshot(path, scratch: folder.path) { false }
    try store.operation("later") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('c')") }
    var shares: [(Int, Int)] = []
    try held.copy(to: folder.file("copy.sqlite")) { shares.append(($0, $1)) }
    let last = try #require(shares.last)
    #expect(last.0 == last.1 && last.1 == contents(of: folder.file("copy.sqlite"))?.count)
    let copy = UndoTests.store(folder.file("copy.sqlite"))
    #expect(try names(copy) == ["a", "b"] && copy.undoSteps().isEmpty && copy.integrityProblems().isEmpty)
    #expect(try names(store) == ["a", "b", "c"] && store.undoSteps().count == 3)
  }

  @Test func `a copy can be interrupted, and does not replace an existing file`() throws {
    let path = folder.file("data.sqlite")
    _ = try filled(path, "a")
    let held = try DatabaseSnapshot(path, scratch: folder.path) { true }
    #expect(throws: StorageError.interrupted(path: path)) { try held.copy(to: folder.file("copy.sqlite")) { _, _ in } }
  }

  @Test func `a file whose log cannot be copied is not copied`() throws {
    try folder.write([1], to: "data.sqlite")
    try folder.makeFolder("data.sqlite-wal")
    #expect(throws: FileError.self) {
      try copyDatabase(folder.file("data.sqlite"), to: folder.file("copy.sqlite"), isInterrupted: { false })
    }
    #expect(folder.names == ["data.sqlite", "data.sqlite-wal"])
  }

  @Test func `the content of a file replaces everything, also for others who have the database open`() throws {
    let (path, other) = (folder.file("data.sqlite"), folder.file("other.sqlite"))
    let (store, second) = (try filled(path, "a", "b"), UndoTests.store(path))
    #expect(try names(second) == ["a", "b"])
    try filled(other, "x").close()
    let before = store.otherChanges
    try store.replaceAll(from: other)
    #expect(try names(store) == ["x"] && names(second) == ["x"] && store.otherChanges != before)
    store.beginUnit()
    try store.operation("box") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('y')") }
    #expect(throws: UndoError.inUnit) { try store.replaceAll(from: other) }
    try store.rollbackUnit()
    #expect(try names(store) == ["x"])
  }

  @Test func `content changed since a watch was set is not replaced`() throws {
    let (path, other) = (folder.file("data.sqlite"), folder.file("other.sqlite"))
    let (store, second) = (try filled(path, "a"), UndoTests.store(path))
    try filled(other, "x").close()
    var watch = try #require(try store.watch())
    try second.operation("box") { try $0.execute(sql: "INSERT INTO boxes (name) VALUES ('b')") }
    #expect(try store.replaceAll(from: other, since: watch) == false)
    #expect(try names(store) == ["a", "b"] && names(second) == ["a", "b"])
    watch = try #require(try store.watch())
    #expect(try names(second) == ["a", "b"])
    #expect(try store.replaceAll(from: other, since: watch))
    #expect(try names(store) == ["x"] && names(second) == ["x"])
    #expect(try UndoTests.store(folder.file("none.sqlite")).watch() == nil)
  }

  @Test func `a file that was replaced while it was open is not written to`() throws {
    let (path, other) = (folder.file("data.sqlite"), folder.file("other.sqlite"))
    let store = try filled(path, "a")
    try filled(other, "x").close()
    try Folder.removeFile(path)
    #expect(throws: StorageError.self) { try store.replaceAll(from: other) }
    try store.close()
    try store.replaceAll(from: other)
    #expect(try names(store) == ["x"])
  }

  @Test func `a file that cannot be opened is replaced`() throws {
    let (path, other) = (folder.file("data.sqlite"), folder.file("other.sqlite"))
    try filled(other, "x").close()
    try writeFile(Array(repeating: 7, count: 5000), to: path)
    let store = UndoTests.store(path)
    #expect(throws: StorageError.self) { try names(store) }
    try store.replaceAll(from: other)
    #expect(try names(store) == ["x"] && store.integrityProblems().isEmpty)
  }
}
