// An open text, and how much of it is known according to the current cards.
// Invariant: the text itself never changes; the states of its words are read again when cards may have changed. A text
// is identified by the hash of its words, wherever its file is; a place is not part of undo. pdftotext reads only its
// PDF and writes only its output (deckhand-draw sees to it); its time and the size of its output are bounded.

import Decks
public import Exchange
import Files
public import Language
public import Lexicon
import Problems
import Storage
import Text

public struct TextOptions: Sendable {
  /// The language; nil uses that of `text.language`, or else the one that the first file or its name specifies or
  /// its words show, or else that of `game.language`.
  public var language: String?
  /// The encoding of all files; nil detects it, by the language too.
  public var encoding: TextEncoding?
  /// Subtitle files with translations, one for each file that has one.
  public var translations: [String?] = []
  /// The seconds to add to the times of the translations; nil determines the offset.
  public var offset: Double?
  /// If set, only the cards of this deck and its subdecks determine what is known.
  public var deck: String?
  /// Lists of words that count as known for this text.
  public var knownLists: [String] = []

  public init() {}
}

/// Why a text is read in a language that nobody named.
public enum LanguageReason: Sendable { case words, gameLanguage }

/// A text of one or several files.
public final class TextHandle: WorkspaceHandle {
  public let workspace: Workspace
  public let text: TextIndex
  /// The file names without folder and extension; for a vocabulary, the titles of its books.
  public let titles: [String]
  /// How each translation was aligned; one for each of `TextOptions.translations`.
  public let pairings: [SubtitlePairing]
  /// The files that were read in an encoding other than UTF-8.
  public let encodings: [(path: String, encoding: TextEncoding)]
  /// What was left out of each file or replaced, with its path.
  public let losses: [(path: String, losses: TextLosses)]
  /// The words of vocabularies that are of another language, or known.
  let leftOut: [(word: String, reason: String)]
  /// How the language was found, if it was neither given nor set, nor specified by the file.
  public let languageReason: LanguageReason?
  /// The language that the file specifies, if it is not a known one.
  public let unknownLanguage: String?
  private let deck: String?
  /// Lemmas that count as known whatever the cards say.
  private let listed: Set<String>
  let lemmatizer: Lemmatizer
  /// The lemmas of the text, and of what was looked up in it.
  private lazy var wanted = Set(text.lemmas.map { $0.text.lowercased() })
    .union(text.places.compactMap(\.word).flatMap(lemmas(ofField:)))
  private var seen: (changes: Int, day: Int, view: TextView, known: CardWords.Known)?

