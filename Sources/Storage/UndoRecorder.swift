// What one step changes, gathered row by row while it runs: SQLite tells of each row before it changes.
// Invariant: new rows cost a range of row ids and nothing each; the old values of every other row that was changed or
// removed stand in `events`, in the order of the changes. A row that is new in the step is in no event.

import CSQLite
import Glibc

/// One kind of what happened to a row.
enum UndoKind: UInt8 {
  /// All columns follow.
  case removed = 1
  /// The columns that changed follow: which, the old value, the new one.
  case changed = 2
}

/// Gathers the changes of a step. It belongs to one connection.
final class UndoRecorder {
  /// Row ids from one to another, both included.
  struct Span: Equatable {
    var low: Int64
    var high: Int64
  }

  /// Seconds since 1970.
  let now: () -> Double

  /// Bytes of old values that one step may hold; beyond it the step cannot be undone.
  static let mostBytes = 256 << 20

  /// What one table got in this step.
  fileprivate struct Born {
    var spans: [Span] = []
    var keys: [[UInt8]] = []
    var known: Set<[UInt8]> = []

    /// Whether each span lies above the one before: then a row is found by halving.
    var isAscending = true

    func holds(_ row: Int64) -> Bool {
      guard let last = spans.last else { return false }
      if last.low <= row, row <= last.high { return true }
      guard isAscending else { return spans.contains { $0.low <= row && row <= $0.high } }
      if row > last.high { return false }
      var (low, high) = (0, spans.count)
      while low < high {
        let middle = (low + high) / 2
        if spans[middle].high < row { low = middle + 1 } else { high = middle }
      }
      return low < spans.count && spans[low].low <= row
    }

    /// The last row id of the last span.
    var end: Int64? { spans.last?.high }

    mutating func extend(to row: Int64) { spans[spans.count - 1].high = row }

    mutating func add(_ row: Int64) {
      guard let last = spans.last else { return spans.append(Span(low: row, high: row)) }
      if row == last.high &+ 1 {
        spans[spans.count - 1].high = row
      } else if row > last.high {
        spans.append(Span(low: row, high: row))
      } else if !holds(row) {
        isAscending = false
        spans.append(Span(low: row, high: row))
      }
    }
  }

  /// Rows that are added one after the other: what a batch of new cards costs each, beside SQLite's own work.
  fileprivate struct Run {
    /// SQLite's own name of the table, the same at each call; nil for no run.
    var table: UnsafePointer<CChar>?
    var index = 0
    var high: Int64 = 0
  }

  /// Where a part of the step began.
  struct Mark {
    fileprivate let events: Int
    fileprivate let rows: Int
    fileprivate let spans: [(count: Int, last: Span?)]
    fileprivate let keys: [Int]
    /// Rows that the step has changed.
    fileprivate let total: Int
    var isAtStart: Bool { total == 0 }
  }

  private(set) var tables: [UndoTable] = []
  private var names: [[CChar]] = []
  private var born: [Born] = []
  private var events = UndoWriter()
  private var eventCount = 0
  private var last = -1
  /// The row ids that are growing now; their span has the last of them once `endRun` was called.
  @exclusivity(unchecked) private var run = Run()
  /// Whether changes are recorded now.
  @exclusivity(unchecked) var isRecording = false
  /// Records the same changes for a part of the step that can be taken back by itself.
  @exclusivity(unchecked) var part: UndoRecorder?
  /// The step holds more than can be stored.
  private(set) var isTooLarge = false

  /// Tables whose rows are no part of a step.
  private let unrecorded: Set<String>

  init(now: @escaping () -> Double, unrecorded: Set<String> = []) { (self.now, self.unrecorded) = (now, unrecorded) }

  /// Records a part of the step that `whole` records.
  init(partOf whole: UndoRecorder) {
    (now, unrecorded, tables, names) = (whole.now, whole.unrecorded, whole.tables, whole.names)
    born = Array(repeating: Born(), count: tables.count)
  }

