// The formats that cards are imported from and exported to: their names, file extensions, and what each can hold.
// Invariant: every fact about a format is here and nowhere else; every format named here can be read, and written
// unless it says that it is only read.

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

  /// Whether it is a whole card, of which the file holds nothing.
  public var isCard: Bool { self == .largeCards || self == .unmadeCards }
}

/// A format of files of cards.
///
///     try CardFormat(ofPath: "cards.csv")   // .csv
public enum CardFormat: String, Sendable, CaseIterable {
  case json, jsonl, csv, tsv, txt, md
  /// A package of Anki: decks, notes, note types and media.
  case apkg
  /// A package for programs older than 2022.
  case apkgLegacy = "apkg-legacy"
  case colpkg
  /// Anki's own file, in the folder of a profile; it is only read.
  case anki2
  /// The folder, or its `deck.json`, in which the add-on CrowdAnki stores a deck.
  case crowdanki

  public static var allNames: [String] { allCases.map(\.rawValue) }

  public var summary: String {
    switch self {
    case .json: "an array of objects, or an object with everything"
    case .jsonl: "one object per line"
    case .csv: "a comma-separated table"
    case .tsv: "a tab-separated table"
    case .txt: "an Anki text file"
    case .md: "Markdown"
    case .apkg: "an Anki package"
    case .apkgLegacy: "an Anki package in the older format"
    case .colpkg: "an Anki collection"
    case .anki2: "Anki's own folder, which is only read"
    case .crowdanki: "a CrowdAnki folder, which is only read"
    }
  }

  /// Whether it is text that is read sequentially; otherwise it is a package.
  public var isText: Bool {
    switch self {
    case .apkg, .apkgLegacy, .colpkg, .anki2, .crowdanki: false
    default: true
    }
  }

  /// What usually separates the cells of a table.
  var separator: UInt8 { UInt8(ascii: self == .tsv ? "\t" : ",") }

  /// What it can hold besides prompts, answers, tags, guids and nested decks.
  public var holds: Set<CardPart> {
    switch self {
    case .json, .jsonl: [.fields, .fieldKinds, .notes, .formatting, .schedule, .reviews, .options]
    case .csv, .tsv: [.fields, .unmadeCards]
    case .txt: [.notes, .formatting]
    // Only notes with clozes of plain text; the writer reports other notes as lost.
    case .md: [.notes]
    case .apkg, .apkgLegacy, .colpkg, .anki2:
      Set(CardPart.allCases).subtracting([.fields, .fieldKinds, .documents])
    case .crowdanki: [.notes, .formatting, .options, .media]
    }
  }

  public static let markdownCards =
    "in Markdown a card is a heading with its answer below it, a question after Q: with its answer after A:, or a "
    + "paragraph with {{c1::a gap}}"

  private static let aliases: [String: CardFormat] = ["markdown": .md, "ndjson": .jsonl]

  public init(named name: String) throws(ExchangeError) {
    let lowered = name.lowercased()
    guard let format = Self.aliases[lowered] ?? CardFormat(rawValue: lowered) else { throw .unknownFormat(name: name) }
    self = format
  }

  /// Returns the format of a file by its extension.
  /// - Throws: `unknownFormat`; `formatNeeded` for standard input and output, which have no extension.
  public init(ofPath path: String) throws(ExchangeError) {
    if path == "-" { throw .formatNeeded }
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { throw .unknownFormat(name: String(name)) }
    try self.init(named: String(name[name.index(after: dot)...]))
  }
}
