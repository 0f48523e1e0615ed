// Card documents in Lua: elements, colours, frames, and the files they are saved in.

import TestWorkspace

@testable import Bindings

@Suite struct DocumentBindingTests {
  private let program: BoundProgram

  init() throws {
    program = try BoundProgram(drawing: builtProgram("deckhand-draw"))
    try program.run("d = documents.create{background = {1, 0, 0}} t = d:add_text{text = 'hola', x = 5}")
  }

  @Test func `elements are added, read, changed, ordered and removed`() throws {
    try program.run("u = d:add_text{text = 'dos', color = {0, 1, 0, 0.5}, rotation = 45}")
    try program.check([
      ("t.kind, t.text, t.x, t.y, t.rotation", "text hola 5.0 0.0 0.0"), ("t.color", "{0.0, 0.0, 0.0, 1.0}"),
      ("u.color, u.rotation", "{0.0, 1.0, 0.0, 0.5} 45.0"), ("d.background", "{1.0, 0.0, 0.0, 1.0}"),
      ("#d.elements, d.elements[1] == t, d.elements[2] == u", "2 true true"),
      ("d:raise(t), d.elements[2] == t", "true true"),
      ("d:lower(t), d.elements[1] == t", "true true"), ("t.frame, t.alt", "nil nil"),
    ])
    try program.run("t.text = 'uno' t.x = 7.5 t.width = 300 t.color = {0, 0, 1} d.background = {0, 0, 0, 0.5}")
    try program.check([
      ("t.text, t.x, t.width, t.color", "uno 7.5 300.0 {0.0, 0.0, 1.0, 1.0}"), ("d.background", "{0.0, 0.0, 0.0, 0.5}"),
      ("d:remove_element(u), #d.elements", "true 1"),
    ])
    try program.fails([
      ("return u.text", "element"), ("t.color = {0, 0}", "{r, g, b}"), ("t.color = {0, 0, 2}", "{r, g, b}"),
      ("t.color[1] = 0.5", "assign a whole colour"), ("d.elements[1] = t", "add_text"), ("t.x = 'left'", "number"),
      ("d:add_text{txet = 'x'}", "txet"), ("d:add_text{}", "text"), ("d:raise('t')", "element"),
      ("t.kind = 'image'", "kind"), ("d:duplicate():remove_element(t)", "an element of this document expected"),
      ("documents.create{background = {1}}", "background"), ("t.width = -5", "width"),
    ])
  }

  @Test func `pictures are copied in and framed, and invalid ones are refused`() throws {
    let folder = program.person.folder
    let svg = try folder.write(
      "<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'><rect width='40' height='20' fill='red'/></svg>",
      to: "a.svg")
    let bad = try folder.write("no picture", to: "b.png")
    try program.run("i = d:add_image('\(svg)', {frame = 'circle', width = 100})")
    try program.check([
      ("i.kind, i.frame, i.width, i.text", "image circle 100.0 nil"), ("d:add_image('\(bad)')", "nil [unknown_format]"),
      ("d:add_image('/none.png')", "nil [not_found]"), ("d:check()", "{}"),
      (
        "d:render('\(folder.path)/out.svg', {width = 200}), d:render('\(folder.path)/out.gif')",
        "true nil [unknown_format]"
      ),
    ])
    try program.run("i.alt = 'red' i.frame = nil")
    try program.check([("i.alt, i.frame", "red nil")])
    try program.fails([
      ("d:add_image('\(svg)', {frame = 'cirle'})", "circle"), ("i.frame = 'cirle'", "circle"),
      ("d:add_image('\(svg)', {frame = 'x'})", "there are circle, rectangle"),
      ("d:render('\(folder.path)/x.svg', {width = 0})", "width"),
    ])
    #expect(folder.names.contains("out.svg"))
  }

  @Test func `documents are found again, copied, shown by cards and removed`() throws {
    try program.run(
      "d:save() copy = d:duplicate() deck = decks.create('D') c = deck:add{prompt = 'p', answer = 'a', document = d}")
    try program.check([
      ("documents.open(d.id) == d, documents.open(d.id:sub(1, 8)) == d", "true true"), ("copy.id ~= d.id", "true"),
      ("#documents.list(), c.document == d", "2 true"), ("documents.open('zzz')", "nil [not_found]"),
      ("type(d.path), type(d.modified), d.version ~= nil", "nil number true"),
    ])
    try program.run("c.document = copy")
    try program.check([("c.document == copy, copy:remove()", "true true"), ("#documents.list()", "1")])
    try program.run("c.document = nil")
    try program.check([("c.document", "nil")])
    try program.fails([("copy.background = {0, 0, 0}", "removed"), ("documents.open()", "#1")])
  }
}
