// Several contents to compare or merge: files in the same text format are compared in that format, everything else as
// notes. Invariant: all contents have the same form, so that equal objects compare as equal.

public import Decks
import Files
public import Storage
import Text

public enum ComparedOperand {
  case file(String, CardFormat)
  case notes(ComparedNotes)
  /// A file that does not exist on one side (`/dev/null`).
  case nothing
}

extension ComparedNotes {
  public static func of(_ deck: DeckID, in db: Database, _ settings: ExchangeSettings) throws -> ComparedNotes {
    var reader = try DeckContent(db, deck, settings)
    return try reader.read()
  }

  /// Reads one note of a deck; returns nil when it is gone.
  public static func entry(of note: NoteID, in db: Database, _ settings: ExchangeSettings) throws -> ComparedEntry? {
    guard try NoteTable.exists(db, note), let deck = try DeckTable.list(db).first else { return nil }
    var reader = try DeckContent(db, deck.id, settings)
    return try reader.read(note)
  }
}

/// A text that is made while it is written: calls its argument with one part after the other.
public typealias MergedText = (_ write: ([UInt8]) throws -> Void) throws -> Void

/// Contents in a common form.
///
///     let files = try ComparedFiles([.file("old.csv", .csv), .file("new.csv", .csv)], settings)
///     let changes = ContentDifference(files.contents[0], files.contents[1]).changes
public struct ComparedFiles {
  /// Text files of one format, which are compared and merged as such.
  private struct Texts {
    let contents: [ComparedContent]
    /// Whether the second file begins with a byte order mark, and its encoding.
    let hasMark: Bool
    let encoding: TextEncoding
    /// Returns the merge of the second and the third file.
    let merged: (MergeResult) throws(ComparisonError) -> MergedText
  }

  /// Nil when the operands are compared as notes.
  private let texts: Texts?
  private let notes: [ComparedNotes]

  /// - Throws: `ExchangeError`, `PackageError`, `FileError`.
  public init(_ operands: [ComparedOperand], _ settings: ExchangeSettings) throws {
    switch Self.family(operands) {
    case .csv:
      let all = try Self.tables(operands, settings)
      texts = Texts(contents: all.map(\.content), hasMark: all[1].hasMark, encoding: all[1].encoding) { result in
        { try all[1].merge(result, with: all[2], write: $0) }
      }
    case .jsonl:
      var all: [ComparedLines] = []
      for operand in operands {
        let (source, base) = (try Self.source(operand, settings), all.first?.content ?? ComparedContent())
        all.append(try ComparedLines(source, settings, keepsLines: operands.count > 2, base: base))
      }
      texts = Texts(contents: all.map(\.content), hasMark: all[1].hasMark, encoding: .utf8) { [all] result in
        { try all[1].merge(result, with: all[2], write: $0) }
      }
    case .md:
      let all = try operands.map { try ComparedMarkdown(Self.source($0, settings)) }
      texts = Texts(contents: all.map(\.content), hasMark: all[1].hasMark, encoding: all[1].encoding) {
        (result) throws(ComparisonError) in
        let text = try ComparedMarkdown.merged(result, all)
        return { try $0(text) }
      }
    default:
      let deck = operands.lazy.compactMap { if case .notes(let notes) = $0 { notes.content } else { nil } }.first
      var all = try operands.map { try Self.notes($0, settings, beside: deck) }
      for index in all.indices {
        for other in all.indices where other != index { all[index].adopt(from: all[other]) }
      }
      (texts, notes) = (nil, all)
      return
    }
    notes = []
  }

  public var contents: [ComparedContent] { texts?.contents ?? notes.map(\.content) }

  /// The name of the deck of the second operand; empty when it has none.
  public var root: String { texts == nil ? notes[1].root : "" }

