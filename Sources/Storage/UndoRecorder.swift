// Records what one step changes, row by row while it runs: SQLite calls a hook before each row changes.
// Invariant: new rows are stored as ranges of row ids, at no cost for each row; the old values of every other row that
// was changed or removed are in the events, in the order of the changes. A row that is new in the step is in no event.

import CSQLite
import Glibc
import Wire

/// What happened to a row.
enum UndoKind: UInt8 {
  /// All columns follow.
  case removed = 1
  /// The changed columns follow: the index, the old value and the new value of each.
  case changed = 2
}

/// Records the changes of a step. It belongs to one connection.
final class UndoRecorder {
  /// Seconds since 1970.
  let now: () -> Double

  /// The most bytes that one step may hold in memory; beyond that the step cannot be undone.
  static let byteLimit = 96 << 20

  /// Rows that are inserted one after the other. This fast path is all that a new card costs here.
  fileprivate struct Run {
    /// SQLite's own pointer to the name of the table, the same at each call; nil if there is no run.
    var table: UnsafePointer<CChar>?
    var index = 0
    var high: Int64 = 0
  }

  /// A position in the step, where a part of it began.
  struct Mark {
    fileprivate let events: UndoEvents.Mark
    /// The number of rows that were changed or removed.
    fileprivate let rows: Int
    fileprivate let inserted: [NewRows.Mark]
    /// The number of rows that the step has changed, including new ones.
    fileprivate let total: Int
    fileprivate let generation: Int
    var isAtStart: Bool { total == 0 }
  }

  private(set) var tables: [UndoTable] = []
  private var names: [[CChar]] = []
  private var inserted: [NewRows] = []
  private var events = UndoEvents()
  private var eventCount = 0
  private var last = -1
  /// The current run of consecutive row ids; their span does not include the latest of them until `endRun` is called.
  @exclusivity(unchecked) private var run = Run()
  @exclusivity(unchecked) var isRecording = false
  /// Records the same changes for a part of the step that can be undone alone; nested parts innermost first.
  @exclusivity(unchecked) var part: UndoRecorder?
  /// Whether the step holds more than can be stored.
  private(set) var isTooLarge = false
  /// Increases with each step, so that a mark in one step is at no position of another.
  private var generation = 0

  /// Tables whose rows are not part of a step.
  private let unrecorded: Set<String>

  init(now: @escaping () -> Double, unrecorded: Set<String> = []) { (self.now, self.unrecorded) = (now, unrecorded) }

  init(partOf whole: UndoRecorder) {
    (now, unrecorded, tables, names) = (whole.now, whole.unrecorded, whole.tables, whole.names)
    inserted = Array(repeating: NewRows(), count: tables.count)
  }

