// The words of a list before they are compiled: collected line by line, then put into their final order.
// Invariant: after `arrange()`, words are distinct, longest first, and by code point within a length.

/// A growing heap of words, with the position and the number of letters of each.
struct WordCollection {
  struct Entry {
    /// The first eight bytes, big-endian, so that keys compare as the bytes do.
    var key: UInt64
    var offset: UInt32
    var bytes: UInt8
    var letters: UInt8
  }

  private(set) var heap: [UInt8] = []
  private(set) var entries: [Entry] = []
  var report = CompileReport()
  private let limit: Int
  /// Whether words were dropped because there were more than the limit.
  private(set) var isOverfull = false

  /// Holds at most `limit` words, including duplicates.
  init(limit: Int) { self.limit = limit }

  /// Adds the word of a line, or counts why it has none. `readList` limits the number of `notText` lines.
  mutating func add(_ line: UnsafeBufferPointer<UInt8>, by normalizer: WordNormalizer) {
    switch normalizer.classify(line) {
    case .asIs(let letters): append(line, letters: letters)
    case .word(var word, let letters): word.withUTF8 { append($0, letters: letters) }
    case .dropped(let reason): report[reason] += 1
    }
  }

  private mutating func append(_ word: UnsafeBufferPointer<UInt8>, letters: Int) {
    guard entries.count < limit, heap.count <= Int(UInt32.max) - word.count else {
      isOverfull = true
      return
    }
    var key: UInt64 = 0
    for index in 0..<8 { key = key << 8 | UInt64(index < word.count ? word[index] : 0) }
    entries.append(
      Entry(key: key, offset: UInt32(truncatingIfNeeded: heap.count), bytes: UInt8(word.count), letters: UInt8(letters))
    )
    heap.append(contentsOf: word)
  }

  /// Sorts the words, removes duplicates, and counts the rest.
  mutating func arrange() {
    var byLength = [[Entry]](repeating: [], count: WordPolicy.lengths.upperBound + 1)
    for entry in entries { byLength[Int(entry.letters)].append(entry) }
    entries.removeAll(keepingCapacity: true)
    heap.withUnsafeBufferPointer { heap in
      for length in byLength.indices.reversed() where !byLength[length].isEmpty {
        byLength[length].sort { Self.compare($0, $1, in: heap) < 0 }
        var last: Entry?
        for entry in byLength[length] {
          if let last, Self.compare(last, entry, in: heap) == 0 {
            report[.duplicate] += 1
          } else {
            entries.append(entry)
          }
          last = entry
        }
      }
    }
    report.kept = entries.count
  }

  private static func compare(_ a: Entry, _ b: Entry, in heap: UnsafeBufferPointer<UInt8>) -> Int {
    if a.key != b.key { return a.key < b.key ? -1 : 1 }
    var index = 8
    while index < Int(a.bytes), index < Int(b.bytes) {
      let (x, y) = (heap[Int(a.offset) + index], heap[Int(b.offset) + index])
      if x != y { return x < y ? -1 : 1 }
      index += 1
    }
    return Int(a.bytes) - Int(b.bytes)
  }
}