  /// The contents without the parts that one of the formats cannot hold; for example, a table has no suspension.
  public var contentsInCommon: [ComparedContent] {
    let helds = notes.compactMap(\.held)
    guard let held = helds.dropFirst().reduce(helds.first, { $0?.intersection($1) }) else { return contents }
    return contents.map { content in
      var content = content
      if !held.contains(.notes) { content[.noteType] = ComparedList() }
      if !held.contains(.options) { content[.deck] = ComparedList() }
      if !held.contains(.media) { content[.media] = ComparedList() }
      if !held.contains(.schedule) {
        content[.note].updateAll { note in
          for name in [ComparedField.suspended, ComparedField.flag] { note.set(name, to: "") }
        }
      }
      return content
    }
  }

  /// Base, ours and theirs for a merge. Parts that the format of theirs cannot hold are treated as unchanged.
  public var contentsToMerge: [ComparedContent] {
    guard notes.count == 3 else { return contents }
    return [notes[0].content, notes[1].content, notes[2].content(since: notes[0])]
  }

  /// Returns the merge of the second and third of three operands as a file of their format in UTF-8, with a byte order
  /// mark if the second has one; nil when they are compared as notes.
  /// - Throws: `ComparisonError.notCards` when both sides changed lines that are not cards.
  public func merged(_ result: MergeResult) throws(ComparisonError) -> MergedText? {
    guard let texts else { return nil }
    let text = try texts.merged(result)
    return { write in
      if texts.hasMark { try write([0xEF, 0xBB, 0xBF]) }
      try text(write)
    }
  }

  /// The encoding of the second operand, if it is a text file that is compared as it is.
  public var encoding: TextEncoding { texts?.encoding ?? .utf8 }

  // MARK: Reading

  /// Returns the text format of all operands, if it is one that is compared without conversion to notes.
  private static func family(_ operands: [ComparedOperand]) -> CardFormat? {
    var found: Set<CardFormat> = []
    for operand in operands {
      switch operand {
      case .file(_, let format): found.insert(format == .tsv ? .csv : format)
      case .notes: return nil
      case .nothing: continue
      }
    }
    guard found.count == 1, let only = found.first, [.csv, .jsonl, .md].contains(only) else { return nil }
    return only
  }

  private static func source(_ operand: ComparedOperand, _ settings: ExchangeSettings) throws -> ByteSource {
    var options = SourceOptions(isInterrupted: settings.isInterrupted)
    (options.progress, options.kinds) = (settings.progress, settings.kinds)
    guard case .file(let path, let format) = operand else { return try ByteSource(path: "/dev/null", options) }
    options.findsEncoding = format.findsEncoding
    return try ByteSource(path: path, options)
  }

  private static func tables(
    _ operands: [ComparedOperand], _ settings: ExchangeSettings
  ) throws -> [ComparedTable] {
    var tables = try operands.map { operand in
      let format = if case .file(_, let format) = operand { format } else { CardFormat.csv }
      return try ComparedTable(source(operand, settings), separator: format.separator)
    }
    let areHeaded = ComparedTable.haveHeaders(tables) || tables.contains { $0.hasHeader(key: settings.key) }
    for index in tables.indices {
      try tables[index].read(
        hasHeader: areHeaded, key: settings.key, keepsRows: operands.count > 2, base: tables[0].content)
    }
    return tables
  }

