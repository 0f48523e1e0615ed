// Rows left out when a damaged file is copied to a new one are listed.

import Files
import Storage
import TestSupport

@Suite struct SalvageTests {
  private let folder = TemporaryFolder()

  private static let schema = Schema(
    "CREATE TABLE boxes (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE) STRICT")

  /// Returns a file of boxes whose bytes were changed.
  private func file(
    _ folder: TemporaryFolder, _ count: Int, _ change: (inout [UInt8]) throws -> Void
  ) throws -> String {
    let path = folder.file("x.sqlite")
    let store = Store(path: path, schema: SalvageTests.schema, isInterrupted: { false })
    try store.operation("filling") { db in
      for number in 1...count {
        try db.execute(sql: "INSERT INTO boxes (name) VALUES (?)", arguments: ["box-\(1000 + number)"])
      }
    }
    try store.close()
    var bytes = try FileText.bytes(path, limit: 1 << 24, isInterrupted: { false })
    try change(&bytes)
    try AtomicFile.write(path, bytes)
    return path
  }

  private func salvaged(_ path: String, to target: String) throws -> (losses: [String], names: [String]) {
    let new = NewStore(at: target, schema: SalvageTests.schema, isInterrupted: { false })
    let losses = try new.salvage(from: path)
    let store = Store(path: target, schema: SalvageTests.schema, isInterrupted: { false })
    return (losses.map(\.words), try store.read { try String.fetchAll($0, sql: "SELECT name FROM boxes ORDER BY id") })
  }

  @Test func `readable rows that contradict others are listed as such`() throws {
    let path = try file(folder, 300) { bytes in
      for (old, new) in [("box-1007", "box-1006"), ("box-1008", "box-1006"), ("box-1200", "box-1100")] {
        let text = Array(old.utf8)
        for place in bytes.indices where bytes[place...].starts(with: text) {
          bytes.replaceSubrange(place..<place + text.count, with: new.utf8)
        }
      }
    }
    let (losses, names) = try salvaged(path, to: folder.file("y.sqlite"))
    #expect(losses == ["rows 7 to 8 of boxes, contradicting other rows", "row 200 of boxes, contradicting other rows"])
    #expect(names == (1...300).filter { ![7, 8, 200].contains($0) }.map { "box-\(1000 + $0)" })
  }

  @Test(arguments: [1, 2, 3, 5]) func `a truncated file gives the remaining rows`(pages: Int) throws {
    let path = try file(folder, 2000) { $0.removeLast($0.count - pages * 4096) }
    let (losses, names) = try salvaged(path, to: folder.file("y.sqlite"))
    #expect(names.count < 2000 && !losses.isEmpty, "\(losses)")
  }

  @Test func `rows of an unreadable page are listed, and no others`() throws {
    let path = try file(folder, 2000) { bytes in
      let text = Array("box-1900".utf8)
      // The rows come before the index.
      let place = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
      for index in place / 4096 * 4096..<(place / 4096 + 1) * 4096 {
        bytes[index] = UInt8(truncatingIfNeeded: index &* 31)
      }
    }
    let (losses, names) = try salvaged(path, to: folder.file("y.sqlite"))
    let lost = Set((1...2000).map { "box-\(1000 + $0)" }).subtracting(names)
    #expect(lost.contains("box-1900") && losses.count == 1, "\(losses)")
    let numbers = lost.compactMap { Int($0.dropFirst(4)) }.map { $0 - 1000 }
    #expect(losses.first == "rows \(numbers.min() ?? 0) to \(numbers.max() ?? 0) of boxes")
  }

