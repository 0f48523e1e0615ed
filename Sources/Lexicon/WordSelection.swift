// Iterates words by length and prefix, and picks words at random or by date. Invariant: randomness comes from the
// generator that is passed in, and the date is a number; equal inputs give the same word.

import Text
import Values

/// The words of a lexicon with some length or prefix, created on demand.
public struct WordSequence: Sequence, IteratorProtocol {
  private let lexicon: Lexicon
  private var ranges: [Range<Int>]
  /// The index and offset of the word that follows the one returned last.
  private var following: (index: Int, offset: UInt32)?

  init(_ lexicon: Lexicon, _ ranges: [Range<Int>]) {
    self.lexicon = lexicon
    self.ranges = ranges.reversed()
  }

  /// The number of words still to come.
  public var remaining: Int { ranges.reduce(0) { $0 + $1.count } }

  public mutating func next() -> String? { nextOffset().map(lexicon.word(at:)) }

  /// Calls `body` with the UTF-8 of the next word; nil at the end.
  public mutating func withNext<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R? {
    try nextOffset().map { try body(lexicon.bytes(at: $0)) }
  }

  private mutating func nextOffset() -> UInt32? {
    while let range = ranges.popLast() {
      guard !range.isEmpty else { continue }
      ranges.append(range.dropFirst())
      return offset(ofIndex: range.lowerBound)
    }
    return nil
  }

  /// Words are consecutive, so only the first of a range is searched for.
  private mutating func offset(ofIndex index: Int) -> UInt32 {
    var offset = following?.index == index ? following?.offset ?? 0 : lexicon.offset(ofIndex: index)
    if !lexicon.compiled.bounds.contains(offset) { offset = lexicon.offset(ofIndex: index) }
    following = (index + 1, offset + 1 + UInt32(lexicon.heap[Int(offset)]))
    return offset
  }
}

/// How many words can be found in a word whose letters are given.
public enum Difficulty: String, Sendable {
  case easy, normal, hard

  /// How many words can be formed from its letters.
  public var formableWords: ClosedRange<Int> {
    switch self {
    case .easy: 120...100_000
    case .normal: 40...400
    case .hard: 12...60
    }
  }
}

extension Lexicon {
  /// Returns the words of `length` letters (of every length if nil) that begin with `prefix` (normal form).
  public func words(length: Int? = nil, prefix: String = "") -> WordSequence {
    let chosen = blocks.filter { length == nil || $0.length == length }
    let prefix = Array(prefix.utf8)
    return WordSequence(self, chosen.map { prefix.isEmpty ? $0.indices : range(in: $0, prefix: prefix) })
  }

  /// The lengths of the words, in letters, ascending.
  public var lengths: [Int] { blocks.map(\.length).reversed() }

  /// Returns the number of words of `length` letters.
  public func count(length: Int) -> Int { blocks.first { $0.length == length }?.indices.count ?? 0 }

  /// Returns a random word of `length` letters (of any length if nil), all equally likely; nil if there is none.
  public func random(length: Int? = nil, using generator: inout some RandomNumberGenerator) -> String? {
    let range = length.map { length in blocks.first { $0.length == length }?.indices ?? 0..<0 } ?? 0..<count
    guard !range.isEmpty else { return nil }
    return word(at: offset(ofIndex: Int.random(in: range, using: &generator)))
  }

  /// Returns a random word of `length` letters whose number of formable words fits the difficulty, or the nearest of 64
  /// random words; nil if there is none of that length.
  public func random(
    length: Int? = nil, difficulty: Difficulty, using generator: inout some RandomNumberGenerator
  ) -> String? {
    var words: [String] = []
    for _ in 0..<64 {
      guard let word = random(length: length, using: &generator) else { return nil }
      if difficulty.formableWords.contains(countFormable(from: word)) { return word }
      words.append(word)
    }
    return nearest(to: difficulty.formableWords, among: words)
  }

  /// Returns the first word whose number of formable words is in the range, else the one whose number is nearest to it.
  public func nearest(to range: ClosedRange<Int>, among words: some Sequence<String>, minLength: Int = 2) -> String? {
    var nearest: (word: String, distance: Int)?
    for word in words {
      let count = countFormable(from: word, minLength: minLength)
      if range.contains(count) { return word }
      let distance = max(range.lowerBound - count, count - range.upperBound)
      if nearest.map({ distance < $0.distance }) ?? true { nearest = (word, distance) }
    }
    return nearest?.word
  }

  /// Returns the word of a day, counted in days since 1970: the same for everybody who has the same list.
  public func wordOfTheDay(_ day: Int, length: Int? = nil) -> String? {
    var generator = SeededNumbers(day: day)
    if let length { return random(length: length, using: &generator) }
    let usual = lengths.filter { (5...9).contains($0) }
    return random(length: usual.randomElement(using: &generator), using: &generator)
  }

  /// Returns the indices of a block's words that begin with `prefix`, which are consecutive.
  private func range(in block: Block, prefix: [UInt8]) -> Range<Int> {
    let start = firstIndex(in: block.indices) { !$0.prefix(prefix.count).lexicographicallyPrecedes(prefix) }
    let end = firstIndex(in: start..<block.indices.upperBound) { !$0.starts(with: prefix) }
    return start..<end
  }

  /// Returns the first index whose word meets a condition that all later words meet, too.
  private func firstIndex(in range: Range<Int>, where holds: (UnsafeBufferPointer<UInt8>) -> Bool) -> Int {
    range.bisected { !holds(bytes(at: offset(ofIndex: $0))) }
  }
}

extension SeededNumbers {
  /// Seeds the random numbers of a day.
  init(day: Int) { self.init(seed: UInt64(bitPattern: Int64(day)) &* 0xD134_2543_DE82_EF95) }
}
