// Makes a compiled list out of arranged words.
// Invariant: the same words, policy and source give the same bytes.

/// What a compiled file says about the list it was made from.
struct SourceStamp: Equatable {
  var bytes: UInt64 = 0
  /// Nanoseconds since 1970, of the newest of the list's files.
  var time: Int64 = 0
  var hash: UInt64 = 0
}

struct IndexBuilder {
  private let words: WordCollection
  private let policy: UInt32
  private let source: SourceStamp
  private let name: String
  private let alphabet: Alphabet
  private let offsetBits: Int
  private var offsets: [UInt32] = []
  private var sections = [[UInt8]](repeating: [], count: IndexLayout.Section.allCases.count)

  /// `words` must be arranged.
  init(words: WordCollection, policy: UInt32, source: SourceStamp, name: String) {
    self.words = words
    self.policy = policy
    self.source = source
    self.name = name
    alphabet = Alphabet(of: words)
    let heapBytes = words.entries.reduce(IndexLayout.headBytes) { $0 + 1 + Int($1.bytes) }
    offsetBits = max(8, heapBytes.bitWidth - heapBytes.leadingZeroBitCount)
  }

  /// The bytes of the compiled list.
  mutating func build() -> [UInt8] {
    writeHeap()
    writeTable()
    writeAnagrams()
    writeBlocksAndPlanes()
    set(.samples, to: stride(from: 0, to: offsets.count, by: IndexLayout.sampleStep).map { offsets[$0] })
    set(.letters, to: alphabet.encoded)
    set(.name, to: Array(name.utf8))
    return assemble()
  }

  private mutating func set(_ section: IndexLayout.Section, to values: [some FixedWidthInteger]) {
    sections[section.rawValue] = values.withUnsafeBytes { Array($0) }
  }

  private func bytes(of entry: WordCollection.Entry) -> ArraySlice<UInt8> {
    words.heap[Int(entry.offset)..<Int(entry.offset) + Int(entry.bytes)]
  }

  private mutating func writeHeap() {
    var heap = [UInt8](repeating: 0, count: IndexLayout.headBytes)
    heap.reserveCapacity(words.heap.count + words.entries.count + IndexLayout.guardBytes)
    offsets.reserveCapacity(words.entries.count)
    for entry in words.entries {
      offsets.append(UInt32(truncatingIfNeeded: heap.count))
      heap.append(entry.bytes)
      heap.append(contentsOf: bytes(of: entry))
    }
    heap.append(contentsOf: [UInt8](repeating: 0, count: IndexLayout.guardBytes))
    set(.heap, to: heap)
  }

  private mutating func writeTable() {
    let slots = words.heap.withUnsafeBytes { heap in
      let hashed = zip(words.entries, offsets).lazy.compactMap { entry, offset in
        heap.baseAddress.map { (hash: WordHash.of($0 + Int(entry.offset), Int(entry.bytes)), offset: offset) }
      }
      return SlotTable.slots(hashed, count: offsets.count, offsetBits: offsetBits)
    }
    set(.table, to: slots)
  }

  private mutating func writeAnagrams() {
    let values = alphabet.letterHashes
    let hashes = words.entries.map { entry in
      alphabet.codes(of: bytes(of: entry)).reduce(0) { $0 &+ values[Int($1)] }
    }
    set(.bitmap, to: bitmap(of: hashes))
    // A counting sort by bucket: how many each has, then where each begins, then every word to its place.
    let bucketCount = AnagramTable.buckets(for: offsets.count)
    var starts = [UInt32](repeating: 0, count: bucketCount + 1)
    let buckets = hashes.map { AnagramTable.bucket(of: $0, in: bucketCount) }
    for bucket in buckets { starts[bucket + 1] += 1 }
    for bucket in 1..<starts.count { starts[bucket] += starts[bucket - 1] }
    var next = starts
    var slots = [UInt64](repeating: 0, count: offsets.count + AnagramTable.stride)
    for (index, bucket) in buckets.enumerated() {
      slots[Int(next[bucket])] = AnagramTable.slot(
        hash: hashes[index], offset: offsets[index], offsetBits: UInt64(offsetBits))
      next[bucket] += 1
    }
    set(.buckets, to: starts)
    set(.anagrams, to: slots)
  }

  /// The bits of the anagram bitmap: 12 to 24 for each word.
  private var bitmapBits: Int { max(9, (offsets.count * 12).bitWidth - (offsets.count * 12).leadingZeroBitCount) }

