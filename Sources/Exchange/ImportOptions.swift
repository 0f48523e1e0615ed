// How a file is imported, and what an import did.
// Invariant: an option that a format does not know changes nothing in it; a report's names never change.

public import Decks
import Templates
public import Values

/// How a file of cards is imported.
///
///     var options = ImportOptions()
///     (options.format, options.onDuplicate) = (.csv, .update)
public struct ImportOptions: Sendable {
  /// nil: by the file's ending.
  public var format: CardFormat?
  /// nil: found.
  public var encoding: TextEncoding?
  /// nil: as the file says where it does (Anki's text files), else skip.
  public var onDuplicate: OnDuplicate?
  /// The first row that is refused ends the import with nothing imported.
  public var isStrict = false
  /// Of packages: otherwise every card comes in as a new one.
  public var keepsSchedule = true
  public var table = TableOptions()
  /// Of a table: the type of the notes that its rows are, whose fields its columns are; nil for prompts and answers.
  public var noteType: String?
  /// How many of the first cards the report shows as they would be.
  public var previewed = 0

  public init() {}
}

/// How a table is read.
///
///     var table = TableOptions()
///     table.columns = try ColumnChoice.list(of: "prompt=Spanish,answer=English,tags=Theme")
public struct TableOptions: Sendable {
  /// One byte of ASCII; nil: found.
  public var separator: UInt8?
  /// What some columns mean; those that are not named go by the header.
  public var columns: [ColumnChoice] = []
  /// The first row is a card, whatever it says.
  public var hasNoHeader = false
  /// The type that `ImportOptions.noteType` names: then rows are notes of it.
  var note: NoteType?

  public init() {}
}

extension NoteType {
  /// The field that a name means, capitals aside.
  func field(_ name: String) -> String? {
    fields.first { $0 == name } ?? fields.first { $0.lowercased() == name.lowercased() }
  }
}

/// What an import did, and what it found out about the file.
///
///     print(report.cards.added, report.findings.encoding)
public struct ImportReport: Sendable {
  public var cards = AddReport()
  /// Of the last file, when there were several.
  public var findings = ImportFindings()
  /// The first cards as they are now, as many as were asked for.
  public var preview: [Preview] = []
  /// Pictures and sounds that a file names and that are not beside it.
  public var missingMedia: Set<String> = []

  /// A card, and the deck within the one that is imported into, empty for itself.
  public typealias Preview = (card: CardRecord, subdeck: String)

  public init() {}

  /// As `--json` prints it and Lua reads it.
  public var value: Value {
    guard case .record(let counts) = cards.value, case .record(let found) = findings.value else { return cards.value }
    var fields = counts.fields.map { ($0.name, $0.value) } + found.fields.map { ($0.name, $0.value) }
    if !missingMedia.isEmpty { fields.append(("missing_media", .list(missingMedia.sorted().map { .text($0) }))) }
    if !preview.isEmpty { fields.append(("preview", .list(preview.map(Self.described)))) }
    return .record(fields)
  }

  private static func described(_ preview: Preview) -> Value {
    .record([
      ("prompt", .text(preview.card.prompt)), ("answer", .text(preview.card.answer)),
      ("tags", .list(preview.card.tags.map { .text($0) })), ("subdeck", .text(preview.subdeck)),
    ])
  }
}

/// What was found out about a file, or said of it.
///
///     report.findings.separator   // UInt8(ascii: ";")
public struct ImportFindings: Equatable, Sendable {
  public var format: CardFormat?
  public var encoding = TextEncoding.utf8
  /// Of a table.
  public var separator: UInt8?
  /// Of a table: whether its first row names the columns.
  public var hasHeader: Bool?
  /// Of a table: what each column means, as `--columns` names it.
  public var columns: [String] = []
  /// Of a table: the cells of a first row that was taken for a card, where no option says what it is.
  public var assumedCard: [String] = []
  /// Of Markdown: the first line of an answer that has a cloze, which is none there.
  public var answeredCloze: Int?
  /// Of Markdown: the line of a heading that is one card, though lines of prompts and answers stand below it.
  public var listedPairs: Int?

  public init() {}

  var value: Value {
    var fields: [(String, Value)] = [("encoding", .text(encoding.rawValue))]
    if let format { fields.append(("format", .text(format.rawValue))) }
    if let separator { fields.append(("separator", .text(Separator.name(of: separator)))) }
    if let hasHeader { fields.append(("header", .boolean(hasHeader))) }
    if !columns.isEmpty { fields.append(("columns", .list(columns.map { .text($0) }))) }
    return .record(fields)
  }
}
