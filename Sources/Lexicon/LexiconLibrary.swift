// The word lists of a machine: which languages are available, and their lexicons, each compiled and opened once.
// Invariant: a lexicon that was handed out does not change; asking again for the same language returns the same object
// until it is compiled anew.

public import Files
import Text

public enum CompileStage: Equatable, Sendable {
  /// The title of the list's language.
  case begun(list: String)
  /// The fraction of the list that was read, 0 to 1; the rest of the work takes about as long.
  case read(Double)
  case ended
}

/// The word lists of a machine.
///
///     let library = LexiconLibrary(environment)
///     let lexicon = try library.lexicon(for: library.language(named: "spanish"))
public final class LexiconLibrary {
  private let listFolders: [String]
  private let dictionaryFolders: [String]
  public let meanings: DictionaryLibrary
  private let cacheFolder: String?
  private let limits: ListLimits
  private var opened: [Key: Lexicon] = [:]
  private var mapped: [WeakLexicon] = []
  /// Called while a list is compiled, which happens at its first use.
  public var didReach: (CompileStage) -> Void = { _ in }

  private struct Key: Hashable {
    let language: Language
    let foldsAccents: Bool
  }

  private struct WeakLexicon {
    weak var lexicon: Lexicon?
  }

  /// `listFolders` are searched in order for lists by their known names, `dictionaryFolders` for Hunspell dictionaries
  /// of languages whose lists contain base forms only. Compiled lists go to `cacheFolder`; nil: to memory.
  public init(
    listFolders: [String], cacheFolder: String?, dictionaryFolders: [String] = [], limits: ListLimits,
    meanings: DictionaryLibrary? = nil
  ) {
    self.meanings =
      meanings ?? DictionaryLibrary(ownFolders: [], systemFolders: [], isInterrupted: limits.isInterrupted)
    (self.listFolders, self.dictionaryFolders, self.cacheFolder) = (listFolders, dictionaryFolders, cacheFolder)
    self.limits = limits
  }

  /// Uses the word lists in the folders of an environment.
  public convenience init(_ environment: Environment) {
    let limits = ListLimits(isInterrupted: environment.isInterrupted)
    let folders = environment.folders
    self.init(
      listFolders: folders.lists, cacheFolder: folders.cache, dictionaryFolders: folders.dictionaries, limits: limits,
      meanings: DictionaryLibrary(environment))
  }

  /// Returns the compiled lists that were truncated or written to while they were in use, each once. Since then,
  /// lookups may have missed words of the list. The next `lexicon(for:)` compiles them anew.
  public func takeDamage() -> [LexiconError] {
    mapped.removeAll { $0.lexicon == nil }
    let damaged = mapped.compactMap(\.lexicon).filter { !$0.isDamaged && !$0.compiled.isWhole }
    for lexicon in damaged { lexicon.isDamaged = true }
    opened = opened.filter { !$0.value.isDamaged }
    return damaged.map(\.damage)
  }

  /// Returns the languages that have a list here, in the order of `Language.known`.
  public func languages() -> [Language] { Language.known.filter { sources(of: $0).contains { $0.stamp != nil } } }

  public func language(named name: String) throws(LexiconError) -> Language {
    if let language = Language.named(name) { return language }
    throw .unknownLanguage(name: name, suggestion: suggestion(for: name, among: Language.known.map(\.name)))
  }

  /// Returns the lexicon of a language, which is opened at the first call.
  public func lexicon(for language: Language, foldAccents: Bool = false) throws(LexiconError) -> Lexicon {
    let key = Key(language: language, foldsAccents: foldAccents)
    if let lexicon = opened[key] { return lexicon }
    let lexicon = try open(language, foldAccents, anew: false)
    opened[key] = lexicon
    return lexicon
  }

  /// Returns whether `lexicon(for:)` was called for a language, so that it returns at once.
  public func isOpen(_ language: Language, foldAccents: Bool = false) -> Bool {
    opened[Key(language: language, foldsAccents: foldAccents)] != nil
  }

  /// Returns whether a lexicon is one that `lexicon(for:)` returns, so that it can be found again by its language.
  public func isCached(_ lexicon: Lexicon) -> Bool { opened.values.contains { $0 === lexicon } }

  /// Compiles the list of a language anew, even if that is not necessary. Lexicons that were handed out do not change.
  public func compile(_ language: Language, foldAccents: Bool = false) throws(LexiconError) -> Lexicon {
    let lexicon = try open(language, foldAccents, anew: true)
    opened[Key(language: language, foldsAccents: foldAccents)] = lexicon
    return lexicon
  }

