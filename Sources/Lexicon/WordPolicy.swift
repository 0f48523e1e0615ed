// Which lines of a list are words, and how they are normalised.
// Invariant: an accepted word is in normal form: NFC, small letters, 2...64 letters, at most 255 bytes.

import Text

/// The limits for reading a list. The defaults are far above every list that Debian ships; tests lower them.
public struct ListLimits: Sendable {
  /// The largest list, in bytes.
  public var bytes = 1 << 28
  /// The largest number of words in a compiled file.
  public var words = 1 << 24
  /// Polled while a list is read; true gives up.
  public var isInterrupted: @Sendable () -> Bool

  public init(isInterrupted: @escaping @Sendable () -> Bool) { self.isInterrupted = isInterrupted }
}

/// The rules by which a list is cleaned.
struct WordPolicy {
  static let lengths = 2...64
  static let maxBytes = 255

  let language: Language
  let foldsAccents: Bool

  /// A number that differs for policies that give different words; a compiled file is valid only with the same number.
  var fingerprint: UInt32 {
    var sum: UInt32 = foldsAccents ? 17 : 16
    for byte in language.ownLetters.utf8 { sum = sum &* 31 &+ UInt32(byte) }
    if language.marksStress { sum = sum &* 31 &+ 1 }
    return sum << 2 | language.letterCase.rawValue
  }
}

/// Applies a policy to the lines of a list.
final class WordNormalizer {
  private let policy: WordPolicy
  /// For scalars below U+0800, once computed: whether it is a small letter in NFC that the policy leaves unchanged.
  private var unchanged = [Bool?](repeating: nil, count: 0x800)

  init(_ policy: WordPolicy) { self.policy = policy }

  private func isUnchanged(_ value: Int) -> Bool {
    if let known = unchanged[value] { return known }
    let found = Unicode.Scalar(UInt32(value)).map(leavesUnchanged) ?? false
    unchanged[value] = found
    return found
  }

  private func leavesUnchanged(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.isLetter, !scalar.isCapital else { return false }
    // Which sigma is right depends on its position in the word.
    if policy.language.letterCase == .finalSigma, scalar == "σ" || scalar == "ς" { return false }
    let text = String(scalar)
    let kept = policy.foldsAccents ? folded(text, keeping: policy.language.ownLetters) : text.composed
    return kept.unicodeScalars.elementsEqual(text.unicodeScalars)
  }

  enum Verdict {
    /// The bytes of the line are a word in normal form.
    case asIs(letters: Int)
    case word(String, letters: Int)
    case dropped(DropReason)
  }

  /// Classifies a line whose ASCII whitespace at both ends was already removed.
  func classify(_ line: UnsafeBufferPointer<UInt8>) -> Verdict {
    if line.isEmpty { return .dropped(.empty) }
    if line.count > WordPolicy.maxBytes * 4 { return .dropped(.long) }
    if let letters = countUnchanged(line) {
      return dropForLength(letters, bytes: line.count).map { .dropped($0) } ?? .asIs(letters: letters)
    }
    guard let text = String(validating: line, as: UTF8.self) else { return .dropped(.notText) }
    return classify(text: text.trimmed)
  }

  /// Returns the number of letters if the policy leaves every scalar unchanged, else nil.
  private func countUnchanged(_ line: UnsafeBufferPointer<UInt8>) -> Int? {
    var letters = 0
    let areUnchanged = forEachShortScalar(in: line) { value in
      letters += 1
      return isUnchanged(value)
    }
    return areUnchanged ? letters : nil
  }

  private func classify(text: String) -> Verdict {
    let (composed, language) = (text.composed, policy.language)
    var scalars = composed.unicodeScalars.makeIterator()
    guard let first = scalars.next() else { return .dropped(.empty) }
    if let reason = reasonToDrop(first, atStart: true) { return .dropped(reason) }
    while let scalar = scalars.next() {
      if let reason = reasonToDrop(scalar, atStart: false) { return .dropped(reason) }
    }
    let hasCase = first.isCapital || language.letterCase == .finalSigma
    var word = hasCase ? lowercased(composed, letterCase: language.letterCase).composed : composed
    if language.marksStress { word = withoutStress(word) }
    if policy.foldsAccents { word = folded(word, keeping: language.ownLetters) }
    let letters = word.unicodeScalars.count { !$0.isMark }
    return dropForLength(letters, bytes: word.utf8.count).map { .dropped($0) } ?? .word(word, letters: letters)
  }

  private func reasonToDrop(_ scalar: Unicode.Scalar, atStart: Bool) -> DropReason? {
    if scalar.isLetter {
      return scalar.isCapital && !(atStart && policy.language.letterCase == .nouns) ? .capital : nil
    }
    switch scalar {
    case _ where scalar.isMark: return atStart ? .sign : nil
    case "'", "\u{2019}", "\u{2BC}": return .apostrophe
    case "-", "\u{2010}", "\u{2011}", "\u{2013}": return .hyphen
    case _ where scalar.properties.numericType != nil: return .digit
    case _ where scalar.properties.isWhitespace: return .blank
    default: return .sign
    }
  }

  private func dropForLength(_ letters: Int, bytes: Int) -> DropReason? {
    if letters < WordPolicy.lengths.lowerBound { return .short }
    return letters > WordPolicy.lengths.upperBound || bytes > WordPolicy.maxBytes ? .long : nil
  }
}
