// How often words are used, by a list of a package or of the user. Invariant: a list of at most `limit` bytes is read,
// and at most `mostWords` of it are kept; words with a capital are names and are left out.

import Files
public import Lexicon
import Problems
import Text

/// Words with how often each was counted.
///
///     let list = try FrequencyList("es_ES.lm", of: spanish) { false }
///     list.counts["gato"]   // 412
public struct FrequencyList {
  static let limit = 64 << 20
  static let mostWords = 1_000_000

  public private(set) var counts: [String: Double] = [:]

  /// Reads one of two kinds: a language model as Onboard has it, whose part `\1-grams:` counts (a count, a blank, a
  /// word), or a table of words and counts with a tab between them. A table without counts is in the order of use.
  init(_ path: String, of language: Language, isInterrupted: @escaping @Sendable () -> Bool) throws(LanguageError) {
    let text: String?
    do { text = try FileText.read(path, limit: Self.limit, isInterrupted: isInterrupted) } catch {
      throw .unreadable(path: path, reason: error.message)
    }
    guard let text else { throw .damaged(path: path, reason: "it is not UTF-8") }
    let isModel = text.utf8.starts(with: "\n\\data\\".utf8) || text.utf8.starts(with: "\\data\\".utf8)
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"))
    if isModel { readModel(lines, language) } else { readTable(lines, language) }
  }

  private mutating func readModel(_ lines: [Substring.UTF8View], _ language: Language) {
    var isInside = false
    for line in lines {
      if line.first == UInt8(ascii: "\\") {
        if isInside { return }
        isInside = line.starts(with: "\\1-grams:".utf8)
      } else if isInside, let blank = line.firstIndex(of: UInt8(ascii: " ")) {
        add(Substring(line[line.index(after: blank)...]), Double(Substring(line[..<blank])), language)
      }
    }
  }

  private mutating func readTable(_ lines: [Substring.UTF8View], _ language: Language) {
    for (index, line) in lines.enumerated() where line.first != UInt8(ascii: "#") {
      let columns = line.split(separator: UInt8(ascii: "\t"), maxSplits: 2)
      guard let word = columns.first else { continue }
      let count = columns.count > 1 ? Double(String(Substring(columns[1])).trimmed) : Double(lines.count - index)
      add(Substring(word), count, language)
    }
  }

  private mutating func add(_ word: Substring, _ count: Double?, _ language: Language) {
    guard let count, count > 0, count.isFinite, counts.count < Self.mostWords else { return }
    let word = String(word).trimmed
    // In German a noun has a capital, too; elsewhere it is a name.
    guard let first = word.unicodeScalars.first, first.properties.isAlphabetic,
      language.letterCase == .nouns || !word.unicodeScalars.contains(where: { $0.properties.isUppercase })
    else { return }
    counts[word, default: 0] += count
  }
}

extension LanguageLibrary {
  /// How often words of a language are used, each word's count in a million, by the list of the user
  /// (`frequency/CODE.tsv` in the data folder), else by the model of Debian's onboard-data (there or in `frequency`);
  /// nil where neither is here.
  public func frequencies(of language: Language) -> [String: Double]? {
    let code = String(language.code.prefix(2))
    let own = frequencyFolder
    let models = Self.modelNames(code)
    let places =
      ["\(own)/\(code).tsv"] + models.map { "\(own)/\($0)" }
      + models.flatMap { name in sharedFolders.map { "\($0)/onboard/models/\(name)" } }
    guard let path = places.first(where: fileExists),
      let list = attempt({ () throws(LanguageError) in
        try FrequencyList(path, of: language, isInterrupted: isInterrupted)
      })
    else { return nil }
    return Self.perMillion(list.counts)
  }

  /// Counts as parts of a million.
  public static func perMillion(_ counts: [String: Double]) -> [String: Double] {
    let sum = counts.values.reduce(0, +)
    return sum > 0 ? counts.mapValues { $0 / sum * 1_000_000 } : [:]
  }

  /// The names of Onboard's models of a language, by its code and a country's.
  private static func modelNames(_ code: String) -> [String] {
    let countries = ["en": ["US", "GB"], "el": ["GR"], "da": ["DK"], "sv": ["SE"], "eo": ["XX"], "pt": ["PT", "BR"]]
    return (countries[code] ?? [code.uppercased()]).map { "\(code)_\($0).lm" }
  }
}
