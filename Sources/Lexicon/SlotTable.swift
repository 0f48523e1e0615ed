// A packed open-addressing table of a compiled list: 32 bits a slot, the word's offset below a few bits of its hash.
// Invariant: a probe reads only slots `0 ..< slotCount`, takes at most `slotCount` steps, and passes on only offsets that
// the heap's bounds contain; whatever the slots hold, nothing outside the image is read.

/// Where words may begin in a heap: after its head, and before the guard that ends it.
struct HeapBounds {
  private let span: UInt32

  /// The bounds of a heap of so many bytes, head and guard included.
  init(heapBytes: Int) {
    span = UInt32(clamping: heapBytes - ImageLayout.headBytes - ImageLayout.guardBytes)
  }

  /// Whether eight bytes before the offset and 256 after it are in the heap.
  @inline(__always)
  func contains(_ offset: UInt32) -> Bool { offset &- UInt32(ImageLayout.headBytes) < span }

  /// 0 where `contains` is true, else 1; without a branch.
  @inline(__always)
  func excess(of offset: UInt32) -> UInt64 {
    (UInt64(offset &- UInt32(ImageLayout.headBytes)) &+ (1 << 32 &- UInt64(span))) >> 32
  }
}

struct SlotTable {
  let slots: UnsafePointer<UInt32>
  let slotCount: Int
  let offsetBits: UInt32
  let bounds: HeapBounds

  /// Where the search for a hash begins: its high half scaled to the table.
  @inline(__always)
  static func home(of hash: UInt64, in slotCount: Int) -> Int {
    Int(truncatingIfNeeded: ((hash >> 32) &* UInt64(truncatingIfNeeded: slotCount)) >> 32)
  }

  /// A slot: the low bits of the hash as a tag above the offset.
  @inline(__always)
  static func slot(hash: UInt64, offset: UInt32, offsetBits: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: hash) << UInt32(truncatingIfNeeded: offsetBits) | offset
  }

  /// Calls `body` with the offset of each word whose slot has the tag of `hash`, until it answers true or no more follow.
  @inline(__always)
  func probe(_ hash: UInt64, _ body: (UInt32) -> Bool) {
    let mask = (1 as UInt32) &<< offsetBits &- 1
    let tag = UInt32(truncatingIfNeeded: hash) &<< offsetBits
    var index = Self.home(of: hash, in: slotCount)
    var steps = slotCount
    while steps > 0 {
      let slot = slots[index]
      if slot == 0 { return }
      if slot & ~mask == tag {
        let offset = slot & mask
        if bounds.contains(offset), body(offset) { return }
      }
      index &+= 1
      if index == slotCount { index = 0 }
      steps &-= 1
    }
  }
}
