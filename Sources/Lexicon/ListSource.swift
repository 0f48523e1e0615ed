// The source of a language's words: a list, a dictionary with its affixes, or both.
// Invariant: a source that was found has all its files; its stamp changes when one of them does.

import Files
import Glibc

enum ListSource: Equatable {
  case list(path: String)
  case dictionary(words: String, affixes: String)
  /// Several sources, each with words that the others lack.
  indirect case joined([ListSource])

  /// Returns a language's sources in these folders, best first: a dictionary with a list, dictionaries, lists.
  static func candidates(of language: Language, lists: [String], dictionaries: [String]) -> [ListSource] {
    let expanded = language.lists.dictionaries.flatMap { name in
      dictionaries.map { ListSource.dictionary(words: "\($0)/\(name).dic", affixes: "\($0)/\(name).aff") }
    }
    let plain = language.lists.names.flatMap { name in lists.map { ListSource.list(path: "\($0)/\(name)") } }
    return expanded.flatMap { dictionary in plain.map { .joined([dictionary, $0]) } } + expanded + plain
  }

  private var paths: [String] {
    switch self {
    case .list(let path): [path]
    case .dictionary(let words, let affixes): [words, affixes]
    case .joined(let sources): sources.flatMap(\.paths)
    }
  }

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
    _ encoding: ListEncoding, _ normalizer: WordNormalizer, _ limits: ListLimits, _ didRead: @escaping (Double) -> Void,
    into words: inout WordCollection
  ) throws(LexiconError) -> ListStamp {
    switch self {
    case .list(let path):
      let file = try ListFile(path: path, limits: limits)
      try readList(
        file.bytes, path: path, encoding: encoding, normalizer: normalizer, limits.isInterrupted, into: &words)
      return file.stamp
    case .dictionary(let dictionary, let affixes):
      let dictionary = try ListFile(path: dictionary, limits: limits)
      let affixes = try ListFile(path: affixes, limits: limits)
      try expand(dictionary, try AffixRules(affixes), normalizer, limits, didRead, into: &words)
      return dictionary.stamp.joined(affixes.stamp)
    case .joined(let sources):
      var stamp: ListStamp?
      for source in sources {
        let next = try source.collect(encoding, normalizer, limits, didRead, into: &words)
        stamp = stamp?.joined(next) ?? next
      }
      return stamp ?? ListStamp()
    }
  }

  private func expand(
    _ dictionary: ListFile, _ rules: AffixRules, _ normalizer: WordNormalizer, _ limits: ListLimits,
    _ didRead: @escaping (Double) -> Void, into words: inout WordCollection
  ) throws(LexiconError) {
    var found = WordCollection(limit: limits.words)
    swap(&found, &words)
    defer { swap(&found, &words) }
    let expansion = AffixExpansion(
      rules: rules, path: dictionary.path, limit: limits.words, isInterrupted: limits.isInterrupted
    ) { form in found.add(form, by: normalizer) }
    try expansion.expand(dictionary.bytes, didRead)
  }
}

extension ListStamp {
  fileprivate func joined(_ other: ListStamp) -> ListStamp {
    ListStamp(bytes: bytes &+ other.bytes, time: max(time, other.time), hash: hash &* 31 &+ other.hash)
  }
}
