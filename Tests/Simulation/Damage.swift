// A disk that returns other bytes than were written (flipped bits in the collection or a backup, lost pages), and rows
// that no program would write. Invariant: afterwards the machine is as before. Whatever the bytes are, no command
// crashes; damage that SQLite or the page format can detect is reported; and a backup restores everything, or is
// refused if the backup itself is damaged.

import Decks
import Files
import Glibc
import Storage

extension World {
  private enum Damage: Int {
    case bit, byte, page, end
  }

  /// Commands tried on a damaged collection.
  private static let tries: [[String]] = [
    ["deck", "list"], ["card", "list", "--json"], ["deck", "stats"], ["card", "add", "A", "zz", "yy"], ["undo"],
    ["deck", "create", "Z"], ["card", "edit", "A:1", "--prompt", "zy"], ["deck", "export", "A", "damaged.json"],
    ["doc", "list"], ["undo", "--list"],
  ]

  /// Makes a few damages, chosen from the rows.
  func damages() throws -> String? {
    machine.leave()
    guard try FileFacts.at(machine.collection) != nil else { return nil }
    let before = try readData()
    let backup = "whole.backup"
    unlink(machine.files + "/" + backup)
    let saved = try machine.run(["backup", backup])
    machine.leave()
    if saved.status != 0 { return "backup was refused: \(saved.text)" }
    let bytes = try FileText.bytes(machine.collection, limit: 1 << 30, isInterrupted: { false })
    if bytes.isEmpty { return nil }
    try machine.saveDisk(as: "undamaged")
    defer { figures.damages += 1 }
    var chance = Random(seed: UInt64(bytes.count + before.tables.values.reduce(0) { $0 + $1.count } + before.lastStep))
    // Two of the five kinds, so that most of the work stays with the plans' own steps.
    for _ in 0..<2 {
      let isStrange = chance.happens(onceIn: 2)
      if chance.happens(onceIn: 5) {
        if let wrong = try damagedBackup(backup, before, &chance) { return wrong }
      } else if isStrange, let change = try strangeRow(&chance) {
        let wrong = try afterwards(before, backup, change, &chance, isReadable: true) { path in
          try ExclusiveDatabase(path, schema: DecksSchema.schema).use { try $0.execute(sql: change) }
        }
        if let wrong { return wrong }
      } else {
        let damaged = World.damaged(bytes, &chance)
        let wrong = try afterwards(before, backup, World.changed(bytes, damaged), &chance) {
          try AtomicFile.write($0, damaged)
        }
        if let wrong { return wrong }
      }
    }
    return nil
  }

  /// Returns what fails when the collection is used or repaired after its file was damaged; nil when all holds.
  private func afterwards(
    _ before: StoredData, _ backup: String, _ what: @autoclosure () -> String, _ chance: inout Random,
    isReadable: Bool = false, _ change: (String) throws -> Void
  ) throws -> String? {
    try change(machine.collection)
    let wrong =
      try chance.happens(onceIn: 2)
      ? mend(isReadable ? readData() : before) : damage(before, backup, isReadable: isReadable)
    machine.leave()
    try machine.putBack(from: "undamaged")
    return wrong.map { "\(what()): \($0)" }
  }

  /// Checks that a damaged backup is either restored as it was, or refused without changing anything.
  private func damagedBackup(_ backup: String, _ before: StoredData, _ chance: inout Random) throws -> String? {
    let bytes = try FileText.bytes(machine.files + "/" + backup, limit: 1 << 30, isInterrupted: { false })
    // Make the collection differ from the backup.
    _ = try machine.run(["deck", "create", "Since"])
    machine.leave()
    let here = try readData()
    for _ in 0..<3 {
      let damaged = World.damaged(bytes, &chance)
      try AtomicFile.write(machine.files + "/" + backup, damaged)
      let outcome = try machine.run(["restore", backup])
      machine.leave()
      let after = try readData()
      lazy var what = "of the backup \(World.changed(bytes, damaged))"
      if outcome.status == 1, after != here { return "\(what): it was refused, and changed what is here" }
      if outcome.status == 1, !outcome.text.contains(backup) { return "\(what): nothing tells it: \(outcome.text)" }
      if ![0, 1].contains(outcome.status) { return "\(what): the status is \(outcome.status): \(outcome.text)" }
      if outcome.status == 0, after != before {
        return "\(what): it came back as another:\n  " + after.differences(from: before).joined(separator: "\n  ")
      }
      if outcome.status == 0 { break }
    }
    try machine.putBack(from: "undamaged")
    return nil
  }

  private static func damaged(_ bytes: [UInt8], _ chance: inout Random) -> [UInt8] {
    var damaged = bytes
    let place = chance.number(0...(bytes.count - 1))
    let start = place / 4096 * 4096
    switch Damage(rawValue: chance.number(0...3)) ?? .bit {
    case .bit: damaged[place] ^= 1 << UInt8(chance.number(0...7))
    case .byte: for index in place..<min(bytes.count, place + 16) { damaged[index] = UInt8(chance.number(0...255)) }
    case .page: for index in start..<min(bytes.count, start + 4096) { damaged[index] = UInt8(chance.number(0...255)) }
    case .end: damaged.removeLast(bytes.count - start)
    }
    return damaged
  }

  private static func changed(_ bytes: [UInt8], _ damaged: [UInt8]) -> String {
    if damaged.count < bytes.count { return "of \(bytes.count) bytes \(damaged.count) are left" }
    let others = bytes.indices.filter { bytes[$0] != damaged[$0] }
    return "of \(bytes.count) bytes those from \(others.first ?? 0) to \(others.last ?? 0) are others"
  }

  private func damage(_ before: StoredData, _ backup: String, isReadable: Bool) throws -> String? {
    let isReadable = isReadable || readsAs(before)
    let findings = try machine.run(["doctor", "--json"])
    if ![0, 1].contains(findings.status) { return "doctor ended with \(findings.status): \(findings.text)" }
    var isTold = findings.text.contains("\"area\": \"database\"") || findings.text.contains("storage_")
    for words in World.tries {
      let outcome = try machine.run(words)
      if ![0, 1].contains(outcome.status) {
        return "\(words.joined(separator: " ")) ended with \(outcome.status): \(outcome.text)"
      }
      isTold = isTold || outcome.text.contains("is damaged") || outcome.text.contains("cannot be opened")
    }
    machine.leave()
    if !isReadable, !isTold { return "rows cannot be read, and nothing says so: \(findings.text)" }
    let restored = try machine.run(["restore", backup])
    machine.leave()
    if restored.status != 0 { return "the backup does not come back: \(restored.text)" }
    let after = try StoredData(machine.collection, data: machine.data)
    return after == before
      ? nil : "the backup comes back as another:\n  " + after.differences(from: before).joined(separator: "\n  ")
  }

  /// Returns whether every row can be read, whatever its values are.
  private func readsAs(_ before: StoredData) -> Bool {
    do {
      let now = try StoredData(machine.collection, data: machine.data)
      return Set(now.tables.keys) == Set(before.tables.keys)
        && now.tables.allSatisfy { $0.value.count == before.tables[$0.key]?.count }
    } catch {
      return false
    }
  }
}
