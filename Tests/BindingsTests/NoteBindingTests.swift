// Notes, note types and media in Lua: what each member returns, and what it refuses.

import TestWorkspace

@testable import Bindings

@Suite struct NoteBindingTests {
  private let program: BoundProgram

  init() throws {
    program = try BoundProgram()
    try program.run(
      """
      d = decks.create("Spanish")
      n = assert(d:add_note{type = "Basic (and reversed card)", fields = {Front = "gato", Back = "cat"}, tags = {"x"}, guid = "g1"})
      p = d:add{prompt = "p", answer = "a"}
      """)
  }

  @Test func `a note has its type, fields, tags, cards and guid, and its cards lead to it`() throws {
    try program.check([
      ("n", "note \"gato\" (Basic (and reversed card), 2 cards)"), ("n.guid, n.tags", "g1 {x}"),
      ("n.type == notetypes.open('Basic (and reversed card)')", "true"), ("#n.fields, n.fields.Front", "2 gato"),
      ("n.cards", "{card \"gato\" / \"cat\", card \"cat\" / \"gato\"}"), ("n.cards[2].guid", "g1/2"),
      ("n.cards[1].note == n, p.note", "true note \"p\" (Basic, 1 card)"), ("d:card(2) == n.cards[1]", "true"),
      ("n.cards[1].tags", "{x}"), ("n.fields", "fields of note \"g1\""),
    ])
    try program.run(
      """
      n.fields.Back = "a <b>cat</b>"
      n.tags = {"y", "z"}
      seen = {}
      for name, text in pairs(n.fields) do seen[#seen + 1] = name .. "=" .. text end
      """)
    try program.check([
      ("n.cards[1].answer, n.cards[2].prompt", "a cat a cat"), ("n.cards[2].tags", "{y, z}"),
      ("seen", "{Front=gato, Back=a <b>cat</b>}"), ("n:remove()", "2"), ("#d", "1"),
    ])
    try program.fails([
      ("return n.guid", "has been removed"), ("return n.fields.Front", "has been removed"),
      ("n.fields.Front = 'x'", "has been removed"),
    ])
  }

  @Test func `an invalid note is refused with a code`() throws {
    try program.check([
      ("d:add_note{fields = {Front = '', Back = 'x'}}", "nil [empty_note]"), ("d:add_note{}", "nil [empty_note]"),
      ("d:add_note{type = 'Clozze', fields = {}}", "nil [not_found]"),
      ("select(2, d:add_note{type = 'Clozze', fields = {}}).suggestion", "Cloze"),
      ("d:add_note{type = 'Cloze', fields = {Text = 'none'}}", "nil [no_cloze]"),
      ("d:add_note{fields = {Frnt = 'x'}}", "nil [not_found]"),
      ("select(2, d:add_note{fields = {Frnt = 'x'}}).suggestion", "Front"),
      ("d:add_note{fields = {Front = '\\xFF'}}", "nil [bad_text]"),
      ("d:add_note{fields = {Front = 'a\\0b'}}", "nil [bad_text]"),
      ("d:add_note{fields = {Front = ('x'):rep(2^25 | 0)}}", "nil [bad_text]"),
      ("d:add_note{fields = {Front = 'a', Back = 'b'}, guid = 'g1'}", "nil [duplicate]"),
      ("d:add_note{fields = {Front = 'a', Back = 'b'}, tags = {'a b'}}", "nil [bad_tag]"), ("#d", "3"),
      ("d:add_note{fields = {Front = 5, Back = 1.5}}.cards[1].answer", "1.5"),
    ])
    try program.fails([
      ("d:add_note(5)", "a table with type and fields"), ("d:add_note{feilds = {}}", "did you mean 'fields'"),
      ("d:add_note{fields = {'a'}}", "a table {NAME = TEXT}"), ("d:add_note{fields = {Front = {}}}", "field 'Front'"),
      ("d:add_note{type = d, fields = {}}", "notetype or string expected"), ("n.fields.Nope = 'x'", "no field called"),
      ("return n.fields.Frnot", "did you mean \"Front\""), ("return n.fields[1]", "by name, not by number"),
      ("n.fields.Front = {}", "bad value for note_fields.Front (string expected"), ("n.fields.Front = ''", "is empty"),
      ("n.cards[1].prompt = 'x'", "made from fields of the note"), ("n.tags[1] = 'x'", "assign the whole list"),
      ("n.cards[1] = 1", "made from its fields"), ("return n.feilds", "did you mean 'fields'"),
    ])
    try program.check([("n.fields.Front, #d", "gato 4")])
  }

