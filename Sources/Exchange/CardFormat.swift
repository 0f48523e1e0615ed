// The formats that cards are imported from and exported to: their names, endings, what each can hold, and what reads
// and writes it.
// Invariant: every fact about a native format is in its constant and nowhere else; every one can be read, and written
// unless it is listed as only read. A format of a plugin has the same description; its functions are in `FormatTable`.

import Files
public import Templates

/// A part of cards and decks that not every format can hold.
///
///     CardFormat.csv.holds.contains(.schedule)   // false
public enum CardPart: String, Sendable, CaseIterable {
  case fields
  /// Whether a field is a text, a number or a list.
  case fieldKinds = "field_kinds"
  /// The fields that a card is generated from, and their note type.
  case notes
  case formatting, schedule, reviews, options
  /// The picture documents that cards show; files hold only their ids.
  case documents
  case media
  /// Whole cards whose row would have more than `rowLimit` bytes, so that no import would read it.
  case largeCards = "large_cards"
  /// Whole cards that their note's type does not make any more, so that no import of the note would make them.
  case unmadeCards = "unmade_cards"
  case tags, guid, deck, suspended

  /// What every native format holds.
  public static let usual: Set<CardPart> = [.tags, .guid, .deck, .suspended]

  /// Whether it is a whole card, of which the file holds nothing.
  public var isCard: Bool { self == .largeCards || self == .unmadeCards }
}

/// A format of files of cards.
///
///     try CardFormat(ofPath: "cards.csv")   // .csv
public struct CardFormat: Sendable, Hashable {
  typealias Reader = @Sendable (ByteSource, _ target: String, TableOptions) throws -> any RowSource
  typealias Writer = @Sendable (CardExport, ExportOptions, FileSink) throws -> any CardRowWriter

  enum Form: Sendable {
    /// Text that is read sequentially.
    case text(Reader, Writer)
    case package
    /// A format of a plugin: how its files are opened, and the note types that its rows may name.
    case added(ForeignFile.Kind, [NoteTypeDraft])
  }

  public let name: String
  public let summary: String
  /// The endings of its files, the usual one first.
  public let endings: [String]
  /// What it can hold besides prompts and answers.
  public let holds: Set<CardPart>
  let form: Form

  init(_ name: String, _ summary: String, endings: [String]? = nil, holds: Set<CardPart>, _ form: Form) {
    (self.name, self.summary, self.endings, self.form) = (name, summary, endings ?? [name], form)
    self.holds = holds.union(CardPart.usual)
  }

  /// A format of a plugin.
  public init(
    _ name: String, _ summary: String, endings: [String], holds: Set<CardPart>, openedAs kind: ForeignFile.Kind,
    types: [NoteTypeDraft]
  ) {
    (self.name, self.summary, self.endings, self.holds) = (name, summary, endings, holds)
    form = .added(kind, types)
  }

  public static func == (a: CardFormat, b: CardFormat) -> Bool { a.name == b.name && a.endings == b.endings }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }

  public var isPackage: Bool { if case .package = form { true } else { false } }
  /// Whether it is of a plugin.
  var isAdded: Bool { if case .added = form { true } else { false } }
  /// The note types that the rows of a plugin's format may name.
  var types: [NoteTypeDraft] { if case .added(_, let types) = form { types } else { [] } }

  /// What usually separates the cells of a table.
  var separator: UInt8 { UInt8(ascii: self == .tsv ? "\t" : ",") }

  public static let markdownCards =
    "in Markdown a card is a heading with its answer below it, a question after Q: with its answer after A:, or a "
    + "paragraph with {{c1::a gap}}"

  /// Returns the native format with a name or an ending.
  public init(named name: String) throws(ExchangeError) {
    let lowered = name.lowercased()
    guard let format = Self.native.first(where: { $0.name == lowered || $0.endings.contains(lowered) }) else {
      throw .unknownFormat(name: name)
    }
    self = format
  }

  /// Returns the native format of a file by its ending.
  /// - Throws: `unknownFormat`; `formatNeeded` for standard input and output, which have none.
  public init(ofPath path: String) throws(ExchangeError) { try self.init(named: Self.ending(of: path)) }

  /// - Throws: `unknownFormat` with the name of a file without an ending, `formatNeeded`.
  static func ending(of path: String) throws(ExchangeError) -> String {
    if path == "-" { throw .formatNeeded }
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { throw .unknownFormat(name: String(name)) }
    return String(name[name.index(after: dot)...])
  }

  // MARK: Native formats

  private static func table(_ name: String, _ summary: String, _ separator: UInt8) -> CardFormat {
    CardFormat(
      name, summary, holds: [.fields, .unmadeCards],
      .text({ try TableCards($0, separator: separator, $2) }, { try $0.table($2, $1, separator) }))
  }

  private static let objectParts: Set<CardPart> = [
    .fields, .fieldKinds, .notes, .formatting, .schedule, .reviews, .options,
  ]
  private static let packages = Set(CardPart.allCases).subtracting([.fields, .fieldKinds, .documents])

  public static let json = CardFormat(
    "json", "an array of objects, or an object with everything", holds: objectParts,
    .text({ try CardFormat.objects($0, $2, isLines: false) }, { try $0.objects($2, $1, isLines: false) }))
  public static let jsonl = CardFormat(
    "jsonl", "one object per line", endings: ["jsonl", "ndjson"], holds: objectParts,
    .text({ try CardFormat.objects($0, $2, isLines: true) }, { try $0.objects($2, $1, isLines: true) }))
  public static let csv = table("csv", "a comma-separated table", UInt8(ascii: ","))
  public static let tsv = table("tsv", "a tab-separated table", UInt8(ascii: "\t"))
  public static let txt = CardFormat(
    "txt", "an Anki text file", holds: [.notes, .formatting],
    .text({ try CardFormat.texts($0, into: $1, $2) }, { export, _, sink in try export.ankiText(sink) }))
  /// Only notes with clozes of plain text; the writer reports other notes as lost.
  public static let md = CardFormat(
    "md", "Markdown", endings: ["md", "markdown"], holds: [.notes],
    .text(
      { source, _, table in
        let list = table.takesLists ? try TableCards.markdown(source, table) : nil
        return list ?? MarkdownCards(source)
      }, { _, _, sink in MarkdownWriter(sink: sink) }))
  /// A package of Anki: decks, notes, note types and media.
  public static let apkg = CardFormat("apkg", "an Anki package", holds: packages, .package)
  /// A package for programs older than 2022.
  public static let apkgLegacy = CardFormat(
    "apkg-legacy", "an Anki package in the older format", endings: [], holds: packages, .package)
  public static let colpkg = CardFormat("colpkg", "an Anki collection", holds: packages, .package)
  /// Anki's own file, in the folder of a profile.
  public static let anki2 = CardFormat("anki2", "Anki's own folder", holds: packages, .package)
  /// The folder, or its `deck.json`, in which the add-on CrowdAnki stores a deck.
  public static let crowdanki = CardFormat(
    "crowdanki", "a CrowdAnki folder", endings: [], holds: [.notes, .formatting, .options, .media], .package)

  public static let native = [json, jsonl, csv, tsv, txt, md, apkg, apkgLegacy, colpkg, anki2, crowdanki]
  /// Those that are only read.
  public static let readOnly = [anki2]

  public static var nativeNames: [String] { native.map(\.name) }
}
