// The words of a compiled list, indexed by the hash of their letters: a bitmap that is checked first, then buckets of
// slots. Invariant: whatever the sections contain, only bits below `1 << bitmapBits`, slots inside the section, and
// offsets within the bounds of the heap are used; a bucket that claims anything else is empty.

struct AnagramTable {
  /// One bit for each value of the low bits of a hash, set if some word has it.
  let bitmap: UnsafePointer<UInt64>
  let bitmapMask: UInt64
  /// The first slot of each bucket; one element more than buckets.
  let starts: UnsafePointer<UInt32>
  let bucketCount: Int
  /// 64 bits for each word: its offset, below as many low bits of the hash as fit.
  let slots: UnsafePointer<UInt64>
  let slotCount: UInt32
  let offsetBits: UInt64
  let bounds: HeapBounds

  /// How many slots are examined at once; as many unused ones follow the last slot of the section.
  static let stride = 4

  /// Returns the number of buckets for a number of words: about two words each.
  static func buckets(for words: Int) -> Int { words / 2 + 1 }

  /// Takes the tables of a checked compiled index.
  init?(_ compiled: CompiledIndex) {
    let (starts, slots) = (compiled.elements(.buckets, as: UInt32.self), compiled.elements(.anagrams, as: UInt64.self))
    guard let bitmap = compiled.elements(.bitmap, as: UInt64.self).baseAddress, let firstStart = starts.baseAddress,
      let firstSlot = slots.baseAddress
    else { return nil }
    self.bitmap = bitmap
    bitmapMask = (1 as UInt64) << compiled.bitmapBits - 1
    self.starts = firstStart
    bucketCount = starts.count - 1
    self.slots = firstSlot
    slotCount = UInt32(clamping: slots.count - Self.stride)
    offsetBits = UInt64(compiled.offsetBits)
    bounds = compiled.bounds
  }

  /// Returns the bucket of a hash: its high half, scaled to the number of buckets.
  @inline(__always) static func bucket(of hash: UInt64, in count: Int) -> Int { SlotTable.home(of: hash, in: count) }

  @inline(__always) static func slot(hash: UInt64, offset: UInt32, offsetBits: UInt64) -> UInt64 {
    hash &<< offsetBits | UInt64(offset)
  }

  /// Returns 1 if a word may have this hash, else 0.
  @inline(__always) func likelihood(of hash: UInt64) -> Int {
    let bit = hash & bitmapMask
    return Int(truncatingIfNeeded: bitmap[Int(truncatingIfNeeded: bit >> 6)] &>> (bit & 63) & 1)
  }

  /// Returns the offsets of the words that have one of these hashes. Bucket and slot together hold nearly all bits of a
  /// hash: a word with other letters is returned once in about 10^14 lookups. The hashes are overwritten.
  @inline(__always) func offsets(of hashes: UnsafeMutableBufferPointer<UInt64>) -> [UInt32] {
    var found = OffsetBuffer(capacity: hashes.count * Self.stride + touched(hashes))
    // First the first slots of every bucket, without a branch; then the rest of the few buckets that have more.
    var long = 0
    for hash in hashes {
      let (start, end) = range(of: hash)
      gather(hash, at: start, into: &found)
      hashes[long] = hash
      long &+= end &- start > Self.stride ? 1 : 0
    }
    for hash in hashes[..<long] { gatherRest(hash, into: &found) }
    return found.take()
  }

  /// Reads the first slots of all hashes, one right after another, so that memory accesses overlap and the next pass
  /// finds the slots in the cache. Returns one more than the number of hashes with the same hash in their first and
  /// last such slot, which need more room than most.
  @inline(__always) private func touched(_ hashes: UnsafeMutableBufferPointer<UInt64>) -> Int {
    var pairs = 1
    for hash in hashes {
      let start = range(of: hash).start
      pairs &+= (slots[start] ^ slots[start &+ Self.stride &- 1]) &>> offsetBits == 0 ? 1 : 0
    }
    return pairs
  }

  /// Returns the slots of a hash's bucket.
  @inline(__always) private func range(of hash: UInt64) -> (start: Int, end: Int) {
    let bucket = Self.bucket(of: hash, in: bucketCount)
    return (Int(min(starts[bucket], slotCount)), Int(min(starts[bucket &+ 1], slotCount)))
  }

  /// Examines `stride` slots from `place` on, which is at most `slotCount`; `found` must have room for them. A slot of
  /// the next bucket has another hash.
  @inline(__always) private func gather(_ hash: UInt64, at place: Int, into found: inout OffsetBuffer) {
    let mask = (1 as UInt64) &<< offsetBits &- 1
    let tag = hash &<< offsetBits
    for step in 0..<Self.stride {
      let slot = slots[place &+ step]
      let offset = UInt32(truncatingIfNeeded: slot & mask)
      found.append(offset, unless: ((slot ^ tag) &>> offsetBits) | bounds.excess(of: offset))
    }
  }

  @inline(never) private func gatherRest(_ hash: UInt64, into found: inout OffsetBuffer) {
    let (start, end) = range(of: hash)
    for place in Swift.stride(from: start + Self.stride, to: end, by: Self.stride) {
      found.reserve(Self.stride)
      gather(hash, at: place, into: &found)
    }
  }
}

/// A growing list of offsets; room must be reserved before an append.
struct OffsetBuffer: ~Copyable {
  private var memory: UnsafeMutableBufferPointer<UInt32>
  private var count = 0

  /// Allocates room for one element less than `capacity`.
  init(capacity: Int) { memory = .allocate(capacity: capacity) }

  deinit { memory.deallocate() }

  /// Makes room for `more` further elements.
  mutating func reserve(_ more: Int) {
    guard count + more >= memory.count else { return }
    let larger = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: (memory.count + more) * 2)
    _ = larger.update(fromContentsOf: memory[..<count])
    memory.deallocate()
    memory = larger
  }

  /// Appends if `obstacle` is 0, without a branch; always writes the next element.
  @inline(__always) mutating func append(_ offset: UInt32, unless obstacle: UInt64) {
    memory[count] = offset
    count &+= obstacle == 0 ? 1 : 0
  }

  func take() -> [UInt32] { Array(memory[..<count]) }
}
