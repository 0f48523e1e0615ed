// A card's own fields as a JSON object, as the column and files store them.
// Invariant: the order is kept, and a value that is not a text keeps its exact characters, so 12.50 stays 12.50.

import Storage
import Templates
import Text
public import Values

enum FieldText {
  static let limits = JSONLimits(bytes: CardTexts.limit, depth: 32, values: 100_000, string: CardTexts.limit)

  /// The column for the fields; nil if there are none. Values of `.json` are written unchanged after they were
  /// checked to be JSON.
  static func column(_ fields: [CardField]) throws(DeckError) -> String? {
    if fields.isEmpty { return nil }
    if fields.count > CardField.limit {
      throw .badText(what: "fields", reason: "exceed the limit of \(grouped(CardField.limit))")
    }
    var writer = JSONWriter(.compact)
    writer.beginRecord()
    for (offset, field) in fields.enumerated() {
      try check(field, among: fields.prefix(offset))
      field.write(to: &writer)
    }
    if writer.bytes.count > CardTexts.limit {
      throw .badText(what: "fields", reason: "have more than \(grouped(CardTexts.limit)) bytes")
    }
    writer.endRecord()
    return String(decoding: writer.take(), as: UTF8.self)
  }

  private static func check(_ field: CardField, among others: ArraySlice<CardField>) throws(DeckError) {
    let name = field.name
    if name.trimmed.isEmpty || name.unicodeScalars.count > 500 {
      throw .badText(what: "name of a field", reason: "must have 1 to 500 characters: \(quoted(name))")
    }
    if CardField.reservedNames.contains(name) {
      throw .badText(what: "field \(quoted(name))", reason: "has a reserved name; use another one")
    }
    if others.contains(where: { $0.name == name }) {
      throw .badText(what: "field \(quoted(name))", reason: "occurs twice")
    }
    switch field.value {
    case .text(let text): _ = try CardText.cleaned(text, "field")
    case .json(let text):
      _ = try CardText.cleaned(text, "field")
      if !isJSON(text) { throw .badText(what: "field \(quoted(name))", reason: "is not JSON") }
    }
    if name.utf8.contains(0) { throw .badText(what: "name of a field", reason: "contains a NUL character") }
  }

  /// Parses the fields of a column.
  /// - Throws: `StorageError.damaged` if Deckhand cannot have written the column.
  static func list(_ column: String?) throws -> [CardField] {
    guard let column else { return [] }
    do {
      return try jsonMembers(of: column).map { CardField($0.name, CardFieldValue($0.value)) }
    } catch {
      throw StorageError.damaged(path: "the collection", detail: "\(printable(column, limit: 40)) is not a JSON object")
    }
  }
}

extension CardField {
  /// Writes the name and the value as a member of a JSON object.
  public func write(to writer: inout JSONWriter) {
    writer.name(name)
    switch value {
    case .text(let text): writer.write(text)
    case .json(let json): writer.write(json: json)
    }
  }
}
