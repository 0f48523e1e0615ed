// The formats that cards are imported from and exported to, by name and by a file's ending.
// Invariant: a format that is named here can be read and written.

/// A format of files of cards.
///
///     try CardFormat(ofPath: "cards.csv")   // .csv
public enum CardFormat: String, Sendable, CaseIterable {
  case json, csv, tsv

  public static var allNames: [String] { allCases.map(\.rawValue) }

  /// The format of a name, as `--format` gives it.
  public init(named name: String) throws(DeckError) {
    guard let format = CardFormat(rawValue: name.lowercased()) else { throw .unknownFormat(name: name) }
    self = format
  }

  /// The format of a file by its ending.
  public init(ofPath path: String) throws(DeckError) {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { throw .unknownFormat(name: String(name)) }
    try self.init(named: String(name[name.index(after: dot)...]))
  }
}