  /// Reads and analyses files as one text.
  /// - Parameter hold: called with the bytes that are about to be held, before they are; what it throws ends the
  ///   reading.
  /// - Throws: `WorkspaceError.otherLanguage` for a file that is in another language than the one that was not given
  ///   for this text; `DeckError.deckNotFound`, `FileError`, `TextFileError`, `LexiconError.unknownLanguage`,
  ///   `WorkspaceError.interrupted`.
  public init(
    _ paths: [String], _ options: TextOptions, in workspace: Workspace, hold: @escaping (Int) throws -> Void = { _ in }
  ) throws {
    (self.workspace, deck) = (workspace, options.deck)
    if let name = options.deck { _ = try workspace.decks.open(name) }
    let named = try options.language ?? workspace.words.setTextLanguage
    let usual = try workspace.words.language(named: named)
    let first = try paths.first.flatMap { path in
      try hold(fileWeight(path))
      return try textFile(path, options, named == nil ? nil : usual, usual, workspace)
    }
    func known(_ code: String?) -> Language? {
      named == nil ? code.flatMap { Self.language(specified: $0, usual: usual) } : nil
    }
    let specified = known(first?.language) ?? known(paths.first.flatMap { SubtitleName($0).code })
    let guess = options.language == nil ? first.map { LanguageGuess($0.paragraphs.lazy.map(\.text)) } : nil
    let found = specified == nil ? known(guess?.code) : nil
    languageReason = found != nil ? .words : named == nil && specified == nil ? .gameLanguage : nil
    unknownLanguage = languageReason == nil ? nil : first?.language.flatMap { $0.isEmpty ? nil : $0 }
    lemmatizer = workspace.languages.lemmatizer(of: specified ?? found ?? usual)
    var builder = TextBuilder(lemmatizer, try workspace.words.divider(of: lemmatizer.language))
    var reading = TextReading(environment: workspace.environment, language: lemmatizer.language, hold: hold)
    for (number, path) in paths.enumerated() {
      let translation = options.translations.indices.contains(number) ? options.translations[number] : nil
      reading.fileBytes = try fileWeight(path) + (translation.map(fileWeight) ?? 0)
      try reading.watch(builder.weight)
      let language = languageReason == .gameLanguage ? nil : lemmatizer.language
      let file = try number == 0 ? first : textFile(path, options, language, usual, workspace)
      if let file {
        let guess = number == 0 || options.language != nil ? guess : LanguageGuess(file.paragraphs.lazy.map(\.text))
        if let other = guess?.code(insteadOf: lemmatizer.language) {
          throw WorkspaceError.otherLanguage(path: path, found: other, read: lemmatizer.language)
        }
        try reading.add(file, options, translation: translation, to: &builder)
      } else {
        try reading.addVocabulary(path, to: &builder)
      }
      if builder.isTooLong { throw TextFileError.refused(path: path, reason: "it is too much text to read at once") }
    }
    listed = try reading.known(in: options.knownLists, lemmatizer)
    // No file is held any more.
    reading.fileBytes = 0
    text = try (consume builder).finish(watch: reading.watch)
    (pairings, titles, encodings) = (reading.pairings, reading.titles, reading.encodings)
    (losses, leftOut) = (reading.losses, reading.leftOut)
  }

  /// Returns the language with a code; among the variants of a language, the usual one.
  private static func language(specified: String, usual: Language) -> Language? {
    let code = specified.lowercased().replacing(text: "_", with: "-")
    let base = String(code.prefix { $0 != "-" })
    let found = Language.named(code) ?? Language.named(base)
    return usual.code == base || usual.code == found?.code ? usual : found
  }

  public var language: Language { lemmatizer.language }
  /// The Debian package that is missing for lemmatising the words of the text.
  public var missingPackage: String? { lemmatizer.missing }

  /// Returns what is currently known of the text.
  public func view() throws -> TextView {
    _ = try workspace.store(for: "text")
    // Recall changes from day to day.
    let today = workspace.moment.today
    if let seen, seen.changes == workspace.changeCount, seen.day == today { return seen.view }
    var known = try CardWords.known(workspace, wanted, lemmatizer, deck: deck)
    for lemma in listed { known.lemmas[lemma] = (.known, 1) }
    // Words of cards are in lower case, and an analyser's lemmas as they are written.
    let view = TextView(text) {
      known.lemmas[$0.lowercased()]?.state ?? .unknown
    } recall: {
      known.lemmas[$0.lowercased()]?.recall
    }
    seen = (workspace.changeCount, today, view, known)
    return view
  }

  /// Returns how well a phrase is known, by the cards at the time of the last `view()`.
  func state(ofPhrase phrase: String) -> WordState {
    lemmas(ofField: phrase).compactMap { seen?.known.lemmas[$0]?.state }.min() ?? .unknown
  }

  /// Returns for the words of notes how often their lemma occurs in the text, if it is not known yet.
  func gains() throws -> [String: Int] {
    let view = try view()
    let gains = Dictionary(
      view.lemmasByGain().map { text.lemmas[Int($0)] }.map { ($0.text.lowercased(), $0.count) }, uniquingKeysWith: max)
    return seen?.known.words.compactMapValues { $0.compactMap { gains[$0] }.max() } ?? [:]
  }

