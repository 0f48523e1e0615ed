// Where the words of a language come from: a list, or a dictionary with its affixes.
// Invariant: a source that was found has all its files; its stamp changes when one of them does.

/// The files of a list.
enum ListSource: Equatable {
  case list(path: String)
  case dictionary(words: String, affixes: String)

  /// The source of a language in these folders, dictionaries first.
  static func find(_ language: Language, lists: [String], dictionaries: [String]) -> ListSource? {
    for name in language.dictionaryNames {
      for folder in dictionaries {
        let source = ListSource.dictionary(words: "\(folder)/\(name).dic", affixes: "\(folder)/\(name).aff")
        if source.stamp != nil { return source }
      }
    }
    for name in language.listNames {
      for folder in lists {
        let source = ListSource.list(path: "\(folder)/\(name)")
        if source.stamp != nil { return source }
      }
    }
    return nil
  }

  private var paths: [String] {
    switch self {
    case .list(let path): [path]
    case .dictionary(let words, let affixes): [words, affixes]
    }
  }

  /// What a message names.
  var path: String { paths[0] }

  /// The bytes of all files, and the time of the newest; nil when one is missing.
  var stamp: (bytes: UInt64, time: Int64)? {
    var sum: (bytes: UInt64, time: Int64) = (0, .min)
    for path in paths {
      guard let stamp = sourceStamp(of: path) else { return nil }
      sum = (sum.bytes &+ stamp.bytes, max(sum.time, stamp.time))
    }
    return sum
  }

  /// Reads and cleans the words.
  func collect(
    _ encoding: ListEncoding, _ sieve: WordSieve, _ limits: ListLimits
  ) throws(LexiconError) -> (words: WordCollection, stamp: SourceStamp) {
    var words = WordCollection(limit: limits.words)
    switch self {
    case .list(let path):
      let file = try ListFile(path: path, limit: limits.bytes)
      try readList(file.bytes, path: path, encoding: encoding, sieve: sieve, into: &words)
      return (words, file.stamp)
    case .dictionary(let dictionary, let affixes):
      let (dictionary, affixes) = (
        try ListFile(path: dictionary, limit: limits.bytes), try ListFile(path: affixes, limit: limits.bytes)
      )
      AffixExpansion(rules: try AffixRules(affixes)).expand(dictionary) { words.add($0, by: sieve) }
      let (a, b) = (dictionary.stamp, affixes.stamp)
      return (words, SourceStamp(bytes: a.bytes &+ b.bytes, time: max(a.time, b.time), hash: a.hash &* 31 &+ b.hash))
    }
  }
}
