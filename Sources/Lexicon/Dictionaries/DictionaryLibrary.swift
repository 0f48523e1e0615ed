// The dictionaries of a machine and of the user: which exist, for which language, and what they say about a word.
// Invariant: each is opened once, at its first query; a damaged one does not affect the others and is reported.

public import Files
import Glibc
public import Problems
import Text

/// The location of a dictionary, and what its name says about it.
public struct DictionaryPlace: Equatable, Sendable {
  enum Format: Sendable { case dictd, starDict, table, indexed }

  /// The name of the file without its extension: `freedict-spa-eng`.
  public let name: String
  /// The path of the file that leads to the others.
  public let path: String
  /// The code of the language of its headwords, `es`, if its name contains it.
  public let words: String?
  /// The code of the language of its meanings, if its name contains it.
  public let meanings: String?
  /// Whether it is in a folder of the user's.
  public let isOwn: Bool
  let format: Format

  /// Whether it is a table that has all forms of its words with their lemmas, which are themselves forms of theirs.
  public var isFormTable: Bool { format == .indexed && name.hasSuffix(DictionaryLibrary.formEnding) }

  /// Whether it may have headwords that are forms of others.
  var mayHaveForms: Bool {
    switch format {
    case .indexed: true
    case .starDict: fileExists(path.dropLast(4) + ".syn") || fileExists(path.dropLast(4) + ".syn.dz")
    case .dictd, .table: false
    }
  }

  /// nil if the extension of the file is not that of a dictionary.
  init?(_ path: String, isOwn: Bool) {
    let file = lastPart(of: path)
    guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return nil }
    switch file[dot...] {
    case ".index": format = .dictd
    case ".ifo": format = .starDict
    case ".tsv": format = .table
    case DictionaryLibrary.indexEnding: format = .indexed
    default: return nil
    }
    name = String(file[..<dot])
    (self.path, self.isOwn) = (path, isOwn)
    if name == "wn" || name == "gcide" {
      (words, meanings) = ("en", "en")
    } else {
      let codes = Self.codes(in: name)
      (words, meanings) = (codes.first, codes.dropFirst().first)
    }
  }

  private static func codes(in name: String) -> [String] {
    name.lowercased().split(whereSeparator: { !$0.isLetter }).compactMap { LanguageCode.named($0) }
  }

  /// Returns the code of the language whose words a dictionary of this name explains.
  public static func language(of name: String) -> String? { codes(in: name).first }
}

public final class DictionaryLibrary {
  public static let indexEnding = ".words"
  /// The end of the name of a table of forms.
  public static let formEnding = ".forms"

  /// The folders for the user's dictionaries.
  public let ownFolders: [String]
  public let systemFolders: [String]
  /// The language of the user's locale: meanings in it come first.
  private lazy var reader = locale.flatMap { LanguageCode.named($0.prefix(2)) }
  private let locale: String?
  private let isInterrupted: () -> Bool
  private var opened: [String: WordDictionary] = [:]
  /// The dictionaries that have forms; cached, because each unread form of a text is looked up.
  private var formPlaces: [Language: [DictionaryPlace]] = [:]
  /// The headwords of languages, by code.
  private var headwordSets: [String: HeadwordSet] = [:]
  /// The reasons why dictionaries could not be read, since the last call of `define`.
  public private(set) var failures: [any Problem] = []

  public init(
    ownFolders: [String], systemFolders: [String], locale: String? = nil, isInterrupted: @escaping () -> Bool
  ) {
    (self.ownFolders, self.systemFolders, self.locale) = (ownFolders, systemFolders, locale)
    self.isInterrupted = isInterrupted
  }

