// Everything that can go wrong with files of cards, as facts, and the messages for it.
// Invariant: codes never change; every message says which file and place it is about and what was expected.

public import Decks
import Files
public import Problems
import Text

/// Why a file of cards cannot be read or written.
///
///     do { try CardFormat(named: "cvs") } catch { error.message }   // "no format is called "cvs" (did you mean ..."
public enum ExchangeError: Problem, Equatable {
  /// A file that cannot be parsed; `expected` completes "file:line:column: ...".
  case badFile(path: String, line: Int, column: Int, expected: String)
  case badEncoding(path: String, encoding: TextEncoding)
  case unknownEncoding(name: String)
  /// A file, a row or a nesting depth beyond the limits.
  case tooLarge(path: String, line: Int, what: String)
  /// `added` are the formats of plugins; `reason` says which plugin has the format, and why it cannot be used.
  case unknownFormat(name: String, added: [String] = [], reason: String? = nil)
  /// A file that a native format and one of a plugin could be, or two of plugins.
  case ambiguousFormat(path: String, names: [String])
  case formatTaken(name: String, owner: Owner)
  case badFormatName(name: String)
  /// A wrong item of a reader, whose code went on after the error.
  case wrongItem(path: String, reason: String)
  /// A format whose plugin has no writer.
  case readOnly(format: CardFormat)
  /// Standard input or output, which has no extension that gives its format.
  case formatNeeded
  case notHere(format: CardFormat)
  case badSeparator(given: String)
  case badColumns(reason: String)
  case noColumn(path: String, name: String, names: [String])
  /// A first row that names a column twice, or no side of a card.
  case badHeader(path: String, line: Int, reason: String)
  /// A JSON text in which nothing is a card; the keys of the object, or of the first one in a list.
  case noCards(path: String, keys: [String])
  case nothingRead(file: String, first: LeftLines?, format: CardFormat?)
  case leftLines(path: String, LeftLines)
  case tooManyFields(type: String, has: Int, given: Int)
  case noSuchNote(guid: String)
  case noteElsewhere(guid: String, deck: String)
  /// A card is in the deck already, and duplicates are errors in this import.
  case alreadyThere(path: String, reason: String)
  /// A card whose row would be too large, in an export that must hold all cards.
  case noRoom(card: String)
  case refusedRow(path: String, place: RowPlace, code: ProblemCode, reason: String)

  /// The position and description of a fault in a file, without the file's name, for callers that show the name
  /// themselves.
  var place: (line: Int, column: Int?, words: String)? {
    switch self {
    case .badFile(_, let line, let column, let expected): (line, column, expected)
    case .tooLarge(_, let line, let what): (line, nil, what)
    case .badHeader(_, let line, let reason): (line, nil, reason)
    default: nil
    }
  }

