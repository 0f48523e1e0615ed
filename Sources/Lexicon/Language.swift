// A language: how its letters are lowercased and folded, the values of its letters, and where its lists are found.
// Invariant: a language is plain data; two languages are equal if their names are.

import Problems
import Text

/// How capitals are lowercased, and what a capital in a word list means.
///
///     Language.named("german")?.letterCase    // .nouns: "Haus" is a word of the list, as "haus"
public enum LetterCase: Hashable, Sendable {
  /// Unicode's default mapping; a word with a capital is a name and is dropped from a list.
  case plain
  /// German: the default mapping; lists have nouns with a capital, which are lowercased instead of dropped.
  case nouns
  /// Turkish and Azerbaijani: I becomes ı, İ becomes i.
  case dotless
  /// Greek: a sigma at the end of a word is written ς.
  case finalSigma
}

/// The text encoding of a list that Debian ships; every other list is UTF-8.
///
///     Language.named("english")?.encoding   // .utf8
public enum ListEncoding: Hashable, Sendable { case utf8, latin1 }

/// Where the words of a language are found on a machine.
///
///     WordListNames(package: "wspanish", names: ["spanish"], dictionaries: ["es_ES"])
public struct WordListNames: Sendable {
  /// The Debian package that has the list.
  public var package: String
  /// File names in /usr/share/dict, the best first.
  public var names: [String]
  /// Names of Hunspell dictionaries, for lists that contain base forms only.
  public var dictionaries: [String]
  public var encoding: ListEncoding

  public init(
    package: String = "", names: [String] = [], dictionaries: [String] = [], encoding: ListEncoding = .utf8
  ) {
    (self.package, self.names, self.dictionaries, self.encoding) = (package, names, dictionaries, encoding)
  }
}

/// A language that word lists are in.
///
///     let spanish = Language.named("spanish")
///     spanish?.code         // "es"
///     spanish?.ownLetters   // "ñ": folding accents leaves it
public struct Language: Hashable, Sendable {
  /// The name in commands and Lua: `english`, `american-english-huge`.
  public let name: String
  /// The name for display: `English`.
  public let title: String
  /// ISO 639 code: `en`.
  public let code: String
  /// The Debian package that has its list.
  public let package: String
  /// Names of its lists in the folders of lists, the preferred one first.
  public let listNames: [String]
  /// Names, without extension, of Hunspell dictionaries that are expanded instead of a list of base forms.
  public let dictionaryNames: [String]
  public let letterCase: LetterCase
  public let encoding: ListEncoding
  /// Letters with marks that are separate letters: folding accents keeps them.
  public let ownLetters: String
  /// Whether a combining acute accent only marks the stress, as in books for learners of Russian: `замо́к`.
  let marksStress: Bool
  /// The values of letters in game modes that count them, grouped by value: `1:aeiou 2:dg`. Other letters count 1.
  let values: String

  public init(
    name: String, title: String, code: String, lists: WordListNames = WordListNames(),
    letterCase: LetterCase = .plain, ownLetters: String = "", letterValues: String = ""
  ) {
    self.name = name
    self.title = title
    self.code = code
    package = lists.package
    listNames = lists.names
    dictionaryNames = lists.dictionaries
    self.letterCase = letterCase
    encoding = lists.encoding
    self.ownLetters = ownLetters
    marksStress = ["ru", "uk", "bg"].contains(code)
    values = letterValues
  }

  public static func == (a: Language, b: Language) -> Bool { a.name == b.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  /// Returns the language with that name, title or code (of two or three letters); case-insensitive.
  public static func named(_ name: String) -> Language? {
    let wanted = name.trimmed.lowercased()
    let code = LanguageCode.twoLetters(for: wanted) ?? wanted
    return known.first { $0.name == wanted } ?? known.first { $0.title.lowercased() == wanted || $0.code == code }
  }

  /// The code without a region: `pt` for `pt-br`.
  public var baseCode: String { String(code.prefix(2)) }

  /// The value of each letter, for game modes that count letters by value; absent letters count 1.
  public var letterValues: [Character: Int] {
    var table: [Character: Int] = [:]
    for group in values.split(separator: " ") {
      let parts = group.split(separator: ":")
      guard parts.count == 2, let value = Int(parts[0]) else { continue }
      for letter in parts[1] { table[letter] = value }
    }
    return table
  }
}
