// Judges guesses by the native rules, on the bytes of the guess as they stand.
// Invariant: the first rule that fails, in the mode's order, is the answer; judging makes no String of a guess in ASCII.

import Lexicon

/// The rules of a game for one base word.
final class Judge {
  let rules: [Rule]
  private let lexicon: Lexicon
  private let tray: LetterTray
  private let steps: [Step]
  private let texts: [[UInt8]]

  /// A rule without its texts, which stand in `texts`.
  private enum Step {
    case minLength(Int)
    case maxLength(Int)
    case length(Int)
    case unused, fromLetters, reusableLetters, palindrome, inDictionary, ladderStep
    case contains(Int)
    case startsWith(Int)
  }

  init(rules: [Rule], baseWord: String, lexicon: Lexicon) {
    self.rules = rules
    self.lexicon = lexicon
    tray = LetterTray(baseWord)
    var texts: [[UInt8]] = []
    func text(_ text: String) -> Int {
      texts.append(Array(lexicon.normalized(text).utf8))
      return texts.count - 1
    }
    steps = rules.map { rule in
      switch rule {
      case .minLength(let count): .minLength(count)
      case .maxLength(let count): .maxLength(count)
      case .length(let count): .length(count)
      case .unused: .unused
      case .fromLetters: .fromLetters
      case .reusableLetters: .reusableLetters
      case .contains(let letters): .contains(text(letters))
      case .startsWith(let letters): .startsWith(text(letters))
      case .palindrome: .palindrome
      case .inDictionary: .inDictionary
      case .ladderStep: .ladderStep
      }
    }
    self.texts = texts
  }

  /// A guess in normal form, with what judging needs to know of it.
  struct Guess {
    let bytes: UnsafeBufferPointer<UInt8>
    let letters: Int
    let hash: UInt64
  }

  /// The index of the first rule that the guess fails, or nil. `last` is the word that a ladder stands on.
  func firstFailure(_ guess: Guess, found: borrowing FoundWords, last: () -> String) -> Int? {
    for index in steps.indices where !passes(steps[index], guess, found, last) { return index }
    return nil
  }

  @inline(__always)
  private func passes(_ step: Step, _ guess: Guess, _ found: borrowing FoundWords, _ last: () -> String) -> Bool {
    switch step {
    case .minLength(let count): guess.letters >= count
    case .maxLength(let count): guess.letters <= count
    case .length(let count): guess.letters == count
    case .unused: !found.contains(guess.bytes, hash: guess.hash)
    case .fromLetters: tray.canLay(guess.bytes)
    case .inDictionary: lexicon.contains(guess.bytes, hash: guess.hash)
    case .reusableLetters: tray.hasLetters(of: guess.bytes)
    case .contains(let text): guess.bytes.contains(texts[text])
    case .startsWith(let text): guess.bytes.starts(with: texts[text])
    case .palindrome: isPalindrome(guess.bytes)
    case .ladderStep: differsInOneLetter(String(decoding: guess.bytes, as: UTF8.self), last())
    }
  }
}

/// Whether a word reads the same from both ends, letter by letter.
func isPalindrome(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  let letters = Array(String(decoding: bytes, as: UTF8.self))
  return letters.elementsEqual(letters.reversed())
}

/// Whether two words are of one length and differ in exactly one letter.
func differsInOneLetter(_ a: String, _ b: String) -> Bool {
  let (a, b) = (Array(a), Array(b))
  return a.count == b.count && zip(a, b).count { $0 != $1 } == 1
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether the text stands somewhere in these bytes.
  fileprivate func contains(_ text: [UInt8]) -> Bool {
    guard text.count <= count else { return false }
    return (0...(count - text.count)).contains { self[$0...].starts(with: text) }
  }
}