  /// Returns what the word in a card's field may be in the text; nothing if the field is not a word.
  func lemmas(ofField field: String) -> [String] {
    NoteWords.word(ofField: field).map { CardWords.lemmas(of: $0, lemmatizer) } ?? []
  }

  /// Returns the position of a sentence, such as `ep03 00:12:31`.
  public func source(of sentence: TextSentence) -> String {
    let place = text.place(of: sentence)
    let title = titles.indices.contains(place.file) ? titles[place.file] : ""
    guard let start = place.start else { return title }
    let seconds = Int(min(start, 360_000))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(title) \(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }
}

/// Returns a file's name without folder and extension.
private func title(of path: String) -> String {
  let name = lastPart(of: path)
  guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
  return String(name[..<dot])
}

/// Returns the bytes that reading a file takes: its content, its text, and the paragraphs of that.
private func fileWeight(_ path: String) throws -> Int { try 6 * (FileFacts.at(path)?.size ?? 0) }

/// Reads a text file, whose language may be known; returns nil if it is a vocabulary.
private func textFile(
  _ path: String, _ options: TextOptions, _ language: Language?, _ usual: Language, _ workspace: Workspace
) throws -> TextFile? {
  if try VocabularyFile.isOne(path, isInterrupted: workspace.environment.isInterrupted) { return nil }
  return try TextFile(
    path, encoding: options.encoding, language: language?.code, usual: usual.code,
    pages: workspace.media.pages(of: path), isInterrupted: workspace.environment.isInterrupted)
}

extension MediaOperations {
  /// Returns the pages of a file whose name ends in .pdf, as `TextFile` reads them; nil for another file or a pipe.
  /// poppler's pdftotext writes them into a temporary folder that is removed.
  /// - Throws: `TextFileError`, `FileError`, `WorkspaceError.interrupted`.
  func pages(of path: String) throws -> [UInt8]? {
    let environment = workspace.environment
    guard TextFormat(path: path) == .pdf, try FileFacts.at(path)?.kind == .file else { return nil }
    let scratch = try Scratch(.package, in: environment.folders.temporary)
    let (source, output) = (realPath(path) ?? path, scratch.path("pages"))
    let words = ["-enc", "UTF-8", "-bbox-layout", source, output]
    guard let program = executable("pdftotext"),
      let end = try runProgram(
        [environment.folders.drawingProgram, "convert", source, scratch.folder, program] + words,
        seconds: 60, environment)
    else { throw TextFileError.missing(path: path, needed: "pdftotext", package: "poppler-utils") }
    guard end.isDone == true else {
      throw TextFileError.damaged(path: path, reason: "pdftotext cannot read it: \(end.reason ?? "it was stopped")")
    }
    return try FileText.bytes(output, limit: 64 << 20, isInterrupted: environment.isInterrupted)
  }
}

/// The files being read, one after the other.
private struct TextReading {
  let environment: Environment
  let language: Language
  let hold: (Int) throws -> Void
  /// Bytes that the file being read takes.
  var fileBytes = 0
  var encodings: [(path: String, encoding: TextEncoding)] = []
  var titles: [String] = []
  var pairings: [SubtitlePairing] = []
  var losses: [(path: String, losses: TextLosses)] = []
  var leftOut: [(word: String, reason: String)] = []

  /// Called with the bytes of the text as it grows; ends the reading when that is too much, or on Ctrl-C.
  var watch: (Int) throws -> Void {
    { [hold, fileBytes, isInterrupted] bytes in
      try hold(bytes + fileBytes)
      if isInterrupted() { throw WorkspaceError.interrupted }
    }
  }

  private var isInterrupted: @Sendable () -> Bool { environment.isInterrupted }

