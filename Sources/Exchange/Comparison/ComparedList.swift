// The entries of one kind, packed into blocks of bytes, because a comparison of files holds millions of them.
// Invariant: keys are unique within a list; an entry is returned as it was appended; lists that share records keep an
// entry once that is the same in several.

/// Numbers and texts as bytes; each text follows its length, which is one byte for a short text.
struct PackedWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  mutating func number(_ number: Int) {
    bytes.append(UInt8(clamping: number))
    if number >= 255 { withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) } }
  }

  mutating func data(_ data: some Collection<UInt8>) {
    number(data.count)
    bytes.append(contentsOf: data)
  }

  mutating func texts(_ texts: [String]) {
    number(texts.count)
    for text in texts { data(text.utf8) }
  }

  /// Appends bytes that end the record, so that they need no length.
  mutating func rest(_ bytes: some Collection<UInt8>) { self.bytes.append(contentsOf: bytes) }
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }
}

/// Reads what a `PackedWriter` wrote, in the same order.
struct PackedReader {
  private let bytes: [UInt8]
  private var place: Int
  private var end: Int

  fileprivate init(_ bytes: [UInt8], at place: Int) {
    (self.bytes, self.place, end) = (bytes, place, bytes.count)
    let count = number()
    end = self.place + count
  }

  var rest: ArraySlice<UInt8> { bytes[place..<end] }

  mutating func number() -> Int {
    defer { place += 1 }
    if bytes[place] < 255 { return Int(bytes[place]) }
    defer { place += MemoryLayout<Int>.size }
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place + 1, as: Int.self) }
  }

  mutating func data() -> ArraySlice<UInt8> {
    let count = number()
    defer { place += count }
    return bytes[place..<place + count]
  }

  mutating func text() -> String { String(decoding: data(), as: UTF8.self) }
  mutating func texts() -> [String] { (0..<number()).map { _ in text() } }
}

/// What is written with a `PackedWriter` for the entries of lists, and the names of their fields.
/// Invariant: a record never changes, so a list keeps its entries when another one that shares its records changes.
final class PackedRecords {
  private static let blockSize = 1 << 20
  /// Many blocks, because one that has to grow is there twice while it is copied.
  private var blocks: [PackedWriter] = []
  private(set) var names: [FieldNames] = []
  private var nameNumbers: [[String]: Int] = [:]

  /// - Parameter start: what `append` returned.
  subscript(start: Int) -> PackedReader { PackedReader(blocks[start >> 32].bytes, at: start & 0xFFFF_FFFF) }

  /// - Returns: where the record starts.
  func append(_ record: [UInt8]) -> Int {
    if blocks.last.map({ $0.bytes.count + record.count > Self.blockSize }) ?? true {
      blocks.append(PackedWriter(capacity: Self.blockSize))
    }
    let start = blocks[blocks.count - 1].bytes.count
    blocks[blocks.count - 1].data(record)
    return (blocks.count - 1) << 32 | start
  }

  func number(of fields: FieldNames) -> Int {
    if let last = names.last, last === fields { return names.count - 1 }
    if let known = nameNumbers[fields.list] { return known }
    names.append(fields)
    nameNumbers[fields.list] = names.count - 1
    return names.count - 1
  }
}

public struct ComparedList {
  /// Of each entry: the number of its field names, what else is kept, the key, the title, the values, the tags.
  private let records: PackedRecords
  private var starts: [Int] = []
  private var conflicts: [Int: [MergeConflict]] = [:]
  /// A hash table of the keys: the place of an entry plus one, or 0. At most half of the slots are taken.
  private var slots: [UInt32] = [0, 0]
  private var suffixes: [String: Int] = [:]
  private var record = PackedWriter()
  /// The place of the next entry in the list that probably has it, if both have the same order.
  private var next = 0

  init(_ records: PackedRecords) { self.records = records }

  public init(_ entries: some Sequence<ComparedEntry> = [ComparedEntry]()) {
    self.init(PackedRecords())
    for entry in entries { append(entry) }
  }

  public var count: Int { starts.count }
  public var keys: some RandomAccessCollection<String> { (0..<count).lazy.map(key(at:)) }
  public var entries: some RandomAccessCollection<ComparedEntry> { (0..<count).lazy.map(entry(at:)) }
  func conflicts(at place: Int) -> [MergeConflict] { conflicts[place] ?? [] }
  var allConflicts: [MergeConflict] { conflicts.sorted { $0.key < $1.key }.flatMap(\.value) }

  public subscript(key: String) -> ComparedEntry? { place(of: key).map(entry(at:)) }

  func place(of key: String) -> Int? {
    let taken = slots[slot(of: key)]
    return taken > 0 ? Int(taken) - 1 : nil
  }

  func key(at place: Int) -> String {
    var reader = records[starts[place]]
    _ = (reader.number(), reader.data())
    return reader.text()
  }

  func entry(at place: Int) -> ComparedEntry {
    var (names, _, reader) = parts(at: place)
    var entry = ComparedEntry(
      key: reader.text(), title: reader.text(), fields: names, values: reader.texts(), tags: reader.texts())
    entry.conflicts = conflicts(at: place)
    return entry
  }

  private func parts(at place: Int) -> (names: FieldNames, kept: ArraySlice<UInt8>, content: PackedReader) {
    var reader = records[starts[place]]
    return (records.names[reader.number()], reader.data(), reader)
  }

