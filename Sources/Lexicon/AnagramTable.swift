// The words of a compiled list by the hash of their letters: a bitmap to ask first, then buckets of slots. Invariant:
// whatever the sections hold, only bits below `1 << bitmapBits`, slots inside the section, and offsets that the heap's
// bounds contain are used; a bucket that claims anything else is empty.

struct AnagramTable {
  /// One bit for each low part of a hash that some word has.
  let bitmap: UnsafePointer<UInt64>
  let bitmapMask: UInt64
  /// Where each bucket's slots begin; one more than buckets.
  let starts: UnsafePointer<UInt32>
  let bucketCount: Int
  /// 64 bits a word: its offset, below as many low bits of the hash as fit.
  let slots: UnsafePointer<UInt64>
  let slotCount: UInt32
  let offsetBits: UInt64
  let bounds: HeapBounds

  /// So many slots are looked at in one go: so many follow the last one in the section.
  static let stride = 4

  /// The number of buckets for so many words: about two words each.
  static func buckets(for words: Int) -> Int { words / 2 + 1 }

  /// The tables of a checked compiled index.
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

  /// The bucket of a hash: its high half scaled to their number.
  @inline(__always)
  static func bucket(of hash: UInt64, in count: Int) -> Int { SlotTable.home(of: hash, in: count) }

  @inline(__always)
  static func slot(hash: UInt64, offset: UInt32, offsetBits: UInt64) -> UInt64 {
    hash &<< offsetBits | UInt64(offset)
  }

  /// 1 where a word may have this hash, else 0.
  @inline(__always)
  func likelihood(of hash: UInt64) -> Int {
    let bit = hash & bitmapMask
    return Int(truncatingIfNeeded: bitmap[Int(truncatingIfNeeded: bit >> 6)] &>> (bit & 63) & 1)
  }

  /// The offsets of the words that have one of these hashes. Bucket and slot together hold nearly all bits of a hash: a
  /// word of other letters comes up once in about 10^14 questions. The hashes are used up.
  @inline(__always)
  func offsets(of hashes: UnsafeMutableBufferPointer<UInt64>) -> [UInt32] {
    var found = OffsetBuffer(capacity: hashes.count * Self.stride + touched(hashes))
    // First the head of every bucket, without a branch; then the rest of the few buckets that have one.
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

  /// Looks at the first slots of all hashes, one right after another, so that waiting for memory overlaps and whoever
  /// goes through them next finds them near. Answers how many begin with a pair of one hash, which needs more room than
  /// most.
  @inline(__always)
  private func touched(_ hashes: UnsafeMutableBufferPointer<UInt64>) -> Int {
    var pairs = 1
    for hash in hashes {
      let start = range(of: hash).start
      pairs &+= (slots[start] ^ slots[start &+ Self.stride &- 1]) &>> offsetBits == 0 ? 1 : 0
    }
    return pairs
  }

  /// The slots of a hash's bucket.
  @inline(__always)
  private func range(of hash: UInt64) -> (start: Int, end: Int) {
    let bucket = Self.bucket(of: hash, in: bucketCount)
    return (Int(min(starts[bucket], slotCount)), Int(min(starts[bucket &+ 1], slotCount)))
  }

  /// Looks at `stride` slots from `place` on, which is at most `slotCount`; there is room for them. A slot of the next
  /// bucket has another hash.
  @inline(__always)
  private func gather(_ hash: UInt64, at place: Int, into found: inout OffsetBuffer) {
    let mask = (1 as UInt64) &<< offsetBits &- 1
    let tag = hash &<< offsetBits
    for step in 0..<Self.stride {
      let slot = slots[place &+ step]
      let offset = UInt32(truncatingIfNeeded: slot & mask)
      found.append(offset, unless: ((slot ^ tag) &>> offsetBits) | bounds.excess(of: offset))
    }
  }

  @inline(never)
  private func gatherRest(_ hash: UInt64, into found: inout OffsetBuffer) {
    let (start, end) = range(of: hash)
    for place in Swift.stride(from: start + Self.stride, to: end, by: Self.stride) {
      found.reserve(Self.stride)
      gather(hash, at: place, into: &found)
    }
  }
}

/// A growing list of offsets; whoever appends has reserved first.
struct OffsetBuffer: ~Copyable {
  private var memory: UnsafeMutableBufferPointer<UInt32>
  private var count = 0

  /// Room for one less than `capacity`.
  init(capacity: Int) { memory = .allocate(capacity: capacity) }

  deinit { memory.deallocate() }

  /// Makes room for so many more.
  mutating func reserve(_ more: Int) {
    guard count + more >= memory.count else { return }
    let larger = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: (memory.count + more) * 2)
    _ = larger.update(fromContentsOf: memory[..<count])
    memory.deallocate()
    memory = larger
  }

  /// Appends where `obstacle` is 0, without a branch; writes one further in any case.
  @inline(__always)
  mutating func append(_ offset: UInt32, unless obstacle: UInt64) {
    memory[count] = offset
    count &+= obstacle == 0 ? 1 : 0
  }

  func take() -> [UInt32] { Array(memory[..<count]) }
}
