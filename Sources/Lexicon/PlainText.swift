// Questions about texts of ASCII letters, answered on their bytes: no String is made. Invariant: each answers exactly what the
// general function of the same name does, or nil where the text asks for that one.

private let carriageReturn: UInt8 = 13
private let capitalI: UInt8 = 0x49

/// `canForm(letters:word:)` of texts whose letters are a byte each; nil for any others. A line end of two bytes is one letter, so
/// texts with a carriage return are others.
public func canFormPlain(letters: UnsafeBufferPointer<UInt8>, word: UnsafeBufferPointer<UInt8>) -> Bool? {
  if let answer = canFormLetters(letters, word) { return answer }
  // No count goes beyond a byte.
  guard letters.count <= 255 else { return nil }
  return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { memory -> Bool? in
    // Only the counts that are looked at are set to 0.
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

/// The same for small letters only, each at most three times: their counts are two bits each, a bit of every letter in one number.
@inline(__always)
private func canFormLetters(_ letters: UnsafeBufferPointer<UInt8>, _ word: UnsafeBufferPointer<UInt8>) -> Bool? {
  guard areInOneCase(letters), areInOneCase(word) else { return nil }
  var (ones, twos, beyond): (UInt32, UInt32, UInt32) = (0, 0, 0)
  for byte in letters {
    let letter: UInt32 = 1 &<< UInt32(truncatingIfNeeded: byte)
    let carry = ones & letter
    beyond |= twos & carry
    twos ^= carry
    ones ^= letter
  }
  guard beyond == 0 else { return nil }
  for byte in word {
    let letter: UInt32 = 1 &<< UInt32(truncatingIfNeeded: byte)
    guard (ones | twos) & letter != 0 else { return false }
    twos ^= letter & ~ones
    ones ^= letter
  }
  return true
}

/// Whether all bytes are of the 32 from 0x60 on, which the small letters are among.
@inline(__always)
private func areInOneCase(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
  var (all, any): (UInt8, UInt8) = (0x60, 0)
  for byte in text {
    all &= byte
    any |= byte
  }
  return all == 0x60 && any < 0x80
}

/// Sets the counts of a text's letters to 0; false when one is no plain byte.
@inline(__always)
private func clear(_ counts: UnsafeMutablePointer<UInt8>, of text: UnsafeBufferPointer<UInt8>) -> Bool {
  var seen: UInt8 = 0
  for byte in text {
    seen |= byte == carriageReturn ? 0x80 : byte
    counts[Int(byte & 0x7F)] = 0
  }
  return seen < 0x80
}

/// Calls `body` with `normalize(text, language:)` for a short text of ASCII in a language of that letter case; answers false, and
/// calls nothing, for any other.
public func withNormalizedPlain(
  _ text: UnsafeBufferPointer<UInt8>, _ letterCase: LetterCase, _ body: (UnsafeBufferPointer<UInt8>) -> Void
) -> Bool {
  // A capital I of Turkish becomes a letter that is not ASCII.
  guard text.count <= 256, letterCase != .dotless || !text.contains(capitalI) else { return false }
  var (first, end) = (0, text.count)
  while first < end, isBlank(text[first]) { first &+= 1 }
  while end > first, isBlank(text[end &- 1]) { end &-= 1 }
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

/// Unicode's white space within ASCII.
@inline(__always)
private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 9 < 5 }

/// Whether bytes are small ASCII letters only: already normal in every language.
public func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
  guard let start = bytes.baseAddress, !bytes.isEmpty else { return true }
  if bytes.count <= 16 { return Lanes(start, bytes.count).areSmallLetters(bytes.count) }
  return bytes.allSatisfy { $0 &- 0x61 < 26 }
}

extension Language {
  /// The name of a known language as numbers that are compared at once.
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

  /// The letter case of the known language of exactly that name; nil when there is none: `named` may know one.
  public static func letterCase(ofNamed name: UnsafeBufferPointer<UInt8>) -> LetterCase? {
    guard let start = name.baseAddress, 1...16 ~= name.count else { return nil }
    let lanes = Lanes(start, name.count)
    for key in keys where key.lanes.first == lanes.first && key.lanes.last == lanes.last && key.count == name.count {
      return key.letterCase
    }
    return nil
  }
}
