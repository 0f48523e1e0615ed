// The server's results for documents: diagnostics, completions, edits; and the JSON of each.
// Invariant: nothing here depends on the documents' language.

import Values

/// An error at a position.
public struct Diagnostic: Equatable {
  /// The protocol's number for an error.
  private static let severity = 1

  public let range: TextRange
  /// Stable, for programs.
  public let code: String
  public let message: String

  public init(_ range: TextRange, code: String, _ message: String) {
    (self.range, self.code, self.message) = (range, code, message)
  }

  func value(source: String) -> Value {
    .record([
      ("range", range.value), ("severity", .integer(Self.severity)), ("code", .text(code)),
      ("source", .text(source)), ("message", .text(message)),
    ])
  }
}

/// All current diagnostics of a document.
public struct DocumentDiagnostics {
  public let uri: String
  /// The version of an open document; nil for a file.
  public let version: Int?
  public let list: [Diagnostic]

  public init(_ uri: String, version: Int?, _ list: [Diagnostic]) {
    (self.uri, self.version, self.list) = (uri, version, list)
  }
}

public struct CompletionItem: Equatable {
  public enum Kind: Int, Sendable {
    case text = 1
    case field = 5
    case type = 7
    case property = 10
    case folder = 19
  }

  public let label: String
  public let kind: Kind
  /// A short description.
  public let detail: String
  /// The edit that inserts it.
  public let edit: TextEdit

  public init(_ label: String, _ kind: Kind, detail: String = "", _ edit: TextEdit) {
    (self.label, self.kind, self.detail, self.edit) = (label, kind, detail, edit)
  }

  var value: Value {
    .record(
      [("label", .text(label)), ("kind", .integer(kind.rawValue)), ("textEdit", edit.value)]
        + (detail.isEmpty ? [] : [("detail", .text(detail))]))
  }
}

/// A replacement of a range by a text.
public struct TextEdit: Equatable {
  public let range: TextRange
  public let text: String

  public init(_ range: TextRange, _ text: String) { (self.range, self.text) = (range, text) }

  var value: Value { .record([("range", range.value), ("newText", .text(text))]) }
}

/// A change to one document that the user may choose.
public struct CodeAction {
  public let title: String
  /// The kind in the protocol's notation: `refactor.rewrite`.
  public let kind: String
  /// Creates the edits when the action is chosen.
  public let edits: () throws -> [TextEdit]

  public init(_ title: String, kind: String, edits: @escaping () throws -> [TextEdit]) {
    (self.title, self.kind, self.edits) = (title, kind, edits)
  }

  var fields: [(String, Value)] { [("title", .text(title)), ("kind", .text(kind))] }

  /// Returns the edits to a document.
  /// - Parameter namesVersion: whether to name the document version that they apply to.
  func edit(of document: TextDocument, namesVersion: Bool) throws -> (String, Value) {
    let list = Value.list(try edits().map(\.value))
    if !namesVersion { return ("edit", .record([("changes", .record([(document.uri, list)]))])) }
    let name = Value.record([("uri", .text(document.uri)), ("version", .integer(document.version))])
    let change = Value.record([("textDocument", name), ("edits", list)])
    return ("edit", .record([("documentChanges", .list([change]))]))
  }
}

extension Position {
  var value: Value { .record([("line", .integer(line)), ("character", .integer(character))]) }

  init(_ reader: ValueReader) throws(ShapeFailure) {
    let most = 0...Int(Int32.max)
    self.init(line: try reader["line"].integer(in: most), character: try reader["character"].integer(in: most))
  }
}

extension TextRange {
  var value: Value { .record([("start", start.value), ("end", end.value)]) }

  init(_ reader: ValueReader) throws(ShapeFailure) {
    self.init(try Position(reader["start"]), try Position(reader["end"]))
  }
}
