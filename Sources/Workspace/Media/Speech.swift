// Texts spoken by espeak-ng or by a program of the user's choice, as media of the account.
// Invariant: a text in one language spoken by one program is one file, created once. A card gets its sound once; all
// cards of a call get theirs, or none. The program is started without a shell, and is killed when it times out.

import CardDocuments
import Decks
import Files
public import Lexicon
import Storage
import Templates
import Text

/// Speech by the program of `media.speech`, or else by espeak-ng.
public struct SpeechOperations {
  let workspace: Workspace

  /// The longest text that is spoken, in bytes.
  private static let limit = 10_000
  /// The timeout for one text, in seconds.
  private static let timeout = 120

  /// Creates a sound of a text.
  /// - Returns: the name to write in a field: `[sound:NAME]`.
  /// - Throws: `WorkspaceError.noSpeech`, `.speechWithoutFile`, `.unspoken`, `.speechTimedOut`, `.interrupted`;
  ///   `FileError`.
  public func file(of text: String, in language: Language) throws -> String {
    let name = try name(text, language)
    if try workspace.read({ try MediaTable.named($0, name) }) != nil { return name }
    return try workspace.media.add(try sound(of: text, in: language), named: name)
  }

  /// Whether there are programs that speak a text and play it.
  public var canBeHeard: Bool {
    get throws {
      let (media, settings) = (workspace.media, try workspace.preferences().session)
      let speaker = settings.speechProgram.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? "espeak-ng"
      return [speaker, settings.mediaPlayer.first ?? ""].allSatisfy { media.executable($0) != nil }
    }
  }

  /// Speaks a text once, without storing the sound.
  /// - Throws: what `file` and `MediaOperations.play` throw.
  public func say(_ text: String, in language: Language) throws {
    let scratch = try Scratch(.package, in: workspace.environment.folders.temporary)
    let path = scratch.path("speech.wav")
    try AtomicFile.write(path, sound(of: text, in: language), .internalFile(temporaryName: "speech.new"))
    try workspace.media.play(files: [(path, "speech.wav")])
    workspace.opened.speech = scratch
  }

