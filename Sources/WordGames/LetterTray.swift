// The letters of a base word, laid out so that a guess is counted against them byte by byte. Invariant: `left` is
// scratch memory that is filled from `counts` before each use; `canForm` decides about letters that the tables cannot
// decide.

import Lexicon
import Text

/// The letters that a guess may use.
final class LetterTray {
  private var word = ""
  /// For scalars below U+0800: the number of the letter, 0 for a letter that is not in the base word, or `undecided`.
  private let numbers: UnsafeMutablePointer<UInt8>
  /// How often each numbered letter occurs in the base word; 0 for number 0.
  private let counts: UnsafeMutablePointer<Row>
  private let left: UnsafeMutablePointer<Row>

  private typealias Row = SIMD32<UInt8>
  private static let scalars = 0x800
  private static let undecided: UInt8 = 31

  private enum Answer { case yes, no, undecided }

  init() {
    numbers = .allocate(capacity: Self.scalars)
    counts = .allocate(capacity: 1)
    left = .allocate(capacity: 1)
    numbers.initialize(repeating: 0, count: Self.scalars)
    left.initialize(to: Row())
    counts.initialize(to: Row())
  }

  /// Sets another base word.
  func take(_ word: String) {
    self.word = word
    numbers.update(repeating: 0, count: Self.scalars)
    number(word)
  }

  deinit {
    numbers.deallocate()
    counts.deallocate()
    left.deallocate()
  }

  /// Numbers the first 30 different letters that are one scalar below U+0800. The others need a closer look, and so
  /// does a letter that also occurs with combining marks, or more than 255 times.
  private func number(_ word: String) {
    var row = Row()
    var used = 0
    let letters = countedLetters(word)
    for letter in letters where letter.unicodeScalars.count > 1 {
      if let value = Self.index(of: letter) { numbers[value] = Self.undecided }
    }
    for letter in letters where letter.unicodeScalars.count == 1 {
      guard let value = Self.index(of: letter) else { continue }
      if numbers[value] == 0 {
        used += 1
        numbers[value] = UInt8(min(used, Int(Self.undecided)))
      }
      if row[Int(numbers[value])] == .max { numbers[value] = Self.undecided }
      row[Int(numbers[value])] = min(254, row[Int(numbers[value])]) + 1
    }
    counts.pointee = row
    // ς and σ are one letter.
    numbers[0x3C2] = max(numbers[0x3C2], numbers[0x3C3])
    // A combining mark belongs to the letter before it.
    for value in Self.marks { numbers[value] = Self.undecided }
  }

  private static let marks = (0x300..<scalars).filter { Unicode.Scalar(UInt32($0))?.isMark ?? false }

  /// The index in `numbers` of a letter's first scalar, if it has one.
  private static func index(of letter: Character) -> Int? {
    letter.unicodeScalars.first.flatMap { $0.value < UInt32(scalars) ? Int($0.value) : nil }
  }

  /// Whether the guess can be formed with each letter used at most as often as the base word has it.
  @inline(__always) func allows(_ guess: UnsafeBufferPointer<UInt8>) -> Bool {
    switch count(guess) {
    case .yes: true
    case .no: false
    case .undecided: canForm(letters: word, word: String(decoding: guess, as: UTF8.self))
    }
  }

  /// Whether every letter of the guess occurs in the base word.
  func hasLetters(of guess: UnsafeBufferPointer<UInt8>) -> Bool {
    let letters = Set(countedLetters(word))
    return countedLetters(String(decoding: guess, as: UTF8.self)).allSatisfy { letters.contains($0) }
  }

  @inline(__always) private func count(_ guess: UnsafeBufferPointer<UInt8>) -> Answer {
    left.pointee = counts.pointee
    return left.withMemoryRebound(to: UInt8.self, capacity: 32) { left in
      var index = 0
      while index < guess.count {
        var value = Int(guess[index])
        index &+= 1
        if value >= 0x80 {
          guard value < 0xE0, index < guess.count else { return .undecided }
          value = (value & 0x1F) << 6 | Int(guess[index] & 0x3F)
          index &+= 1
        }
        let number = numbers[value]
        let count = left[Int(number)]
        if count == 0 { return number == Self.undecided ? .undecided : .no }
        left[Int(number)] = count &- 1
      }
      return left[Int(Self.undecided)] == counts.pointee[Int(Self.undecided)] ? .yes : .undecided
    }
  }
}
