// The packed table of a compiled list, where its lines are full.

import Testing

@testable import Lexicon

@Suite struct SlotTableTests {
  @Test func `words that have no room in the last line go on at the first slot`() {
    // All of these belong into the last line.
    let words = (1...20).map { (hash: UInt64.max, offset: UInt32($0)) }
    let slots = SlotTable.slots(words, count: 3 * SlotTable.wordsPerLine, offsetBits: 8)
    #expect(slots.map { $0 & 0xFF } == [17, 18, 19, 20] + [UInt32](repeating: 0, count: 28) + (1...16))
  }
}
