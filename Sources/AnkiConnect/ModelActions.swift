// AnkiConnect actions that read note types, which Anki calls models. Invariant: a type is found by its name,
// case-insensitively, and returned with the user's spelling.

import Decks
import Templates
import Text
import Values
import Workspace

enum ModelActions {
  static let all: [Action] = [
    .reading("modelNames") { call in .list(try types(call).map { .text($0.name) }) },
    .reading("modelNamesAndIds") { call in
      .record(try types(call).map { ($0.name, .integer(Int($0.id.rawValue))) })
    },
    .reading("modelNameFromId") { call in
      let number = try call.params["modelId"].integer()
      guard let type = try types(call).first(where: { Int($0.id.rawValue) == number }) else {
        throw ActionFailure.noModel("\(number)")
      }
      return .text(type.name)
    },
    .reading("findModelsById") { call in
      let known = try types(call)
      return .list(
        try call.numbers("modelIds").map { number in
          guard let type = known.first(where: { Int($0.id.rawValue) == number }) else {
            throw ActionFailure.noModel("\(number)")
          }
          return try described(type, call)
        })
    },
    .reading("findModelsByName") { call in
      .list(try call.texts("modelNames").map { try described(call.noteType(named: $0).record(), call) })
    },
    .reading("modelFieldNames") { call in .list(try call.model().fields.map { .text($0) }) },
    .reading("modelFieldDescriptions") { call in
      .list(try call.model().fieldList.map { .text($0.other["description"]?.text ?? "") })
    },
    .reading("modelFieldFonts") { call in
      .record(
        try call.model().fieldList.map { field in
          let other = { (key: String) in field.other[key] ?? NoteTypeField.fresh[key] ?? .null }
          return (field.name, .record([("font", other("font")), ("size", other("size"))]))
        })
    },
    .reading("modelFieldsOnTemplates") { call in
      .record(
        try call.model().cards.map { card in
          let front = fields(on: card.front)
          let back = fields(on: card.back).filter { !front.contains($0) }
          return (card.name, .list([front, back].map { .list($0.map { .text($0) }) }))
        })
    },
    .reading("modelTemplates") { call in
      .record(
        try call.model().cards.map { card in
          (card.name, .record([("Front", .text(card.front)), ("Back", .text(card.back))]))
        })
    },
    .reading("modelStyling") { call in .record([("css", .text(try call.model().css))]) },
    .changing("createModel", create),
    .changing("removeEmptyNotes", removeUnused),
  ]

  private static func types(_ call: ActionCall) throws -> [NoteType] {
    try call.workspace.noteTypes.all().map { try $0.record() }
  }

  /// Returns the whole type and charges its size, because a request may name it many times.
  private static func described(_ type: NoteType, _ call: ActionCall) throws -> Value {
    let templates = type.cards.reduce(0) { $0 + $1.front.utf8.count + $1.back.utf8.count + 500 }
    try call.answer.charge(1000 + type.css.utf8.count + templates + type.fields.count * 300)
    return .record(type.record)
  }

  /// Returns the names in braces, without filters and the `#` and `/` of sections, in order and with repetitions.
  private static func fields(on template: String) -> [String] {
    var (found, rest) = ([String](), template[...])
    while let start = rest.firstRange(ofText: "{{") {
      rest = rest[start.upperBound...]
      guard let end = rest.firstRange(ofText: "}}") else { break }
      let inner = rest[..<end.lowerBound]
      if inner.isEmpty || inner.utf8.contains(where: { [UInt8(ascii: "#"), UInt8(ascii: "/")].contains($0) }) {
        continue
      }
      rest = rest[end.upperBound...]
      let name = inner.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
      let plain = String(name.filter { $0 != "{" && $0 != "}" })
      if plain != SpecialField.frontSide.rawValue { found.append(plain) }
    }
    return found
  }

  private static func create(_ call: ActionCall) throws -> Value {
    let params = call.params
    var cards: [CardTemplate] = []
    for (index, template) in try params["cardTemplates"].elements().enumerated() {
      let name = try template["Name"].isGiven ? template["Name"].text() : "Card \(index + 1)"
      cards.append(CardTemplate(name, front: try template["Front"].text(), back: try template["Back"].text()))
    }
    let fields = try call.texts("inOrderFields")
    if fields.isEmpty { throw ActionFailure("Must provide at least one field for inOrderFields") }
    if cards.isEmpty { throw ActionFailure("Must provide at least one card for cardTemplates") }
    var draft = NoteTypeDraft(name: try params["modelName"].text(), fields: fields, cards: cards)
    if params["css"].isGiven { draft.css = try params["css"].text() }
    draft.isCloze = try call.flag("isCloze")
    do {
      return .record(try call.workspace.noteTypes.create(draft).record().record)
    } catch NoteError.typeExists {
      throw ActionFailure("Model name already exists")
    }
  }

  /// As in the add-on: removes note types without notes, despite the action's name.
  private static func removeUnused(_ call: ActionCall) throws -> Value {
    let counts = try call.workspace.noteTypes.noteCounts()
    for type in try call.workspace.noteTypes.all() where try counts[type.id] == nil && !type.record().isStockBasic {
      try type.remove()
    }
    return .null
  }
}

extension ActionCall {
  /// The type of the parameter `modelName`.
  func model() throws -> NoteType { try noteType(named: params["modelName"].text()).record() }
}
