// The language data on a machine: lemmatizers, bilingual dictionaries, and what is missing. Invariant: each file is
// read once, when it is first needed; a damaged or missing file does not affect the others, and is reported.

public import Files
public import Lexicon
import Problems
import Text

/// The data that words are analysed with.
///
///     let library = LanguageLibrary(environment)
///     library.lemmatizer(of: spanish).lemma(of: "dámelo")   // "dar"
public final class LanguageLibrary {
  private let ownFolder: String
  let sharedFolders: [String]
  /// A folder that holds all the files directly, without subfolders.
  private let shippedFolder: String?
  let frequencyFolder: String
  private let spellingFolders: [String]
  let isInterrupted: @Sendable () -> Bool
  private var lemmatizers: [Language: Lemmatizer] = [:]
  /// The bilingual dictionaries and the generators by their paths; nil for one that cannot be read.
  private var explained: [String: TransducerFile?] = [:]
  /// Returns the words that dictionaries list a form under; used if the language's own data does not know the form.
  public var dictionaryForms: (String, Language) -> [String] = { _, _ in [] }
  /// Returns how to find the lemmas of a form in the tables of forms of a language; nil without such a table.
  public var formTable: (Language) -> ((String) -> [String])? = { _ in nil }
  /// The stamps of the files that words depend on, taken before the first was read.
  public private(set) var files = ""
  /// The files that could not be read, and why.
  public private(set) var failures: [LanguageError] = []

  /// - Parameters:
  ///   - ownFolder: the user's tables, `CODE.tsv`: a form, a tab, its lemma.
  ///   - sharedFolders: the folders that contain `apertium`, `wordnet` and `onboard`.
  ///   - shippedFolder: holds files that the shared folders lack, without subfolders: `spa-eng.automorf.bin`.
  public init(
    ownFolder: String, sharedFolders: [String], spellingFolders: [String], frequencyFolder: String = "",
    shippedFolder: String? = nil, isInterrupted: @escaping @Sendable () -> Bool
  ) {
    self.shippedFolder = shippedFolder
    (self.ownFolder, self.sharedFolders, self.spellingFolders) = (ownFolder, sharedFolders, spellingFolders)
    (self.frequencyFolder, self.isInterrupted) = (frequencyFolder, isInterrupted)
  }

  public convenience init(_ environment: Environment) {
    self.init(
      ownFolder: environment.folders.data + "/lemmas", sharedFolders: environment.sharedFolders,
      spellingFolders: environment.folders.dictionaries, frequencyFolder: environment.folders.data + "/frequency",
      isInterrupted: environment.isInterrupted)
  }

  /// Whether the lemmatizer of a language is already loaded, so that `lemmatizer(of:)` returns at once.
  public func isOpen(_ language: Language) -> Bool { lemmatizers[language] != nil }

  /// Looks at all files anew, also those of dictionaries, and drops the loaded lemmatizers.
  public func renew(_ dictionaries: DictionaryLibrary) {
    lemmatizers = [:]
    let shared = sharedFolders.flatMap { ["\($0)/apertium", "\($0)/wordnet"] }
    let own = [ownFolder] + spellingFolders + dictionaries.ownFolders + dictionaries.systemFolders
    files = stamps(of: shared + own + Language.known.map(\.reading.division.list))
  }

  public func lemmatizer(of language: Language) -> Lemmatizer {
    if let known = lemmatizers[language] { return known }
    let code = language.baseCode
    let files = Language.base(code)?.reading.files
    let analysers = (files?.analysers ?? []).compactMap { path in apertium(path, "automorf").flatMap(transducers) }
    let nouns = code == "en" ? first("wordnet/index.noun") : nil
    let wordNet = nouns.flatMap { path in
      attempt { () throws(LanguageError) in try WordNetForms(parentFolder(of: path), isInterrupted: isInterrupted) }
    }
    let table = formTable(language)
    let isMissing = analysers.isEmpty && wordNet == nil && table == nil
    let lemmatizer = Lemmatizer(
      language, overrides: overrides(language), analysers: analysers, wordNet: wordNet,
      missing: isMissing && files?.package.isEmpty == false ? files?.package : nil,
      dictionaryForms: { [unowned self] form in
        defer { forgetIfInterrupted(language) }
        return dictionaryForms(form, language)
      }
    ) { [unowned self] in
      defer { forgetIfInterrupted(language) }
      return openStems(language)
    }
    lemmatizer.table = table
    lemmatizers[language] = lemmatizer
    forgetIfInterrupted(language)
    return lemmatizer
  }

