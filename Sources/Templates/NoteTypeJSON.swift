// A note type as JSON, in the format of Anki's packages and sync (schema 11).
// Invariant: unknown keys are preserved.

import Text
public import Values

extension NoteType {
  /// Creates a type from the parsed JSON of a package, with the id and the name in it.
  /// - Throws: `NoteError.badType` for a type that makes no cards or exceeds a limit.
  public init(received object: Value.Record, id: Int64) throws(NoteError) {
    let name = (object["name"]?.text ?? "").trimmed
    self.init(
      id: NoteTypeID(rawValue: id), name: name.isEmpty ? "Note type \(id)" : String(name.prefix(200)),
      isCloze: object["type"]?.integer == 1, modified: max(0, object["mod"]?.integer ?? 0), object: object)
    try draft.checkSizes()
  }

  package init(id: NoteTypeID, name: String, isCloze: Bool, modified: Int, object: Value.Record) {
    (self.id, self.name, self.isCloze, self.modified) = (id, name, isCloze, modified)
    var other = object
    css = other.remove("css")?.text ?? ""
    let fields = (other.remove("flds")?.list ?? []).compactMap(\.record)
    fieldList = fields.enumerated().map { index, field in
      var rest = field
      rest["ord"] = nil
      return NoteTypeField(name: rest.remove("name")?.text ?? "Field \(index + 1)", other: rest)
    }
    let templates = (other.remove("tmpls")?.list ?? []).compactMap(\.record)
    cards = templates.enumerated().map { index, template in
      var rest = template
      rest["ord"] = nil
      var card = CardTemplate(
        rest.remove("name")?.text ?? "Card \(index + 1)", front: rest.remove("qfmt")?.text ?? "",
        back: rest.remove("afmt")?.text ?? "")
      card.other = rest
      return card
    }
    for key in ["id", "name", "type", "mod", "usn"] { other[key] = nil }
    self.other = other
  }

  /// What identifies the type in CrowdAnki.
  package var uuid: String? { other["crowdanki_uuid"]?.text }

  static let fresh: Value.Record = ["sortf": .integer(0), "did": .null]

  package var json: String { Value.record(record(asNew: false)).json }

  /// The whole type, as packages and sync need it: keys that were missing when it arrived have the values of a new
  /// type.
  public var record: Value.Record { record(asNew: true) }

  private func record(asNew: Bool) -> Value.Record {
    var object = asNew ? other.adding(NoteType.fresh) : other
    object["id"] = .integer(Int(id.rawValue))
    object["name"] = .text(name)
    object["type"] = .integer(isCloze ? 1 : 0)
    object["mod"] = .integer(modified)
    object["usn"] = .integer(-1)
    object["css"] = .text(css)
    object["flds"] = .list(fieldList.enumerated().map { .record($1.json(at: $0, asNew: asNew)) })
    object["tmpls"] = .list(cards.enumerated().map { .record($1.json(at: $0)) })
    return object
  }
}

extension NoteTypeField {
  package static let fresh: Value.Record = [
    "font": .text("Arial"), "size": .integer(20), "sticky": .boolean(false), "rtl": .boolean(false),
  ]

  fileprivate func json(at index: Int, asNew: Bool) -> Value.Record {
    var object = asNew ? other.adding(NoteTypeField.fresh) : other
    object["name"] = .text(name)
    object["ord"] = .integer(index)
    return object
  }
}

extension CardTemplate {
  fileprivate func json(at index: Int) -> Value.Record {
    var object = other
    object["name"] = .text(name)
    object["ord"] = .integer(index)
    object["qfmt"] = .text(front)
    object["afmt"] = .text(back)
    return object
  }
}

extension Value.Record {
  /// Returns this record with the fields of another one that it lacks.
  package func adding(_ more: Value.Record) -> Value.Record {
    var all = self
    for field in more.fields where all[field.name] == nil { all[field.name] = field.value }
    return all
  }
}
