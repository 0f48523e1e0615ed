// The affixes of a dictionary in flat memory, and forms in memory that is reused: a list of a million words is expanded
// without an allocation for each form. Invariant: the range of a `Run` lies inside its array, and a form never exceeds
// the capacity of its buffer, which is the longest line plus everything that affixes may add to it.

/// Affixes, by flag and by the letter at the edge of the words that take them.
final class PackedAffixes {
  /// A range of elements of one of the tables.
  struct Run {
    var start = 0
    var count = 0
  }

  struct Entry {
    fileprivate let strip: Run
    fileprivate let stripBytes: Int
    fileprivate let add: Run
    fileprivate let addBytes: Run
    fileprivate let condition: Run
    fileprivate let flags: Run
  }

  /// The affixes of a group for words with a certain letter at their edge, or with any letter.
  struct Edge {
    let letter: UInt32
    let isAny: Bool
    fileprivate let entries: Run
  }

  /// The affixes of a flag; no edges if there are none.
  struct Group {
    var crosses = false
    fileprivate var edges = Run()
  }

  fileprivate struct Letter {
    enum Kind { case any, oneOf, noneOf }
    let kind: Kind
    let scalars: Run
  }

  private let prefixGroups: UnsafeBufferPointer<Group>
  private let suffixGroups: UnsafeBufferPointer<Group>
  private let edges: UnsafeBufferPointer<Edge>
  private let entries: UnsafeBufferPointer<Entry>
  private let conditionLetters: UnsafeBufferPointer<Letter>
  private let scalars: UnsafeBufferPointer<UInt32>
  private let bytes: UnsafeBufferPointer<UInt8>
  /// The most bytes that one affix adds.
  let longestAddition: Int

  init(_ rules: AffixRules) {
    var packing = AffixPacking()
    for (flag, group) in rules.prefixes { packing.prefixGroups[Int(flag)] = packing.pack(group) }
    for (flag, group) in rules.suffixes { packing.suffixGroups[Int(flag)] = packing.pack(group) }
    prefixGroups = Self.stored(packing.prefixGroups)
    suffixGroups = Self.stored(packing.suffixGroups)
    edges = Self.stored(packing.edges)
    entries = Self.stored(packing.entries)
    conditionLetters = Self.stored(packing.conditionLetters)
    scalars = Self.stored(packing.scalars)
    bytes = Self.stored(packing.bytes)
    longestAddition = packing.longestAddition
  }

  deinit {
    prefixGroups.deallocate()
    suffixGroups.deallocate()
    edges.deallocate()
    entries.deallocate()
    conditionLetters.deallocate()
    scalars.deallocate()
    bytes.deallocate()
  }

  private static func stored<Element: BitwiseCopyable>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
    let memory = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
    _ = memory.initialize(from: elements)
    return UnsafeBufferPointer(memory)
  }

  @inline(__always)
  private func slice<Element>(_ run: Run, of table: UnsafeBufferPointer<Element>) -> UnsafeBufferPointer<Element> {
    UnsafeBufferPointer(rebasing: table[run.start..<run.start + run.count])
  }

  func prefixes(of flag: UInt8) -> Group { prefixGroups[Int(flag)] }
  func suffixes(of flag: UInt8) -> Group { suffixGroups[Int(flag)] }
  func edges(of group: Group) -> UnsafeBufferPointer<Edge> { slice(group.edges, of: edges) }
  func entries(of edge: Edge) -> UnsafeBufferPointer<Entry> { slice(edge.entries, of: entries) }
  func flags(of entry: Entry) -> UnsafeBufferPointer<UInt8> { slice(entry.flags, of: bytes) }
  fileprivate func addedScalars(of entry: Entry) -> UnsafeBufferPointer<UInt32> { slice(entry.add, of: scalars) }
  fileprivate func addedBytes(of entry: Entry) -> UnsafeBufferPointer<UInt8> { slice(entry.addBytes, of: bytes) }

  /// Returns whether a suffix may be added to a form: its condition holds, and the form ends with what it removes.
  func fits(_ entry: Entry, atEndOf form: FormBuffer) -> Bool {
    guard form.letters >= entry.condition.count, form.letters >= entry.strip.count else { return false }
    return accepts(entry.condition, form.scalars + (form.letters - entry.condition.count))
      && isStripped(entry.strip, form.scalars + (form.letters - entry.strip.count))
  }

  /// Does the same for a prefix.
  func fits(_ entry: Entry, atStartOf form: FormBuffer) -> Bool {
    guard form.letters >= entry.condition.count, form.letters >= entry.strip.count else { return false }
    return accepts(entry.condition, form.scalars) && isStripped(entry.strip, form.scalars)
  }

  private func accepts(_ condition: Run, _ word: UnsafePointer<UInt32>) -> Bool {
    for (index, letter) in slice(condition, of: conditionLetters).enumerated() {
      if letter.kind == .any { continue }
      let isListed = slice(letter.scalars, of: scalars).contains(word[index])
      if isListed != (letter.kind == .oneOf) { return false }
    }
    return true
  }

  private func isStripped(_ strip: Run, _ word: UnsafePointer<UInt32>) -> Bool {
    for (index, scalar) in slice(strip, of: scalars).enumerated() where scalar != word[index] { return false }
    return true
  }

  fileprivate func stripped(of entry: Entry) -> (letters: Int, bytes: Int) { (entry.strip.count, entry.stripBytes) }
}