  @Test func `a field of 10 MB makes a note whose card shows the beginning of it`() throws {
    try program.run("big = assert(d:add_note{fields = {Front = ('word '):rep(2000000), Back = 'x'}})")
    try program.check([("#big.fields.Front, #big.cards[1].prompt <= 1000000", "10000000 true")])
  }

  @Test func `note types are listed, opened, created, changed and removed`() throws {
    try program.check([
      ("#notetypes.list(), notetypes.list()[5].name", "5 Cloze"), ("notetypes.open('cloze').cloze", "true"),
      ("notetypes.open('Basik')", "nil [not_found]"), ("notetypes.open('Basic').fields", "{Front, Back}"),
    ])
    try program.run(
      """
      t = assert(notetypes.create{name = "Word", fields = {"Word", "Sense"}, cards = {
        {name = "One", front = "{{Word}}", back = "{{Sense}}"}, {name = "Two", front = "{{Sense}}", back = "{{Word}}"}}})
      m = assert(d:add_note{type = t, fields = {Word = "perro", Sense = "dog"}})
      """)
    try program.check([
      ("t, t.count, #t.cards", "notetype \"Word\" (2 fields) 1 2"), ("t.cards[2].front, t.css ~= ''", "{{Sense}} true"),
      ("t:update{fields = {'Term', 'Sense'}}", "true"), ("t.cards[1].front, m.fields.Term", "{{Term}} perro"),
      ("t:update{cards = {t.cards[1]}}", "nil [loses_cards]"), ("select(2, t:update{cards = {t.cards[1]}}).cards", "1"),
      ("#m.cards", "2"), ("t:update{cards = {t.cards[1]}, agreed = true}", "true"), ("#m.cards, #d", "1 4"),
      ("t:update{name = 'Basic'}", "nil [exists]"), ("t:remove()", "nil [in_use]"), ("m:remove()", "1"),
      ("t:remove()", "true"), ("notetypes.open('Word')", "nil [not_found]"),
      ("notetypes.create{name = 'basic', fields = {'a'}, cards = {{name = 'c', front = '{{a}}'}}}", "nil [exists]"),
      ("notetypes.create{name = 'A', fields = {}, cards = {}}", "nil [bad_type]"),
      ("notetypes.create{name = 'A', fields = {'a:b'}, cards = {{name = 'c', front = 'x'}}}", "nil [bad_type]"),
      ("notetypes.create{name = 'A', fields = {'a'}, cards = {{name = 'c', front = '{{#a}}x'}}}", "nil [bad_template]"),
      ("notetypes.create{name = 'A', fields = {'a'}, cards = {{name = 'c', front = '{{b}}'}}}", "nil [bad_template]"),
      ("notetypes.create{name = 'A', fields = {'a'}, cards = {{name = 'c', front = 'x'}}}", "nil [bad_template]"),
    ])
    try program.fails([
      ("notetypes.create()", "a table with name, fields and cards"), ("notetypes.create{nmae = 'x'}", "nmae"),
      ("notetypes.create{name = 'x', fields = {1, {}}, cards = {}}", "element 2"),
      ("return t.name", "has been removed"),
      ("notetypes.create{name = 'x', fields = {'a'}, cards = {'c'}}", "name, front and back"),
    ])
  }

  @Test func `media are imported under a name`() throws {
    let path = try program.person.folder.write("sound", to: "a b.mp3")
    try program.check([
      ("media.add('\(path)')", "a b.mp3"), ("media.list()[1].name, media.list()[1].size", "a b.mp3 5"),
      ("media.add('\(path)x')", "nil [file_missing]"), ("#media.list()", "1"),
    ])
  }
}
