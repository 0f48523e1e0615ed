// Lua's view of card documents: the module `documents`, the types `document` and `element`. Invariant: the room below
// checks each value; an invalid colour, frame or size is an error that names what was expected.

import CardDocuments
public import LuaRuntime
import Problems
import Text
public import Workspace

extension DocumentHandle: BoundObject {}
extension ElementHandle: BoundObject {}

func documentsModule(_ context: BindingContext) -> BoundModule {
  context.module("documents", "Card documents: cards made of texts and pictures.", grant: .documents) { module in
    module.function(
      "create", ["options": .optional(.table)], returns: .object("document").orProblem,
      grant: .documentsWrite, example: "{background = {1, 1, 0.7}}",
      "A new document. Option: background = {r, g, b[, a]}, each 0 to 1; if omitted, one of eight soft colours."
    ) { stack in
      var background: CardColor?
      if let options = try stack.optionalTable(1, allowing: ["background"]) {
        background = try readColor(options, "background")
      }
      return try context.workspace().documents.create(background: background)
    }
    module.function(
      "open", ["id": .string], returns: .object("document").orProblem, example: "(documents.list()[1].id)",
      "A document by its id, an unambiguous prefix of it, or the path of a file. Codes: not_found, ambiguous."
    ) { stack in
      let name = try context.expanded(stack.text(1))
      if DocumentStore.isPath(name) { try context.requireReading(name) }
      return try context.workspace().documents.open(name)
    }
    module.action(
      "sheet", ["documents": .list(.object("document")), "path": .string],
      example: "({documents.list()[1]}, \"cards.pdf\")", "Writes documents to the pages of a PDF, nine per page."
    ) { stack in
      let listed = try stack.table(1, "a list of documents").elements { try $0.object(-1, DocumentHandle.self) }
      let path = try context.expanded(stack.text(2))
      try context.requireWriting(path)
      if try context.mayActOutside("write \(path)") {
        try context.workspace().documents.drawSheet(listed, to: path) { _ in }
      }
    }
    module.function(
      "list", returns: .list(.object("document")),
      "All documents; the second result lists the problems of those that cannot be opened."
    ) { _ in
      let (documents, problems) = try context.workspace().documents.all()
      return LuaResults(documents, problems.map { ProblemValue($0) })
    }
  }
}

struct ProblemValue: LuaRepresentable {
  let problem: any Problem
  init(_ problem: any Problem) { self.problem = problem }

  func push(on stack: borrowing LuaStack) -> Int32 {
    stack.push(problem)
    return 1
  }
  var luaValue: LuaValue { .record(["code": problem.code, "title": problem.title, "message": problem.message]) }
}

private func readColor(_ table: borrowing LuaTable, _ name: String) throws -> CardColor? {
  try table.optionalTable(name) { try readColor($0) }
}

private func readColor(_ parts: borrowing LuaTable) throws -> CardColor {
  guard let color = CardColor(parts: try parts.elements { try $0.number(-1) }) else {
    throw parts.wrong("{r, g, b} or {r, g, b, a}, each from 0 to 1, expected")
  }
  return color
}

private func readPlacement(_ table: borrowing LuaTable) throws -> PlacementOptions {
  var options = PlacementOptions()
  options.x = try table.optionalNumber("x")
  options.y = try table.optionalNumber("y")
  options.width = try table.optionalNumber("width")
  options.height = try table.optionalNumber("height")
  options.rotation = try table.optionalNumber("rotation")
  return options
}

private func frozen(_ color: CardColor) -> Frozen<[Double]> {
  Frozen(color.parts, advice: "assign a whole colour: {r, g, b} or {r, g, b, a}")
}

func documentType(_ context: BindingContext) -> BoundType<DocumentHandle> {
  BoundType<DocumentHandle>(
    "document", "A card made of texts and pictures, 1300 by 2000.", weight: .bytes(2560),
    summary: { "document \(try $0.document().id) (\(counted(try $0.document().elements.count, "element")))" },
    identity: { .text(try $0.document().id.description) },
    checks: context.checks(.documents) { try requireOpen($0, "document") }
  ) { type in
    type.example = "documents.list()[1]"
    type.field("id", .string, "Its UUID.") { try $0.document().id.description }
    type.field("version", .integer, "The version of its format.") { try $0.document().version }
    type.field("path", .optional(.string), "The file it was opened from, until it is saved.") { try $0.document().path }
    type.field("modified", .optional(.number), "When it was last changed, in seconds since 1970.") {
      try $0.document().modified
    }
    type.field(
      "background", .list(.number), grant: .documentsWrite, example: "{1, 1, 0.7}",
      "Its colour: {r, g, b, a}, each from 0 to 1."
    ) {
      frozen(try $0.document().background)
    } set: { document, stack in
      let color = try readColor(stack.table(3, "{r, g, b} or {r, g, b, a}"))
      try document.document().change { try $0.setBackground(color) }
    }
    type.field("elements", .list(.object("element")), "Its elements in drawing order: the last is in front.") {
      Frozen(try $0.elements(), advice: "use document:add_text, add_image, remove_element, raise and lower")
    }
    describeAdding(type, context)
    describeKeeping(type, context)
  }
}

