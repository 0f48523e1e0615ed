// Stores each spelling once and finds it by its bytes. Invariant: a number is less than `count`, and is the number of
// the same spelling forever.
// It uses Swift's hash, which is seeded at each start, so that nobody can craft a text of colliding spellings.

/// Numbers for spellings, from 0.
struct SpellingTable {
  private var bytes: [UInt8] = []
  private var ends: [UInt32] = [0]
  private var slots: [UInt32] = Array(repeating: .max, count: 1 << 12)

  var count: Int { ends.count - 1 }
  /// Bytes that it holds.
  var weight: Int { bytes.capacity + 4 * (ends.capacity + slots.capacity) }

  func text(_ number: Int) -> String {
    String(decoding: bytes[Int(ends[number])..<Int(ends[number + 1])], as: UTF8.self)
  }

  /// Returns the number of a spelling, adding it if it is new.
  mutating func number(of word: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let slot = slot(of: word)
    if slots[slot] != .max { return slots[slot] }
    let number = UInt32(count)
    bytes += word
    ends.append(UInt32(bytes.count))
    slots[slot] = number
    if count * 2 > slots.count { grow() }
    return number
  }

  private func slot(of word: UnsafeBufferPointer<UInt8>) -> Int {
    var slot = hash(word) & (slots.count - 1)
    while slots[slot] != .max {
      let number = Int(slots[slot])
      let (start, end) = (Int(ends[number]), Int(ends[number + 1]))
      if end - start == word.count, bytes[start..<end].elementsEqual(word) { return slot }
      slot = (slot + 1) & (slots.count - 1)
    }
    return slot
  }

  private mutating func grow() {
    slots = Array(repeating: .max, count: slots.count * 2)
    for number in 0..<count {
      let range = Int(ends[number])..<Int(ends[number + 1])
      let free = bytes.withUnsafeBufferPointer { slot(of: UnsafeBufferPointer(rebasing: $0[range])) }
      slots[free] = UInt32(number)
    }
  }

  private func hash(_ word: UnsafeBufferPointer<UInt8>) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(word))
    return hasher.finalize()
  }
}