  /// Starts to record the changes on a connection.
  func attach(_ db: Database) throws {
    tables = try UndoTable.all(db).filter { $0.isUndone && !unrecorded.contains($0.name) }
    names = tables.map { Array($0.name.utf8CString) }
    inserted = Array(repeating: NewRows(), count: tables.count)
    _ = sqlite3_preupdate_hook(
      db.connection.pointer,
      { context, db, operation, _, table, before, after in
        guard let context, let db, let table else { return }
        Unmanaged<UndoRecorder>.fromOpaque(context)._withUnsafeGuaranteedRef { recorder in
          guard recorder.isRecording else { return }
          recorder.note(db, operation, table, before, after)
          var part = recorder.part
          while let recorded = part {
            recorded.note(db, operation, table, before, after)
            part = recorded.part
          }
        }
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  var isEmpty: Bool { eventCount == 0 && inserted.allSatisfy(\.isEmpty) }

  /// Bytes of old values that were recorded; in memory they take less.
  var writtenCount: Int { events.writtenCount }

  /// The number of rows that are new, changed or removed.
  var rowCount: Int {
    endRun()
    return inserted.reduce(eventCount) { $0 + $1.count }
  }

  func clear() {
    run = Run()
    for index in inserted.indices { inserted[index] = NewRows() }
    events.removeAll()
    (eventCount, isTooLarge) = (0, false)
    generation &+= 1
  }

  // MARK: Marks

  func mark() -> Mark {
    let total = rowCount
    return Mark(
      events: events.mark, rows: eventCount, inserted: inserted.map { $0.mark }, total: total, generation: generation)
  }

  /// Returns whether nothing has changed since the mark was made.
  func isAt(_ mark: Mark) -> Bool {
    generation == mark.generation && eventCount == mark.rows && events.mark == mark.events && rowCount == mark.total
  }

  func rewind(to mark: Mark) {
    endRun()
    do { try events.rewind(to: mark.events) } catch {
      // A chunk cannot be decompressed: the rest of the step could not be undone either.
      stopRecording()
    }
    eventCount = mark.rows
    for index in inserted.indices { inserted[index].rewind(to: mark.inserted[index]) }
  }

  // MARK: Row changes

  private func index(of table: UnsafePointer<CChar>) -> Int? {
    if last >= 0, strcmp(names[last], table) == 0 { return last }
    guard let found = names.firstIndex(where: { strcmp($0, table) == 0 }) else { return nil }
    last = found
    return found
  }

  /// Ends the run, and extends its span to the last row id.
  private func endRun() {
    guard run.table != nil else { return }
    inserted[run.index].extend(to: run.high)
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
    if tables[index].isKeyed { return recordKeyed(db, operation, index) }
    switch operation {
    case SQLITE_INSERT:
      inserted[index].add(after)
      if inserted[index].end == after, inserted[index].rows == nil {
        run = Run(table: name, index: index, high: after)
      }
    case SQLITE_DELETE: if !inserted[index].holds(before) { removed(db, index, before) }
    default:
      if before != after {
        if !inserted[index].holds(before) { removed(db, index, before) }
        inserted[index].add(after)
      } else if !inserted[index].holds(before) {
        changed(db, index, before, key: nil)
      }
    }
  }

  private func recordKeyed(_ db: OpaquePointer, _ operation: Int32, _ index: Int) {
    let old = operation == SQLITE_INSERT ? nil : key(db, index, sqlite3_preupdate_old)
    let new = operation == SQLITE_DELETE ? nil : key(db, index, sqlite3_preupdate_new)
    if let old, old == new {
      if !inserted[index].holds(key: old) { changed(db, index, 0, key: old) }
      return
    }
    if let old, !inserted[index].holds(key: old) { removed(db, index, 0) }
    if let new { inserted[index].add(key: new) }
  }

  private typealias Reader = (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32

  private func value(_ db: OpaquePointer, _ column: Int, _ read: Reader) -> OpaquePointer? {
    var value: OpaquePointer?
    return read(db, Int32(clamping: column), &value) == SQLITE_OK ? value : nil
  }

  private func key(_ db: OpaquePointer, _ index: Int, _ read: Reader) -> [UInt8] {
    var writer = WireWriter()
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
      if let key { writer.bytes += key }
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

  /// Appends an event: its kind, its table, the row, the length of the payload, and the payload.
  /// - Parameter keySize: how many bytes of the payload are the key, which comes first.
  private func event(
    _ kind: UndoKind, _ index: Int, _ row: Int64, keySize: Int = 0, _ body: (inout WireWriter) -> Void
  ) {
    eventCount += 1
    guard !isTooLarge else { return }
    do {
      let isWritten = try events.add(kind, table: index, row: row) { writer in
        let start = writer.count
        body(&writer)
        // An update that changed no value is not recorded.
        return kind == .removed || writer.count > start + keySize
      }
      if !isWritten { eventCount -= 1 }
      if events.byteCount > UndoRecorder.byteLimit { stopRecording() }
    } catch {
      // There is no memory to compress the events: the step is marked as one that cannot be undone.
      stopRecording()
    }
  }

  /// Drops what was recorded, because the step holds more than can be stored.
  func stopRecording() {
    isTooLarge = true
    events.removeAll()
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

  // MARK: Encoding

  func encoded() -> StepRows {
    endRun()
    var writer = WireWriter()
    writer.word(tables.count)
    for (table, inserted) in zip(tables, inserted) {
      writer.text(table.name)
      writer.list(inserted.spans) { writer, span in
        for end in [span.lowerBound, span.upperBound] { writer.integer(Int(end)) }
      }
      writer.list(inserted.keys) { $0.data($1) }
    }
    writer.bytes += events.last
    let packed = events.packed
    return StepRows(head: writer.bytes, chunkCount: packed.count) { packed[$0].bytes }
  }
}
