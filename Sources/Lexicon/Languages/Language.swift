// A language: how its letters are lowercased and folded, the values of its letters, and where its lists are found.
// Invariant: a language is plain data; two languages are equal if their names are.

import Problems
import Text

/// How capitals are lowercased, and what a capital in a word list means.
/// The raw values are fixed: compiled lists store them.
public enum LetterCase: UInt32, Sendable {
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
public enum ListEncoding: Hashable, Sendable { case utf8, latin1 }

/// Where the words of a language are found on a machine.
public struct WordListNames: Sendable {
  public var package = ""
  /// File names in /usr/share/dict, the best first.
  public var names: [String] = []
  /// Names of Hunspell dictionaries, for lists that contain base forms only.
  public var dictionaries: [String] = []
  public var encoding = ListEncoding.utf8
}

/// Where Debian keeps Apertium's data of a language. `eng-spa/spa-eng` is a pair and a direction in it.
public struct ApertiumFiles: Sendable {
  public var analysers: [String] = []
  /// Bilingual dictionaries, with the code of their target language.
  public var bilingual: [(meanings: String, path: String)] = []
  /// Generators, which make the forms of a lemma, the best first.
  public var generators: [String] = []
  public var package = ""
}

/// What is needed to find the words and sentences of a text. A list is words in lower case, with blanks between them.
public struct ReadingRules: Sendable {
  /// Words with a final full stop that does not end a sentence, without it.
  public var abbreviations = ""
  /// All forms of its articles, if the function words do not have them.
  public var articles = ""
  /// Whether a full stop after a number makes it an ordinal: `am 3. Mai`.
  public var pointsOrdinals = false
  public var asksWithSemicolon = false
  /// Whether an apostrophe separates two words: `l'arte`.
  public var splitsElisions = false
  /// Beginnings of words whose apostrophe separates nothing: `aujourd'hui`.
  public var undivided = ""
  /// Words that end in an apostrophe: `po'`.
  public var apocopes = ""
  /// Whether a t between hyphens only links a verb to its subject: `demanda-t-il`.
  public var linksWithT = false
  /// Pronouns that follow a verb with a hyphen, whose form is a word only with them: `comprá-los`.
  public var enclitics = ""
  /// Endings of a verb after such a pronoun: `comprá-los-ei`.
  public var endingsAfterEnclitics = ""
  /// Whether `n't` and `'s` are separate words.
  public var splitsContractions = false
  /// The endings of reflexive infinitives, with those of the verbs that people look up.
  public var reflexives: [String: String] = [:]
  /// A line for each function word: its lemma, and after a colon its other forms.
  public var functionWords = ""
  /// Words of closed classes (pronouns, prepositions, conjunctions, ...), the most frequent first. They are never
  /// names, whatever their capitals, and a hundred of them tell a text in this language from others.
  public var frequentWords = ""
  /// What may stand apart from its verb: `an` of `ruft ... an`.
  public var particles = ""
  /// Verbs with forms that other data may lack, `rufen:rief`; en, n, t, st or est may follow a form.
  public var strongForms = ""
  /// Words that have no particle, besides the frequent ones, and those that begin the next clause after one.
  public var withoutParticle = ""
  public var conjunctions = ""
  public var files = ApertiumFiles()

  /// The rules of a language without any of its own.
  public static let plain = ReadingRules()
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
  /// Its codes of three letters (ISO 639-2), as FreeDict and libraries use them.
  var longCodes: [String] = []
  public var lists = WordListNames()
  public var letterCase = LetterCase.plain
  /// Letters with marks that are separate letters: folding accents keeps them.
  public var ownLetters = ""
  /// Whether a combining acute accent only marks the stress, as in books for learners of Russian: `замо́к`.
  var marksStress = false
  /// The values of letters in game modes that count them, grouped by value: `1:aeiou 2:dg`. Other letters count 1.
  var letterValues = ""
  /// The Debian package with meanings for its words; empty if there is none.
  var meanings = ""
  /// The codes of its countries in file names of dictionaries and models; empty for the code of the language.
  var countries: [String] = []
  public var reading = ReadingRules()

  public static func unknown(_ name: String, title: String? = nil, code: String = "") -> Language {
    Language(name: name, title: title ?? name, code: code)
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

  /// The first language with a code of two letters: `spanish` for `es`.
  public static func base(_ code: String) -> Language? { known.first { $0.code == code } }

  /// Names such as `es_ES`, one for each of its countries.
  public var localNames: [String] {
    let countries = Self.base(baseCode)?.countries ?? []
    return (countries.isEmpty ? [baseCode.uppercased()] : countries).map { "\(baseCode)_\($0)" }
  }

  /// The value of each letter, for game modes that count letters by value; absent letters count 1.
  public var valueOfLetters: [Character: Int] {
    var table: [Character: Int] = [:]
    for group in letterValues.split(separator: " ") {
      let parts = group.split(separator: ":")
      guard parts.count == 2, let value = Int(parts[0]) else { continue }
      for letter in parts[1] { table[letter] = value }
    }
    return table
  }
}