  /// Reads what an import of the operand makes.
  /// - Parameter deck: what the notes of a file may share.
  private static func notes(
    _ operand: ComparedOperand, _ settings: ExchangeSettings, beside deck: ComparedContent?
  ) throws -> ComparedNotes {
    switch operand {
    case .notes(let notes): return notes
    case .nothing: return ComparedNotes(settings)
    case .file(let path, let format):
      if format.isPackage { return try PackageContent(path: path, format: format, settings: settings).read() }
      var notes = ComparedNotes(settings, beside: deck)
      notes.held = format.holds
      var table = TableOptions(takesLists: true)
      // The prompt and the fields of the deck identify rows as they are; any other column is read as the guid.
      if let key = settings.key {
        let field = key.lowercased() == TableColumn.prompt.name ? "" : ComparedField.escaped(key)
        let isOfDeck = deck?.records.names.contains { $0.list.firstIndex(ofName: field) != nil } ?? false
        notes.keyField = field.isEmpty || isOfDeck ? field : nil
        if notes.keyField == nil { table.columns = [ColumnChoice("guid", key)] }
      }
      var count = 0
      try format.rows(source(operand, settings), into: "", table).forEach { row in
        if row.content.isCard { count += 1 }
        // A column that is read as the guid may be one that a row needs, so the row cannot be checked.
        if table.columns.isEmpty || row.start.invalidReason != nil { try check(row, count, path) }
        for (name, file) in row.media where row.isOfList {
          if try MarkdownMedia.file(file, from: "", in: parentFolder(of: path)) != nil { row.show(file, as: name) }
        }
        try notes.add(row, of: path)
      }
      return notes
    }
  }

  /// Refuses a row that an import would refuse: a merge would import it, or treat it as removed.
  private static func check(_ row: CardRow, _ number: Int, _ path: String) throws {
    guard let refusal = try row.refusal() else { return }
    let place = RowPlace(line: row.start.line, column: row.start.column, element: row.start.column.map { _ in number })
    throw ExchangeError.refusedRow(path: path, place: place, code: refusal.code, reason: refusal.message)
  }

  static func content(_ path: String, _ settings: ExchangeSettings) throws -> [UInt8]? {
    guard fileExists(path) else { return nil }
    return try FileText.bytes(path, limit: PackageFile.mostMediaBytes, isInterrupted: settings.isInterrupted)
  }

  /// Returns the name of the account's file that one side of a media conflict refers to: the file itself, or a copy
  /// that a merge or the user added beside it; nil when none has the digest.
  public static func name(
    of file: String, digest: String, in db: Database, _ settings: ExchangeSettings
  ) throws -> String? {
    try MediaTable.namesakes(db, of: file).first { record in
      let bytes = try content(settings.mediaPath(record), settings)
      return bytes.map { hexadecimal($0.withUnsafeBytes(sha1)) } == digest
    }?.name
  }
}

/// The media files of operands. Invariant: each package is opened once, however many of its files are needed.
///
///     try ComparedMedia([theirs, ours], settings).content(of: "run.png", digest: digest)
public final class ComparedMedia {
  private let operands: [ComparedOperand]
  private let settings: ExchangeSettings
  private var packages: [String: PackageFile] = [:]

  public init(_ operands: [ComparedOperand], _ settings: ExchangeSettings) {
    (self.operands, self.settings) = (operands, settings)
  }

  /// Returns the content of a media file with a digest; nil when none of the operands has it.
  public func content(of name: String, digest: String) throws -> [UInt8]? {
    for operand in operands {
      guard let bytes = try content(of: name, in: operand) else { continue }
      if hexadecimal(bytes.withUnsafeBytes(sha1)) == digest { return bytes }
    }
    return nil
  }

  private func content(of name: String, in operand: ComparedOperand) throws -> [UInt8]? {
    switch operand {
    case .nothing: return nil
    case .notes(let notes):
      if let bytes = notes.media[name] { return bytes }
      return try notes.mediaPaths[name].flatMap { try ComparedFiles.content($0, settings) }
    case .file(let path, let format):
      if !format.isPackage { return nil }
      let file = try package(path, format)
      return try file.media[name].map { try file.content(of: $0) }
    }
  }

  private func package(_ path: String, _ format: CardFormat) throws -> PackageFile {
    if let known = packages[path] { return known }
    let scratch = try Scratch(.package, in: settings.folder)
    let file = try PackageFile(
      path, as: format, settings.kinds, scratch: scratch, isInterrupted: settings.isInterrupted)
    packages[path] = file
    return file
  }
}