  @Test func `the rows with the lowest and the highest id are copied beside a damaged page`() throws {
    let path = folder.file("x.sqlite")
    let sql = """
      CREATE TABLE boxes (id INTEGER PRIMARY KEY, name TEXT) STRICT;
      CREATE TABLE other (id INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;
      """
    let schema = Schema(sql)
    let store = Store(path: path, schema: schema, isInterrupted: { false })
    try store.operation("filling") { db in
      for number in 1...2000 { try db.run("INSERT INTO boxes VALUES (?, ?)", [number, "box-\(1000 + number)"]) }
      for id in [Int64.min, .max] { try db.run("INSERT INTO boxes VALUES (?, 'end')", [id]) }
    }
    try store.close()
    var bytes = try FileText.bytes(path, limit: 1 << 24, isInterrupted: { false })
    let text = Array("box-1900".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
    for index in place / 4096 * 4096..<(place / 4096 + 1) * 4096 { bytes[index] = 255 }
    try AtomicFile.write(path, bytes)
    let target = folder.file("y.sqlite")
    let losses = try NewStore(at: target, schema: schema, isInterrupted: { false }).salvage(from: path)
    let saved = Store(path: target, schema: schema, isInterrupted: { false })
    let (ends, all) = try saved.read { db in
      (try db.count("SELECT count(*) FROM boxes WHERE name = 'end'"), try db.count("SELECT count(*) FROM boxes"))
    }
    #expect(ends == 2 && (1500..<2002) ~= all && losses.count == 1, "\(losses.map(\.words)) \(all)")
  }

  private static let bags = Schema(
    """
    CREATE TABLE bags (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT) STRICT;
    CREATE INDEX bags_name ON bags (name);
    CREATE TABLE plain (name TEXT) STRICT;
    CREATE TABLE words (word TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
    """)

  private enum Damage {
    case noise
    /// The page claims to be empty.
    case empty
  }

  /// Returns what is saved of a file with 2,000 rows in each table.
  /// - Parameter damage: applied to pages, named as SQLite names them.
  private func savedBags(
    isLogged: Bool = false, _ damage: Damage, of pages: String
  ) throws -> (losses: [String], counts: [Int]) {
    let folder = TemporaryFolder()
    let (path, target) = (folder.file("x.sqlite"), folder.file("y.sqlite"))
    let store = Store(path: path, schema: SalvageTests.bags, isInterrupted: { false })
    try store.operation("filling") { db in
      for number in 1...2000 {
        for table in ["bags (name)", "plain", "words"] {
          try db.run("INSERT INTO \(table) VALUES (?)", ["\(table.prefix(3))-\(10_000 + number)"])
        }
      }
    }
    let damaged = try store.read { try Int.fetchAll($0, sql: "SELECT pageno FROM dbstat WHERE \(pages)") }
    try store.close()
    #expect(!damaged.isEmpty)
    var bytes = try FileText.bytes(path, limit: 1 << 24, isInterrupted: { false })
    for start in damaged.map({ ($0 - 1) * 4096 }) {
      switch damage {
      // "File format", 1.6: the number of cells on the page.
      case .empty: (bytes[start + 3], bytes[start + 4]) = (0, 0)
      case .noise: for index in start..<start + 4096 { bytes[index] = UInt8(truncatingIfNeeded: index &* 31 | 1) }
      }
    }
    try AtomicFile.write(path, bytes)
    if isLogged { try AtomicFile.write(path + "-wal", []) }
    let new = NewStore(at: target, schema: SalvageTests.bags, isInterrupted: { false })
    let losses = try new.salvage(from: path).map(\.words)
    let saved = Store(path: target, schema: SalvageTests.bags, isInterrupted: { false })
    return try saved.read { db in
      (losses, try ["bags", "plain", "words"].map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") ?? 0 })
    }
  }

  @Test func `rows of an emptied page are listed if an index still knows them`() throws {
    let (losses, counts) = try savedBags(.empty, of: "name = 'bags' AND path = '/001/'")
    #expect(losses.count == 1 && losses[0].hasPrefix("rows ") && losses[0].hasSuffix(" of bags"), "\(losses)")
    #expect(counts[0] < 2000 && Array(counts[1...]) == [2000, 2000])
  }

  @Test(arguments: ["path = '/001/'", "path IN ('/001/', '/003/')", "path = '/000/'", "path = '/'"])
  func `of a table without row ids, the rows before and after the damaged pages are saved`(pages: String) throws {
    let (losses, counts) = try savedBags(.noise, of: "name = 'words' AND \(pages)")
    #expect(losses == ["an unknown part of words"])
    #expect(Array(counts[..<2]) == [2000, 2000])
    #expect(pages == "path = '/'" ? counts[2] == 0 : (500..<2000) ~= counts[2], "\(counts)")
  }

  @Test func `a table whose root page cannot be read is reported, and the others are saved`() throws {
    let (losses, counts) = try savedBags(.noise, of: "name = 'plain' AND path = '/'")
    #expect(losses == ["an unknown part of plain"])
    #expect(counts == [2000, 0, 2000])
  }

  @Test(arguments: ["path = '/000/'", "path = (SELECT max(path) FROM dbstat WHERE name = 'plain')"])
  func `the first and last row of a table are searched for if they cannot be read`(end: String) throws {
    let (losses, counts) = try savedBags(.noise, of: "name = 'plain' AND \(end)")
    #expect(losses.count == 1 && losses[0].hasSuffix(" of plain"), "\(losses)")
    #expect(counts[0] == 2000 && counts[2] == 2000 && (1..<2000).contains(counts[1]), "\(counts)")
  }

  @Test(arguments: [false, true])
  func `a file whose schema table cannot be read is saved with the schema of a new one`(isLogged: Bool) throws {
    let (losses, counts) = try savedBags(isLogged: isLogged, .noise, of: "name IN ('sqlite_schema', 'sqlite_master')")
    #expect(losses == [] && counts == [2000, 2000, 2000])
  }

  @Test func `if the highest ids cannot be read, numbering continues after the last rows`() throws {
    let (losses, counts) = try savedBags(.noise, of: "name = 'sqlite_sequence'")
    #expect(losses == [] && counts == [2000, 2000, 2000])
  }
}
