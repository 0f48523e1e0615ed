// The word lists of a machine: which languages are there, and their lexicons, each compiled and opened once.
// Invariant: a lexicon that was handed out stays as it is; asking again for the same language gives the same object.

import Wording

public final class LexiconLibrary {
  private let listFolders: [String]
  private let cacheFolder: String?
  private let limits: ListLimits
  private var opened: [Key: Lexicon] = [:]

  private struct Key: Hashable {
    let language: Language
    let foldsAccents: Bool
  }

  /// `listFolders` are searched in order for lists by their known names; compiled lists are kept in `cacheFolder`, or
  /// only in memory when it is nil.
  public init(listFolders: [String], cacheFolder: String?, limits: ListLimits = ListLimits()) {
    self.listFolders = listFolders
    self.cacheFolder = cacheFolder
    self.limits = limits
  }

  /// The languages that have a list here, in the order of `Language.known`.
  public func languages() -> [Language] { Language.known.filter { source(of: $0) != nil } }

  /// The lexicon of a language, opened at the first call.
  public func lexicon(for language: Language, foldAccents: Bool = false) throws(LexiconError) -> Lexicon {
    let key = Key(language: language, foldsAccents: foldAccents)
    if let lexicon = opened[key] { return lexicon }
    guard let path = source(of: language) else {
      throw .noWordList(language: language.name, package: language.package)
    }
    let lexicon = try make(path, language.name, language, language.encoding, foldAccents)
    opened[key] = lexicon
    return lexicon
  }

  /// The lexicon of any file of words in UTF-8, one a line. It is called `name`, or by the file's name; its letters follow
  /// the rules of `language`, or Unicode's default ones.
  public func load(
    path: String, name: String? = nil, language: Language? = nil, foldAccents: Bool = false
  ) throws(LexiconError) -> Lexicon {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let name = name ?? String(file.prefix { $0 != "." })
    let language = language ?? Language.named(name) ?? Language(name: name, title: name, code: "")
    return try make(path, name, language, .utf8, foldAccents)
  }

  private func source(of language: Language) -> String? {
    for name in language.listNames {
      for folder in listFolders where sourceStamp(of: folder + "/" + name) != nil { return folder + "/" + name }
    }
    return nil
  }

  private func make(
    _ path: String, _ name: String, _ language: Language, _ encoding: ListEncoding, _ foldAccents: Bool
  ) throws(LexiconError) -> Lexicon {
    let file = try ListFile(path: path, limit: limits.bytes)
    let policy = WordPolicy(language: language, foldsAccents: foldAccents)
    var words = WordCollection()
    try readList(file.bytes, path: path, encoding: encoding, policy: policy, into: &words)
    return try Lexicon.compiled(words, policy, file.stamp, path: path, language: language, name: name)
  }
}

extension Lexicon {
  /// The lexicon of collected words, in memory.
  static func compiled(
    _ words: consuming WordCollection, _ policy: WordPolicy, _ source: SourceStamp, path: String, language: Language,
    name: String
  ) throws(LexiconError) -> Lexicon {
    words.arrange()
    guard words.report.kept > 0 else { throw .badList(path: path, reason: "it holds no usable word") }
    var builder = ImageBuilder(words: words, policy: policy.fingerprint, source: source, name: name)
    let expected = Image.Expectation(policy: policy.fingerprint, name: name)
    guard let image = Image.inMemory(builder.build(), expected: expected),
      let lexicon = Lexicon(
        image, language: language, name: name, foldsAccents: policy.foldsAccents, isMapped: false)
    else { throw .badList(path: path, reason: "it could not be compiled") }
    return lexicon
  }

  /// A lexicon of words given one by one, cleaned like those of a list.
  public static func of(
    _ words: some Sequence<String>, language: Language, name: String? = nil, foldAccents: Bool = false
  ) throws(LexiconError) -> Lexicon {
    let policy = WordPolicy(language: language, foldsAccents: foldAccents)
    var collection = WordCollection()
    for var word in words { word.withUTF8 { collection.add($0, by: policy) } }
    return try compiled(
      collection, policy, SourceStamp(), path: name ?? language.name, language: language, name: name ?? language.name)
  }
}