  private func bitmap(of hashes: [UInt64]) -> [UInt64] {
    var bitmap = [UInt64](repeating: 0, count: 1 << (bitmapBits - 6))
    for hash in hashes {
      let bit = Int(truncatingIfNeeded: hash & (1 << UInt64(bitmapBits) - 1))
      bitmap[bit >> 6] |= 1 << UInt64(bit & 63)
    }
    return bitmap
  }

  private mutating func writeBlocksAndPlanes() {
    var blocks = [UInt32](repeating: 0, count: IndexLayout.blockCount * IndexLayout.blockFields)
    var planes: [UInt64] = []
    var first = 0
    while first < words.entries.count {
      let length = Int(words.entries[first].letters)
      let end = words.entries[first...].firstIndex { Int($0.letters) != length } ?? words.entries.count
      let field = length * IndexLayout.blockFields
      blocks[field] = UInt32(truncatingIfNeeded: first)
      blocks[field + 1] = UInt32(truncatingIfNeeded: end - first)
      blocks[field + 2] = UInt32(truncatingIfNeeded: planes.count)
      planes.append(contentsOf: planesOfBlock(first..<end, length: length))
      first = end
    }
    set(.blocks, to: blocks)
    set(.planes, to: planes)
  }

  private func planesOfBlock(_ range: Range<Int>, length: Int) -> [UInt64] {
    let stride = (range.count + 63) / 64
    var planes = [UInt64](repeating: 0, count: stride * length * alphabet.planeCount)
    for index in range {
      let row = index - range.lowerBound
      for (position, code) in alphabet.codes(of: bytes(of: words.entries[index])).enumerated() {
        for plane in 0..<alphabet.planeCount where code >> UInt16(plane) & 1 == 1 {
          planes[(position * alphabet.planeCount + plane) * stride + row >> 6] |= 1 << UInt64(row & 63)
        }
      }
    }
    return planes
  }

  private func assemble() -> [UInt8] {
    var compiled = [UInt8](repeating: 0, count: IndexLayout.headerBytes)
    for section in IndexLayout.Section.allCases {
      let field = IndexLayout.Field.sections.rawValue + section.rawValue * 16
      put(UInt64(compiled.count), at: field, in: &compiled)
      put(UInt64(sections[section.rawValue].count), at: field + 8, in: &compiled)
      compiled.append(contentsOf: sections[section.rawValue])
      compiled.append(contentsOf: [UInt8](repeating: 0, count: IndexLayout.aligned(compiled.count) - compiled.count))
    }
    writeHeader(&compiled)
    return compiled
  }

  private func writeHeader(_ compiled: inout [UInt8]) {
    put(IndexLayout.magic, .magic, &compiled)
    put(IndexLayout.version, .version, &compiled)
    put(policy, .policy, &compiled)
    put(UInt64(compiled.count), .totalBytes, &compiled)
    put(source.bytes, .sourceBytes, &compiled)
    put(source.time, .sourceTime, &compiled)
    put(source.hash, .sourceHash, &compiled)
    put(UInt32(truncatingIfNeeded: words.entries.count), .wordCount, &compiled)
    put(UInt32(truncatingIfNeeded: alphabet.count), .letterCount, &compiled)
    put(UInt32(truncatingIfNeeded: offsetBits), .offsetBits, &compiled)
    put(UInt32(truncatingIfNeeded: bitmapBits), .bitmapBits, &compiled)
    put(UInt32(truncatingIfNeeded: alphabet.planeCount), .planeCount, &compiled)
    for (index, count) in words.report.counts.enumerated() {
      put(UInt32(clamping: count), at: IndexLayout.Field.dropCounts.rawValue + index * 4, in: &compiled)
    }
    put(compiled.withUnsafeBytes(imageChecksum(of:)), .checksum, &compiled)
  }

  private func put(_ value: some FixedWidthInteger, _ field: IndexLayout.Field, _ compiled: inout [UInt8]) {
    put(value, at: field.rawValue, in: &compiled)
  }

  private func put<Value: FixedWidthInteger>(_ value: Value, at offset: Int, in compiled: inout [UInt8]) {
    compiled.withUnsafeMutableBytes { $0.storeBytes(of: value.littleEndian, toByteOffset: offset, as: Value.self) }
  }
}
