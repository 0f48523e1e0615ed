// Note types, decks and presets of a collection of schema 18, which keeps them in tables with protocol buffers.
// Source: the descriptors in Anki's own package. Invariant: a note type comes out as schema 11 has it.

import Decks
import Storage
import Text
import Values

struct SchemaEighteen {
  let db: Database

  init(_ db: Database) { self.db = db }

  func read(into contents: inout PackageContents) throws {
    try readTypes(into: &contents)
    try db.forEachRow("SELECT id, name, kind FROM decks") { row in
      contents.decks[row.integer(0)] = try deck(named: row.text(1), Array(row.blob(2))[...])
    }
    try db.forEachRow("SELECT id, name, config FROM deck_config") { row in
      contents.presets[row.integer(0)] = try preset(named: row.text(1), Array(row.blob(2))[...])
    }
    let limits = JSONLimits(bytes: 1 << 20, depth: 32, values: 100_000, string: 1 << 20)
    for key in ["creationOffset", "localOffset", "rollover", "fsrs"] {
      try db.forEachRow("SELECT val FROM config WHERE KEY = ?", [key]) { row in
        do throws(JSONFailure) {
          contents.settings[key] = try JSONParser.parse(Array(row.blob(0)), limits: limits)
        } catch { throw WireFault() }
      }
    }
  }

  // MARK: Note types

  private func readTypes(into contents: inout PackageContents) throws {
    var parts: [Int64: (fields: [Value], templates: [Value])] = [:]
    try db.forEachRow("SELECT ntid, name, config FROM fields ORDER BY ntid, ord") { row in
      parts[row.integer(0), default: ([], [])].fields.append(try field(named: row.text(1), Array(row.blob(2))[...]))
    }
    try db.forEachRow("SELECT ntid, name, config FROM templates ORDER BY ntid, ord") { row in
      parts[row.integer(0), default: ([], [])].templates
        .append(try template(named: row.text(1), Array(row.blob(2))[...]))
    }
    try db.forEachRow("SELECT id, name, mtime_secs, config FROM notetypes") { row in
      var type: Value.Record = [
        "id": .integer(Int(row.integer(0))), "name": .text(row.text(1)), "mod": .integer(row.count(2)),
        "type": .integer(0), "sortf": .integer(0), "did": .null, "css": .text(""), "latexsvg": .boolean(false),
        "latexPre": .text(""), "latexPost": .text(""), "req": .list([]),
      ]
      for field in try WireReader.fields(Array(row.blob(3))[...]) {
        switch field.number {
        case 1: type["type"] = .integer(field.integer)
        case 2: type["sortf"] = .integer(field.integer)
        case 3: type["css"] = .text(field.text)
        case 5: type["latexPre"] = .text(field.text)
        case 6: type["latexPost"] = .text(field.text)
        case 7: type["latexsvg"] = .boolean(field.flag)
        case 10: type["originalId"] = .integer(field.integer)
        case 255: type.add(other: field)
        default: break
        }
      }
      type["flds"] = .list(parts[row.integer(0)]?.fields ?? [])
      type["tmpls"] = .list(parts[row.integer(0)]?.templates ?? [])
      contents.types[row.integer(0)] = type
    }
  }

  private func field(named name: String, _ config: ArraySlice<UInt8>) throws -> Value {
    var record: Value.Record = [
      "name": .text(name), "sticky": .boolean(false), "rtl": .boolean(false), "font": .text("Arial"),
      "size": .integer(20),
    ]
    for field in try WireReader.fields(config) {
      switch field.number {
      case 1: record["sticky"] = .boolean(field.flag)
      case 2: record["rtl"] = .boolean(field.flag)
      case 3: record["font"] = .text(field.text)
      case 4: record["size"] = .integer(field.integer)
      case 5: record["description"] = .text(field.text)
      case 6: record["plainText"] = .boolean(field.flag)
      case 7: record["collapsed"] = .boolean(field.flag)
      case 8: record["excludeFromSearch"] = .boolean(field.flag)
      case 9: record["id"] = .integer(field.integer)
      case 10: record["tag"] = .integer(field.integer)
      case 11: record["preventDeletion"] = .boolean(field.flag)
      case 255: record.add(other: field)
      default: break
      }
    }
    return .record(record)
  }

