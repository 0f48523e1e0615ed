// Actions on note types, which Anki calls models. Invariant: a type is named as the user wrote it, capitals aside.

import Decks
import Templates
import Values
import Workspace

enum ModelActions {
  static let all: [Action] = [
    .reading("modelNames") { call in .list(try call.workspace.noteTypes.all().map { .text(try $0.record().name) }) },
    .reading("modelNamesAndIds") { call in
      .record(try call.workspace.noteTypes.all().map { (try $0.record().name, .integer(Int($0.id.rawValue))) })
    },
    .reading("modelFieldNames") { call in
      .list(try call.noteType(named: call.params["modelName"].text()).fields.map { .text($0) })
    },
    .changing("createModel", create),
  ]

  private static func create(_ call: ActionCall) throws -> Value {
    let params = call.params
    var cards: [CardTemplate] = []
    for (index, template) in try params["cardTemplates"].elements().enumerated() {
      let name = try template["Name"].value.map { _ in try template["Name"].text() } ?? "Card \(index + 1)"
      cards.append(CardTemplate(name, front: try template["Front"].text(), back: try template["Back"].text()))
    }
    var draft = NoteTypeDraft(
      name: try params["modelName"].text(), fields: try call.texts("inOrderFields"), cards: cards)
    if params["css"].value ?? .null != .null { draft.css = try params["css"].text() }
    if params["isCloze"].value ?? .null != .null { draft.isCloze = try params["isCloze"].boolean() }
    do {
      return described(try call.workspace.noteTypes.create(draft).record())
    } catch NoteError.typeExists {
      throw ActionFailure("Model name already exists")
    }
  }

  private static func described(_ type: NoteType) -> Value {
    .record([
      ("id", .integer(Int(type.id.rawValue))), ("name", .text(type.name)), ("type", .integer(type.isCloze ? 1 : 0)),
      ("mod", .integer(type.modified)), ("css", .text(type.css)),
      (
        "flds",
        .list(
          type.fields.enumerated().map { index, name in .record([("name", .text(name)), ("ord", .integer(index))]) })
      ),
      (
        "tmpls",
        .list(
          type.cards.enumerated().map { index, card in
            .record([
              ("name", .text(card.name)), ("ord", .integer(index)), ("qfmt", .text(card.front)),
              ("afmt", .text(card.back)),
            ])
          })
      ),
    ])
  }
}
