// Queries about texts of ASCII letters, done on their bytes without making a String. Invariant: each returns exactly
// what the general function of the same name returns, or says that the general one must be called.

import Text

private let carriageReturn: UInt8 = 13
private let capitalI: UInt8 = 0x49

/// The letters of the last query, cached because a loop queries the same letters for each word:
///
///     var letters = PlainLetters()
///     letters.canForm("cambering", word)      // true, false, or nil: ask canForm(letters:word:)
public struct PlainLetters {
  /// The cached letters, 1...16 of them, each at most three times; none at first.
  private var (lanes, count) = (Lanes(), 0)
  /// The counts of the 32 bytes from 0x60 on, which include the small letters: two bits each.
  private var counts: UInt64 = 0

  public init() {}

  /// Does what `canForm(letters:word:)` does, for texts in which each letter is one byte; nil for other texts.
  @inline(__always)
  public mutating func canForm(_ letters: UnsafeBufferPointer<UInt8>, _ word: UnsafeBufferPointer<UInt8>) -> Bool? {
    guard isLast(letters) || take(letters), let start = word.baseAddress, 1...16 ~= word.count,
      Lanes(start, word.count).areInOneCase(word.count)
    else { return canFormPlain(letters: letters, word: word) }
    var left = counts
    for byte in word {
      // A shift uses only the low six bits of twice the byte.
      let shift = UInt64(truncatingIfNeeded: byte) &* 2
      guard left &>> shift & 3 != 0 else { return false }
      left &-= 1 &<< shift
    }
    return true
  }

  @inline(__always) private func isLast(_ letters: UnsafeBufferPointer<UInt8>) -> Bool {
    guard letters.count == count, let start = letters.baseAddress, count > 0 else { return false }
    return Lanes(start, count) == lanes
  }

  @inline(never) private mutating func take(_ letters: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = letters.baseAddress, 1...16 ~= letters.count,
      case let fresh = Lanes(start, letters.count), fresh.areInOneCase(letters.count)
    else { return false }
    var counts: UInt64 = 0
    for byte in letters {
      let shift = UInt64(truncatingIfNeeded: byte) &* 2
      guard counts &>> shift & 3 < 3 else { return false }
      counts &+= 1 &<< shift
    }
    (lanes, count, self.counts) = (fresh, letters.count, counts)
    return true
  }
}

/// Does what `canForm(letters:word:)` does, for texts in which each letter is one byte; nil for other texts. A line end
/// of two bytes is one letter, so texts with a carriage return are among the others.
func canFormPlain(letters: UnsafeBufferPointer<UInt8>, word: UnsafeBufferPointer<UInt8>) -> Bool? {
  // Each count must fit into a byte.
  guard letters.count <= 255 else { return nil }
  return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { memory -> Bool? in
    // Only the counts that are read are set to 0.
    guard let counts = memory.baseAddress, clear(counts, of: letters), clear(counts, of: word) else { return nil }
    let blank = Int(UInt8(ascii: "?"))
    counts[blank] = 0
    for byte in letters { counts[Int(byte)] &+= 1 }
    for byte in word {
      let index = counts[Int(byte)] > 0 ? Int(byte) : blank
      guard counts[index] > 0 else { return false }
      counts[index] &-= 1
    }
    return true
  }
}

/// Sets the counts of a text's letters to 0; returns false if one is not ASCII, or is a carriage return.
@inline(__always)
private func clear(_ counts: UnsafeMutablePointer<UInt8>, of text: UnsafeBufferPointer<UInt8>) -> Bool {
  var seen: UInt8 = 0
  for byte in text {
    seen |= byte == carriageReturn ? 0x80 : byte
    counts[Int(byte & 0x7F)] = 0
  }
  return seen < 0x80
}

/// Calls `body` with `normalize(text, language:)` for a short ASCII text in a language of that letter case; returns
/// false, without a call, for any other text.
public func withNormalizedPlain(
  _ text: UnsafeBufferPointer<UInt8>, _ letterCase: LetterCase, _ body: (UnsafeBufferPointer<UInt8>) -> Void
) -> Bool {
  // In Turkish, a capital I becomes a letter that is not ASCII.
  guard text.count <= 256, letterCase != .dotless || !text.contains(capitalI) else { return false }
  var (first, end) = (0, text.count)
  while first < end, isASCIISpace(text[first]) { first &+= 1 }
  while end > first, isASCIISpace(text[end &- 1]) { end &-= 1 }
  return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { lowered in
    var seen: UInt8 = 0
    var index = first
    while index < end {
      let byte = text[index]
      seen |= byte
      lowered[index &- first] = byte &- 0x41 < 26 ? byte | 0x20 : byte
      index &+= 1
    }
    guard seen < 0x80 else { return false }
    body(UnsafeBufferPointer(start: lowered.baseAddress, count: end &- first))
    return true
  }
}

/// Returns whether bytes are small ASCII letters only: already normal in every language.
public func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  guard let start = bytes.baseAddress, !bytes.isEmpty else { return true }
  if bytes.count <= 16 { return Lanes(start, bytes.count).areSmallLetters(bytes.count) }
  return bytes.allSatisfy { $0 &- 0x61 < 26 }
}

extension Language {
  /// The name of a known language as integers, for fast comparison.
  private struct Key {
    let lanes: Lanes
    let count: Int
    let letterCase: LetterCase
  }
  private static let keys = known.compactMap { language in
    var name = language.name
    return name.withUTF8 { bytes in
      bytes.baseAddress.flatMap { start in
        bytes.count <= 16
          ? Key(lanes: Lanes(start, bytes.count), count: bytes.count, letterCase: language.letterCase) : nil
      }
    }
  }

  /// Returns the letter case of the known language with exactly that name; nil if there is none.
  public static func letterCase(ofNamed name: UnsafeBufferPointer<UInt8>) -> LetterCase? {
    guard let start = name.baseAddress, 1...16 ~= name.count else { return nil }
    let lanes = Lanes(start, name.count)
    for key in keys where key.lanes.first == lanes.first && key.lanes.last == lanes.last && key.count == name.count {
      return key.letterCase
    }
    return nil
  }
}
