// The words found in a game, in order, with a small hash table so that "already used" costs one probe.
// Invariant: words are distinct, and the table has a place for each and more room than words.

import Lexicon

struct FoundWords {
  struct Entry {
    let word: String
    let letters: Int
    let points: Int
    /// Which player found it, from 0.
    let player: Int
    fileprivate let hash: UInt64
  }

  /// Oldest first.
  private(set) var entries: [Entry] = []
  private var slots = [UInt32](repeating: 0, count: 16)
  private(set) var letters = 0

  /// Whether the word is there; `hash` is `Lexicon.hash(of: word)`.
  func contains(_ word: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Bool {
    if entries.isEmpty { return false }
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if entries[index].hash == hash, entries[index].word.utf8.elementsEqual(word) { return true }
      slot = (slot + 1) & mask
    }
    return false
  }

  /// Adds a word that is not there.
  mutating func add(_ word: String, letters: Int, points: Int, player: Int) {
    var text = word
    let hash = text.withUTF8 { Lexicon.hash(of: $0) }
    entries.append(Entry(word: word, letters: letters, points: points, player: player, hash: hash))
    self.letters += letters
    if entries.count * 2 > slots.count {
      slots = [UInt32](repeating: 0, count: slots.count * 2)
      for index in entries.indices { place(index) }
    } else {
      place(entries.count - 1)
    }
  }

  private mutating func place(_ index: Int) {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: entries[index].hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt32(truncatingIfNeeded: index + 1)
  }
}