  public var report: ProblemReport {
    switch self {
    case .badFile(let path, let line, let column, let expected):
      .inFile(.failure(.badFormat), "The file cannot be understood", path, "\(line):\(column)", expected, line, column)
    case .badEncoding(let path, let encoding):
      .ofFile(
        .badEncoding, "The file is not UTF-8", path,
        "is encoded in \(encoding.rawValue); give --encoding \(encoding.rawValue), or save it as utf-8")
    case .unknownEncoding(let name) where TextEncoding.refused.contains(name.lowercased()):
      ProblemReport(
        .badEncoding, "The encoding is not read",
        "the encoding \(quoted(name)) is not read; iconv -f \(name) -t UTF-8 converts a file in it")
    case .unknownEncoding(let name): .unknown(.badEncoding, "encoding", name, among: TextEncoding.allNames)
    case .tooLarge(let path, let line, let what):
      .inFile(.failure(.tooLarge), "Too large", path, "\(line)", what, line)
    case .alreadyThere(let path, let reason):
      .inFile(.failure(.duplicate), "The card already exists", path, nil, reason)
    case .refusedRow(let path, let place, let code, let reason):
      .inFile(code, "A row was refused", path, place.inFile, reason, place.line, place.column)
    case .badHeader(let path, let line, let reason):
      .inFile(.failure(.badHeader), "The header cannot be used", path, "\(line)", reason, line)
    case .noCards(let path, let keys):
      .ofFile(
        .badFormat, "There are no cards in the file", path,
        "has no list of cards\(keysInWords(keys)); an array of objects such as "
          + "{\"front\": \"gato\", \"back\": \"cat\"}, or an object with one such array, was expected")
    case .nothingRead(let file, let first, let format):
      ProblemReport(
        .badFormat, "Nothing was imported",
        "no card was found in \(file)"
          + (first.map { "; \($0.place.inWords) is \($0.reason == .other ? $0.inWords : $0.reason.words)" } ?? "")
          + (format == .md ? "; \(CardFormat.markdownCards)" : ""))
    case .leftLines(let path, let part):
      .inFile(.failure(.badRow), "A line was not read", path, part.place.inFile, part.inWords, part.line)
    case .noRoom(let card):
      ProblemReport(
        .tooLarge, "Too large",
        "the row of the card \(quoted(card)) would have more than \(grouped(rowLimit)) bytes; an Anki package (.apkg) "
          + "can hold it; nothing was written")
    case .unknownFormat(let name, _, let reason?):
      ProblemReport(.badFormat, "Unknown format", "no format is called \(quoted(name)); \(reason)")
    case .unknownFormat(let name, let added, nil):
      .unknown(
        .badFormat, "format", name, among: CardFormat.nativeNames + added,
        "; --format, or the field format in Lua, chooses one for any file name")
    case .ambiguousFormat(let path, let names):
      .ofFile(
        .ambiguousFormat, "Which format is it?", path,
        "could be \(names.joined(separator: " or ")); say which with --format, in Lua with format")
    case .formatTaken(let name, let owner):
      ProblemReport(.exists, "The format exists already", "the format \(quoted(name)) is already defined by \(owner)")
    case .badFormatName(let name):
      ProblemReport(
        .badFormat, "Invalid format",
        "\(quoted(name)): a name such as org-drill, of lowercase letters, digits and -, with at least one ending "
          + "expected")
    case .wrongItem(let path, let reason):
      .inFile(.failure(.pluginFailed), "A reader failed", path, nil, "the reader gave a wrong item, \(reason)")
    case .readOnly(let format):
      ProblemReport(
        .badFormat, "The format is only read", "\(format.summary) (\(format.name)) can be imported, but not written")
    case .tooManyFields(let type, let has, let given):
      ProblemReport(
        .badRow, "Too many fields",
        "the row has \(counted(given, "field")); the note type \(quoted(type)) has \(grouped(has))")
    case .noSuchNote(let guid):
      ProblemReport(
        .badRow, "No such note",
        "this card belongs to the note with the guid \(quoted(guid)), which does not come before it")
    case .noteElsewhere(let guid, let deck):
      ProblemReport(
        .duplicate, "The note is in another deck",
        "the note with the guid \(quoted(guid)) is in the deck \(quoted(deck)); move it here with card move, or give "
          + "the row another guid", ["deck": deck])
    case .formatNeeded:
      ProblemReport(
        .badFormat, "The format is missing",
        "standard input and output have no file name; use --format with one of "
          + "\(CardFormat.nativeNames.joined(separator: ", "))"
      )
    case .badSeparator(let given):
      ProblemReport(
        .badValue, "This cannot separate cells",
        "a separator is one character other than a letter, digit or quote, or one of comma, semicolon, tab, space, "
          + "pipe, colon: \(quoted(given))")
    case .badColumns(let reason):
      ProblemReport(
        .badValue, "Invalid choice of columns", "columns: \(reason); for example prompt=Spanish,answer=2,tags=Theme")
    case .noColumn(let path, let name, let names):
      .ofFile(
        .badValue, "No such column", path,
        "has no column called \(quoted(name))\(didYouMean(suggestion(for: name, among: names))); its first row is "
          + printable(names.joined(separator: ", "), limit: 200))
    case .notHere(let format):
      ProblemReport(
        .badFormat, "The format cannot be used yet",
        "\(format.summary) (\(format.name)) cannot be read or written by this version yet")
    }
  }
}

extension ProblemReport {
  /// The report of a failure to read a file that was to be imported.
  var importingNothing: ProblemReport { ending("Nothing was imported") }

  fileprivate static func ofFile(
    _ code: ProblemCode.Failure, _ title: String, _ path: String, _ words: String
  ) -> ProblemReport { ProblemReport(code, title, "\(fileName(path)) \(words)", ["path": path]).importingNothing }

  /// What is wrong at a place of a file.
  fileprivate static func inFile(
    _ code: ProblemCode, _ title: String, _ path: String, _ place: String?, _ words: String, _ line: Int? = nil,
    _ column: Int? = nil
  ) -> ProblemReport {
    ProblemReport(
      code, title, "\(fileName(path))\(place.map { ":\($0)" } ?? ""): \(words)",
      ["path": path, "line": line, "column": column]
    ).importingNothing
  }

  fileprivate static func unknown(
    _ code: ProblemCode.Failure, _ kind: String, _ name: String, among names: [String], _ end: String = ""
  ) -> ProblemReport {
    let near = suggestion(for: name, among: names)
    let known = names.joined(separator: ", ")
    return ProblemReport(
      code, "Unknown \(kind)",
      "no \(kind) is called \(quoted(name))\(didYouMean(near)); the \(kind)s are \(known)\(end)", ["suggestion": near])
  }
}

private func keysInWords(_ keys: [String]) -> String {
  if keys.isEmpty { return " (it has no keys)" }
  let names = keys.prefix(10).map { printable($0, limit: 40) }.joined(separator: ", ")
  return " (its keys: \(names)\(keys.count > 10 ? ", …" : ""))"
}

func fileName(_ path: String) -> String {
  if path == "-" { return "standard input" }
  return printable(lastPart(of: path))
}
