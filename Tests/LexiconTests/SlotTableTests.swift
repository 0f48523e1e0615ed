// The packed hash table of a compiled list when its lines are full.

import Testing

@testable import Lexicon

@Suite struct SlotTableTests {
  @Test func `words that do not fit into the last line continue at the first slot`() {
    // All of these belong to the last line.
    let hashes = [UInt64](repeating: .max, count: 20) + [0, 0, 0, 0]
    let slots = SlotTable.slots(hashes, (1...24).map { $0 }, offsetBits: 8)
    #expect(slots.map { $0 & 0xFF } == [17, 18, 19, 20, 21, 22, 23, 24] + [UInt32](repeating: 0, count: 24) + (1...16))
  }
}
