// The formats that cards are imported from and exported to: their names, their endings, what each of them can hold.
// Invariant: what is true of a format stands here and nowhere else; a format that is named here can be read and
// written.

/// A format of files of cards.
///
///     try CardFormat(ofPath: "cards.csv")   // .csv
public enum CardFormat: String, Sendable, CaseIterable {
  case json, csv, tsv
  /// A package of Anki: decks, notes, note types and media.
  case apkg
  /// A whole collection of Anki.
  case colpkg

  public static var allNames: [String] { allCases.map(\.rawValue) }

  /// What it is, in a few words: "a table with commas".
  public var summary: String {
    switch self {
    case .json: "an array of objects"
    case .csv: "a table with commas"
    case .tsv: "a table with tabs"
    case .apkg: "a package of Anki"
    case .colpkg: "a collection of Anki"
    }
  }

  /// Whether it is text that is read from its beginning to its end; otherwise it is a package.
  public var isText: Bool {
    switch self {
    case .json, .csv, .tsv: true
    case .apkg, .colpkg: false
    }
  }

  /// The format of a name, as `--format` gives it.
  public init(named name: String) throws(ExchangeError) {
    guard let format = CardFormat(rawValue: name.lowercased()) else { throw .unknownFormat(name: name) }
    self = format
  }

  /// The format of a file by its ending.
  public init(ofPath path: String) throws(ExchangeError) {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { throw .unknownFormat(name: String(name)) }
    try self.init(named: String(name[name.index(after: dot)...]))
  }
}
