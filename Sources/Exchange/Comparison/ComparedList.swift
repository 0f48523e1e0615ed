// The entries of one kind, packed into a block of bytes, because a comparison of files holds millions of them.
// Invariant: keys are unique within a list; an entry is returned as it was appended.

/// Numbers and texts as bytes; each text follows its length, which is one byte for a short text.
struct PackedWriter {
  private(set) var bytes: [UInt8] = []

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

/// Records of a `PackedWriter`, one after the other.
struct PackedRecords: Sendable {
  private var block = PackedWriter()
  private var starts: [Int] = []
  private var record = PackedWriter()

  var count: Int { starts.count }
  subscript(place: Int) -> PackedReader { PackedReader(block.bytes, at: starts[place]) }

  mutating func append(_ write: (inout PackedWriter) -> Void) {
    starts.append(0)
    replace(count - 1, write)
  }

  mutating func replace(_ place: Int, _ write: (inout PackedWriter) -> Void) {
    starts[place] = block.bytes.count
    record.removeAll()
    write(&record)
    block.data(record.bytes)
  }
}

public struct ComparedList: Sendable {
  /// Of each entry: the number of its field names, the key, the title, the values, the tags.
  private var records = PackedRecords()
  private var names: [FieldNames] = []
  private var nameNumbers: [[String]: Int] = [:]
  private var conflicts: [Int: [MergeConflict]] = [:]
  /// A hash table of the keys: the place of an entry plus one, or 0. At most half of the slots are taken.
  private var slots: [UInt32] = [0, 0]
  private var suffixes: [String: Int] = [:]

  public init(_ entries: some Sequence<ComparedEntry> = [ComparedEntry]()) {
    for entry in entries { append(entry) }
  }

  public var count: Int { records.count }
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
    var reader = records[place]
    _ = reader.number()
    return reader.text()
  }

  func entry(at place: Int) -> ComparedEntry {
    var reader = records[place]
    let names = names[reader.number()]
    var entry = ComparedEntry(
      key: reader.text(), title: reader.text(), fields: names, values: reader.texts(), tags: reader.texts())
    entry.conflicts = conflicts(at: place)
    return entry
  }

  /// Whether an entry is the same as one of another list.
  func isSame(_ place: Int, as other: ComparedList, _ otherPlace: Int) -> Bool {
    var (one, two) = (records[place], other.records[otherPlace])
    let (names, others) = (names[one.number()], other.names[two.number()])
    if names === others || names.list == others.list, one.rest == two.rest,
      conflicts[place] == other.conflicts[otherPlace]
    {
      return true
    }
    return entry(at: place).isSame(as: other.entry(at: otherPlace))
  }

  // MARK: Changing

  /// Appends an entry. If its key is taken, it gets a number as a suffix.
  /// - Returns: the key that the entry got.
  @discardableResult
  mutating func append(_ entry: ComparedEntry) -> String {
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
    let names = number(of: entry.fields)
    records.append { Self.write(entry, key, names, to: &$0) }
    take(slot)
    if !entry.conflicts.isEmpty { conflicts[count - 1] = entry.conflicts }
    return key
  }

  /// Appends an entry of another list, whose key is not taken.
  mutating func append(_ place: Int, of other: ComparedList) {
    let slot = slot(of: other.key(at: place))
    var reader = other.records[place]
    let names = number(of: other.names[reader.number()])
    records.append {
      $0.number(names)
      $0.rest(reader.rest)
    }
    take(slot)
    if let found = other.conflicts[place] { conflicts[count - 1] = found }
  }

  mutating func update(_ key: String, _ change: (inout ComparedEntry) -> Void) {
    guard let place = place(of: key) else { return }
    var entry = entry(at: place)
    change(&entry)
    let names = number(of: entry.fields)
    records.replace(place) { Self.write(entry, key, names, to: &$0) }
    conflicts[place] = entry.conflicts.isEmpty ? nil : entry.conflicts
  }

  /// Returns the list with a change to each entry.
  func updated(_ change: (inout ComparedEntry) -> Void) -> ComparedList {
    var list = ComparedList()
    for var entry in entries {
      change(&entry)
      list.append(entry)
    }
    return list
  }

  // MARK: Packing

  private static func write(_ entry: ComparedEntry, _ key: String, _ names: Int, to record: inout PackedWriter) {
    record.number(names)
    record.data(key.utf8)
    record.data((entry.title == entry.values.first ? "" : entry.title).utf8)
    record.texts(entry.values)
    record.texts(entry.tags)
  }

  private mutating func number(of fields: FieldNames) -> Int {
    if let last = names.last, last === fields { return names.count - 1 }
    if let known = nameNumbers[fields.list] { return known }
    names.append(fields)
    nameNumbers[fields.list] = names.count - 1
    return names.count - 1
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

public struct ComparedContent: Sendable {
  private var lists: [ComparedKind: ComparedList] = [:]

  public init() {}

  public subscript(kind: ComparedKind) -> ComparedList {
    get { lists[kind] ?? ComparedList() }
    _modify { yield &lists[kind, default: ComparedList()] }
  }
}
