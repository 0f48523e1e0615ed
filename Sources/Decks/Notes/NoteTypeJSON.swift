// A note type as JSON, in the form that Anki's packages and its sync have (schema 11).
// Invariant: keys that are not understood come back as they were.

import Storage
import Text
import Values

extension NoteType {
  private static let limits = JSONLimits(bytes: 64 << 20, depth: 64, values: 1_000_000, string: 16 << 20)

  /// Reads what `json` wrote, or what came from elsewhere.
  /// - Throws: `StorageError.damaged` for what is no note type.
  init(id: NoteTypeID, name: String, isCloze: Bool, modified: Int, json: String) throws {
    do {
      guard let object = try JSONParser.parse(Array(json.utf8), limits: NoteType.limits).object else {
        throw NoteType.damaged(name)
      }
      self.init(id: id, name: name, isCloze: isCloze, modified: modified, object: object)
    } catch is JSONFailure {
      throw NoteType.damaged(name)
    }
  }

  private static func damaged(_ name: String) -> StorageError {
    .damaged(path: "the collection", detail: "the note type \(printable(name, limit: 40)) is not JSON")
  }

  private init(id: NoteTypeID, name: String, isCloze: Bool, modified: Int, object: JSONObject) {
    (self.id, self.name, self.isCloze, self.modified) = (id, name, isCloze, modified)
    var other = object
    css = other.remove("css")?.string ?? ""
    let fields = (other.remove("flds")?.array ?? []).compactMap(\.object)
    fieldList = fields.enumerated().map { index, field in
      var rest = field
      return NoteTypeField(name: rest.remove("name")?.string ?? "Field \(index + 1)", other: rest)
    }
    let templates = (other.remove("tmpls")?.array ?? []).compactMap(\.object)
    cards = templates.enumerated().map { index, template in
      var rest = template
      var card = CardTemplate(
        rest.remove("name")?.string ?? "Card \(index + 1)", front: rest.remove("qfmt")?.string ?? "",
        back: rest.remove("afmt")?.string ?? "")
      card.other = rest
      return card
    }
    for key in ["id", "name", "type", "mod", "usn"] { other[key] = nil }
    self.other = other
  }

  var json: String {
    var object = other
    object["id"] = .integer(Int(id.rawValue))
    object["name"] = .string(name)
    object["type"] = .integer(isCloze ? 1 : 0)
    object["mod"] = .integer(modified)
    object["usn"] = .integer(-1)
    object["css"] = .string(css)
    if object["sortf"] == nil { object["sortf"] = .integer(0) }
    if object["did"] == nil { object["did"] = .null }
    object["flds"] = .array(fieldList.enumerated().map { .object($1.json(at: $0)) })
    object["tmpls"] = .array(cards.enumerated().map { .object($1.json(at: $0)) })
    return JSONValue.object(object).text
  }
}

extension NoteTypeField {
  fileprivate func json(at index: Int) -> JSONObject {
    var object = JSONObject([
      "font": .string("Arial"), "size": .integer(20), "sticky": .bool(false), "rtl": .bool(false),
    ])
    for member in other.members { object[member.key] = member.value }
    object["name"] = .string(name)
    object["ord"] = .integer(index)
    return object
  }
}

extension CardTemplate {
  fileprivate func json(at index: Int) -> JSONObject {
    var object = other
    object["name"] = .string(name)
    object["ord"] = .integer(index)
    object["qfmt"] = .string(front)
    object["afmt"] = .string(back)
    return object
  }
}