private func describeAdding(_ type: BoundType<DocumentHandle>, _ context: BindingContext) {
  let placement = ["x", "y", "width", "height", "rotation"]
  type.method(
    "add_text", ["text": .table], returns: .object("element").orProblem, grant: .documentsWrite,
    example: "{text = \"el perro\", x = 0, y = -400}",
    "Adds a text in front: {text=, color=, font=, size=, align=, wraps=, x=, y=, width=, height=, rotation=}. Without "
      + "x and y it hides no other element, if there is room; a text with a size wraps, and its box grows with it."
  ) { document, stack in
    let table = try stack.table(2, "a table with text")
    try table.allowOnly(["text", "color", "font", "size", "align", "wraps"] + placement)
    let style = TextStyle(
      color: try readColor(table, "color") ?? .black, font: try table.optionalText("font") ?? "",
      wraps: try table.optionalBoolean("wraps") ?? false, size: try table.optionalNumber("size"),
      align: try table.optionalText("align") ?? "center")
    return try document.addText(table.text("text"), style: style, readPlacement(table)).element
  }
  type.method(
    "add_image", ["path": .string, "options": .optional(.table)],
    returns: .object("element").orProblem, grant: .documentsWrite, example: "(\"dog.svg\", {frame = \"circle\"})",
    "Adds a copy of a picture in front: {frame=, cropped=, x=, y=, width=, height=, rotation=}. Without x and y it "
      + "hides no other element, if there is room."
  ) { document, stack in
    let path = try context.expanded(stack.text(2))
    var (options, frame, isCropped): (PlacementOptions, Frame?, Bool) = (PlacementOptions(), nil, false)
    if let table = try stack.optionalTable(3, allowing: ["frame", "cropped"] + placement) {
      options = try readPlacement(table)
      frame = try table.optionalText("frame").map { try readFrame($0, 3) }
      isCropped = try table.optionalBoolean("cropped") ?? false
    }
    try context.requireReading(path)
    let picture = try context.workspace().documents.picture(file: path)
    return try document.addImage(picture, frame: frame, isCropped: isCropped, options).element
  }
}

private func readFrame(_ name: String, _ argument: Int) throws(LuaFailure) -> Frame {
  guard let frame = Frame(rawValue: name) else {
    let frames = Frame.allCases.map(\.rawValue)
    let near = didYouMean(name, among: frames, quote: "'")
    throw .argument(
      argument, "no frame is called '\(printable(name))'\(near); there are \(frames.joined(separator: ", "))")
  }
  return frame
}

private func describeKeeping(_ type: BoundType<DocumentHandle>, _ context: BindingContext) {
  let acts: [(String, String, (inout CardDocument, String) throws -> Void)] = [
    ("raise", "Brings an element one step to the front.", { try $0.raise($1) }),
    ("lower", "Sends an element one step to the back.", { try $0.lower($1) }),
    ("remove_element", "Removes an element.", { try $0.removeElement($1) }),
  ]
  for (name, help, act) in acts {
    type.action(
      name, ["element": .object("element")], grant: .documentsWrite, example: "(documents.list()[1].elements[1])", help
    ) { document, stack in
      let element = try stack.object(2, ElementHandle.self)
      // The elements of a duplicate have the ids of the original's.
      guard try element.document.document().id == document.document().id else {
        throw LuaFailure.argument(2, "an element of this document expected, got one of another")
      }
      try document.document().change { try act(&$0, element.id) }
    }
  }
  type.method(
    "duplicate", returns: .object("document").orProblem, grant: .documentsWrite, "A new document with the same content."
  ) { document, _ in try document.duplicate() }
  type.action("save", grant: .documentsWrite, "Saves pending changes of positions and sizes.") { document, _ in
    try document.document().save()
  }
  type.action("remove", grant: .documentsWrite, "Removes it.") { document, _ in try document.remove() }
  describeDrawing(type, context)
  type.action(
    "set_panel", ["group": .string, "color": .optional(.list(.number))], grant: .documentsWrite,
    example: "(\"verbs\", {1, 0.9, 0.7})", "Draws a coloured panel behind the elements of a group; nil removes it."
  ) { document, stack in
    let group = try stack.text(2)
    var color: CardColor?
    if let parts = try stack.optionalTable(3) { color = try readColor(parts) }
    try document.document().change { try $0.setPanel(of: group, to: color) }
  }
}

