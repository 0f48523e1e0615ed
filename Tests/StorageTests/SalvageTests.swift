// What is left out of a damaged file when it is brought over is listed.

import Files
import Storage
import TestSupport
import Testing

@Suite struct SalvageTests {
  private static let migrations = [
    Migration("test.1", sql: "CREATE TABLE boxes (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE) STRICT")
  ]

  /// A file of boxes whose bytes were changed.
  private func file(
    _ folder: TemporaryFolder, _ count: Int, _ change: (inout [UInt8]) throws -> Void
  ) throws -> String {
    let path = folder.file("x.sqlite")
    let store = Store(path: path, migrations: SalvageTests.migrations, isInterrupted: { false })
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
    let new = NewStore(at: target, migrations: SalvageTests.migrations, isInterrupted: { false })
    let losses = try new.salvage(from: path)
    let store = Store(path: target, migrations: SalvageTests.migrations, isInterrupted: { false })
    return (losses.map(\.words), try store.read { try String.fetchAll($0, sql: "SELECT name FROM boxes ORDER BY id") })
  }

  @Test func `rows that can be read and contradict others are listed as such`() throws {
    let folder = TemporaryFolder()
    let path = try file(folder, 300) { bytes in
      for (old, new) in [("box-1007", "box-1006"), ("box-1008", "box-1006"), ("box-1200", "box-1100")] {
        let text = Array(old.utf8)
        for place in bytes.indices where bytes[place...].starts(with: text) {
          bytes.replaceSubrange(place..<place + text.count, with: new.utf8)
        }
      }
    }
    let (losses, names) = try salvaged(path, to: folder.file("y.sqlite"))
    #expect(losses == ["rows 7 to 8 of boxes, at odds with other rows", "row 200 of boxes, at odds with other rows"])
    #expect(names == (1...300).filter { ![7, 8, 200].contains($0) }.map { "box-\(1000 + $0)" })
  }

  @Test(arguments: [1, 2, 3, 5]) func `a file that was cut off gives the rows that are left`(pages: Int) throws {
    let folder = TemporaryFolder()
    let path = try file(folder, 2000) { $0.removeLast($0.count - pages * 4096) }
    let (losses, names) = try salvaged(path, to: folder.file("y.sqlite"))
    #expect(names.count < 2000 && !losses.isEmpty, "\(losses)")
  }

  @Test func `rows of a page that cannot be read are listed, and no others`() throws {
    let folder = TemporaryFolder()
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
}
