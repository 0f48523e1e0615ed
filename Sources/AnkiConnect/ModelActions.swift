// AnkiConnect actions on note types, which Anki calls models.
// Invariant: a type is found by its name, case-insensitively, and returned with the user's spelling; notes keep their
// texts when fields are renamed or reordered; removing a part asks for no confirmation, as in the add-on, because it is
// one undo step.

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
      .text(try type(numbered: call.params["modelId"].integer(), among: types(call)).name)
    },
    .reading("findModelsById") { call in
      let known = try types(call)
      return .list(try call.numbers("modelIds").map { try described(type(numbered: $0, among: known), call) })
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
    // As in the add-on: removes note types without notes, despite the action's name.
    .changing("removeEmptyNotes") { call in
      let counts = try call.workspace.noteTypes.noteCounts()
      for type in try call.workspace.noteTypes.all() where try counts[type.id] == nil && !type.record().isStockBasic {
        try type.remove()
      }
      return .null
    },
  ]

  private static func types(_ call: ActionCall) throws -> [NoteType] {
    try call.workspace.noteTypes.all().map { try $0.record() }
  }

  private static func type(numbered number: Int, among known: [NoteType]) throws -> NoteType {
    guard let type = known.first(where: { Int($0.id.rawValue) == number }) else {
      throw ActionFailure.noModel("\(number)")
    }
    return type
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
}

extension ActionCall {
  func model() throws -> NoteType { try noteType(named: params["modelName"].text()).record() }
}

enum ModelEditing {
  static let all: [Action] = fields + templates

  // MARK: Fields

  private static let fields: [Action] = [
    changing(.field, "modelFieldRename", naming: "oldFieldName") { call, edit, place in
      edit.fields[place].value = try call.params["newFieldName"].text("a name")
    },
    changing(.field, "modelFieldReposition") { call, edit, place in
      move(&edit.fields, place, to: try call.params["index"].integer())
    },
    .changing("modelFieldAdd") { call in
      let name = try call.params["fieldName"].text("a name")
      try change(call) { edit in
        let place = edit.fields.firstIndex { $0.value == name } ?? edit.fields.count
        if place == edit.fields.count { edit.fields.append(NoteTypeEdit.Part(name, was: nil)) }
        if call.params["index"].isGiven { move(&edit.fields, place, to: try call.params["index"].integer()) }
      }
      return .null
    },
    changing(.field, "modelFieldRemove") { _, edit, place in
      let name: Set<String> = [edit.fields.remove(at: place).value]
      for index in edit.cards.indices {
        edit.cards[index].value.front = Template.removing(name, in: edit.cards[index].value.front)
        edit.cards[index].value.back = Template.removing(name, in: edit.cards[index].value.back)
      }
    },
    changing(.field, "modelFieldSetFont") { call, edit, place in
      edit.fields[place].other["font"] = .text(try call.params["font"].text("the name of a font"))
    },
    changing(.field, "modelFieldSetFontSize") { call, edit, place in
      edit.fields[place].other["size"] = .integer(try call.params["fontSize"].integer(in: 1...1000))
    },
    changing(.field, "modelFieldSetDescription", answering: .boolean(true)) { call, edit, place in
      edit.fields[place].other["description"] = .text(try call.params["description"].text())
    },
  ]

  private enum Kind: String {
    case field, template

    func names(in edit: NoteTypeEdit) -> [String] {
      self == .field ? edit.fields.map(\.value) : edit.cards.map(\.value.name)
    }
  }

  /// An action that changes one part of a note type.
  /// - Parameter parameter: the one with the name of the part; `fieldName` or `templateName` if nil.
  private static func changing(
    _ kind: Kind, _ action: String, naming parameter: String? = nil, answering answer: Value = .null,
    _ body: @escaping @Sendable (ActionCall, inout NoteTypeEdit, Int) throws -> Void
  ) -> Action {
    .changing(action) { call in
      let name = try call.params[parameter ?? kind.rawValue + "Name"].text("the name of a \(kind.rawValue)")
      try change(call) { edit in
        guard let place = kind.names(in: edit).firstIndex(of: name) else {
          throw ActionFailure("\(kind.rawValue) was not found in \(edit.name): \(name)")
        }
        try body(call, &edit, place)
      }
      return answer
    }
  }

