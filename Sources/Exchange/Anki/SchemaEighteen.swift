// Reads note types, decks and presets from schema 18, which stores them in tables as protocol buffers (protobuf.dev,
// "Encoding"). Source: the descriptors in Anki's own package. Invariant: each is returned in the form of schema 11; no
// byte outside a message is read; a varint that is too long ends reading with an error.

import Decks
import Storage
import Templates
import Text
import Values

struct SchemaEighteen {
  let db: Database

  func read(into contents: inout PackageContents) throws {
    try readTypes(into: &contents)
    try db.forEachRow("SELECT id, name, kind FROM decks") { row in
      contents.decks[row.integer(0)] = try deck(named: row.text(1), Array(row.blob(2))[...])
    }
    try db.forEachRow("SELECT id, name, config FROM deck_config") { row in
      contents.presets[row.integer(0)] = try preset(named: row.text(1), Array(row.blob(2))[...])
    }
  }

  /// Reads the settings that an import needs; schema 14 has the same table.
  func readSettings(into contents: inout PackageContents) throws {
    for key in ["creationOffset", "localOffset", "rollover", "fsrs", "schedVer"] {
      try db.forEachRow("SELECT val FROM config WHERE KEY = ?", [key]) { row in
        guard let value = ServerRows.parse(row.text(0)) else { throw WireFault() }
        contents.settings[key] = value
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
      try type.set(Self.typeMembers, from: Array(row.blob(3))[...])
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
    try record.set(Self.fieldMembers, from: config)
    return .record(record)
  }

  private func template(named name: String, _ config: ArraySlice<UInt8>) throws -> Value {
    var record: Value.Record = [
      "name": .text(name), "qfmt": .text(""), "afmt": .text(""), "bqfmt": .text(""), "bafmt": .text(""), "did": .null,
      "bfont": .text(""), "bsize": .integer(0),
    ]
    try record.set(Self.templateMembers, from: config)
    return .record(record)
  }

  private static let typeMembers: [Int: (key: String, kind: Kind)] = [
    1: ("type", .whole), 2: ("sortf", .whole), 3: ("css", .text), 5: ("latexPre", .text), 6: ("latexPost", .text),
    7: ("latexsvg", .flag), 9: ("originalStockKind", .whole), 10: ("originalId", .whole),
  ]
  private static let fieldMembers: [Int: (key: String, kind: Kind)] = [
    1: ("sticky", .flag), 2: ("rtl", .flag), 3: ("font", .text), 4: ("size", .whole), 5: ("description", .text),
    6: ("plainText", .flag), 7: ("collapsed", .flag), 8: ("excludeFromSearch", .flag), 9: ("id", .whole),
    10: ("tag", .whole), 11: ("preventDeletion", .flag),
  ]
  /// Without 5, the id of a target deck in the other collection, which has no meaning here.
  private static let templateMembers: [Int: (key: String, kind: Kind)] = [
    1: ("qfmt", .text), 2: ("afmt", .text), 3: ("bqfmt", .text), 4: ("bafmt", .text), 6: ("bfont", .text),
    7: ("bsize", .whole), 8: ("id", .whole),
  ]

  // MARK: Decks

  private func deck(named name: String, _ kind: ArraySlice<UInt8>) throws -> PackagedDeck {
    let parts = name.split(separator: "\u{1F}", omittingEmptySubsequences: false)
    var deck = SentHead.deck(0, name: parts.joined(separator: "::"), modified: 0, preset: nil, DeckLimits())
    deck["conf"] = nil
    for field in try ProtobufReader.fields(kind) {
      if field.number == 2 { deck["dyn"] = .integer(1) }
      guard field.number == 1 else { continue }
      try deck.set(Self.deckMembers, from: field.bytes)
      if let retention = deck["desiredRetention"]?.double { deck["desiredRetention"] = .number(retention * 100) }
    }
    return PackagedDeck(old: deck)
  }

  private static let deckMembers: [Int: (key: String, kind: Kind)] = [
    1: ("conf", .whole), 2: ("extendNew", .whole), 3: ("extendRev", .whole), 4: ("desc", .text), 5: ("md", .flag),
    6: ("reviewLimit", .whole), 7: ("newLimit", .whole), 10: ("desiredRetention", .measure),
  ]

  // MARK: Presets

  private func preset(named name: String, _ config: ArraySlice<UInt8>) throws -> PackagedPreset {
    let fields = try ProtobufReader.fields(config)
    var record: Value.Record = ["name": .text(name)]
    func set(_ group: String?, _ key: String, _ value: Value) {
      guard let group else { return record[key] = value }
      var inner = record[group]?.record ?? Value.Record()
      inner[key] = value
      record[group] = .record(inner)
    }
    for member in SchemaEighteen.members {
      let found = fields.filter { $0.number == member.number }
      if let value = member.kind.value(found) { set(member.group, member.key, value) }
    }
    let numbers = Dictionary(fields.map { ($0.number, $0) }) { $1 }
    // Schema 11 has the opposite numbers for the order, and one list for the two intervals.
    set("new", "order", .integer(numbers[20]?.integer == 1 ? 0 : 1))
    set("new", "ints", .list([18, 19].map { .integer(numbers[$0]?.integer ?? 0) } + [.integer(0)]))
    set("new", "initialFactor", .integer(Int(min(100, max(0, numbers[11]?.float ?? 2.5)) * 1000)))
    if let other = numbers[255] { record.add(other: other) }
    return PackagedPreset(old: record)
  }

  fileprivate enum Kind {
    /// A missing value of a preset is 0, empty or false; `noFlag` stores the negated flag.
    case whole, measure, measures, flag, noFlag
    /// A missing value is left out, so that the default applies.
    case wholeOrNone, measureOrNone, text

    func value(_ found: [WireField]) -> Value? {
      switch self {
      case .whole: .integer(found.last?.integer ?? 0)
      case .flag: .boolean(found.last?.flag ?? false)
      case .noFlag: .boolean(!(found.last?.flag ?? false))
      case .wholeOrNone: found.last.map { .integer($0.integer) }
      case .measure: .number(found.last?.float ?? 0)
      case .measureOrNone: found.last.map { .number($0.float) }
      case .text: found.last.map { .text($0.text) }
      case .measures: .list(found.flatMap(\.floats).map { .number($0) })
      }
    }
  }

  private static let members: [(number: Int, group: String?, key: String, kind: Kind)] = [
    (1, "new", "delays", .measures), (9, "new", "perDay", .whole), (27, "new", "bury", .flag),
    (10, "rev", "perDay", .whole), (12, "rev", "ease4", .measure), (13, "rev", "hardFactor", .measure),
    (15, "rev", "ivlFct", .measure), (16, "rev", "maxIvl", .wholeOrNone), (28, "rev", "bury", .flag),
    (2, "lapse", "delays", .measures), (14, "lapse", "mult", .measure), (17, "lapse", "minInt", .wholeOrNone),
    (21, "lapse", "leechAction", .whole), (22, "lapse", "leechFails", .wholeOrNone),
    (3, nil, "fsrsWeights", .measures), (4, nil, "easyDaysPercentages", .measures), (5, nil, "fsrsParams5", .measures),
    (6, nil, "fsrsParams6", .measures), (23, nil, "autoplay", .noFlag), (24, nil, "maxTaken", .wholeOrNone),
    (25, nil, "timer", .whole), (26, nil, "replayq", .noFlag), (29, nil, "buryInterdayLearning", .flag),
    (30, nil, "newMix", .whole), (31, nil, "interdayLearningMix", .whole), (32, nil, "newSortOrder", .whole),
    (33, nil, "reviewOrder", .whole), (34, nil, "newGatherPriority", .whole), (35, nil, "newPerDayMinimum", .whole),
    (36, nil, "questionAction", .whole), (37, nil, "desiredRetention", .measureOrNone),
    (38, nil, "stopTimerOnAnswer", .flag),
    (40, nil, "sm2Retention", .measureOrNone), (41, nil, "secondsToShowQuestion", .measure),
    (42, nil, "secondsToShowAnswer", .measure), (43, nil, "answerAction", .whole), (44, nil, "waitForAudio", .flag),
    (45, nil, "weightSearch", .text), (46, nil, "ignoreRevlogsBeforeDate", .text),
  ]
}

extension Value.Record {
  fileprivate mutating func set(
    _ members: [Int: (key: String, kind: SchemaEighteen.Kind)], from message: ArraySlice<UInt8>
  ) throws {
    for field in try ProtobufReader.fields(message) {
      if field.number == 255 { add(other: field) }
      if let (key, kind) = members[field.number] { self[key] = kind.value([field]) }
    }
  }

  fileprivate mutating func add(other field: WireField) {
    self = adding(ServerRows.record(field.text))
  }
}

/// The bytes of a message are malformed.
struct WireFault: Error {}

struct WireField {
  enum Content {
    case number(UInt64)
    case float(Float)
    case bytes(ArraySlice<UInt8>)
  }

  let number: Int
  let content: Content

  var integer: Int { if case .number(let value) = content { Int(truncatingIfNeeded: value) } else { 0 } }
  var flag: Bool { integer != 0 }
  var float: Double { if case .float(let value) = content { WireField.typed(value) } else { 0 } }
  var bytes: ArraySlice<UInt8> { if case .bytes(let bytes) = content { bytes } else { [] } }
  var text: String { String(decoding: bytes, as: UTF8.self) }

  var floats: [Double] {
    switch content {
    case .float: return [float]
    case .number: return []
    case .bytes(let bytes):
      return stride(from: bytes.startIndex, to: bytes.endIndex - bytes.count % 4, by: 4).map { start in
        let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1)) }
        return WireField.typed(Float(bitPattern: bits))
      }
    }
  }

  /// The number that was typed: 0.9, not 0.8999999761; 0 for one that is not finite.
  private static func typed(_ value: Float) -> Double { value.isFinite ? Double(value.description) ?? 0 : 0 }
}

