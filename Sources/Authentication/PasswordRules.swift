// Which new passwords are refused: too short, too long, common, like the account's name.
// Invariant: the password is examined in place; anything that is derived from it on the way is a secret.

import Text

/// The rules for a new password. They are never applied to an old one.
enum PasswordRules {
  static let shortest = 8

  /// Throws the reason why a normalized password is not allowed for this account.
  static func check(_ password: borrowing Secret, name: String) throws(AuthenticationError) {
    if password.count < shortest { throw .tooShort(minimum: shortest) }
    if password.count > Secret.longest { throw .tooLong(maximum: Secret.longest) }
    let plain = try lowered(password)
    let folded = Array(name.compatiblyFolded.utf8)
    // A password that contains little beside the name is reported as like the name, even if it is also common.
    if plain.withBytes({ isLike(folded, $0) }) { throw .likeName }
    if plain.withBytes({ isCommon($0) }) { throw .common }
  }

  /// A copy with the ASCII letters in lower case.
  private static func lowered(_ password: borrowing Secret) throws(AuthenticationError) -> Secret {
    try password.withBytes { (bytes) throws(AuthenticationError) in
      try Secret(capacity: bytes.count) { buffer in
        for (place, byte) in bytes.enumerated() { buffer[place] = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        return bytes.count
      }
    }
  }

  /// The letter that a digit or sign replaces, as in `P4ssw0rd`.
  private static func letter(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "0"): UInt8(ascii: "o")
    case UInt8(ascii: "1"), UInt8(ascii: "!"): UInt8(ascii: "i")
    case UInt8(ascii: "3"): UInt8(ascii: "e")
    case UInt8(ascii: "4"), UInt8(ascii: "@"): UInt8(ascii: "a")
    case UInt8(ascii: "5"), UInt8(ascii: "$"): UInt8(ascii: "s")
    case UInt8(ascii: "7"): UInt8(ascii: "t")
    default: byte
    }
  }

  /// Whether all but five bytes of the password are the name, forwards or backwards, or two edits make it the name.
  private static func isLike(_ name: [UInt8], _ password: UnsafeRawBufferPointer) -> Bool {
    guard name.count >= 3 else { return false }
    for candidate in [name, name.reversed()] {
      let times = occurrences(of: candidate, in: password)
      if times > 0, password.count - times * candidate.count < 6 { return true }
      if name.count >= 6, abs(password.count - name.count) <= 2, distance(candidate, password) <= 2 { return true }
    }
    return false
  }

  private static func occurrences(of part: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int {
    var count = 0
    var place = 0
    while place + part.count <= bytes.count {
      let isHere = part.indices.allSatisfy { part[$0] == bytes[place + $0] || part[$0] == letter(bytes[place + $0]) }
      count += isHere ? 1 : 0
      place += isHere ? part.count : 1
    }
    return count
  }

  /// The Levenshtein distance, computed with a single row of numbers.
  private static func distance(_ name: [UInt8], _ password: UnsafeRawBufferPointer) -> Int {
    var row = Array(0...name.count)
    for (line, byte) in password.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for place in name.indices {
        let change = diagonal + (name[place] == byte ? 0 : 1)
        diagonal = row[place + 1]
        row[place + 1] = min(change, row[place + 1] + 1, row[place] + 1)
      }
    }
    return row[name.count]
  }

  private static func isCommon(_ password: UnsafeRawBufferPointer) -> Bool {
    let first = password[0]
    let second = password.first { $0 != first }
    let hasTwoKeys = password.allSatisfy { $0 == first || $0 == second }
    if hasTwoKeys || isRun(password, step: 1) || isRun(password, step: -1) || isKeyboardRow(password) { return true }
    // The length without the digits and signs at the end.
    let core = password.count - password.reversed().prefix { $0 < 0x80 && !(0x61...0x7A).contains($0) }.count
    return commonWords.contains { word in
      let part = Array(word.utf8)
      let times = occurrences(of: part, in: password)
      return times > 0 && (core == part.count || password.count - times * part.count < 5)
    }
  }

  /// `12345678`, `hgfedcba`, `1234567890`: nearly every byte is the neighbour of the one before.
  private static func isRun(_ password: UnsafeRawBufferPointer, step: Int) -> Bool {
    let breaks = zip(password, password.dropFirst()).count { first, second in
      Int(second) - Int(first) != step && !(first == UInt8(ascii: "9") && second == UInt8(ascii: "0"))
    }
    return breaks <= password.count / 8
  }

  private static func isKeyboardRow(_ password: UnsafeRawBufferPointer) -> Bool {
    keyboardRows.contains { row in
      let keys = Array(row.utf8)
      return password.indices.dropFirst().allSatisfy { place in
        guard let key = keys.firstIndex(of: password[place - 1]) else { return false }
        return keys[(key + 1) % keys.count] == password[place]
      }
    }
  }

  private static let keyboardRows = [
    "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "azertyuiop", "1q2w3e4r5t6z7u8i9o0p", "1q2w3e4r5t6y7u8i9o0p",
    "1qaz2wsx3edc4rfv5tgb",
  ]

  /// Words that users choose first; each is also refused with a few letters, digits or signs around it.
  private static let commonWords = [
    "password", "passwort", "passw", "contrasena", "motdepasse", "parola", "parol", "letmein", "welcome", "iloveyou",
    "sunshine", "princess", "football", "baseball", "superman", "batman", "dragon", "monkey", "shadow", "master",
    "qwerty", "qwertz", "azerty", "abc123", "trustno", "starwars", "whatever", "computer", "internet", "secret",
    "changeme", "default", "administrator", "admin", "guest", "login", "hello", "hallo", "bonjour", "hola", "ciao",
    "deckhand", "flashcard", "vocabulary", "vokabel", "12345678", "123123", "112233", "87654321",
  ]
}
