// A packed open-addressing table of a compiled list: 32 bits a slot, the word's offset below a few bits of its hash.
// Invariant: a probe reads only slots `0 ..< slotCount`, takes at most `slotCount` steps, and passes on only offsets below
// `heapBytes`; whatever the slots hold, nothing outside the image is read.

struct SlotTable {
  let slots: UnsafePointer<UInt32>
  let slotCount: Int
  let offsetBits: UInt32
  /// Offsets from here on are no words.
  let heapBytes: UInt32

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
        if offset < heapBytes, body(offset) { return }
      }
      index &+= 1
      if index == slotCount { index = 0 }
      steps &-= 1
    }
  }
}
