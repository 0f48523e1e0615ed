// Which names an account may have: fit for a folder, in one script, and not confusable with another account's.
// Invariant: no two accounts have names that a user could confuse by sight; see `skeleton`.

import Text

/// A checked account name.
struct AccountName: Equatable {
  /// In normal form C; also the name of the account's folder.
  let text: String

  static let longest = 64
  private static let reserved: Set<String> = [
    "local", "account", "accounts", "all", "nobody", "none", "new", "deckhand", "plugins", "default",
  ]

  /// Throws the reason why the name is not allowed.
  init(_ name: String) throws(AuthenticationError) {
    func refused(_ reason: String) -> AuthenticationError { .badName(name, reason: reason) }
    guard name.utf8.count <= AccountName.longest * 4, name.composed.utf8.count <= AccountName.longest
    else { throw refused("it must have at most \(AccountName.longest) bytes") }
    let text = name.composed
    guard let first = text.unicodeScalars.first else { throw .empty }
    guard first.properties.isAlphabetic || first.properties.numericType == .decimal else {
      throw refused("it must begin with a letter or a digit")
    }
    for scalar in text.unicodeScalars where !AccountName.isAllowed(scalar) {
      throw refused("only letters and digits are allowed, and . _ - between them")
    }
    if text.hasSuffix(".") { throw refused("it must not end with a dot") }
    let scripts = Set(text.unicodeScalars.compactMap(Script.of))
    // Those that East Asian languages combine.
    let mixes: [Set<Script>] = [[.han, .kana], [.han, .hangul], [.han, .bopomofo]]
    guard scripts.count <= 1 || mixes.contains(where: scripts.isSubset) else {
      throw refused("its letters are from more than one script")
    }
    if AccountName.reserved.contains(AccountName.key(text)) { throw refused("it is reserved for Deckhand") }
    self.text = text
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    if properties.isDefaultIgnorableCodePoint { return false }
    if properties.isAlphabetic || properties.numericType == .decimal {
      return properties.generalCategory != .otherSymbol
    }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark: return true
    default: return scalar == "." || scalar == "_" || scalar == "-"
    }
  }

  /// The form in which names are compared: case and compatible forms do not matter.
  static func key(_ name: String) -> String { name.compatiblyFolded }

  /// What the name looks like: letters that are drawn alike are mapped to one. The short list covers the letters that
  /// names are made of, after the Unicode confusables (UTS #39).
  static func skeleton(_ name: String) -> String {
    String(String.UnicodeScalarView(key(name).unicodeScalars.map { lookalikes[$0] ?? $0 }))
  }

  private static let lookalikes: [Unicode.Scalar: Unicode.Scalar] = [
    "0": "o", "1": "l", "i": "l", "ı": "l", "|": "l", "ο": "o", "о": "o", "օ": "o", "ס": "o", "ه": "o", "٥": "o",
    "а": "a", "α": "a", "ɑ": "a", "е": "e", "ε": "e", "є": "e", "р": "p", "ρ": "p", "с": "c", "ϲ": "c", "у": "y",
    "γ": "y", "υ": "u", "ս": "u", "х": "x", "χ": "x", "і": "l", "ι": "l", "ӏ": "l", "ј": "j", "ѕ": "s", "һ": "h",
    "հ": "h", "ԁ": "d", "ո": "n", "η": "n", "п": "n", "ν": "v", "ѵ": "v", "κ": "k", "к": "k", "τ": "t", "т": "t",
    "м": "m", "в": "b", "β": "b", "н": "h", "ь": "b", "ԝ": "w", "ω": "w", "ѡ": "w", "ԛ": "q", "զ": "q", "ց": "g",
    "г": "r", "ø": "o", "ł": "l", "đ": "d", "-": "_", ".": "_",
  ]
}

/// The scripts by which a name's letters are distinguished. Letters of scripts that are not listed belong to their
/// block of 128 code points, so they cannot be mixed with others either.
private enum Script: Hashable {
  case latin, greek, cyrillic, armenian, hebrew, arabic, kana, han, hangul, bopomofo, georgian, ethiopic
  case block(UInt32)

  /// The script of a letter; nil for characters that occur with every script: digits, signs, marks.
  static func of(_ scalar: Unicode.Scalar) -> Script? {
    guard scalar.properties.isAlphabetic else { return nil }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark: return nil
    default: break
    }
    switch scalar.value {
    case 0x41...0x5A, 0x61...0x7A, 0xAA, 0xBA, 0xC0...0x2AF, 0x1E00...0x1EFF, 0x2C60...0x2C7F, 0xA720...0xA7FF:
      return .latin
    case 0x370...0x3FF, 0x1F00...0x1FFF: return .greek
    case 0x400...0x52F, 0x1C80...0x1C8F, 0x2DE0...0x2DFF, 0xA640...0xA69F: return .cyrillic
    case 0x530...0x58F: return .armenian
    case 0x590...0x5FF: return .hebrew
    case 0x600...0x6FF, 0x750...0x77F, 0x8A0...0x8FF: return .arabic
    case 0x3005, 0x3007, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0x20000...0x3FFFF: return .han
    case 0x3040...0x30FF, 0x31F0...0x31FF, 0xFF66...0xFF9F: return .kana
    case 0x3100...0x312F, 0x31A0...0x31BF: return .bopomofo
    case 0x1100...0x11FF, 0x3130...0x318F, 0xAC00...0xD7FF: return .hangul
    case 0x10A0...0x10FF, 0x1C90...0x1CBF, 0x2D00...0x2D2F: return .georgian
    case 0x1200...0x139F, 0x2D80...0x2DDF: return .ethiopic
    default: return .block(scalar.value >> 7)
    }
  }
}
