// Another process that is writing: a real one. Perl, which every Debian has, takes the lock that SQLite would take.

import Glibc
import Problems
import Storage
import TestSupport

/// A process that holds byte 120 of a file, the write lock of SQLite's WAL mode, until it is ended.
final class LockingProcess {
  let id: pid_t
  private let output: Int32

  init(_ path: String) throws {
    let program = """
      use Fcntl; $| = 1; open(my $f, "+<", $ARGV[0]) or die;
      my $lock = pack("s s x4 q q l x4", F_WRLCK, 0, 120, 1, 0);
      fcntl($f, F_SETLK, $lock) or die; print "held"; sleep 60;
      """
    let ends = try makePipe()
    id = try spawn(["/usr/bin/perl", "-e", program, path], environment: []) { actions in
      posix_spawn_file_actions_adddup2(&actions, ends.writing, 1)
    }
    close(ends.writing)
    output = ends.reading
    try #require(readSome(output) == Array("held".utf8))
  }

  func end() {
    kill(id, SIGKILL)
    _ = waitForEnd(id)
    close(output)
  }
}

/// Adds a word to a store of StoreTests.
func add(_ store: Store, _ word: String) throws {
  try store.operation("adding a word") { try $0.execute(sql: "INSERT INTO words VALUES (?)", arguments: [word]) }
}

@Suite struct LockTests {
  private let folder = TemporaryFolder()

  private func store(
    _ path: String, deadline: Double, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) -> Store {
    Store(path: path, schema: StoreTests.schema, deadline: deadline, isInterrupted: isInterrupted)
  }

  @Test func `another process's lock is waited for, then reported with its process id; reads go on`() throws {
    let path = folder.file("x.sqlite")
    // Called on the waiting thread, which is this one.
    nonisolated(unsafe) var asked = 0
    let store = store(path, deadline: 0.3) {
      asked += 1
      return false
    }
    try add(store, "a")
    let other = try LockingProcess(path + "-shm")
    let error = #expect(throws: StorageError.self) { try add(store, "b") }
    #expect(error == .busy(path: path, holder: Int(other.id), operation: "adding a word"))
    #expect(
      error?.message
        == "another process (id \(other.id)) is changing \"\(path)\", so adding a word could not start; wait until it has finished, or stop it"
    )
    #expect(asked == 3)
    #expect(try store.read { try String.fetchAll($0, sql: "SELECT word FROM words") } == ["a"])
    store.beginUnit()
    #expect(throws: StorageError.self) { try add(store, "b") }
    #expect(try store.read { try String.fetchAll($0, sql: "SELECT word FROM words") } == ["a"])
    other.end()
    try add(store, "b")
    try store.commitUnit()
    #expect(try store.read { try String.fetchAll($0, sql: "SELECT word FROM words") } == ["a", "b"])
  }

  @Test func `waiting for a lock ends at once when the user interrupts`() throws {
    let path = folder.file("x.sqlite")
    let store = store(path, deadline: 60) { true }
    try add(store, "a")
    let other = try LockingProcess(path + "-shm")
    defer { other.end() }
    #expect(throws: StorageError.interrupted(path: path)) { try add(store, "b") }
    #expect(StorageError.interrupted(path: path).message == "interrupted; nothing was changed")
  }

  @Test func `a connection of this process that writes is waited for too`() throws {
    let path = folder.file("x.sqlite")
    // Called on the waiting thread, which is this one.
    nonisolated(unsafe) let first = store(path, deadline: 0.1)
    try add(first, "a")
    first.beginUnit()
    try add(first, "b")
    var second = store(path, deadline: 0.1)
    let error = #expect(throws: StorageError.self) { try add(second, "c") }
    #expect(error == .busy(path: path, holder: nil, operation: "adding a word"))
    second = store(path, deadline: 60) {
      do { try first.commitUnit() } catch { Issue.record(error) }
      return false
    }
    try add(second, "c")
    #expect(try first.read { try String.fetchAll($0, sql: "SELECT word FROM words") } == ["a", "b", "c"])
  }
}