  /// Uses the dictionaries in the folders of an environment: `dictionaries` in its data folder, and those of dictd and
  /// StarDict below XDG_DATA_DIRS (XDG Base Directory Specification) and the home folder.
  public convenience init(_ environment: Environment) {
    let folders = environment.folders
    var own = [folders.data + "/dictionaries"]
    if let home = folders.home { own.append(home + "/.stardict/dic") }
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment.variables.value($0) }.first {
      !$0.isEmpty
    }
    self.init(
      ownFolders: own, systemFolders: environment.sharedFolders.flatMap { ["\($0)/dictd", "\($0)/stardict/dic"] },
      locale: locale, isInterrupted: environment.isInterrupted)
  }

  /// Returns the dictionaries that exist: the user's first, then by name.
  public func places() -> [DictionaryPlace] {
    ownFolders.flatMap { places(in: $0, isOwn: true, depth: 2) }
      + systemFolders.flatMap { places(in: $0, isOwn: false, depth: 1) }
  }

  private func places(in folder: String, isOwn: Bool, depth: Int) -> [DictionaryPlace] {
    let names: [String]
    do { names = try Folder.names(in: folder) } catch {
      // It may have dictionaries, so it is reported.
      let isTold = failures.contains { $0.report.message == error.report.message }
      if error.number != ENOTDIR, !isTold { failures.append(error) }
      return []
    }
    return names.flatMap { name -> [DictionaryPlace] in
      let path = folder + "/" + name
      if let place = DictionaryPlace(path, isOwn: isOwn) { return [place] }
      return depth > 0 && Folder.isFolder(path) ? places(in: path, isOwn: isOwn, depth: depth - 1) : []
    }
  }

  /// Returns what the dictionaries say about a word: the user's own first, then those in the language that the user
  /// reads, then English. A dictionary whose name contains no language is used for every one.
  /// - Throws: `DictionaryError.unknown`, `.none` without a dictionary of the language; `FileError` if interrupted.
  public func define(
    _ word: String, in language: Language, foldAccents: Bool = false, only name: String? = nil, order: [String] = []
  ) throws -> [Meaning] {
    failures = []
    let asked = try chosen(for: language, only: name, order: order)
    let form = HeadwordForm(language: language, foldsAccents: foldAccents)
    return try asked.flatMap { place in
      let found = try ask(place) { try $0.meanings(of: word, form) }
      // `Sehen` says less about `sehen`; where headwords have no capitals, the text begins with one.
      let first = language.letterCase == .nouns ? found.filter { $0.text.hasPrefix(word) } : []
      return first + found.filter { !first.contains($0) }
    }
  }

  /// Returns the lemmas of a form according to the dictionaries: non-lemma entries of Yomitan, synonyms of StarDict.
  /// - Parameter fromTables: whether the tables of forms are asked, where capitals have to be the same, or all other
  ///   dictionaries.
  /// - Throws: `FileError` if interrupted.
  public func lemmas(of word: String, in language: Language, fromTables: Bool = false) throws -> [String] {
    let form = HeadwordForm(language: language, foldsAccents: false, keepsCapitals: fromTables)
    var lemmas: [String] = []
    let listing = formPlaces[language] ?? places().filter { $0.mayHaveForms && serves($0, language) }
    for place in listing where place.isFormTable == fromTables {
      for listed in try ask(place, { try $0.lemmas(of: word, form) }) {
        let lemma = language.marksStress ? withoutStress(listed.composed) : listed
        if !lemmas.contains(lemma) { lemmas.append(lemma) }
      }
    }
    // One that cannot be opened is not read again for the next word.
    formPlaces[language] = listing.filter { $0.isFormTable != fromTables || opened[$0.path] != nil }
    return lemmas
  }

  /// Returns what finds the lemmas of a form in the tables of forms of a language; nil without such a table. After an
  /// interrupt it finds none.
  public func formTable(of language: Language) -> ((String) -> [String])? {
    guard places().contains(where: { $0.isFormTable && serves($0, language) }) else { return nil }
    return { form in
      // What reads the text goes on to say that it was interrupted.
      do { return try self.lemmas(of: form, in: language, fromTables: true) } catch { return [] }
    }
  }

  /// Returns what the dictionaries, by name, say about a word besides its meanings: its frequency, its pronunciation.
  /// - Throws: `FileError` if interrupted.
  public func remarks(
    _ kind: DictionaryEntryKind, on word: String, in language: Language
  ) throws -> [(dictionary: String, text: String)] {
    let form = HeadwordForm(language: language, foldsAccents: false)
    return try places().filter { $0.format == .indexed && serves($0, language) }.flatMap { place in
      try ask(place) { $0.remarks(kind, on: word, form) }.map { (place.name, $0) }
    }
  }

  private func ask<Answer>(
    _ place: DictionaryPlace, _ question: (WordDictionary) throws -> [Answer]
  ) throws -> [Answer] {
    do {
      let dictionary = try opened[place.path] ?? WordDictionary(place, isInterrupted: isInterrupted)
      opened[place.path] = dictionary
      return try question(dictionary)
    } catch {
      guard let problem = error as? any Problem, problem.report.code != .interrupted else { throw error }
      failures.append(problem)
      return []
    }
  }

  /// Closes all dictionaries, after one was added or removed.
  public func forget() { (opened, formPlaces, headwordSets) = ([:], [:], [:]) }

  /// Returns the headwords of the dictionaries of a language, or else the words of the list that it names; nil without
  /// either.
  /// - Throws: `FileError` for a list that cannot be read, or if interrupted.
  public func headwords(of language: Language) throws -> HeadwordSet? {
    if let known = headwordSets[language.baseCode] { return known }
    var words = HeadwordSet()
    for place in places() where place.words != nil && serves(place, language) {
      _ = try ask(place) { dictionary -> [String] in
        dictionary.addHeadwords(to: &words)
        return []
      }
    }
    let list = language.reading.division.list
    if words.isEmpty, !list.isEmpty, fileExists(list) {
      let bytes = try FileText.bytes(list, limit: WordDictionary.headwordLimit, isInterrupted: isInterrupted)
      for line in bytes.split(separator: 0x0A) { words.insert(line.prefix { $0 > 0x20 }) }
    }
    if words.isEmpty { return nil }
    headwordSets[language.baseCode] = words
    return words
  }

  /// Copies everything in a dictionary of another format into an index; throws `DictionaryError`, `FileError`.
  /// - Parameter areForms: the file is a table of forms and their lemmas.
  public func index(_ path: String, areForms: Bool = false, into index: DictionaryIndexWriter) throws {
    guard let place = DictionaryPlace(path, isOwn: true), areForms ? place.format == .table : place.format != .indexed
    else {
      let expected = areForms ? "" : "a .zip of Yomitan, a .ifo, a .index or "
      throw DictionaryError.damaged(path: path, reason: "\(expected)a .tsv is expected")
    }
    try WordDictionary(place, areForms: areForms, isInterrupted: isInterrupted).add(to: index)
  }

  /// Returns whether each dictionary that `define` uses for a language has been read.
  /// - Throws: `DictionaryError.none` if there is none.
  public func isOpen(_ language: Language, foldAccents: Bool) throws -> Bool {
    let form = HeadwordForm(language: language, foldsAccents: foldAccents)
    return try chosen(for: language, only: nil).allSatisfy { opened[$0.path]?.hasTable(form) == true }
  }

  public func hasDictionary(of language: Language) -> Bool {
    places().contains { !$0.isFormTable && serves($0, language) }
  }

  /// Returns the languages other than this one that have a dictionary here.
  public func languages(besides language: Language) -> [Language] {
    let codes = Set(places().compactMap(\.words)).subtracting([language.baseCode])
    return codes.sorted().compactMap { Self.language(code: $0) }
  }

  public func language(ofWordsIn name: String) -> Language? {
    places().first { $0.name == name }?.words.flatMap { Self.language(code: $0) }
  }

  private static func language(code: String) -> Language? { Language.known.first { $0.code.hasPrefix(code) } }

  private func serves(_ place: DictionaryPlace, _ language: Language) -> Bool {
    place.words == nil || place.words.map { language.code.hasPrefix($0) } == true
  }

  private func chosen(
    for language: Language, only name: String?, order: [String] = []
  ) throws(DictionaryError) -> [DictionaryPlace] {
    let places = places()
    if let name {
      let named = places.filter { $0.name == name }
      if named.isEmpty { throw .unknown(name: name, suggestion: suggestion(for: name, among: places.map(\.name))) }
      return named
    }
    let fitting = places.filter { !$0.isFormTable && serves($0, language) }
    if fitting.isEmpty { throw .none(language: language.title, package: Language.base(language.baseCode)?.meanings) }
    func rank(_ place: DictionaryPlace) -> Int {
      if let wanted = order.firstIndex(of: place.name) { return wanted - order.count }
      if place.isOwn { return 0 }
      guard let meanings = place.meanings else { return 4 }
      return meanings == reader ? 1 : meanings == place.words ? 2 : meanings == "en" ? 3 : 4
    }
    return fitting.sorted { rank($0) < rank($1) }
  }
}

/// The codes of languages in the names of files (ISO 639).
public enum LanguageCode {
  /// Codes of languages without word lists.
  private static let others = ["lat": "la", "ces": "cs", "cze": "cs", "hun": "hu", "fin": "fi"]

  /// Returns the code of two letters for one of three (ISO 639-2).
  static func twoLetters(for code: String) -> String? {
    others[code] ?? Language.known.first { $0.longCodes.contains(code) }?.code
  }

  /// Returns the code for a part of a file name: `spa`, `es` or `spanish`.
  public static func named(_ part: some StringProtocol) -> String? {
    if let code = twoLetters(for: String(part)) { return code }
    return others.values.contains(String(part)) ? String(part) : Language.named(String(part))?.baseCode
  }
}