private func describeDrawing(_ type: BoundType<DocumentHandle>, _ context: BindingContext) {
  type.method(
    "fill", ["deck": .object("deck"), "options": .optional(.table)], returns: .list(.object("document")).orProblem,
    grant: .documentsWrite, example: "(decks.open(\"Spanish\"), {query = \"tag:animal\"})",
    "Makes a new document for each card of a deck and of the decks within it, as one undo step: {prompt}, {answer} "
      + "and {FIELD} in its texts become the card's values, and an image whose alt is such a name becomes the card's "
      + "picture. Option: query. Codes: bad_value, unknown_field, not_found, too_large."
  ) { document, stack in
    let deck = try stack.object(2, DeckHandle.self)
    let options = try stack.optionalTable(3, allowing: ["query"])
    let query = try options?.optionalText("query")
    let operations = try context.workspace().documents
    let filled = try operations.filled(document, from: deck, matching: query)
    try operations.save(filled)
    return filled.documents
  }
  type.action(
    "render", ["path": .string, "options": .optional(.table)], example: "(\"card.svg\", {width = 650})",
    "Draws it to a file that ends in .svg, .png or .pdf. Option: width = 1300."
  ) { document, stack in
    let path = try context.expanded(stack.text(2))
    let options = try stack.optionalTable(3, allowing: ["width"])
    let width = try options?.optionalInteger("width", in: 1...6500) ?? 1300
    try context.requireWriting(path)
    let drawn = try document.document()
    if try context.mayActOutside("draw \(path)") { try drawn.render(to: path, width: width) }
  }
  type.method("check", returns: .list(.table), "Its errors: a list of {code=, pointer=, message=}.") { document, _ in
    try document.document().check().map { ProblemValue($0) }
  }
}

func elementType(_ context: BindingContext) -> BoundType<ElementHandle> {
  BoundType<ElementHandle>(
    "element", "A text or a picture on a document.", weight: .bytes(512),
    summary: { "\(try $0.element().kind?.rawValue ?? "unknown") element \($0.id)" }, identity: { .text($0.id) },
    checks: context.checks(.documents) { try requireOpen($0, "element") }
  ) { type in
    type.example = "documents.list()[1].elements[1]"
    type.field("kind", .string, "image or text.") { try $0.element().kind?.rawValue }
    type.field("id", .string, "Its id within the document.") { $0.id }
    let numbers: [(ElementField, String, String, (Element) -> Double)] = [
      (.x, "How far right of the card's centre.", "100", \.x), (.y, "How far below the card's centre.", "-200", \.y),
      (.width, "Its width.", "800", \.width), (.height, "Its height.", "300", \.height),
      (.rotation, "Degrees, clockwise.", "15", \.rotation),
    ]
    for (field, help, example, read) in numbers {
      add(field, .number, help, example, to: type, read) { .number(try $0.number(3)) }
    }
    add(.size, .optional(.number), "The height of a text's lines, in units.", "120", to: type, \.size) {
      .number(try $0.number(3))
    }
    let texts: [(ElementField, String, String?, (Element) -> String?)] = [
      (.frame, "A picture's frame, or nil.", nil, { $0.frame?.rawValue }),
      (.text, "A text's words.", "\"el gato\"", \.text), (.font, "A text's font.", "\"Serif\"", \.font),
      (.align, "How a text's lines are aligned: center, left or right.", "\"left\"", \.align),
      (.alt, "A description of a picture in words.", nil, \.alt),
      (.group, "The group that it belongs to, or nil.", "\"verbs\"", \.group),
    ]
    for (field, help, example, read) in texts {
      add(field, .optional(.string), help, example, to: type, read) {
        try $0.optionalText(3).map { .text($0) } ?? .none
      }
    }
    let flags: [(ElementField, String, String?, (Element) -> Bool?)] = [
      (.wraps, "Whether a text wraps at the sides of its box instead of getting smaller.", "true", \.wraps),
      (.grows, "Whether a text's box is as high as the text needs.", "true", \.grows),
      (.cropped, "Whether a picture fills its box and is cropped, instead of being shown whole.", nil, \.isCropped),
    ]
    for (field, help, example, read) in flags {
      add(field, .optional(.boolean), help, example, to: type, read) { .flag(try $0.boolean(3)) }
    }
    add(.color, .optional(.list(.number)), "A text's colour.", "{0.7, 0, 0}", to: type, { $0.color.map(frozen) }) {
      .color(try readColor($0.table(3, "{r, g, b} or {r, g, b, a}")))
    }
  }
}

/// - Parameter set: reads the new value, at 3.
private func add<V: LuaRepresentable>(
  _ field: ElementField, _ luaType: LuaType, _ help: String, _ example: String?, to type: BoundType<ElementHandle>,
  _ get: @escaping (Element) -> V, set: @escaping (borrowing LuaStack) throws -> ElementValue
) {
  type.field(field.rawValue, luaType, grant: .documentsWrite, example: example, help) {
    get(try $0.element())
  } set: { element, stack in
    let value = try set(stack)
    try element.set(field, to: value)
  }
}
