// The dictionaries of a machine and of the user: which there are, of which language, and what they say of a word.
// Invariant: each is opened once, when it is first asked; one that is damaged keeps the others from nothing and is
// told.

public import Files
public import Problems
import Text

/// Where a dictionary is, and what its name says of it.
public struct DictionaryPlace: Equatable, Sendable {
  enum Format: Sendable { case dictd, starDict, table, indexed }

  /// The file's name without its ending: `freedict-spa-eng`.
  public let name: String
  /// Of the file that leads to the others.
  public let path: String
  /// The code of the language of its headwords, `es`, where its name says so.
  public let words: String?
  /// The code of the language that meanings are in, likewise.
  public let meanings: String?
  /// It stands in a folder of the user's.
  public let isOwn: Bool
  let format: Format

  /// Whether it may have headwords that are forms of others.
  var mayHaveForms: Bool {
    switch format {
    case .indexed: true
    case .starDict: fileExists(path.dropLast(4) + ".syn") || fileExists(path.dropLast(4) + ".syn.dz")
    case .dictd, .table: false
    }
  }

  /// nil for a file that is no dictionary by its ending.
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
    self.path = path
    self.isOwn = isOwn
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

  /// The code of the language that a dictionary of this name explains words of.
  public static func language(of name: String) -> String? { codes(in: name).first }
}

/// The dictionaries of a machine and of the user.
///
///     let library = DictionaryLibrary(environment)
///     let meanings = try library.define("gato", in: spanish)
public final class DictionaryLibrary {
  /// Of a dictionary that was indexed.
  public static let indexEnding = ".words"

  /// Where the user puts dictionaries.
  public let ownFolders: [String]
  private let systemFolders: [String]
  /// The language that the user reads, by LANG: meanings in it come first.
  private lazy var reader = locale.flatMap { LanguageCode.named($0.prefix(2)) }
  private let locale: String?
  private let isInterrupted: () -> Bool
  private var opened: [String: WordDictionary] = [:]
  /// Which dictionaries have forms, looked for once: each unread form of a text is asked for.
  private var formPlaces: [Language: [DictionaryPlace]] = [:]
  /// Those that could not be read, with why, since the last call of `define`.
  public private(set) var failures: [any Problem] = []

  /// - Parameter isInterrupted: asked while a dictionary is read; true gives up.
  public init(
    ownFolders: [String], systemFolders: [String], locale: String? = nil, isInterrupted: @escaping () -> Bool
  ) {
    (self.ownFolders, self.systemFolders, self.locale) = (ownFolders, systemFolders, locale)
    self.isInterrupted = isInterrupted
  }

  /// Those in the folders of an environment: `dictionaries` in its data folder, and those of dictd and StarDict below
  /// XDG_DATA_DIRS (XDG Base Directory Specification) and the home.
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

  /// The dictionaries that are here: the user's first, then by name.
  public func places() -> [DictionaryPlace] {
    ownFolders.flatMap { places(in: $0, isOwn: true, depth: 2) }
      + systemFolders.flatMap { places(in: $0, isOwn: false, depth: 1) }
  }

  private func places(in folder: String, isOwn: Bool, depth: Int) -> [DictionaryPlace] {
    let names: [String]
    do { names = try Folder.names(in: folder) } catch {
      // A folder that cannot be read has no dictionaries.
      return []
    }
    return names.flatMap { name -> [DictionaryPlace] in
      let path = folder + "/" + name
      if let place = DictionaryPlace(path, isOwn: isOwn) { return [place] }
      return depth > 0 && Folder.isFolder(path) ? places(in: path, isOwn: isOwn, depth: depth - 1) : []
    }
  }

  /// What the dictionaries say of a word: the user's own first, then those in the language that the user reads, then
  /// English. A dictionary whose name says nothing of a language is asked for every one.
  /// - Parameters:
  ///   - name: of the only dictionary to ask.
  ///   - order: names of dictionaries that come before all others.
  /// - Throws: `DictionaryError.unknown`, `.none` when there is no dictionary of the language; `FileError` when
  ///   interrupted.
  public func define(
    _ word: String, in language: Language, foldAccents: Bool = false, only name: String? = nil, order: [String] = []
  ) throws -> [Meaning] {
    failures = []
    let asked = try chosen(for: language, only: name, order: order)
    let form = HeadwordForm(language: language, foldsAccents: foldAccents)
    return try asked.flatMap { place in try ask(place) { try $0.meanings(of: word, form) } }
  }

