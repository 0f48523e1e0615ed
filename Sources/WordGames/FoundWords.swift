// The words found in a game, in order, with a small hash table so that "already used" costs one probe. Invariant: a
// word occurs twice only if the mode allows it; the table has a slot for each word and at least as many empty slots;
// the word of a slot lies inside the heap, and an empty slot is 0.

import Glibc
import Lexicon

final class FoundWords {
  struct Entry {
    /// The offset of its bytes in the heap.
    fileprivate let start: Int
    fileprivate let bytes: Int
    let letters: Int
    let points: Int
    /// Which player found it, from 0.
    let player: Int
  }

  /// All state is in one place behind a pointer, so a hot path makes no exclusive access checks for it.
  private struct Storage {
    var entries: UnsafeMutableBufferPointer<Entry>
    var count = 0
    var letters = 0
    var points = 0
    /// A slot holds the high half of a word's hash and the number of its entry, from 1; the low half gives its index.
    var slots: UnsafeMutableBufferPointer<UInt64>
    /// The bytes of the words, one after another.
    var heap: UnsafeMutableBufferPointer<UInt8>
    var heapUsed = 0
    /// The bytes that were allocated beyond the initial capacity.
    var grown = 0
  }

  private let storage: UnsafeMutablePointer<Storage>

  private static let firstEntries = 256
  private static let firstSlots = 1024
  private static let firstHeap = 4096
  private static let high: UInt64 = 0xFFFF_FFFF_0000_0000

  init() {
    storage = .allocate(capacity: 1)
    storage.initialize(
      to: Storage(
        entries: .allocate(capacity: Self.firstEntries), slots: .allocate(capacity: Self.firstSlots),
        heap: .allocate(capacity: Self.firstHeap)))
    storage.pointee.slots.initialize(repeating: 0)
  }

  deinit {
    storage.pointee.entries.deallocate()
    storage.pointee.slots.deallocate()
    storage.pointee.heap.deallocate()
    storage.deallocate()
  }

  var count: Int { storage.pointee.count }
  var letters: Int { storage.pointee.letters }
  var points: Int { storage.pointee.points }
  /// The bytes that were allocated beyond the initial capacity.
  var grown: Int { storage.pointee.grown }
  /// Oldest first; valid until the next change.
  var entries: Slice<UnsafeMutableBufferPointer<Entry>> { storage.pointee.entries[..<count] }

  /// Whether the word was found; `hash` is `Lexicon.hash(of: word)`.
  @inline(__always) func contains(_ word: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Bool {
    let slots = storage.pointee.slots
    let mask = slots.count &- 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while case let slot = slots[index], slot != 0 {
      if (slot ^ hash) & Self.high == 0, holds(Int(truncatingIfNeeded: slot & ~Self.high) &- 1, word) { return true }
      index = (index &+ 1) & mask
    }
    return false
  }

  private func holds(_ number: Int, _ word: UnsafeBufferPointer<UInt8>) -> Bool {
    let (entry, heap) = (storage.pointee.entries[number], storage.pointee.heap)
    guard entry.bytes == word.count, let mine = heap.baseAddress, let other = word.baseAddress else { return false }
    return memcmp(mine + entry.start, other, word.count) == 0
  }

  private func bytes(of entry: Entry) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: storage.pointee.heap[entry.start..<entry.start + entry.bytes])
  }

  func word(_ entry: Entry) -> String { String(decoding: bytes(of: entry), as: UTF8.self) }

  /// Oldest first.
  var words: [String] { entries.map(word) }

  func add(_ word: String, letters: Int, points: Int, player: Int) {
    var text = word
    text.withUTF8 { add($0, hash: Lexicon.hash(of: $0), letters: letters, points: points, player: player) }
  }

  /// Adds a word given as its UTF-8 and its `Lexicon.hash(of:)`.
  @inline(__always) func add(_ word: UnsafeBufferPointer<UInt8>, hash: UInt64, letters: Int, points: Int, player: Int) {
    let number = storage.pointee.count
    let start = storage.pointee.heapUsed
    if !hasRoom(for: word.count) { makeRoom(for: word.count) }
    storage.pointee.entries[number] = Entry(
      start: start, bytes: word.count, letters: letters, points: points, player: player)
    storage.pointee.count = number &+ 1
    storage.pointee.letters &+= letters
    storage.pointee.points &+= points
    guard let from = word.baseAddress, let heap = storage.pointee.heap.baseAddress, word.count > 0 else { return }
    (heap + start).update(from: from, count: word.count)
    storage.pointee.heapUsed = start &+ word.count
    place(hash, number: number)
  }

  /// Whether a word of the given number of bytes can be added without allocating memory.
  @inline(__always) func hasRoom(for bytes: Int) -> Bool {
    storage.pointee.count < storage.pointee.entries.count
      && bytes <= storage.pointee.heap.count &- storage.pointee.heapUsed
      && (storage.pointee.count &+ 1) &* 2 <= storage.pointee.slots.count
  }

  @inline(never) private func makeRoom(for bytes: Int) {
    if storage.pointee.count == storage.pointee.entries.count {
      Self.grow(&storage.pointee.entries, keeping: count, to: count * 2)
    }
    let used = storage.pointee.heapUsed
    if bytes > storage.pointee.heap.count - used {
      Self.grow(&storage.pointee.heap, keeping: used, to: (used + bytes) * 2)
    }
    if (count + 1) * 2 > storage.pointee.slots.count { growSlots() }
    storage.pointee.grown =
      (storage.pointee.entries.count - Self.firstEntries) * MemoryLayout<Entry>.stride
      + (storage.pointee.slots.count - Self.firstSlots) * 8 + storage.pointee.heap.count - Self.firstHeap
  }

  private static func grow<T>(_ buffer: inout UnsafeMutableBufferPointer<T>, keeping count: Int, to capacity: Int) {
    let larger = UnsafeMutableBufferPointer<T>.allocate(capacity: capacity)
    _ = larger.initialize(fromContentsOf: buffer[..<count])
    buffer.deallocate()
    buffer = larger
  }

  /// The low halves of the hashes are not stored, so the words are hashed again.
  private func growSlots() {
    let capacity = storage.pointee.slots.count * 4
    storage.pointee.slots.deallocate()
    storage.pointee.slots = .allocate(capacity: capacity)
    storage.pointee.slots.initialize(repeating: 0)
    for (number, entry) in entries.enumerated() where entry.bytes > 0 {
      place(Lexicon.hash(of: bytes(of: entry)), number: number)
    }
  }

  @inline(__always) private func place(_ hash: UInt64, number: Int) {
    let slots = storage.pointee.slots
    let mask = slots.count &- 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while slots[index] != 0 { index = (index &+ 1) & mask }
    slots[index] = hash & Self.high | UInt64(truncatingIfNeeded: number &+ 1)
  }

  func clear() {
    (storage.pointee.count, storage.pointee.heapUsed) = (0, 0)
    (storage.pointee.letters, storage.pointee.points) = (0, 0)
    storage.pointee.slots.update(repeating: 0)
  }
}