/// Iterates over the fields of a message.
///
///     var reader = ProtobufReader(bytes)
///     while let field = try reader.next() { ... }
struct ProtobufReader {
  private let bytes: ArraySlice<UInt8>
  private var place: Int

  init(_ bytes: ArraySlice<UInt8>) { (self.bytes, place) = (bytes, bytes.startIndex) }

  static func fields(_ bytes: ArraySlice<UInt8>) throws(WireFault) -> [WireField] {
    var (reader, found) = (ProtobufReader(bytes), [WireField]())
    while let field = try reader.next() { found.append(field) }
    return found
  }

  /// Returns the next field; nil at the end.
  mutating func next() throws(WireFault) -> WireField? {
    if place == bytes.endIndex { return nil }
    let key = try varint()
    let number = Int(truncatingIfNeeded: key >> 3)
    switch key & 7 {
    case 0: return WireField(number: number, content: .number(try varint()))
    case 1: return WireField(number: number, content: .number(try fixed(8)))
    case 2:
      let count = try varint()
      guard count <= UInt64(bytes.endIndex - place) else { throw WireFault() }
      defer { place += Int(count) }
      return WireField(number: number, content: .bytes(bytes[place..<place + Int(count)]))
    case 5:
      return WireField(number: number, content: .float(Float(bitPattern: UInt32(truncatingIfNeeded: try fixed(4)))))
    default: throw WireFault()
    }
  }

  private mutating func varint() throws(WireFault) -> UInt64 {
    var (value, shift) = (UInt64(0), UInt64(0))
    while shift < 64 {
      guard place < bytes.endIndex else { throw WireFault() }
      let byte = bytes[place]
      place += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw WireFault()
  }

  private mutating func fixed(_ count: Int) throws(WireFault) -> UInt64 {
    guard bytes.endIndex - place >= count else { throw WireFault() }
    defer { place += count }
    return (0..<count).reduce(UInt64(0)) { $0 | UInt64(bytes[place + $1]) << (8 * UInt64($1)) }
  }
}

struct ProtobufWriter {
  private(set) var bytes: [UInt8] = []

  mutating func number(_ field: Int, _ value: Int) {
    varint(UInt64(field) << 3)
    varint(UInt64(bitPattern: Int64(value)))
  }

  mutating func bytes(_ field: Int, _ value: some Collection<UInt8>) {
    varint(UInt64(field) << 3 | 2)
    varint(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
