// How often words are used, from a list in a package or of the user. Invariant: a list has at most `limit` bytes, and
// at most `mostWords` of its words are kept; capitalised words are names and are left out.

import Files
public import Lexicon
import Problems
import Text

/// Words and their counts.
public struct FrequencyList {
  static let limit = 64 << 20
  static let mostWords = 1_000_000

  public private(set) var counts: [String: Double] = [:]

  /// Reads one of two formats: a language model of Onboard, whose section `\1-grams:` has lines of a count, a space and
  /// a word; or a table of words and counts separated by a tab. Without counts, a table is in order of frequency.
  init(_ path: String, of language: Language, isInterrupted: @escaping @Sendable () -> Bool) throws(LanguageError) {
    let words = try dataText(path, limit: Self.limit, isInterrupted: isInterrupted)
    let isModel = words.utf8.starts(with: "\n\\data\\".utf8) || words.utf8.starts(with: "\\data\\".utf8)
    let lines = words.utf8.split(separator: UInt8(ascii: "\n"))
    var isInside = false
    for (index, line) in lines.enumerated() where isModel || line.first != UInt8(ascii: "#") {
      if !isModel {
        let columns = line.split(separator: UInt8(ascii: "\t"), maxSplits: 2)
        guard let word = columns.first else { continue }
        let count = columns.count > 1 ? Double(String(Substring(columns[1])).trimmed) : Double(lines.count - index)
        add(Substring(word), count, language)
      } else if line.first == UInt8(ascii: "\\") {
        if isInside { return }
        isInside = line.starts(with: "\\1-grams:".utf8)
      } else if isInside, let blank = line.firstIndex(of: UInt8(ascii: " ")) {
        add(Substring(line[line.index(after: blank)...]), Double(Substring(line[..<blank])), language)
      }
    }
  }

  private mutating func add(_ word: Substring, _ count: Double?, _ language: Language) {
    guard let count, count > 0, count.isFinite, counts.count < Self.mostWords else { return }
    let word = String(word).trimmed
    // In German, nouns are capitalised too; in other languages a capital marks a name.
    guard let first = word.unicodeScalars.first, first.properties.isAlphabetic,
      language.letterCase == .nouns || !word.unicodeScalars.contains(where: { $0.properties.isUppercase })
    else { return }
    counts[word, default: 0] += count
  }
}

extension LanguageLibrary {
  /// Returns how often the words of a language are used, per million words, from the user's list (`frequency/CODE.tsv`
  /// in the data folder) or else from the model in Debian's onboard-data (in its own folder or in `frequency`); nil if
  /// neither exists.
  public func frequencies(of language: Language) -> [String: Double]? {
    let code = language.baseCode
    let own = frequencyFolder
    let models = language.localNames.map { "\($0).lm" }
    let places =
      ["\(own)/\(code).tsv"] + models.map { "\(own)/\($0)" }
      + models.flatMap { name in sharedFolders.map { "\($0)/onboard/models/\(name)" } }
    guard let path = places.first(where: fileExists),
      let list = attempt({ () throws(LanguageError) in
        try FrequencyList(path, of: language, isInterrupted: isInterrupted)
      })
    else { return nil }
    let sum = list.counts.values.reduce(0, +)
    return sum > 0 ? list.counts.mapValues { $0 / sum * 1_000_000 } : [:]
  }
}
