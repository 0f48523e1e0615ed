// A packed open-addressing table of a compiled list: 32 bits a slot, the word's offset below a few bits of its hash.
// Invariant: a search reads only slots of the table's lines, each at most once, and returns only offsets that the
// heap's bounds contain (or the first word's); whatever the slots contain, nothing outside the compiled index is read.

/// The offsets at which words may begin in a heap: after its head, and before the guard at its end.
struct HeapBounds {
  private let span: UInt32

  init(heapBytes: Int) {
    span = UInt32(clamping: heapBytes - IndexLayout.headBytes - IndexLayout.guardBytes)
  }

  /// Returns whether the eight bytes before the offset and the 256 after it are in the heap.
  @inline(__always) func contains(_ offset: UInt32) -> Bool { offset &- UInt32(IndexLayout.headBytes) < span }

  /// Returns the offset, or that of the first word if it is out of bounds.
  @inline(__always)
  func clamped(_ offset: UInt32) -> UInt32 { contains(offset) ? offset : UInt32(IndexLayout.headBytes) }

  /// Returns 0 if `contains` is true, else 1; without a branch.
  @inline(__always) func excess(of offset: UInt32) -> UInt64 {
    (UInt64(offset &- UInt32(IndexLayout.headBytes)) &+ (1 << 32 &- UInt64(span))) >> 32
  }
}

/// Slots in lines of 16, which the processor loads and compares at once. The search for a word starts in the line of
/// its hash and continues in the next one only if a line is full.
struct SlotTable {
  typealias Line = SIMD16<UInt32>
  /// The average number of words in a line, at which one line in 200 is full.
  static let wordsPerLine = 8

  let lines: UnsafePointer<Line>
  let lineCount: Int
  let offsetBits: UInt32
  let bounds: HeapBounds

  /// Returns where the search for a hash starts: its high half, scaled to `count` places.
  @inline(__always) static func home(of hash: UInt64, in count: Int) -> Int {
    Int(truncatingIfNeeded: ((hash >> 32) &* UInt64(truncatingIfNeeded: count)) >> 32)
  }

  /// Returns a slot: the low bits of the hash as a tag above the offset.
  @inline(__always) static func slot(hash: UInt64, offset: UInt32, offsetBits: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: hash) << UInt32(truncatingIfNeeded: offsetBits) | offset
  }

  static func slots(_ hashes: [UInt64], _ offsets: [UInt32], offsetBits: Int) -> [UInt32] {
    let lineCount = max(1, (hashes.count + wordsPerLine - 1) / wordsPerLine)
    var slots = [UInt32](repeating: 0, count: lineCount * Line.scalarCount)
    slots.withUnsafeMutableBufferPointer { slots in
      for (hash, offset) in zip(hashes, offsets) {
        var index = home(of: hash, in: lineCount) * Line.scalarCount
        while slots[index] != 0 { index = index + 1 == slots.count ? 0 : index + 1 }
        slots[index] = slot(hash: hash, offset: offset, offsetBits: offsetBits)
      }
    }
    return slots
  }

  /// Finds the only word in the first line that has the tag of `hash`. Returns its offset; the result of `difference`
  /// for it, 0 for the word that is looked for; and whether the word may be elsewhere if it is not this one. No branch
  /// depends on the content of memory, so the processor continues with the next query while it waits.
  ///
  /// If no word or several have that tag, the offset belongs to none of them; `difference` must be correct for it, too.
  @inline(__always)
  func only(_ hash: UInt64, _ difference: (UInt32) -> UInt64) -> (offset: UInt32, difference: UInt64, isOpen: Bool) {
    let mask = (1 as UInt32) &<< offsetBits &- 1
    let tag = UInt32(truncatingIfNeeded: hash) &<< offsetBits
    let line = lines[Self.home(of: hash, in: lineCount)]
    let tagged = Line().replacing(with: line, where: (line & Line(repeating: ~mask)) .== Line(repeating: tag))
    let eight = tagged.lowHalf | tagged.highHalf
    let four = eight.lowHalf | eight.highHalf
    let two = four.lowHalf | four.highHalf
    let merged = two.x | two.y
    let offset = bounds.clamped(merged & mask)
    let found = difference(offset)
    // The minimum of two numbers is 0 if either is.
    return (offset, found, min(found, UInt64(merged | line[Line.scalarCount - 1])) != 0)
  }

  /// Calls `body` with the offset of each word whose slot has the tag of `hash`, until it returns true.
  func probe(_ hash: UInt64, _ body: (UInt32) -> Bool) {
    let mask = (1 as UInt32) &<< offsetBits &- 1
    let tag = UInt32(truncatingIfNeeded: hash) &<< offsetBits
    let slotCount = lineCount * Line.scalarCount
    var index = Self.home(of: hash, in: lineCount) * Line.scalarCount
    lines.withMemoryRebound(to: UInt32.self, capacity: slotCount) { slots in
      for _ in 0..<slotCount {
        let slot = slots[index]
        if slot == 0 { return }
        if slot & ~mask == tag, bounds.contains(slot & mask), body(slot & mask) { return }
        index = index + 1 == slotCount ? 0 : index + 1
      }
    }
  }
}
