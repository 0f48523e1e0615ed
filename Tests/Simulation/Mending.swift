// `doctor --mend` on a damaged collection, and on one with rows that no program would write. Invariant: every repair
// is listed; every readable row is kept or listed; afterwards there is nothing left to repair.

import Files

extension World {
  /// The tables with the user's own data; those of builds, games and the server can be rebuilt from other data.
  private static let owned = ["cards", "notes", "decks", "note_types", "reviews", "presets", "documents"]

  /// Repairs the damage and checks the result.
  func mend(_ before: StoredData) throws -> String? {
    let readable = try readableRows()
    let outcome = try machine.run(["doctor", "--mend"])
    machine.leave()
    if ![0, 1].contains(outcome.status) { return "mending ended with \(outcome.status): \(outcome.text)" }
    // If nothing can be repaired, or nothing is left at all, a new collection is started, and the output says so.
    if !outcome.text.contains("Repaired ") || outcome.text.contains("creates an empty collection") { return nil }
    let after: StoredData
    do { after = try StoredData(machine.collection, data: machine.data) } catch {
      return "what was mended cannot be read: \(error)\n\(outcome.text)"
    }
    let repair = RepairReport(outcome.text)
    for table in World.owned {
      let (rows, now) = (before.tables[table] ?? [], after.tables[table] ?? [])
      let names = Set(now.map(World.number(of:)))
      let missing = (readable[table] ?? []).filter { !names.contains(World.number(of: $0)) }
      let most = repair.lost[table, default: 0] + repair.removed
      if missing.count > most {
        return "mending lists \(most) rows of \(table), and these could be read and are gone:\n  "
          + missing.sorted().prefix(3).joined(separator: "\n  ") + "\n" + outcome.text
      }
      if rows.count - now.count > most {
        return "mending lists \(most) rows of \(table), and of \(rows.count) are left \(now.count):\n" + outcome.text
      }
    }
    return try remains(outcome)
  }

  private static func number(of row: String) -> Substring { row.prefix { $0 != "|" } }

  /// Returns what is still wrong after the repair.
  private func remains(_ outcome: Outcome) throws -> String? {
    let again = try machine.run(["doctor", "--json"])
    let left = again.text.split(separator: "\n").filter {
      $0.contains("\"mendable\": true") || $0.contains("\"area\": \"database\"")
    }
    if let first = left.first { return "after mending the doctor finds \(first)\n\(outcome.text)" }
    machine.leave()
    let mended = try readData()
    for words in [["deck", "create", "mended"], ["card", "add", "mended", "zz", "yy"], ["undo"], ["undo"]] {
      let done = try machine.run(words)
      if done.status != 0 { return "after mending \(words.joined(separator: " ")) is refused: \(done.text)" }
    }
    machine.leave()
    let now = try readData()
    return now.undoable == mended.undoable
      ? nil : "after mending undo is not exact:\n  " + now.differences(from: mended).joined(separator: "\n  ")
  }

  private func readableRows() throws -> [String: Set<String>] {
    let rows: Rows
    do { rows = try Rows(machine.collection) } catch { return [:] }
    return Dictionary(uniqueKeysWithValues: World.owned.map { ($0, rows.readable($0)) })
  }

  // MARK: Strange rows

  /// Makes a change to one row that only a damaged disk or a hostile file could make; nil if there are no rows.
  func strangeRow(_ chance: inout Random) throws -> String? {
    let rows = try Rows(machine.collection)
    let filled = try World.owned.filter { try rows.all("SELECT 1 FROM \($0) LIMIT 1").count > 0 }
    guard let table = chance.any(filled) else { return nil }
    let ids = try rows.all("SELECT rowid FROM \(table) ORDER BY rowid").map { $0[0] }
    let row = "WHERE rowid = \(chance.pick(ids))"
    let begin = "PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = 1; "
    if chance.happens(onceIn: 4) { return begin + "DELETE FROM \(table) \(row)" }
    let columns = try rows.all("SELECT name, type FROM pragma_table_info('\(table)') WHERE pk = 0")
    let column = chance.pick(columns)
    return begin + "UPDATE OR REPLACE \(table) SET \(column[0]) = \(World.strange(column[1], &chance)) \(row)"
  }

  private static func strange(_ type: String, _ chance: inout Random) -> String {
    switch type {
    case "INTEGER":
      chance.pick([
        "0", "-1", "1", "7", "2147483648", "9007199254740993", "9223372036854775807", "-9223372036854775808",
      ])
    case "REAL": chance.pick(["0.0", "-1.0", "0.5", "1e308", "-1e308", "9e999", "-9e999", "1e-308"])
    case "BLOB": chance.pick(["x''", "x'00'", "x'ff01'", "zeroblob(5000)"])
    default:
      chance.pick([
        "''", "'x'", "'['", "'{}'", "'[]'", "'null'", "'{\"a\":1}'", "char(31)", "char(0)", "'a::b'", "'::'",
        "'9223372036854775808'", "replace(hex(zeroblob(40000)), '0', 'a')", "CAST(x'ff41' AS TEXT)",
      ])
    }
  }
}

/// What the repair reports as left out.
private struct RepairReport {
  /// The number of unreadable rows of each table.
  var lost: [String: Int] = [:]
  /// The number of rows removed, over all tables.
  var removed = 0

  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map { $0.split(separator: ",")[0] }.map(String.init)
      if line.hasPrefix("lost: an unknown part of "), words.count > 5 {
        lost[words[5]] = .max / 4
      } else if line.hasPrefix("lost: row "), words.count > 4 {
        lost[words[4], default: 0] += 1
      } else if line.hasPrefix("lost: rows "), words.count > 6, let from = Int(words[2]), let to = Int(words[4]) {
        lost[words[6], default: 0] += min(.max / 8, max(0, to.subtractingReportingOverflow(from).partialValue)) + 1
      } else if line.hasPrefix("repaired: "), line.contains("removed"), words.count > 1, let count = Int(words[1]) {
        removed += count
      }
    }
  }
}