  mutating func add(
    _ file: TextFile, _ options: TextOptions, translation: String?, to builder: inout TextBuilder
  ) throws {
    if file.encoding != .utf8 { encodings.append((file.path, file.encoding)) }
    tell(file.losses, of: file.path)
    titles.append(title(of: file.path))
    var translations: [String?] = []
    if let translation {
      let pairing = try pairing(file, with: translation, options)
      pairings.append(pairing)
      translations = pairing.translations
    }
    let watch = watch
    if file.analysis != nil { try builder.analyse(watch: watch) }
    for (index, paragraph) in file.paragraphs.enumerated() {
      var place = TextPlace(
        file: titles.count - 1, start: paragraph.start, end: paragraph.end,
        translation: translations.indices.contains(index) ? translations[index] : nil)
      place.isHeading = paragraph.isHeading || !file.format.isTimed && paragraph.looksLikeHeading
      try builder.add(paragraph.text, at: place, watch: watch)
    }
    if var analysis = file.analysis {
      do {
        try analysis.withUTF8 { try builder.add(analysis: $0, named: file.path, watch: watch) }
      } catch LanguageError.badAnalysis(_, let reason) { throw TextFileError.damaged(path: file.path, reason: reason) }
    }
  }

  private mutating func tell(_ lost: TextLosses, of path: String) {
    if !lost.isEmpty { losses.append((path, lost)) }
  }

  /// Adds the words that were looked up, each with its sentence; a word without one is added by itself.
  mutating func addVocabulary(_ path: String, to builder: inout TextBuilder) throws {
    let vocabulary = try VocabularyFile(path, temporary: environment.folders.temporary, isInterrupted: isInterrupted)
    tell(vocabulary.losses, of: path)
    var places: [String: Int] = [:]
    for entry in vocabulary.entries {
      guard entry.isOf(code: language.baseCode, name: language.name) else {
        leftOut.append((entry.word, "its language is \(printable(entry.language ?? ""))"))
        continue
      }
      guard entry.state == .learning else {
        leftOut.append((entry.word, "the device lists it as known"))
        continue
      }
      let name = entry.title ?? title(of: path)
      let place = places[name] ?? titles.count
      if place == titles.count { titles.append(name) }
      places[name] = place
      try builder.add(entry.sentence ?? entry.word, at: TextPlace(file: place, word: entry.word), watch: watch)
    }
  }

  /// Returns the lemmas of the words that the lists mark as known.
  mutating func known(in lists: [String], _ lemmatizer: Lemmatizer) throws -> Set<String> {
    var lemmas: Set<String> = []
    for path in lists {
      let (words, lost) = try UserWordList.entries(of: path, columns: [], for: language, environment)
      tell(lost, of: path)
      for entry in words where entry.state == .known {
        lemmas.insert(lemmatizer.lemma(of: entry.word).lowercased())
      }
    }
    return lemmas
  }

  private mutating func pairing(_ file: TextFile, with path: String, _ options: TextOptions) throws -> SubtitlePairing {
    let other = try TextFile(path, encoding: nil, isInterrupted: isInterrupted)
    tell(other.losses, of: path)
    guard file.format.isTimed, other.format.isTimed else {
      throw TextFileError.refused(path: path, reason: "a translation and its text must both be subtitles")
    }
    return try SubtitlePairing(file.paragraphs, other.paragraphs, offset: options.offset) {
      if isInterrupted() { throw WorkspaceError.interrupted }
    }
  }
}

enum ReadingPlaceTable {
  static let tables: Set<String> = ["reading_places"]

  static let schema = Schema(
    """
    CREATE TABLE reading_places (
      digest TEXT PRIMARY KEY NOT NULL,
      sentence INTEGER NOT NULL,
      read REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
    """)
}

extension TextHandle {
  /// Returns the number of the sentence at which the reader stopped; 0 for a text that was not read.
  public func savedPlace() throws -> Int {
    try workspace.read { db in try db.count("SELECT sentence FROM reading_places WHERE digest = ?", [text.digest]) }
  }

  public func savePlace(_ sentence: Int) throws {
    let now = workspace.now
    try workspace.perform(.savePlace) { db in
      try db.execute(
        sql: "INSERT OR REPLACE INTO reading_places (digest, sentence, read) VALUES (?, ?, ?)",
        arguments: [text.digest, sentence, now])
    }
  }
}