  // MARK: Templates

  private static let templates: [Action] = [
    .changing("updateModelTemplates", updateTemplates),
    .changing("updateModelStyling") { call in
      let model = call.params["model"]
      try change(call.noteType(named: model["name"].text())) { $0.css = try model["css"].text() }
      return .null
    },
    .changing("findAndReplaceInModels", replace),
    changing(.template, "modelTemplateRename", naming: "oldTemplateName") { call, edit, place in
      edit.cards[place].value.name = try call.params["newTemplateName"].text("a name")
    },
    changing(.template, "modelTemplateReposition") { call, edit, place in
      move(&edit.cards, place, to: try call.params["index"].integer())
    },
    .changing("modelTemplateAdd") { call in
      let given = call.params["template"]
      let card = CardTemplate(
        try given["Name"].text("a name"), front: try given["Front"].text(), back: try given["Back"].text())
      try change(call) { edit in
        guard let place = edit.cards.firstIndex(where: { $0.value.name == card.name }) else {
          return edit.cards.append(NoteTypeEdit.Part(card, was: nil))
        }
        (edit.cards[place].value.front, edit.cards[place].value.back) = (card.front, card.back)
      }
      return .null
    },
    changing(.template, "modelTemplateRemove") { _, edit, place in edit.cards.remove(at: place) },
  ]

  /// Updates templates. Sides that are empty or missing stay as they are; templates that the type does not have are
  /// ignored.
  private static func updateTemplates(_ call: ActionCall) throws -> Value {
    let model = call.params["model"]
    let type = try call.noteType(named: model["name"].text())
    let templates = try model["templates"].asRecord()
    try change(type) { edit in
      for index in edit.cards.indices {
        let given = templates[edit.cards[index].value.name]
        if let front = given["Front"].value?.text, !front.isEmpty { edit.cards[index].value.front = front }
        if let back = given["Back"].value?.text, !back.isEmpty { edit.cards[index].value.back = back }
      }
    }
    return .null
  }

  /// - Returns: how many types contained the text.
  private static func replace(_ call: ActionCall) throws -> Value {
    // The add-on's guide wraps the parameters in an object, its code does not.
    let params = call.params["model"].value?.record == nil ? call.params : call.params["model"]
    let name = try params["modelName"].isGiven ? params["modelName"].text() : ""
    let (old, new) = (try params["findText"].text(), try params["replaceText"].text())
    func isWanted(_ part: String) throws -> Bool { try !params[part].isGiven || params[part].boolean() }
    let (inFronts, inBacks, inCSS) = (try isWanted("front"), try isWanted("back"), try isWanted("css"))
    if old.isEmpty { return .integer(0) }
    let types = try name.isEmpty ? call.workspace.noteTypes.all() : [call.noteType(named: name)]
    let changed = try types.count { type in
      try change(type) { edit in
        if inCSS { edit.css = edit.css.replacing(text: old, with: new) }
        for index in edit.cards.indices {
          let card = edit.cards[index].value
          if inFronts { edit.cards[index].value.front = card.front.replacing(text: old, with: new) }
          if inBacks { edit.cards[index].value.back = card.back.replacing(text: old, with: new) }
        }
      }
    }
    return .integer(changed)
  }

  // MARK: Both

  private static func change(_ call: ActionCall, _ body: (inout NoteTypeEdit) throws -> Void) throws {
    try change(call.noteType(named: call.params["modelName"].text()), body)
  }

  /// - Returns: whether anything changed.
  @discardableResult private static func change(
    _ type: NoteTypeHandle, _ body: (inout NoteTypeEdit) throws -> Void
  ) throws -> Bool {
    let before = NoteTypeEdit(try type.record())
    var edit = before
    try body(&edit)
    if edit != before { try type.edit(edit, agreed: true) }
    return edit != before
  }

  /// Moves a part; an index beyond either end is clamped.
  private static func move<Part>(_ parts: inout [Part], _ place: Int, to index: Int) {
    let part = parts.remove(at: place)
    parts.insert(part, at: max(0, min(parts.count, index)))
  }
}