  /// Appends to cards the sound of one of their texts.
  /// - Parameter field: `prompt`, `answer`, or the name of a field of the card's note; nil means the prompt, or the
  ///   note's first field.
  /// - Returns: the number of cards that got a sound, and of those that had one or have nothing to say.
  /// - Throws: `NoteError.noField`, and what `file` throws; then nothing is changed.
  public func add(
    to cards: some Collection<CardHandle>, field: String?, in language: Language,
    progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws -> (spoken: Int, skipped: Int) {
    var report = (spoken: 0, skipped: 0)
    var sounds: [(target: SpokenText, name: String)] = []
    var contents: [String: [UInt8]] = [:]
    // Several cards of a note share a field.
    var seen: Set<SpokenText.Place> = []
    for (index, card) in cards.enumerated() {
      try progress(index, cards.count)
      let note = try card.note()
      let named = try note.type().record().field(meantBy: field ?? note.fields().first?.name ?? "")
      let target = SpokenText(place: SpokenText.Place(note: note.id, field: named), text: try note.field(named))
      guard !target.spoken.isEmpty, !target.hasSound, seen.insert(target.place).inserted else {
        report.skipped += 1
        continue
      }
      let name = try name(target.spoken, language)
      let isThere = try contents[name] != nil || workspace.read { try MediaTable.named($0, name) } != nil
      if !isThere { contents[name] = try sound(of: target.spoken, in: language) }
      sounds.append((target, name))
    }
    guard !sounds.isEmpty else { return report }
    report.spoken = try workspace.perform(.speakCards, count: { $0 }) { db in
      try sounds.count { sound in
        let markup = "[sound:\(sound.name)]"
        guard try sound.target.add(markup, db, now: workspace.now) else { return false }
        if let content = contents.removeValue(forKey: sound.name) {
          _ = try workspace.media.add(content, named: sound.name)
        }
        return true
      }
    }
    report.skipped += sounds.count - report.spoken
    workspace.opened.orders.forget()
    return report
  }

  /// Returns the file name of a sound. It depends on the program, since another program has another voice.
  private func name(_ text: String, _ language: Language) throws -> String {
    let setting = try workspace.preferences().session.speechProgram
    let source = setting.isEmpty ? "\(language.code)\n\(text)" : "\(setting)\n\(language.code)\n\(text)"
    return "speech-\(ContentHash(of: Array(source.utf8)).description.prefix(20)).wav"
  }

  /// Returns the program and its arguments: the user's setting with `{file}` and `{language}` filled in, or espeak-ng.
  private func words(_ language: Language, text: String, sound: String) throws -> [String] {
    let setting = try workspace.preferences().session.speechProgram
    let words = setting.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let first = words.first else {
      guard let program = workspace.media.executable("espeak-ng") else { throw WorkspaceError.noSpeech(program: nil) }
      return [program, "-v", language.code, "-w", sound, "-f", text]
    }
    guard words.dropFirst().contains(where: { $0.contains(text: "{file}") }) else {
      throw WorkspaceError.speechWithoutFile(setting)
    }
    guard let program = workspace.media.executable(first) else { throw WorkspaceError.noSpeech(program: first) }
    return [program]
      + words.dropFirst().map { word in
        word.replacing(text: "{language}", with: language.code).replacing(text: "{file}", with: sound)
      }
  }

  /// Runs the program and returns the sound that it wrote. The program reads the text from its standard input;
  /// espeak-ng reads it from the file by name, because then it treats all of it as UTF-8.
  private func sound(of text: String, in language: Language) throws -> [UInt8] {
    guard text.utf8.count <= Self.limit else {
      throw NoteError.tooLarge(what: "a text of more than \(grouped(Self.limit)) bytes to speak")
    }
    let environment = workspace.environment
    let scratch = try Scratch(.package, in: environment.folders.temporary)
    let (source, sound) = (scratch.path("text"), scratch.path("sound.wav"))
    try AtomicFile.write(source, Array(text.utf8), .internalFile(temporaryName: "text.new"))
    let words = try words(language, text: source, sound: sound)
    let program = lastPart(of: words[0])
    guard let end = try runProgram(words, input: source, seconds: Double(Self.timeout), environment) else {
      throw WorkspaceError.noSpeech(program: program)
    }
    guard let isDone = end.isDone else {
      throw WorkspaceError.speechTimedOut(text: text, program: program, seconds: Self.timeout)
    }
    let bytes =
      isDone && fileExists(sound)
      ? try FileText.bytes(sound, limit: MediaOperations.limit, isInterrupted: environment.isInterrupted) : []
    // A header without samples is not a sound.
    if bytes.count <= 44 {
      throw WorkspaceError.unspoken(text: text, language: language.title, program: program, reason: end.reason)
    }
    return bytes
  }
}

private struct SpokenText {
  struct Place: Hashable {
    let note: NoteID
    let field: String
  }

  let place: Place
  /// HTML.
  let text: String

  var hasSound: Bool { !MediaNames.inHTML(text).filter { $0.utf8.starts(with: "speech-".utf8) }.isEmpty }

  /// The text without formatting, pictures and sounds.
  var spoken: String { FieldHTML.spoken(text) }

  /// Adds the sound to the current content of the field: creating the sounds of many cards takes minutes, during
  /// which another shell may have changed it.
  /// - Returns: false if the note is gone or its text has changed.
  func add(_ sound: String, _ db: Database, now: Double) throws -> Bool {
    guard let note = try NoteTable.known(db, place.note),
      let index = try NoteTypeTable.record(db, note.type).fields.firstIndex(of: place.field),
      note.fields.indices.contains(index)
    else { return false }
    let text = SpokenText(place: place, text: note.fields[index])
    if text.hasSound || text.spoken != spoken { return false }
    try NoteTable.update(
      db, place.note, fields: [place.field: text.text + " " + sound], now: now, isInterrupted: isNeverInterrupted)
    return true
  }
}
