// Decodes the rows of a step from the log, and restores them.
// Invariant: rows that are new in the step are removed first; the events are then undone backwards, so that every state
// on the way is one that the tables have been in, except for the new rows. One chunk of events is in memory at a time.

import Text
import Wire

/// What a step changed, decoded.
struct UndoneRows {
  struct Table {
    let name: String
    /// The table as it is now; nil if it no longer exists.
    let known: UndoTable?
    /// The rows that are new in the step: by row id, or by key.
    let spans: [RowSpan]
    let keys: [[UInt8]]
  }

  struct Event {
    let kind: UndoKind
    let table: Int
    let row: Int64
    /// Valid while the events of its chunk are iterated.
    let payload: UnsafeRawBufferPointer
  }

  private let stored: StepRows
  /// The offset in the head of the latest events.
  private let lastEvents: Int
  let tables: [Table]

  /// Decodes which rows are new; events are decoded when they are iterated.
  init(_ stored: StepRows, _ known: [UndoTable]) throws {
    self.stored = stored
    (tables, lastEvents) = try stored.head.withUnsafeBytes { raw in
      var reader = WireReader(raw)
      let tables = try reader.list { reader throws(WireError) in try UndoneRows.table(&reader, known) }
      return (tables, reader.position)
    }
  }

  private static func table(_ reader: inout WireReader, _ known: [UndoTable]) throws(WireError) -> Table {
    let name = try reader.text()
    let spans = try reader.list { reader throws(WireError) in
      let (low, high) = (Int64(try reader.integer()), Int64(try reader.integer()))
      guard low <= high else { throw WireError() }
      return low...high
    }
    let keys = try reader.list { reader throws(WireError) in Array(try reader.data()) }
    return Table(name: name, known: known.first { $0.name == name }, spans: spans, keys: keys)
  }

  /// Calls the body with the events of each chunk, in order; backwards: the last chunk first.
  func forEachChunk(backwards: Bool = false, _ body: ([Event]) throws -> Void) throws {
    let order = Array(0...stored.chunkCount)
    for index in backwards ? order.reversed() : order {
      let isLast = index == stored.chunkCount
      let bytes = isLast ? stored.head : try UndoEvents.unpacked(stored.chunk(index))
      try bytes.withUnsafeBytes { try body(events($0, from: isLast ? lastEvents : 0)) }
    }
  }

  private func events(_ bytes: UnsafeRawBufferPointer, from start: Int) throws -> [Event] {
    var (reader, events): (WireReader, [Event]) = (WireReader(bytes), [])
    reader.position = start
    while reader.left > 0 {
      guard let kind = UndoKind(rawValue: try reader.byte()) else { throw WireError() }
      let table = Int(try reader.byte())
      guard tables.indices.contains(table) else { throw WireError() }
      let row = Int64(try reader.integer())
      events.append(Event(kind: kind, table: table, row: row, payload: UnsafeRawBufferPointer(try reader.data())))
    }
    return events
  }

  /// The statements for one step, each prepared once: a step may hold a million rows.
  private final class Statements {
    private var insertions: [Int: Statement] = [:]
    private var updates: [Int: [(columns: [Int], statement: Statement)]] = [:]

    func insertion(_ db: Database, _ table: Int, _ known: UndoTable) throws -> Statement {
      try insertions.kept(table) { try Statement(db, known.insertion) }
    }

    func update(_ db: Database, _ table: Int, _ known: UndoTable, _ columns: [Int]) throws -> Statement {
      if let made = updates[table]?.first(where: { $0.columns == columns }) { return made.statement }
      let statement = try Statement(db, known.update(columns))
      updates[table, default: []].append((columns, statement))
      return statement
    }
  }

  /// Undoes what the step changed; throws `UndoError.differs` if a row is not as the step left it.
  func apply(_ db: Database, step: String, progress: (Int, Int) throws -> Void = { _, _ in }) throws {
    var done = 0
    func didPart() throws {
      done += 1
      try progress(done, tables.count + stored.chunkCount + 1)
    }
    func table(_ index: Int) throws -> UndoTable {
      if let found = tables[index].known { return found }
      throw UndoError.differs(step, what: "the table \(tables[index].name) no longer exists")
    }
    for (index, new) in tables.enumerated() {
      if !new.spans.isEmpty || !new.keys.isEmpty {
        let known = try table(index)
        let removal = "DELETE FROM \(known.quoted) WHERE "
        for span in new.spans { try db.run(removal + "rowid BETWEEN ?1 AND ?2", [span.lowerBound, span.upperBound]) }
        for key in new.keys {
          let statement = try db.cachedStatement(sql: removal + known.keyCondition(from: 1))
          try known.bind(key, to: statement) { _ = try statement.run() }
        }
      }
      try didPart()
    }
    let statements = Statements()
    try forEachChunk(backwards: true) { events in
      var end = events.count
      while end > 0 {
        var start = end - 1
        if events[start].kind == .changed {
          try change(db, events[start], table(events[start].table), statements, step)
        } else {
          while start > 0, events[start - 1].kind == .removed { start -= 1 }
          // Inserting in the order of row ids is fastest.
          for event in events[start..<end].sorted(by: { ($0.table, $0.row) < ($1.table, $1.row) }) {
            try reinsert(db, event, table(event.table), statements)
          }
        }
        end = start
      }
      try didPart()
    }
  }

  private func reinsert(_ db: Database, _ event: Event, _ known: UndoTable, _ statements: Statements) throws {
    let statement = try statements.insertion(db, event.table, known)
    var reader = WireReader(event.payload)
    let first = known.isKeyed ? 1 : 2
    if !known.isKeyed { statement.bind(1, event.row) }
    for index in known.columns.indices { try reader.bind(statement, index + first) }
    try statement.run()
  }

  private func change(
    _ db: Database, _ event: Event, _ known: UndoTable, _ statements: Statements, _ step: String
  ) throws {
    var reader = WireReader(event.payload)
    if known.isKeyed { for _ in known.key { try reader.skipValue() } }
    var parts: [(column: Int, old: Int, new: Int)] = []
    while reader.left > 0 {
      let column = Int(try reader.byte())
      guard known.columns.indices.contains(column) else { throw WireError() }
      let old = reader.position
      try reader.skipValue()
      parts.append((column, old, reader.position))
      try reader.skipValue()
    }
    if parts.isEmpty { return }
    let statement = try statements.update(db, event.table, known, parts.map(\.column))
    for (index, part) in parts.enumerated() {
      reader.position = part.old
      try reader.bind(statement, index + 1)
      reader.position = part.new
      try reader.bind(statement, parts.count + index + 1)
    }
    let last = parts.count * 2 + 1
    if known.isKeyed {
      reader.position = 0
      for index in known.key.indices { try reader.bind(statement, last + index) }
    } else {
      statement.bind(Int32(clamping: last), event.row)
    }
    try statement.run()
    if db.changesCount != 1 {
      throw UndoError.differs(step, what: "what it changed in \(known.name) has been changed since")
    }
  }
}