  /// Begins to listen to a connection.
  func attach(_ db: Database) throws {
    tables = try UndoTable.all(db).filter { $0.isUndone && !unrecorded.contains($0.name) }
    names = tables.map { Array($0.name.utf8CString) }
    born = Array(repeating: Born(), count: tables.count)
    _ = sqlite3_preupdate_hook(
      db.connection.pointer,
      { context, db, operation, _, table, before, after in
        guard let context, let db, let table else { return }
        Unmanaged<UndoRecorder>.fromOpaque(context)._withUnsafeGuaranteedRef { recorder in
          guard recorder.isRecording else { return }
          recorder.note(db, operation, table, before, after)
          recorder.part?.note(db, operation, table, before, after)
        }
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  var isEmpty: Bool { eventCount == 0 && born.allSatisfy { $0.spans.isEmpty && $0.keys.isEmpty } }

  /// Bytes of old values that are kept until the step is written.
  var byteCount: Int { events.count }

  /// Rows that are new, changed or removed.
  var rowCount: Int {
    endRun()
    return born.reduce(eventCount) { sum, born in
      born.spans.reduce(sum + born.keys.count) { $0 + Int(clamping: $1.high &- $1.low) + 1 }
    }
  }

  func clear() {
    run = Run()
    for index in born.indices { born[index] = Born() }
    events.removeAll()
    (eventCount, isTooLarge) = (0, false)
  }

  // MARK: Parts that are taken back

  func mark() -> Mark {
    endRun()
    // Not by a key path: it is gone through at run time.
    return Mark(
      events: events.count, rows: eventCount, spans: born.map { ($0.spans.count, $0.spans.last) },
      keys: born.map { $0.keys.count }, total: rowCount)
  }

  /// Whether nothing was changed since the mark was made.
  func isAt(_ mark: Mark) -> Bool { events.count == mark.events && rowCount == mark.total }

  /// The step as it is now, for a part of one statement: cheap, but what the part changes is copied.
  struct Snapshot {
    fileprivate let events: Int
    fileprivate let rows: Int
    fileprivate let born: [Born]
    fileprivate let run: Run
  }

  func snapshot() -> Snapshot { Snapshot(events: events.count, rows: eventCount, born: born, run: run) }

  func goBack(to snapshot: Snapshot) {
    if events.count > snapshot.events { events.truncate(to: snapshot.events) }
    (eventCount, born, run) = (snapshot.rows, snapshot.born, snapshot.run)
  }

  func goBack(to mark: Mark) {
    endRun()
    if events.count > mark.events { events.truncate(to: mark.events) }
    eventCount = mark.rows
    for index in born.indices {
      let (count, last) = mark.spans[index]
      // Where a part was taken back, it is further back already.
      guard born[index].spans.count >= count, born[index].keys.count >= mark.keys[index] else { continue }
      if born[index].spans.count > count { born[index].spans.removeLast(born[index].spans.count - count) }
      if let last { born[index].spans[count - 1] = last }
      for key in born[index].keys[mark.keys[index]...] { born[index].known.remove(key) }
      born[index].keys.removeLast(born[index].keys.count - mark.keys[index])
    }
  }

  // MARK: A row changes

  private func index(of table: UnsafePointer<CChar>) -> Int? {
    if last >= 0, strcmp(names[last], table) == 0 { return last }
    guard let found = names.firstIndex(where: { strcmp($0, table) == 0 }) else { return nil }
    last = found
    return found
  }

  /// Gives the span of the run its end.
  private func endRun() {
    guard run.table != nil else { return }
    born[run.index].extend(to: run.high)
    run.table = nil
  }

  private func note(
    _ db: OpaquePointer, _ operation: Int32, _ name: UnsafePointer<CChar>, _ before: Int64, _ after: Int64
  ) {
    if operation == SQLITE_INSERT, run.table == name, after == run.high &+ 1 {
      run.high = after
      return
    }
    endRun()
    guard let index = index(of: name) else { return }
    if tables[index].isKeyed { return noteKeyed(db, operation, index) }
    switch operation {
    case SQLITE_INSERT:
      born[index].add(after)
      if born[index].end == after { run = Run(table: name, index: index, high: after) }
    case SQLITE_DELETE: if !born[index].holds(before) { removed(db, index, before) }
    default:
      if before != after {
        if !born[index].holds(before) { removed(db, index, before) }
        born[index].add(after)
      } else if !born[index].holds(before) {
        changed(db, index, before, key: nil)
      }
    }
  }

  private func noteKeyed(_ db: OpaquePointer, _ operation: Int32, _ index: Int) {
    let old = operation == SQLITE_INSERT ? nil : key(db, index, sqlite3_preupdate_old)
    let new = operation == SQLITE_DELETE ? nil : key(db, index, sqlite3_preupdate_new)
    if let old, old == new {
      if !born[index].known.contains(old) { changed(db, index, 0, key: old) }
      return
    }
    if let old, !born[index].known.contains(old) { removed(db, index, 0) }
    if let new, born[index].known.insert(new).inserted { born[index].keys.append(new) }
  }

  private typealias Reader = (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32

  private func value(_ db: OpaquePointer, _ column: Int, _ read: Reader) -> OpaquePointer? {
    var value: OpaquePointer?
    return read(db, Int32(clamping: column), &value) == SQLITE_OK ? value : nil
  }

  private func key(_ db: OpaquePointer, _ index: Int, _ read: Reader) -> [UInt8] {
    var writer = UndoWriter()
    for column in tables[index].key { writer.value(value(db, column, read)) }
    return writer.bytes
  }

  private func removed(_ db: OpaquePointer, _ index: Int, _ row: Int64) {
    event(.removed, index, row) { writer in
      for column in tables[index].columns.indices { writer.value(value(db, column, sqlite3_preupdate_old)) }
    }
  }

  private func changed(_ db: OpaquePointer, _ index: Int, _ row: Int64, key: [UInt8]?) {
    event(.changed, index, row, keySize: key?.count ?? 0) { writer in
      if let key { writer.append(key) }
      for column in tables[index].columns.indices {
        let old = value(db, column, sqlite3_preupdate_old)
        let new = value(db, column, sqlite3_preupdate_new)
        if isSame(old, new) { continue }
        writer.byte(UInt8(clamping: column))
        writer.value(old)
        writer.value(new)
      }
    }
  }

  /// Writes an event: its kind, its table, the row, the length of what follows, and that.
  /// - Parameter keySize: how many bytes of the key come first.
  private func event(
    _ kind: UndoKind, _ index: Int, _ row: Int64, keySize: Int = 0, _ body: (inout UndoWriter) -> Void
  ) {
    eventCount += 1
    guard !isTooLarge else { return }
    let start = events.count
    events.byte(kind.rawValue)
    events.byte(UInt8(clamping: index))
    events.integer(row)
    let place = events.count
    events.count(0)
    body(&events)
    if kind == .changed, events.count == place + 4 + keySize {
      // Written with the values that it had.
      events.truncate(to: start)
      return eventCount -= 1
    }
    events.setCount(events.count - place - 4, at: place)
    if events.count > UndoRecorder.mostBytes {
      isTooLarge = true
      events.removeAll()
    }
  }

  private func isSame(_ old: OpaquePointer?, _ new: OpaquePointer?) -> Bool {
    guard let old, let new else { return old == new }
    let type = sqlite3_value_type(old)
    guard type == sqlite3_value_type(new) else { return false }
    switch type {
    case SQLITE_INTEGER: return sqlite3_value_int64(old) == sqlite3_value_int64(new)
    case SQLITE_FLOAT: return sqlite3_value_double(old) == sqlite3_value_double(new)
    case SQLITE_TEXT, SQLITE_BLOB:
      let count = sqlite3_value_bytes(old)
      guard count == sqlite3_value_bytes(new) else { return false }
      guard count > 0, let a = sqlite3_value_blob(old), let b = sqlite3_value_blob(new) else { return true }
      return memcmp(a, b, Int(count)) == 0
    default: return true
    }
  }

  // MARK: The step as bytes

  /// Tables with what is new in them, then the events.
  func encoded() -> [UInt8] {
    endRun()
    var writer = UndoWriter()
    writer.count(tables.count)
    for (table, born) in zip(tables, born) {
      writer.raw(table.name.utf8)
      writer.count(born.spans.count)
      for span in born.spans {
        writer.integer(span.low)
        writer.integer(span.high)
      }
      writer.count(born.keys.count)
      for key in born.keys { writer.raw(key) }
    }
    writer.append(events.bytes)
    return writer.bytes
  }
}
