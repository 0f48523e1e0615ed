// Decodes the rows of a step from the log, and restores them.
// Invariant: rows that are new in the step are removed first; the events are then undone backwards, so that every state
// on the way is one that the tables have been in, except for the new rows. One chunk of events is in memory at a time.

/// What a step changed, decoded.
struct UndoneRows {
  struct Table {
    let name: String
    var spans: [RowSpan] = []
    var keys: [Range<Int>] = []
  }

  struct Event {
    let kind: UndoKind
    let table: Int
    let row: Int64
    let payload: Range<Int>
  }

  private let stored: StepRows
  /// The offset in `head` of the latest events.
  private let lastEvents: Int
  /// The tables with their new rows; keys are ranges in `head`.
  let tables: [Table]

  var head: [UInt8] { stored.head }

  /// Decodes which rows are new; events are decoded when they are iterated.
  init(_ stored: StepRows) throws {
    self.stored = stored
    (tables, lastEvents) = try stored.head.withUnsafeBytes { raw in
      var reader = UndoReader(raw)
      var tables: [Table] = []
      for _ in 0..<(try reader.count()) { tables.append(try UndoneRows.table(&reader)) }
      return (tables, reader.place)
    }
  }

  private static func table(_ reader: inout UndoReader) throws -> Table {
    var table = Table(name: try reader.text())
    for _ in 0..<(try reader.count()) {
      table.spans.append(RowSpan(low: try reader.integer(), high: try reader.integer()))
    }
    for _ in 0..<(try reader.count()) { table.keys.append(try reader.raw()) }
    return table
  }

  // MARK: Events

  /// Calls the body with the events of each chunk, in order, and the bytes that contain them; backwards: the last chunk
  /// first.
  func forEachChunk(
    backwards: Bool = false, _ body: (UnsafeRawBufferPointer, [Event]) throws -> Void
  ) throws {
    let order = Array(0...stored.chunkCount)
    for index in backwards ? order.reversed() : order {
      let isLast = index == stored.chunkCount
      let bytes = isLast ? stored.head : try UndoEvents.unpacked(stored.chunk(index))
      try bytes.withUnsafeBytes { raw in
        try body(raw, events(UndoReader(raw, (isLast ? lastEvents : 0)..<raw.count)))
      }
    }
  }

  private func events(_ bytes: UndoReader) throws -> [Event] {
    var (reader, events): (UndoReader, [Event]) = (bytes, [])
    while !reader.isAtEnd {
      guard let kind = UndoKind(rawValue: try reader.byte()) else { throw UndoDamage() }
      let table = Int(try reader.byte())
      guard tables.indices.contains(table) else { throw UndoDamage() }
      events.append(Event(kind: kind, table: table, row: try reader.integer(), payload: try reader.raw()))
    }
    return events
  }

  // MARK: Restoring

  /// The statements for one step, each prepared once: a step may hold a million rows.
  private final class Statements {
    private var insertions: [Int: Statement] = [:]
    private var updates: [Int: [(columns: [Int], statement: Statement)]] = [:]

    func insertion(_ db: Database, _ table: Int, _ known: UndoTable) throws -> Statement {
      if let made = insertions[table] { return made }
      let statement = try db.makeStatement(sql: known.insertion)
      insertions[table] = statement
      return statement
    }

    func update(_ db: Database, _ table: Int, _ known: UndoTable, _ columns: [Int]) throws -> Statement {
      if let made = updates[table]?.first(where: { $0.columns == columns }) { return made.statement }
      let statement = try db.makeStatement(sql: known.update(columns))
      updates[table, default: []].append((columns, statement))
      return statement
    }
  }

  /// Undoes what the step changed.
  /// - Parameters:
  ///   - known: the tables as they are now.
  ///   - progress: receives the number of parts done and of all parts.
  /// - Throws: `UndoError.differs` if a row is not as the step left it.
  func apply(
    _ db: Database, _ known: [UndoTable], step: String, progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws {
    var done = 0
    func didPart() throws {
      done += 1
      try progress(done, tables.count + stored.chunkCount + 1)
    }
    let described = tables.map { table in known.first { $0.name == table.name } }
    func table(_ index: Int) throws -> UndoTable {
      if let found = described[index] { return found }
      throw UndoError.differs(step, what: "the table \(tables[index].name) no longer exists")
    }
    for (index, new) in tables.enumerated() {
      if !(new.spans.isEmpty && new.keys.isEmpty) { try removeNew(db, new, table(index)) }
      try didPart()
    }
    let statements = Statements()
    try forEachChunk(backwards: true) { raw, events in
      var end = events.count
      while end > 0 {
        var start = end - 1
        if events[start].kind == .changed {
          try change(db, events[start], table(events[start].table), raw, statements, step)
        } else {
          while start > 0, events[start - 1].kind == .removed { start -= 1 }
          // Inserting in the order of row ids is fastest.
          for event in events[start..<end].sorted(by: { ($0.table, $0.row) < ($1.table, $1.row) }) {
            try reinsert(db, event, table(event.table), raw, statements)
          }
        }
        end = start
      }
      try didPart()
    }
  }

  private func removeNew(_ db: Database, _ new: Table, _ known: UndoTable) throws {
    for span in new.spans { try db.run(known.rangeRemoval, [span.low, span.high]) }
    try head.withUnsafeBytes { raw in
      for key in new.keys {
        let statement = try db.cachedStatement(sql: known.keyRemoval)
        var reader = UndoReader(raw, key)
        for index in known.key.indices { try reader.bind(statement, index + 1) }
        try statement.run()
      }
    }
  }

  private func reinsert(
    _ db: Database, _ event: Event, _ known: UndoTable, _ raw: UnsafeRawBufferPointer, _ statements: Statements
  ) throws {
    let statement = try statements.insertion(db, event.table, known)
    var reader = UndoReader(raw, event.payload)
    let first = known.isKeyed ? 1 : 2
    if !known.isKeyed { statement.bind(1, event.row) }
    for index in known.columns.indices { try reader.bind(statement, index + first) }
    try statement.run()
  }

  private func change(
    _ db: Database, _ event: Event, _ known: UndoTable, _ raw: UnsafeRawBufferPointer, _ statements: Statements,
    _ step: String
  ) throws {
    var reader = UndoReader(raw, event.payload)
    let keyStart = reader.place
    if known.isKeyed { for _ in known.key { try reader.skipValue() } }
    var parts: [(column: Int, old: Range<Int>, new: Range<Int>)] = []
    let keyEnd = reader.place
    while !reader.isAtEnd {
      let column = Int(try reader.byte())
      guard known.columns.indices.contains(column) else { throw UndoDamage() }
      let start = reader.place
      try reader.skipValue()
      let middle = reader.place
      try reader.skipValue()
      parts.append((column, start..<middle, middle..<reader.place))
    }
    if parts.isEmpty { return }
    let statement = try statements.update(db, event.table, known, parts.map(\.column))
    for (index, part) in parts.enumerated() {
      var old = UndoReader(raw, part.old)
      try old.bind(statement, index + 1)
      var new = UndoReader(raw, part.new)
      try new.bind(statement, parts.count + index + 1)
    }
    let last = parts.count * 2 + 1
    if known.isKeyed {
      var key = UndoReader(raw, keyStart..<keyEnd)
      for index in known.key.indices { try key.bind(statement, last + index) }
    } else {
      statement.bind(Int32(clamping: last), event.row)
    }
    try statement.run()
    if db.changesCount != 1 {
      throw UndoError.differs(step, what: "what it changed in \(known.name) has been changed since")
    }
  }
}
