// Builds a compiled list from arranged words. Invariant: the same words, policy and source give the same bytes.

/// What a compiled file says about the list that it was built from.
struct ListStamp: Equatable {
  var bytes: UInt64 = 0
  /// The modification time of the newest of the list's files, in nanoseconds since 1970.
  var time: Int64 = 0
  var hash: UInt64 = 0
}

struct IndexBuilder {
  private let words: WordCollection
  private let policy: UInt32
  private let source: ListStamp
  private let name: String
  private let alphabet: Alphabet
  private let offsetBits: Int
  private var offsets: [UInt32] = []
  private var sections = [[UInt8]](repeating: [], count: IndexLayout.Section.allCases.count)

  /// `words` must be arranged.
  init(words: WordCollection, policy: UInt32, source: ListStamp, name: String) {
    (self.words, self.policy, self.source, self.name) = (words, policy, source, name)
    alphabet = Alphabet(of: words)
    let heapBytes = words.entries.reduce(IndexLayout.headBytes) { $0 + 1 + Int($1.bytes) }
    offsetBits = max(8, heapBytes.bitWidth - heapBytes.leadingZeroBitCount)
  }

  /// Returns the bytes of the compiled list.
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

  private mutating func writeHeap() {
    let size = words.entries.reduce(IndexLayout.headBytes + IndexLayout.guardBytes) { $0 + 1 + Int($1.bytes) }
    var heap = [UInt8](repeating: 0, count: size)
    offsets.reserveCapacity(words.entries.count)
    heap.withUnsafeMutableBytes { heap in
      words.heap.withUnsafeBytes { source in
        var end = IndexLayout.headBytes
        for entry in words.entries {
          offsets.append(UInt32(truncatingIfNeeded: end))
          heap[end] = entry.bytes
          let word = UnsafeRawBufferPointer(rebasing: source[Int(entry.offset)..<Int(entry.offset) + Int(entry.bytes)])
          UnsafeMutableRawBufferPointer(rebasing: heap[(end + 1)...]).copyMemory(from: word)
          end += 1 + word.count
        }
      }
    }
    set(.heap, to: heap)
  }

  private mutating func writeTable() {
    let slots = words.heap.withUnsafeBytes { heap in
      var hashes = [UInt64](repeating: 0, count: offsets.count)
      if let start = heap.baseAddress {
        for (index, entry) in words.entries.enumerated() {
          hashes[index] = WordHash.of(start + Int(entry.offset), Int(entry.bytes))
        }
      }
      return SlotTable.slots(hashes, offsets, offsetBits: offsetBits)
    }
    set(.table, to: slots)
  }

  private mutating func writeAnagrams() {
    let hashes = letterHashes()
    set(.bitmap, to: bitmap(of: hashes))
    // A counting sort by bucket: first the size of each bucket, then where it begins, then every word to its place.
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

  private func letterHashes() -> [UInt64] {
    let values = alphabet.letterHashes
    var hashes = [UInt64](repeating: 0, count: words.entries.count)
    forEachWord(words.entries.indices) { index, codes in
      for code in codes { hashes[index] &+= values[Int(code)] }
    }
    return hashes
  }

  private func forEachWord(_ range: Range<Int>, _ body: (Int, UnsafeBufferPointer<UInt16>) -> Void) {
    words.heap.withUnsafeBufferPointer { heap in
      withUnsafeTemporaryAllocation(of: UInt16.self, capacity: WordPolicy.maxBytes) { codes in
        for index in range {
          let entry = words.entries[index]
          let word = heap[Int(entry.offset)..<Int(entry.offset) + Int(entry.bytes)]
          let count = alphabet.read(UnsafeBufferPointer(rebasing: word), into: codes)
          body(index, UnsafeBufferPointer(rebasing: codes[..<count]))
        }
      }
    }
  }

  /// The base-2 logarithm of the size of the anagram bitmap, which has 12 to 24 bits for each word.
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
    let planeCount = alphabet.planeCount
    planes.withUnsafeMutableBufferPointer { planes in
      forEachWord(range) { index, codes in
        let row = index - range.lowerBound
        let bit = 1 << UInt64(row & 63) as UInt64
        for (position, code) in codes.enumerated() {
          for plane in 0..<planeCount where code >> UInt16(plane) & 1 == 1 {
            planes[(position * planeCount + plane) * stride + row >> 6] |= bit
          }
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
