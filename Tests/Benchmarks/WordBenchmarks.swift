// Lexicon operations that must be fast, compared with plain C on the same words. Invariant: both sides give the same
// results, or nothing is printed.

import BenchmarkReferences
import Lexicon

/// A reproducible random number generator.
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Texts in C's form: all bytes in one buffer, and the end of each text.
struct Texts {
  private(set) var bytes: [UInt8] = []
  private(set) var ends = [0]

  init(_ texts: some Sequence<String>) {
    for text in texts {
      bytes += text.utf8
      ends.append(bytes.count)
    }
    // Padding, so that code that reads eight bytes at a time stays inside the buffer.
    bytes += [UInt8](repeating: 0, count: 64)
  }

  var count: Int { ends.count - 1 }

  /// Passes the bytes and the ends to C.
  func withPointers<R>(_ body: (UnsafePointer<CChar>, UnsafePointer<Int>) throws -> R) rethrows -> R? {
    try bytes.withUnsafeBufferPointer { bytes in
      try ends.withUnsafeBufferPointer { ends in
        guard let start = bytes.baseAddress, let ends = ends.baseAddress else { return nil }
        return try start.withMemoryRebound(to: CChar.self, capacity: bytes.count) { try body($0, ends) }
      }
    }
  }
}

struct WordBenchmarks {
  let lexicon: Lexicon
  let library: () -> LexiconLibrary
  /// The words of a to z only, which the references can handle.
  let words: [String]
  private var chance = Chance(seed: 42)

  /// Compiles the American English list, the largest one, into a folder.
  init(folder: String) throws {
    library = {
      LexiconLibrary(
        listFolders: ["/usr/share/dict"], cacheFolder: folder, limits: ListLimits(isInterrupted: { false }))
    }
    guard let english = Language.named("english") else {
      throw LexiconError.unknownLanguage(name: "english", suggestion: nil)
    }
    lexicon = try library().lexicon(for: english)
    words = lexicon.words().filter { $0.utf8.allSatisfy { (0x61...0x7A).contains($0) } }
    let texts = Texts(words)
    _ = texts.withPointers { reference_load_words($0, $1, texts.count) }
    print("\(lexicon.count) words of English, \(words.count) of a to z")
  }

  mutating func figures() throws -> [Figure?] {
    let bytes = Double(lexicon.membershipBytes) / Double(lexicon.count)
    return [
      membership("an open-addressing table with FNV-1a", reference_contains_plain),
      membership("an open-addressing table with a wide hash and tags", reference_contains_tagged),
      Figure(
        title: "bytes a word for membership", wanted: 24 / reference_bytes_a_word(), ours: bytes,
        reference: reference_bytes_a_word(), unit: "bytes"),
      formable(), matching(), try opening(),
    ]
  }

  /// Returns random words, half of them with a letter changed.
  mutating func questions(_ count: Int) -> [String] {
    (0..<count).map { _ in
      var word = Array((words.randomElement(using: &chance) ?? "word").utf8)
      if Bool.random(using: &chance) {
        word[Int.random(in: word.indices, using: &chance)] = UInt8.random(in: 0x61...0x7A, using: &chance)
      }
      return String(decoding: word, as: UTF8.self)
    }
  }

  private mutating func membership(
    _ name: String, _ reference: (UnsafePointer<CChar>, UnsafePointer<Int>, Int) -> Int
  ) -> Figure? {
    let texts = Texts(questions(sized(200_000)))
    var found = (ours: 0, reference: 0)
    let figure = compare(
      "membership against \(name) in C", wanted: 1.2, rounds: 31, scale: 1e9 / Double(texts.count), unit: "ns"
    ) {
      timed { found.ours = count(texts) }
    } reference: {
      timed { found.reference = texts.withPointers { reference($0, $1, texts.count) } ?? 0 }
    }
    return agreeing(figure, found.ours == found.reference)
  }

  /// In place, as the reference gets them.
  private func count(_ texts: Texts) -> Int {
    let found = texts.withPointers { start, ends in
      (0..<texts.count).reduce(0) { found, index in
        let word = UnsafeRawBufferPointer(start: start + ends[index], count: ends[index + 1] - ends[index])
        return word.withMemoryRebound(to: UInt8.self) { lexicon.contains($0) } ? found + 1 : found
      }
    }
    return found ?? 0
  }

  /// Returns random words of 8 to 10 letters.
  mutating func bases(_ count: Int) -> [String] {
    let pool = words.filter { (8...10).contains($0.utf8.count) }
    return (0..<count).compactMap { _ in pool.randomElement(using: &chance) }
  }

  private mutating func formable() -> Figure? {
    let bases = bases(sized(2_000))
    var found = (ours: 0, reference: 0)
    let figure = compare(
      "formable words of 8 to 10 letters against a hash of sorted letters in C", wanted: 1.3, rounds: 31,
      scale: 1e6 / Double(bases.count), unit: "us"
    ) {
      timed {
        found.ours = 0
        for base in bases { lexicon.formableWords(from: base, minLength: 1).forEach { _ in found.ours += 1 } }
      }
    } reference: {
      timed { found.reference = referenceFormable(bases) }
    }
    return agreeing(figure, found.ours == found.reference)
  }

  private mutating func matching() -> Figure? {
    let patterns = bases(sized(300)).map { base in
      var letters = Array(base)
      for index in letters.indices.shuffled(using: &chance).prefix(letters.count / 2) { letters[index] = "?" }
      return String(letters)
    }
    var room = [UInt32](repeating: 0, count: words.count)
    var found = (ours: 0, reference: 0)
    let figure = compare(
      "a pattern, half of it wild, against looking at every word in C", wanted: 1, rounds: 15,
      scale: 1e6 / Double(patterns.count), unit: "us"
    ) {
      timed { found.ours = patterns.reduce(0) { $0 + ((try? lexicon.listMatches(of: $1) { false }.count) ?? 0) } }
    } reference: {
      timed { found.reference = patterns.reduce(0) { $0 + reference_match($1, $1.utf8.count, &room) } }
    }
    // The list also has words with accents.
    return agreeing(figure, found.ours >= found.reference)
  }

  /// Opens a compiled file with a new library, as at the start of the program, and looks up one word.
  private func opening() throws -> Figure? {
    guard let english = Language.named("english") else { return nil }
    return try compare(
      "opening a compiled list and a first question against the limit", wanted: 1, rounds: 201, scale: 1e3, unit: "ms"
    ) {
      let start = now()
      let isWord = try library().lexicon(for: english).contains("paper")
      return isWord ? now() - start : -1
    } reference: {
      0.0001
    }
  }
}

/// Returns the figure if both sides found equally many.
func agreeing(_ figure: Figure?, _ isSo: Bool) -> Figure? {
  guard let figure, !isSo else { return figure }
  failed(figure.title + " (the two sides disagree)")
  return nil
}

/// Returns the number of words that the reference finds for all bases.
func referenceFormable(_ bases: [String]) -> Int {
  withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 100_000) { room in
    bases.reduce(0) { $0 + reference_formable($1, $1.utf8.count, room.baseAddress) }
  }
}

/// Returns the seconds that the body takes.
func timed(_ body: () -> Void) -> Double {
  let start = now()
  body()
  return now() - start
}