  /// What the dictionaries have a word as a form of: non-lemma entries of Yomitan, synonyms of StarDict.
  /// - Throws: `FileError` when interrupted.
  public func lemmas(of word: String, in language: Language) throws -> [String] {
    let form = HeadwordForm(language: language, foldsAccents: false)
    var lemmas: [String] = []
    let listing = formPlaces[language] ?? places().filter { $0.mayHaveForms && serves($0, language) }
    formPlaces[language] = listing
    for place in listing {
      for lemma in try ask(place, { try $0.lemmas(of: word, form) }) where !lemmas.contains(lemma) {
        lemmas.append(lemma)
      }
    }
    return lemmas
  }

  /// What the dictionaries say of a word beside its meanings, by their names: how frequent it is, how it sounds.
  /// - Throws: `FileError` when interrupted.
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

  /// Forgets what was opened, after a dictionary was added or taken away.
  public func forget() { (opened, formPlaces) = ([:], [:]) }

  /// Writes a dictionary of another format, with all that it says, into an index.
  /// - Throws: `DictionaryError`, `FileError`.
  public func index(_ path: String, into index: DictionaryIndexWriter) throws {
    guard let place = DictionaryPlace(path, isOwn: true), place.format != .indexed else {
      throw DictionaryError.damaged(path: path, reason: "a .zip of Yomitan, a .ifo, a .index or a .tsv is expected")
    }
    try WordDictionary(place, isInterrupted: isInterrupted).add(to: index)
  }

  /// Whether each dictionary that `define` asks for a language has been read.
  /// - Throws: `DictionaryError.none` when there is none.
  public func isOpen(_ language: Language, foldAccents: Bool) throws -> Bool {
    let form = HeadwordForm(language: language, foldsAccents: foldAccents)
    return try chosen(for: language, only: nil).allSatisfy { opened[$0.path]?.hasTable(form) == true }
  }

  /// Whether a dictionary of the language is here.
  public func hasDictionary(of language: Language) -> Bool { places().contains { serves($0, language) } }

  /// The languages other than this one that a dictionary here is of.
  public func languages(besides language: Language) -> [Language] {
    let codes = Set(places().compactMap(\.words)).subtracting([String(language.code.prefix(2))])
    return codes.sorted().compactMap { code in Language.known.first { $0.code.hasPrefix(code) } }
  }

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
    let fitting = places.filter { serves($0, language) }
    if fitting.isEmpty { throw .none(language: language.title, package: LanguageCode.package(language.code)) }
    func rank(_ place: DictionaryPlace) -> Int {
      if let wanted = order.firstIndex(of: place.name) { return wanted - order.count }
      if place.isOwn { return 0 }
      guard let meanings = place.meanings else { return 4 }
      return meanings == reader ? 1 : meanings == place.words ? 2 : meanings == "en" ? 3 : 4
    }
    return fitting.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(\.element)
  }
}

extension Environment {
  /// The folders of data that all users share: XDG_DATA_DIRS (XDG Base Directory Specification), or the usual two.
  public var sharedFolders: [String] {
    let shared = variables.value("XDG_DATA_DIRS").flatMap { $0.isEmpty ? nil : $0 }
    return (shared ?? "/usr/local/share:/usr/share").split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
  }
}

/// The codes of languages as file names of dictionaries have them (ISO 639).
enum LanguageCode {
  /// Three letters, as FreeDict writes them, and two, for the languages of word lists.
  private static let threeLetters = [
    "eng": "en", "spa": "es", "ita": "it", "fra": "fr", "deu": "de", "por": "pt", "nld": "nl", "cat": "ca",
    "dan": "da", "swe": "sv", "nob": "nb", "nno": "nn", "pol": "pl", "ukr": "uk", "bul": "bg", "epo": "eo",
    "ell": "el", "rus": "ru", "tur": "tr", "jpn": "ja", "lat": "la", "ces": "cs", "hun": "hu", "fin": "fi",
  ]

  /// The code of a part of a file's name: `spa`, `es` or `spanish`.
  static func named(_ part: some StringProtocol) -> String? {
    if let code = threeLetters[String(part)] { return code }
    if threeLetters.values.contains(String(part)) { return String(part) }
    return Language.named(String(part)).map { String($0.code.prefix(2)) }
  }

  /// Debian's package of meanings for words of a language.
  static func package(_ code: String) -> String? {
    if code == "en" { return "dict-wn" }
    let packaged = ["es", "it", "fr", "de", "pt", "nl", "da", "pl", "eo"]
    return threeLetters.first { $0.value == code.prefix(2) && packaged.contains($0.value) }
      .map { "dict-freedict-\($0.key)-eng" }
  }
}