  private func template(named name: String, _ config: ArraySlice<UInt8>) throws -> Value {
    var record: Value.Record = [
      "name": .text(name), "qfmt": .text(""), "afmt": .text(""), "bqfmt": .text(""), "bafmt": .text(""), "did": .null,
      "bfont": .text(""), "bsize": .integer(0),
    ]
    for field in try WireReader.fields(config) {
      switch field.number {
      case 1: record["qfmt"] = .text(field.text)
      case 2: record["afmt"] = .text(field.text)
      case 3: record["bqfmt"] = .text(field.text)
      case 4: record["bafmt"] = .text(field.text)
      // A deck of the other collection means nothing here.
      case 5: break
      case 6: record["bfont"] = .text(field.text)
      case 7: record["bsize"] = .integer(field.integer)
      case 8: record["id"] = .integer(field.integer)
      case 255: record.add(other: field)
      default: break
      }
    }
    return .record(record)
  }

  // MARK: Decks

  private func deck(named name: String, _ kind: ArraySlice<UInt8>) throws -> PackagedDeck {
    let parts = name.split(separator: "\u{1F}", omittingEmptySubsequences: false)
    var deck = SentHead.deck(0, name: parts.joined(separator: "::"), modified: 0, preset: nil, DeckLimits())
    deck["conf"] = nil
    for field in try WireReader.fields(kind) {
      if field.number == 2 { deck["dyn"] = .integer(1) }
      guard field.number == 1 else { continue }
      for part in try WireReader.fields(field.bytes) {
        switch part.number {
        case 1: deck["conf"] = .integer(part.integer)
        case 2: deck["extendNew"] = .integer(part.integer)
        case 3: deck["extendRev"] = .integer(part.integer)
        case 4: deck["desc"] = .text(part.text)
        case 5: deck["md"] = .boolean(part.flag)
        case 6: deck["reviewLimit"] = .integer(part.integer)
        case 7: deck["newLimit"] = .integer(part.integer)
        case 10: deck["desiredRetention"] = .integer(Int((min(1, max(0, part.float)) * 100).rounded()))
        default: break
        }
      }
    }
    return PackagedDeck(old: deck)
  }

  // MARK: Presets

  private func preset(named name: String, _ config: ArraySlice<UInt8>) throws -> PackagedPreset {
    var preset = PackagedPreset(name: name)
    // A number that is 0 and a list that is empty are not written.
    var (floats, numbers): ([Int: [Double]], [Int: Int]) = ([:], [:])
    for field in try WireReader.fields(config) {
      switch field.content {
      case .number: numbers[field.number] = field.integer
      default: floats[field.number, default: []] += field.floats
      }
    }
    preset.steps(.learningSteps, floats[1] ?? [])
    preset.steps(.relearningSteps, floats[2] ?? [])
    preset.whole(.newPerDay, numbers[9] ?? 0)
    preset.whole(.reviewsPerDay, numbers[10] ?? 0)
    preset.whole(.maximumInterval, numbers[16])
    preset.whole(.minimumLapseInterval, numbers[17])
    preset.whole(.leechThreshold, numbers[22])
    preset.whole(.maximumAnswerSeconds, numbers[24])
    preset.set(.leechAction, .choice(numbers[21] == 1 ? "tag" : "suspend"))
    preset.set(.buryNew, .flag(numbers[27] == 1))
    preset.set(.buryReviews, .flag(numbers[28] == 1))
    preset.set(.buryLearning, .flag(numbers[29] == 1))
    if let retention = floats[37]?.last { preset.set(.desiredRetention, .number(rounded(retention))) }
    preset.choice(.newGather, numbers[34] ?? 0)
    preset.choice(.newSort, numbers[32] ?? 0)
    preset.choice(.newMix, numbers[30] ?? 0)
    preset.choice(.reviewOrder, numbers[33] ?? 0)
    preset.parameters([6, 5, 3].map { floats[$0] ?? [] })
    return preset
  }

  /// A number of 32 bits as it was typed: 0.9, not 0.8999999761.
  private func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
}

extension Value.Record {
  /// Further members, which Anki keeps as JSON.
  fileprivate mutating func add(other field: WireField) {
    let limits = JSONLimits(bytes: 1 << 20, depth: 32, values: 100_000, string: 1 << 20)
    do throws(JSONFailure) {
      for member in (try JSONParser.parse(Array(field.bytes), limits: limits).record ?? Value.Record()).fields
      where self[member.name] == nil {
        self[member.name] = member.value
      }
    } catch { return }
  }
}
