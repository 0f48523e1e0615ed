// The options of an import, and its report.
// Invariant: an option that does not apply to a format has no effect on it; the names in a report never change.

public import Decks
import Templates
public import Values

/// The options of an import of a file of cards.
///
///     var options = ImportOptions()
///     (options.format, options.onDuplicate) = (.csv, .update)
public struct ImportOptions: Sendable {
  /// Nil: determined by the file's extension.
  public var format: CardFormat?
  public var encoding: TextEncoding?
  /// Nil: as the file says (only Anki's text files do), otherwise skip; in a package newer notes update those here.
  public var onDuplicate: OnDuplicate?
  /// Whether the first refused row ends the import, with nothing imported.
  public var isStrict = false
  /// For packages: whether schedules are imported. Otherwise every card is imported as a new one.
  public var keepsSchedule = true
  public var table = TableOptions()
  /// The names, in lowercase, of fields of existing notes that stay as they are.
  public var keptFields: Set<String> = []
  /// For tables: the name of the note type whose fields the columns are; nil for prompts and answers.
  public var noteType: String?
  public var previewed = 0

  public init() {}
}

/// The options for reading a table.
///
///     var table = TableOptions()
///     table.columns = try ColumnChoice.list(of: "prompt=Spanish,answer=English,tags=Theme")
public struct TableOptions: Sendable {
  /// One ASCII byte; nil: detected.
  public var separator: UInt8?
  public var columns: [ColumnChoice] = []
  /// Whether the first row is a card, whatever it contains.
  public var hasNoHeader = false
  /// Whether the other columns of a list are left out, so that its rows are plain cards.
  public var hasTwoColumns = false
  /// Whether lists of any form are read, and rows with more than two columns become notes: in an import.
  var takesLists = false
  /// The type that `ImportOptions.noteType` names; the rows are then notes of this type.
  var note: NoteType?
}

extension NoteType {
  /// Returns the field with a name; an exact match comes before a case-insensitive one.
  func field(_ name: String) -> String? {
    fields.firstIndex(ofName: name).map { fields[$0] }
  }
}

/// The report of an import, including what was detected in the file.
///
///     print(report.cards.added, report.findings.encoding)
public struct ImportReport: Sendable {
  public var cards = AddReport()
  public var findings = ImportFindings()
  /// The first cards as they were stored, as many as were requested.
  public var preview: [Preview] = []
  /// Pictures and sounds that a file names but that do not exist beside it.
  public var missingMedia: Set<String> = []
  public var lines = LineReport()
  public var history = HistoryReport()
  /// Whether a deck got options from the file.
  public var hasOptions = false
  /// The outermost decks of packages that got cards, by name.
  public var decks: [String] = []

  /// A card, and the name of its deck within the one that is imported into; empty for the latter itself.
  public typealias Preview = (card: CardRecord, subdeck: String)

  public init() {}

  /// Adds what came from a package.
  /// - Parameter file: its name, if there are several.
  public mutating func add(_ package: PackageImport, file: String?) {
    cards.add(package.report)
    lines.add(package.lines, file: file)
    missingMedia.formUnion(package.missingMedia)
    decks += package.decks.filter { !decks.contains($0) }
  }

  public var value: Value {
    var fields = cards.fields + findings.fields + lines.fields
    let learnt = HistoryReport.Part.allCases.map { ($0.rawValue, Value.integer(history[$0])) }
    if !history.isEmpty { fields.append(("history", .record(learnt))) }
    if !decks.isEmpty { fields.append(("decks", .list(decks.map { .text($0) }))) }
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

/// What was detected in a file, or given in the options.
///
///     report.findings.separator   // UInt8(ascii: ";")
public struct ImportFindings: Equatable, Sendable {
  public var format: CardFormat?
  public var encoding = TextEncoding.utf8
  public var separator: UInt8?
  /// For tables: whether the first row names the columns.
  public var hasHeader: Bool?
  /// For tables: the meaning of each column, as `--columns` names it.
  public var columns: [String] = []
  /// For lists: the names of the columns as the list has them; nil for other files.
  public var names: [String]?
  /// Whether the last column was taken as tags because its cells look so.
  public var hasFoundTags = false
  /// For tables: the cells of a first row that was assumed to be a card because no option said what it is.
  public var assumedCard: [String] = []
  /// For Markdown: the first line of an answer that contains a cloze, which has no effect in answers.
  public var answeredCloze: Int?
  /// For Markdown: the line of a heading that became one card although lines of prompts and answers follow it.
  public var listedPairs: Int?

  var fields: [(String, Value)] {
    var fields: [(String, Value)] = [("encoding", .text(encoding.rawValue))]
    if let format { fields.append(("format", .text(format.name))) }
    if let separator { fields.append(("separator", .text(Separator.name(of: separator)))) }
    if let hasHeader { fields.append(("header", .boolean(hasHeader))) }
    if !columns.isEmpty { fields.append(("columns", .list(columns.map { .text($0) }))) }
    if let names { fields.append(("names", .list(names.map { .text($0) }))) }
    return fields
  }
}