/// Collects affixes for flat memory.
private struct AffixPacking {
  typealias Run = PackedAffixes.Run

  var prefixGroups = [PackedAffixes.Group](repeating: .init(), count: 256)
  var suffixGroups = [PackedAffixes.Group](repeating: .init(), count: 256)
  var edges: [PackedAffixes.Edge] = []
  var entries: [PackedAffixes.Entry] = []
  var conditionLetters: [PackedAffixes.Letter] = []
  var scalars: [UInt32] = []
  var bytes: [UInt8] = []
  var longestAddition = 0

  mutating func pack(_ group: AffixGroup) -> PackedAffixes.Group {
    let packed = group.edges.filter { !$0.affixes.isEmpty }.map { letter, affixes in
      let own = affixes.map { pack(group.affixes[$0]) }
      return PackedAffixes.Edge(letter: letter ?? 0, isAny: letter == nil, entries: Self.append(own, to: &entries))
    }
    return PackedAffixes.Group(crosses: group.crosses, edges: Self.append(packed, to: &edges))
  }

  private mutating func pack(_ affix: Affix) -> PackedAffixes.Entry {
    longestAddition = max(longestAddition, affix.add.count)
    let condition = affix.condition.map { letter in
      switch letter {
      case .any: PackedAffixes.Letter(kind: .any, scalars: Run())
      case .oneOf(let letters): PackedAffixes.Letter(kind: .oneOf, scalars: Self.append(letters, to: &scalars))
      case .noneOf(let letters): PackedAffixes.Letter(kind: .noneOf, scalars: Self.append(letters, to: &scalars))
      }
    }
    return PackedAffixes.Entry(
      strip: Self.append(affix.strip, to: &scalars), stripBytes: affix.strip.reduce(0) { $0 + byteCount(of: $1) },
      add: Self.append(affix.addScalars, to: &scalars), addBytes: Self.append(affix.add, to: &bytes),
      condition: Self.append(condition, to: &conditionLetters), flags: Self.append(affix.flags, to: &bytes))
  }

  private static func append<Element>(_ elements: [Element], to table: inout [Element]) -> Run {
    defer { table += elements }
    return Run(start: table.count, count: elements.count)
  }

  /// Returns the number of bytes of a scalar in UTF-8.
  private func byteCount(of scalar: UInt32) -> Int { scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4 }
}

/// A form of a word, as letters and as UTF-8, in memory that is reused for the next form.
final class FormBuffer {
  let scalars: UnsafeMutablePointer<UInt32>
  private(set) var letters = 0
  private let bytes: UnsafeMutablePointer<UInt8>
  private var byteCount = 0

  /// Allocates room for `capacity` letters and as many bytes.
  init(capacity: Int) {
    scalars = .allocate(capacity: capacity)
    bytes = .allocate(capacity: capacity)
  }

  deinit {
    scalars.deallocate()
    bytes.deallocate()
  }

  var text: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: byteCount) }

  func set(_ word: Substring.UnicodeScalarView) {
    (letters, byteCount) = (0, 0)
    for scalar in word {
      scalars[letters] = scalar.value
      letters += 1
    }
    for byte in String(word).utf8 {
      bytes[byteCount] = byte
      byteCount += 1
    }
  }

  func set(_ form: FormBuffer, without entry: PackedAffixes.Entry, of affixes: PackedAffixes) {
    let strip = affixes.stripped(of: entry)
    (letters, byteCount) = (form.letters - strip.letters, form.byteCount - strip.bytes)
    scalars.update(from: form.scalars, count: letters)
    bytes.update(from: form.bytes, count: byteCount)
    let added = affixes.addedScalars(of: entry)
    if let start = added.baseAddress { (scalars + letters).update(from: start, count: added.count) }
    letters += added.count
    append(affixes.addedBytes(of: entry))
  }

  /// Sets this form to another one with a prefix that fits it. Only its bytes are set.
  func setPrefix(_ entry: PackedAffixes.Entry, on form: FormBuffer, of affixes: PackedAffixes) {
    (letters, byteCount) = (0, 0)
    append(affixes.addedBytes(of: entry))
    append(UnsafeBufferPointer(rebasing: form.text[affixes.stripped(of: entry).bytes...]))
  }

  private func append(_ text: UnsafeBufferPointer<UInt8>) {
    if let start = text.baseAddress { (bytes + byteCount).update(from: start, count: text.count) }
    byteCount += text.count
  }
}
