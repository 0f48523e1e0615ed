// The letters of a base word, laid out so that a guess is counted against them byte by byte.
// Invariant: `left` equals `counts` between calls; a letter that the byte tables cannot decide is decided by `canForm`.

import Lexicon

/// The letters that a guess may use.
final class LetterTray {
  private let word: String
  /// For scalars below U+0800: 0 for no letter of the base word, `lookCloser`, or the letter's number.
  private let numbers: UnsafeMutablePointer<UInt8>
  /// How often each numbered letter stands in the base word.
  private let counts: UnsafeMutablePointer<UInt8>
  private let left: UnsafeMutablePointer<UInt8>
  private let distinct: Int

  private static let scalars = 0x800
  private static let lookCloser: UInt8 = 255

  private enum Answer { case yes, no, lookCloser }

  init(_ word: String) {
    self.word = word
    numbers = .allocate(capacity: Self.scalars)
    counts = .allocate(capacity: 256)
    left = .allocate(capacity: 256)
    numbers.initialize(repeating: 0, count: Self.scalars)
    counts.initialize(repeating: 0, count: 256)
    left.initialize(repeating: 0, count: 256)
    var used = 0
    for letter in word {
      let scalars = letter.unicodeScalars
      guard let scalar = scalars.first, scalars.count == 1, scalar.value < UInt32(Self.scalars) else { continue }
      let value = Int(scalar.value)
      if numbers[value] == 0 {
        if used < 250 { used += 1 }
        numbers[value] = used < 250 ? UInt8(used) : Self.lookCloser
      }
      let number = Int(numbers[value])
      if counts[number] < .max { counts[number] += 1 }
    }
    distinct = used
    for value in 0x300..<UInt32(Self.scalars) {
      // A mark belongs to the letter before it: such a guess is read letter by letter.
      if let scalar = Unicode.Scalar(value), scalar.properties.canonicalCombiningClass != .notReordered {
        numbers[Int(value)] = Self.lookCloser
      }
    }
    left.update(from: counts, count: 256)
  }

  deinit {
    numbers.deallocate()
    counts.deallocate()
    left.deallocate()
  }

  /// Whether the guess can be laid, each letter as often as the base word has it.
  func canLay(_ guess: UnsafeBufferPointer<UInt8>) -> Bool {
    let answer = count(guess)
    left.update(from: counts, count: distinct + 1)
    return answer == .lookCloser ? canForm(letters: word, word: String(decoding: guess, as: UTF8.self)) : answer == .yes
  }

  /// Whether every letter of the guess stands in the base word.
  func hasLetters(of guess: UnsafeBufferPointer<UInt8>) -> Bool {
    let letters = Set(word)
    return String(decoding: guess, as: UTF8.self).allSatisfy { letters.contains($0) }
  }

  @inline(__always)
  private func count(_ guess: UnsafeBufferPointer<UInt8>) -> Answer {
    var index = 0
    while index < guess.count {
      var value = Int(guess[index])
      index &+= 1
      if value >= 0x80 {
        guard value < 0xE0, index < guess.count else { return .lookCloser }
        value = (value & 0x1F) << 6 | Int(guess[index] & 0x3F)
        index &+= 1
      }
      let number = numbers[value]
      if number == Self.lookCloser { return .lookCloser }
      if left[Int(number)] == 0 { return .no }
      left[Int(number)] &-= 1
    }
    return .yes
  }
}