  /// Whether an entry is the same as one of another list.
  func isSame(_ place: Int, as other: ComparedList, _ otherPlace: Int) -> Bool {
    if conflicts[place] == other.conflicts[otherPlace] {
      if records === other.records, starts[place] == other.starts[otherPlace] { return true }
      let (one, two) = (parts(at: place), other.parts(at: otherPlace))
      let haveSameNames = one.names === two.names || one.names.list == two.names.list
      if haveSameNames, one.content.rest == two.content.rest { return true }
    }
    return entry(at: place).isSame(as: other.entry(at: otherPlace))
  }

  /// Returns the place of the entry that is the same as one of another list; nil if there is none.
  func place(ofSameAs place: Int, in other: ComparedList, next: inout Int) -> Int? {
    self.place(of: place, in: other, next: &next).flatMap { isSame($0, as: other, place) ? $0 : nil }
  }

  /// Returns the place of the entry that has the key of one of another list; nil if there is none.
  /// - Parameter next: its place if both lists have the same order; becomes the place after it.
  func place(of place: Int, in other: ComparedList, next: inout Int) -> Int? {
    let isNext = next < count && records === other.records && starts[next] == other.starts[place]
    let found = isNext ? next : self.place(of: other.key(at: place))
    next = (found ?? next) + 1
    return found
  }

  func kept(at place: Int) -> ArraySlice<UInt8> { parts(at: place).kept }

  // MARK: Changing

  /// Appends an entry. If its key is taken, it gets a number as a suffix.
  /// - Parameters:
  ///   - kept: what is to be kept with the entry, until it is updated.
  ///   - likely: a list that probably has the same entry, which is there once if they share records.
  /// - Returns: the key that the entry got.
  @discardableResult
  mutating func append(_ entry: ComparedEntry, keeping kept: [UInt8] = [], likely: ComparedList? = nil) -> String {
    if let likely, count == 0 { reserve(likely) }
    var (key, slot) = (entry.key, slot(of: entry.key))
    if slots[slot] > 0 {
      var number = suffixes[key] ?? 2
      repeat {
        key = "\(entry.key)#\(number)"
        slot = self.slot(of: key)
        number += 1
      } while slots[slot] > 0
      suffixes[entry.key] = number
    }
    write(entry, key, kept)
    let known = likely.flatMap { $0.records === records ? start(key, in: $0) : nil }
    starts.append(known ?? records.append(record.bytes))
    take(slot)
    if !entry.conflicts.isEmpty { conflicts[count - 1] = entry.conflicts }
    return key
  }

  /// Appends an entry of another list, whose key is not taken.
  mutating func append(_ place: Int, of other: ComparedList) {
    guard records === other.records else {
      append(other.entry(at: place))
      return
    }
    let slot = slot(of: other.key(at: place))
    starts.append(other.starts[place])
    take(slot)
    if let found = other.conflicts[place] { conflicts[count - 1] = found }
  }

  /// Makes room in an empty list for as many entries as another one has.
  mutating func reserve(_ other: ComparedList) { slots = [UInt32](repeating: 0, count: other.slots.count) }

  mutating func update(_ key: String, _ change: (inout ComparedEntry) -> Void) {
    if let place = place(of: key) { update(at: place, change) }
  }

  /// Changes an entry, except for its key.
  mutating func update(at place: Int, _ change: (inout ComparedEntry) -> Void) {
    var entry = entry(at: place)
    let key = entry.key
    change(&entry)
    write(entry, key, [])
    if !isWritten(starts[place]) { starts[place] = records.append(record.bytes) }
    if entry.conflicts != conflicts(at: place) { conflicts[place] = entry.conflicts.isEmpty ? nil : entry.conflicts }
  }

  /// Changes each entry, except for its key.
  mutating func updateAll(_ change: (inout ComparedEntry) -> Void) {
    for place in 0..<count { update(at: place, change) }
  }

  // MARK: Packing

  private mutating func write(_ entry: ComparedEntry, _ key: String, _ kept: [UInt8]) {
    record.removeAll()
    record.number(records.number(of: entry.fields))
    record.data(kept)
    record.data(key.utf8)
    record.data((entry.title == entry.values.first ? "" : entry.title).utf8)
    record.texts(entry.values)
    record.texts(entry.tags)
  }

  private func isWritten(_ start: Int) -> Bool { records[start].rest == record.bytes[...] }

  /// Returns where in the likely list the written record starts; nil if it is not there.
  private mutating func start(_ key: String, in likely: ComparedList) -> Int? {
    if next >= likely.count || !isWritten(likely.starts[next]) {
      guard let place = likely.place(of: key), isWritten(likely.starts[place]) else { return nil }
      next = place
    }
    next += 1
    return likely.starts[next - 1]
  }

  private func slot(of key: String) -> Int {
    var slot = key.hashValue & (slots.count - 1)
    while slots[slot] > 0, self.key(at: Int(slots[slot]) - 1) != key { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }

  /// Enters the last entry into the hash table.
  private mutating func take(_ slot: Int) {
    slots[slot] = UInt32(count)
    if count * 2 <= slots.count { return }
    slots = [UInt32](repeating: 0, count: slots.count * 2)
    for place in 0..<count { slots[self.slot(of: key(at: place))] = UInt32(place + 1) }
  }
}

public struct ComparedContent {
  private var lists: [ComparedKind: ComparedList] = [:]
  let records: PackedRecords

  init(_ records: PackedRecords) { self.records = records }

  public init() { self.init(PackedRecords()) }

  public subscript(kind: ComparedKind) -> ComparedList {
    get { lists[kind] ?? ComparedList(records) }
    _modify { yield &lists[kind, default: ComparedList(records)] }
  }
}
