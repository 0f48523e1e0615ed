// The words found in a game, in order, with a small hash table so that "already used" costs one probe.
// Invariant: a word stands twice only where the mode allows it; the table has a slot for each, and three times as many empty ones; a slot's word lies inside the
// heap, and an empty slot has length 0.

import Lexicon

final class FoundWords {
  struct Entry {
    /// Where its bytes lie in the heap.
    fileprivate let start: Int
    fileprivate let bytes: Int
    let letters: Int
    let points: Int
    /// Which player found it, from 0.
    let player: Int
  }

  private struct Slot {
    var hash: UInt64 = 0
    var start = 0
    var count = 0
  }

  /// Oldest first.
  private(set) var entries: [Entry] = []
  /// All letters of all words.
  private(set) var letters = 0
  private var slots: UnsafeMutableBufferPointer<Slot>
  /// The bytes of the words, one after another.
  private var heap: UnsafeMutableBufferPointer<UInt8>
  private var heapUsed = 0

  init() {
    slots = .allocate(capacity: 512)
    slots.initialize(repeating: Slot())
    heap = .allocate(capacity: 1024)
    entries.reserveCapacity(128)
  }

  deinit {
    slots.deallocate()
    heap.deallocate()
  }

  /// Whether the word is there; `hash` is `Lexicon.hash(of: word)`.
  @inline(__always)
  func contains(_ word: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Bool {
    let mask = slots.count &- 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while slots[index].count != 0 {
      if slots[index].hash == hash, slots[index].count == word.count, holds(slots[index].start, word) { return true }
      index = (index &+ 1) & mask
    }
    return false
  }

  @inline(__always)
  private func holds(_ start: Int, _ word: UnsafeBufferPointer<UInt8>) -> Bool {
    var index = 0
    while index < word.count {
      if heap[start &+ index] != word[index] { return false }
      index &+= 1
    }
    return true
  }

  /// The word of an entry.
  func word(_ entry: Entry) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: heap[entry.start..<entry.start + entry.bytes]), as: UTF8.self)
  }

  /// Oldest first.
  var words: [String] { entries.map(word) }

  /// Adds a word.
  func add(_ word: String, letters: Int, points: Int, player: Int) {
    var text = word
    text.withUTF8 { add($0, hash: Lexicon.hash(of: $0), letters: letters, points: points, player: player) }
  }

  /// Adds a word given as its UTF-8 and its `Lexicon.hash(of:)`.
  func add(_ word: UnsafeBufferPointer<UInt8>, hash: UInt64, letters: Int, points: Int, player: Int) {
    entries.append(Entry(start: heapUsed, bytes: word.count, letters: letters, points: points, player: player))
    self.letters += letters
    guard !word.isEmpty else { return }
    keep(word)
    if entries.count * 4 > slots.count { growSlots() }
    place(Slot(hash: hash, start: heapUsed - word.count, count: word.count))
  }

  private func keep(_ bytes: UnsafeBufferPointer<UInt8>) {
    if heapUsed + bytes.count > heap.count {
      let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: (heapUsed + bytes.count) * 2)
      _ = larger.update(fromContentsOf: heap[..<heapUsed])
      heap.deallocate()
      heap = larger
    }
    _ = heap[heapUsed...].update(fromContentsOf: bytes)
    heapUsed += bytes.count
  }

  private func growSlots() {
    let old = slots
    slots = .allocate(capacity: old.count * 4)
    slots.initialize(repeating: Slot())
    for slot in old where slot.count != 0 { place(slot) }
    old.deallocate()
  }

  private func place(_ slot: Slot) {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: slot.hash) & mask
    while slots[index].count != 0 { index = (index + 1) & mask }
    slots[index] = slot
  }

  /// Forgets all words.
  func clear() {
    entries = []
    letters = 0
    heapUsed = 0
    slots.update(repeating: Slot())
  }
}