  /// Loads any file of words in UTF-8, one a line. The lexicon is called `name`, or by the file's name; its letters
  /// follow the rules of `language`, or Unicode's default ones.
  public func load(path: String, name: String? = nil, language: Language? = nil) throws(LexiconError) -> Lexicon {
    let file = lastPart(of: path)
    let name = name ?? String(file.prefix { $0 != "." })
    let language = language ?? Language.named(name) ?? .unknown(name)
    let policy = WordPolicy(language: language, foldsAccents: false)
    // The compiled form is named by the list and a number derived from the path, whatever folder that is relative to
    // and whatever links it has.
    var place = realPath(path) ?? path
    let number = place.withUTF8 { damageDigest(UnsafeRawBufferPointer($0), seed: 0) }
    let letters = name.unicodeScalars.prefix(40).map { $0.isLetter || $0.value == 0x2D ? Character($0) : "_" }
    let cached = String(letters) + "." + String(number, radix: 16)
    return try make(.list(path: path), name, .utf8, policy, cachedAs: cached, anew: false)
  }

  private func sources(of language: Language) -> [ListSource] {
    ListSource.candidates(of: language, lists: listFolders, dictionaries: dictionaryFolders)
  }

  /// Opens the preferred usable source; if no source is usable, the error is about the preferred one that exists.
  /// - Throws: for a source that cannot be looked for too: another one has other words.
  private func open(_ language: Language, _ foldAccents: Bool, anew: Bool) throws(LexiconError) -> Lexicon {
    var failure: LexiconError?
    let policy = WordPolicy(language: language, foldsAccents: foldAccents)
    for source in sources(of: language) {
      if let unknown = source.failure { throw unknown }
      if source.stamp == nil { continue }
      do throws(LexiconError) {
        return try make(source, language.name, language.lists.encoding, policy, cachedAs: language.name, anew: anew)
      } catch { failure = failure ?? error }
    }
    throw failure ?? .noWordList(language: language.name, package: language.lists.package)
  }

  private func make(
    _ source: ListSource, _ name: String, _ encoding: ListEncoding, _ policy: WordPolicy, cachedAs fileName: String,
    anew: Bool
  ) throws(LexiconError) -> Lexicon {
    let expected = CompiledIndex.Expectation(policy: policy.fingerprint, name: name)
    let file = cacheFolder.map { folder in
      CompiledFile(path: "\(folder)/\(fileName)\(policy.foldsAccents ? ".folded" : "").words", expected: expected)
    }
    func lexicon(mapping compiled: CompiledIndex) -> Lexicon? {
      let made = Lexicon(compiled, policy, name: name, isMapped: true)
      mapped.append(WeakLexicon(lexicon: made))
      return made
    }
    if !anew, let stamp = source.stamp, let compiled = file?.open(source: stamp),
      let lexicon = lexicon(mapping: compiled)
    {
      return lexicon
    }
    didReach(.begun(list: policy.language.title))
    defer { didReach(.ended) }
    var words = WordCollection(limit: limits.words)
    let didRead = { [self] in didReach(.read($0)) }
    let stamp = try source.collect(encoding, WordNormalizer(policy), limits, didRead, into: &words)
    let content = try Lexicon.compiled(of: &words, policy, stamp, path: source.path, name: name)
    var cacheFailure: LexiconError?
    do throws(LexiconError) {
      if let compiled = try file?.write(content), let lexicon = lexicon(mapping: compiled) { return lexicon }
    } catch { cacheFailure = error }
    let lexicon = try Lexicon.inMemory(content, policy, path: source.path, name: name)
    lexicon.cacheFailure = cacheFailure
    return lexicon
  }
}

extension Lexicon {
  static func compiled(
    of words: inout WordCollection, _ policy: WordPolicy, _ source: ListStamp, path: String, name: String
  ) throws(LexiconError) -> [UInt8] {
    words.arrange()
    guard !words.isOverfull else {
      throw .badList(path: path, reason: "it has more words than a compiled list can contain")
    }
    guard words.report.kept > 0 else { throw .badList(path: path, reason: "it contains no usable words") }
    var builder = IndexBuilder(words: words, policy: policy.fingerprint, source: source, name: name)
    return builder.build()
  }

  /// Creates a lexicon from words given one by one, cleaned like those of a list; it is in memory only.
  public static func of(
    _ words: some Sequence<String>, language: Language, name: String? = nil, foldAccents: Bool = false
  ) throws(LexiconError) -> Lexicon {
    let (policy, name) = (WordPolicy(language: language, foldsAccents: foldAccents), name ?? language.name)
    var collection = WordCollection(limit: ListLimits(isInterrupted: { false }).words)
    let normalizer = WordNormalizer(policy)
    for var word in words { word.withUTF8 { collection.add($0, by: normalizer) } }
    let content = try compiled(of: &collection, policy, ListStamp(), path: name, name: name)
    return try inMemory(content, policy, path: name, name: name)
  }

  fileprivate static func inMemory(
    _ content: [UInt8], _ policy: WordPolicy, path: String, name: String
  ) throws(LexiconError) -> Lexicon {
    let expected = CompiledIndex.Expectation(policy: policy.fingerprint, name: name)
    guard let compiled = CompiledIndex.inMemory(content, expected: expected),
      let lexicon = Lexicon(compiled, policy, name: name, isMapped: false)
    else { throw .badList(path: path, reason: "it could not be compiled") }
    return lexicon
  }
}
