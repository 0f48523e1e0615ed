// The rows of a step, read from the log: what they are, and putting them back.
// Invariant: rows that are new in the step go first; the events are then gone through backwards, so that every moment
// on the
// way is one that the tables have been in, less the new rows.

/// What a step changed, decoded.
struct UndoneRows {
  struct Table {
    let name: String
    var spans: [UndoRecorder.Span] = []
    var keys: [Range<Int>] = []
  }

  struct Event {
    let kind: UndoKind
    let table: Int
    let row: Int64
    let payload: Range<Int>
  }

  let bytes: [UInt8]
  private(set) var tables: [Table] = []
  private(set) var events: [Event] = []

  init(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    try bytes.withUnsafeBytes { raw in
      var reader = UndoReader(raw)
      for _ in 0..<(try reader.count()) { tables.append(try UndoneRows.table(&reader)) }
      while !reader.isAtEnd {
        guard let kind = UndoKind(rawValue: try reader.byte()) else { throw UndoDamage() }
        let table = Int(try reader.byte())
        guard tables.indices.contains(table) else { throw UndoDamage() }
        events.append(Event(kind: kind, table: table, row: try reader.integer(), payload: try reader.raw()))
      }
    }
  }

  private static func table(_ reader: inout UndoReader) throws -> Table {
    var table = Table(name: try reader.text())
    for _ in 0..<(try reader.count()) {
      table.spans.append(UndoRecorder.Span(low: try reader.integer(), high: try reader.integer()))
    }
    for _ in 0..<(try reader.count()) { table.keys.append(try reader.raw()) }
    return table
  }

  // MARK: Which rows

  private struct Touched {
    var spans: [UndoRecorder.Span]
    var rows: Set<Int64> = []
    var keys: Set<[UInt8]> = []

    func meets(_ other: Touched) -> Bool {
      if !rows.isDisjoint(with: other.rows) || !keys.isDisjoint(with: other.keys) { return true }
      func isIn(_ spans: [UndoRecorder.Span], _ row: Int64) -> Bool {
        spans.contains { $0.low <= row && row <= $0.high }
      }
      if other.rows.contains(where: { isIn(spans, $0) }) || rows.contains(where: { isIn(other.spans, $0) }) {
        return true
      }
      return spans.contains { mine in other.spans.contains { $0.low <= mine.high && mine.low <= $0.high } }
    }
  }

  private var touched: [String: Touched] {
    get throws {
      var found: [String: Touched] = [:]
      for table in tables where !(table.spans.isEmpty && table.keys.isEmpty) {
        found[table.name] = Touched(spans: table.spans, keys: Set(table.keys.map { Array(bytes[$0]) }))
      }
      for event in events {
        let name = tables[event.table].name
        if event.row == 0 {
          found[name, default: Touched(spans: [])].keys.formUnion(keys(of: event))
        } else {
          found[name, default: Touched(spans: [])].rows.insert(event.row)
        }
      }
      return found
    }
  }

  /// Without the table at hand it is not known where the key ends: every beginning counts.
  private func keys(of event: Event) -> [[UInt8]] {
    bytes.withUnsafeBytes { raw in
      var reader = UndoReader(raw, event.payload)
      var found: [[UInt8]] = []
      do {
        while !reader.isAtEnd, found.count < 4 {
          try reader.skipValue()
          found.append(Array(bytes[event.payload.lowerBound..<reader.place]))
        }
      } catch {
        // The payload is cut off there; what was read before is what is known.
        return found
      }
      return found
    }
  }

  func meets(_ other: UndoneRows) throws -> Bool {
    let theirs = try other.touched
    return try touched.contains { name, mine in theirs[name].map { mine.meets($0) } ?? false }
  }

  // MARK: Putting back

  /// The statements of one step, each made once: a step may hold a million rows.
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

  /// - Parameter known: the tables as they are now.
  /// - Throws: `UndoError.differs` when a row is not as the step left it.
  func apply(_ db: Database, _ known: [UndoTable], step: String) throws {
    let described = try tables.enumerated().map { index, table in
      let found = known.first { $0.name == table.name }
      let isUsed = !table.spans.isEmpty || !table.keys.isEmpty || events.contains { $0.table == index }
      if isUsed, found == nil { throw UndoError.differs(step, what: "the table \(table.name) is gone") }
      return found
    }
    let statements = Statements()
    try bytes.withUnsafeBytes { raw in
      try removeNew(db, described, raw)
      var end = events.count
      while end > 0 {
        let event = events[end - 1]
        if event.kind == .changed {
          try change(db, event, described, raw, statements, step)
          end -= 1
        } else {
          let start = (events[..<end].lastIndex { $0.kind != .removed } ?? -1) + 1
          try putBack(db, start..<end, described, raw, statements)
          end = start
        }
      }
    }
  }

  private func removeNew(_ db: Database, _ described: [UndoTable?], _ raw: UnsafeRawBufferPointer) throws {
    for (table, known) in zip(tables, described) {
      guard let known else { continue }
      for span in table.spans {
        try db.run(known.rangeRemoval, [span.low, span.high])
      }
      for key in table.keys {
        try run(db, db.cachedStatement(sql: known.keyRemoval)) { statement in
          var reader = UndoReader(raw, key)
          for index in known.key.indices { try reader.bind(statement, index + 1) }
        }
      }
    }
  }

  /// Rows that were removed one after the other, in the order of their row ids: that is fastest.
  private func putBack(
    _ db: Database, _ range: Range<Int>, _ described: [UndoTable?], _ raw: UnsafeRawBufferPointer,
    _ statements: Statements
  ) throws {
    for (table, group) in Dictionary(grouping: events[range], by: \.table).sorted(by: { $0.key < $1.key }) {
      guard let known = described[table] else { continue }
      let statement = try statements.insertion(db, table, known)
      for event in group.sorted(by: { $0.row < $1.row }) {
        var reader = UndoReader(raw, event.payload)
        let first = known.isKeyed ? 1 : 2
        if !known.isKeyed { statement.bind(1, event.row) }
        // A column that was added since has its default.
        for index in known.columns.indices where !reader.isAtEnd {
          try reader.bind(statement, index + first)
        }
        try statement.run()
      }
    }
  }

  private func change(
    _ db: Database, _ event: Event, _ described: [UndoTable?], _ raw: UnsafeRawBufferPointer,
    _ statements: Statements, _ step: String
  ) throws {
    guard let known = described[event.table] else { return }
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
    try run(db, statements.update(db, event.table, known, parts.map(\.column))) { statement in
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
    }
    if db.changesCount != 1 {
      throw UndoError.differs(step, what: "what it changed in \(known.name) is not there as it was left")
    }
  }

  private func run(_ db: Database, _ statement: Statement, _ bind: (Statement) throws -> Void) throws {
    try bind(statement)
    try statement.run()
  }
}
