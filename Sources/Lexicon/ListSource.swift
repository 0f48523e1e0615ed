// The source of a language's words: a list, or a dictionary with its affixes.
// Invariant: a source that was found has all its files; its stamp changes when one of them does.

import Files
import Glibc

/// The files of a list.
enum ListSource: Equatable {
  case list(path: String)
  case dictionary(words: String, affixes: String)

  /// Returns the possible sources of a language in these folders, the preferred first: dictionaries before lists.
  static func candidates(of language: Language, lists: [String], dictionaries: [String]) -> [ListSource] {
    let expanded = language.dictionaryNames.flatMap { name in
      dictionaries.map { ListSource.dictionary(words: "\($0)/\(name).dic", affixes: "\($0)/\(name).aff") }
    }
    let plain = language.listNames.flatMap { name in lists.map { ListSource.list(path: "\($0)/\(name)") } }
    return expanded + plain
  }

  private var paths: [String] {
    switch self {
    case .list(let path): [path]
    case .dictionary(let words, let affixes): [words, affixes]
    }
  }

  /// The path that messages name.
  var path: String { paths[0] }

  /// The size of all files together, and the time of the newest; nil if one is missing.
  var stamp: (bytes: UInt64, time: Int64)? {
    var sum: (bytes: UInt64, time: Int64) = (0, .min)
    for path in paths {
      guard let stamp = sourceStamp(of: path) else { return nil }
      sum = (sum.bytes &+ stamp.bytes, max(sum.time, stamp.time))
    }
    return sum
  }

  /// Why nobody can tell whether its files exist: the folder that cannot be searched, for example; nil otherwise.
  var failure: LexiconError? {
    for path in paths {
      do throws(FileError) { if try FileFacts.at(path) == nil { return nil } } catch {
        let place = error.number == EACCES ? parentFolder(of: path) : path
        return .unreadable(path: place, reason: systemWords(error.number))
      }
    }
    return nil
  }

  /// Reads and cleans the words. `didRead` receives the fraction read.
  func collect(
    _ encoding: ListEncoding, _ normalizer: WordNormalizer, _ limits: ListLimits, didRead: @escaping (Double) -> Void
  ) throws(LexiconError) -> (words: WordCollection, stamp: SourceStamp) {
    var words = WordCollection(limit: limits.words)
    switch self {
    case .list(let path):
      let file = try ListFile(path: path, limits: limits)
      try readList(
        file.bytes, path: path, encoding: encoding, normalizer: normalizer, limits.isInterrupted, into: &words)
      return (words, file.stamp)
    case .dictionary(let dictionary, let affixes):
      let (dictionary, affixes) = (
        try ListFile(path: dictionary, limits: limits), try ListFile(path: affixes, limits: limits)
      )
      words = try expanded(dictionary, try AffixRules(affixes), normalizer, limits, didRead)
      let (a, b) = (dictionary.stamp, affixes.stamp)
      return (words, SourceStamp(bytes: a.bytes &+ b.bytes, time: max(a.time, b.time), hash: a.hash &* 31 &+ b.hash))
    }
  }

  private func expanded(
    _ dictionary: ListFile, _ rules: AffixRules, _ normalizer: WordNormalizer, _ limits: ListLimits,
    _ didRead: @escaping (Double) -> Void
  ) throws(LexiconError) -> WordCollection {
    var words = WordCollection(limit: limits.words)
    let expansion = AffixExpansion(
      rules: rules, path: dictionary.path, limit: limits.words, isInterrupted: limits.isInterrupted
    ) { form in
      words.add(form, by: normalizer)
    }
    try expansion.expand(dictionary.bytes, didRead)
    return words
  }
}