  /// Drops a lemmatizer whose data the user interrupted, so that the data is read again at the next call.
  private func forgetIfInterrupted(_ language: Language) {
    if isInterrupted() { lemmatizers[language] = nil }
  }

  /// Returns the translations of a lemma in Apertium's bilingual dictionaries, grouped by target language.
  public func translations(of lemma: String, in language: Language) -> [(meanings: String, texts: [String])] {
    bilingualFiles(of: language.baseCode).compactMap { meanings, path in
      guard let file = bilingual(path) else { return nil }
      let texts = file.translations(of: lemma).map(\.text).distinct(by: \.self)
      return texts.isEmpty ? nil : (meanings, Array(texts.prefix(6)))
    }
  }

  /// The available bilingual dictionaries of Apertium, in order of the codes of their source and target languages.
  public func bilingualFiles() -> [(words: String, meanings: String, path: String)] {
    Set(Language.known.map(\.code)).sorted().flatMap { code in
      bilingualFiles(of: code).map { (code, $0.meanings, $0.path) }
    }
  }

  public func hasTranslations(of language: Language) -> Bool { !bilingualFiles(of: language.baseCode).isEmpty }

  private func bilingualFiles(of code: String) -> [(meanings: String, path: String)] {
    (Language.base(code)?.reading.files.bilingual ?? []).compactMap { meanings, path in
      apertium(path, "autobil").map { (meanings, $0) }
    }
  }

  /// Returns the path of Apertium's data for a direction such as `eng-spa/spa-eng`.
  private func apertium(_ direction: String, _ kind: String) -> String? {
    first("apertium/apertium-\(direction).\(kind).bin")
  }

  private func first(_ path: String) -> String? {
    let shipped = shippedFolder.map { ["\($0)/\(lastPart(of: path))"] } ?? []
    return (sharedFolders.map { "\($0)/\(path)" } + shipped).first(where: fileExists)
  }

  /// Remembers why a file could not be read, unless the user interrupted it.
  func attempt<T>(_ read: () throws(LanguageError) -> T) -> T? {
    do { return try read() } catch {
      if !isInterrupted(), !failures.contains(error) { failures.append(error) }
      return nil
    }
  }

  private func bilingual(_ path: String) -> TransducerFile? {
    if let known = explained[path] { return known }
    let file = transducers(path)
    if !isInterrupted() { explained.updateValue(file, forKey: path) }
    return file
  }

  private func transducers(_ path: String) -> TransducerFile? {
    attempt { () throws(LanguageError) in try TransducerFile(path, isInterrupted: isInterrupted) }
  }

  func generator(of language: Language) throws(LanguageError) -> TransducerFile {
    let files = Language.base(language.baseCode)?.reading.files.generators ?? []
    guard let path = files.lazy.compactMap({ self.apertium($0, "autogen") }).first else {
      let pair = files.first?.prefix { $0 != "/" }
      throw .noForms(language: language.title, package: pair.map { "apertium-\($0)" })
    }
    if let known = explained[path], let known { return known }
    let file = try TransducerFile(path, isInterrupted: isInterrupted)
    explained.updateValue(file, forKey: path)
    return file
  }

  private func openStems(_ language: Language) -> AffixStems? {
    let names = language.lists.dictionaries + language.localNames
    for folder in spellingFolders {
      for name in names where fileExists("\(folder)/\(name).aff") {
        do {
          return try AffixStems(words: "\(folder)/\(name).dic", affixes: "\(folder)/\(name).aff", isInterrupted)
        } catch {
          // Usually the file has another encoding: forms are then their own lemmas.
          continue
        }
      }
    }
    return nil
  }

  /// Returns the path of the user's own table if it should be indexed, since a large one takes time at each start.
  /// - Throws: `FileError`.
  public func largeTable(of language: Language) throws -> String? {
    let path = "\(ownFolder)/\(language.baseCode).tsv"
    return try FileFacts.at(path).flatMap { $0.size > 1 << 20 ? path : nil }
  }

  private func overrides(_ language: Language) -> [String: String] {
    let path = "\(ownFolder)/\(language.baseCode).tsv"
    guard fileExists(path),
      let text = attempt({ () throws(LanguageError) in
        try dataText(path, limit: 64 << 20, isInterrupted: isInterrupted)
      })
    else { return [:] }
    var table: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      let columns = line.split(separator: "\t").map { String($0).trimmed }
      if columns.count >= 2, !columns[0].isEmpty, !columns[1].isEmpty {
        table[normalize(columns[0].replacingApostrophes, language: language)] = columns[1]
      }
    }
    return table
  }
}
