// What each grant gives access to: the list of all members that need one, compared with the descriptions, and each
// member called by a state without its grant.

import CardDocuments
import Decks
import LuaRuntime
import TestWorkspace

@testable import Bindings

@Suite struct GrantTests {
  /// The grants that each type and module needs as a whole.
  private static let whole = [
    "decks.read or decks.write":
      "card deck deck_options media note note_fields notetype notetypes preset presets session",
    "decks.read or decks.write or formats": "decks", "documents.read or documents.write": "document documents element",
    "games": "game games", "settings": "settings", "shell or shell.run": "shell", "study": "study",
    "texts": "text texts", "words": "words",
  ]

  /// The additional grants of single members. `=` is the assignment of a field.
  private static let more = [
    "decks.read or decks.write": "decks:list decks:open", "formats": "decks:format",
    "decks.write":
      "card.answer= card.document= card.due= card.flag= card.prompt= card.tags= card:bury card:forget card:move "
      + "card:remove card:resume card:suspend card:tag card:unbury card:untag deck.goal= deck.name= deck.preset= deck:add deck:add_all "
      + "deck:add_note deck:append deck:import deck:mine deck:remove deck:set_due deck_options.*= decks:create decks:remove game:to_deck media:add "
      + "note.tags= note:remove note_fields.*= notetype:remove notetype:update notetypes:create preset.name= "
      + "preset:remove presets:create session:bury session:flag session:suspend",
    "decks.write (unless it changes no schedule)": "deck:study",
    "decks.write (unless the session changes no schedule)": "session:answer session:undo",
    "documents.write":
      "document.background= document:add_image document:add_text document:duplicate document:fill document:lower document:raise "
      + "document:remove document:remove_element document:save document:set_panel documents:create element.align= element.alt= "
      + "element.color= element.cropped= element.font= element.frame= element.group= element.grows= element.height= "
      + "element.rotation= element.size= element.text= element.width= element.wraps= element.x= element.y=",
    "shell.run": "shell:at shell:redo shell:run shell:undo",
  ]

  @Test func `the grants of all types and modules are those of the list`() throws {
    let program = try BoundProgram()
    var found: [String: [String]] = [:]
    withExtendedLifetime(program) {
      let state = program.state
      for (name, grant) in state.types.map({ ($0.name, $0.grant) }) + state.modules.map({ ($0.name, $0.grant) }) {
        if let grant { found[grant, default: []].append(name) }
      }
    }
    #expect(found.mapValues { $0.sorted().joined(separator: " ") } == Self.whole)
  }

  @Test func `the grants of all members are those of the list`() throws {
    var found: [String: Set<String>] = [:]
    let program = try BoundProgram()
    withExtendedLifetime(program) {
      for (name, grant) in members(of: program.state) { found[grant, default: []].insert(name) }
    }
    #expect(found.mapValues { $0.sorted().joined(separator: " ") } == Self.more)
  }

  @Test func `without the grant each member refuses, whatever its arguments`() throws {
    let grants = Grants(
      modules: [.decksRead, .documentsRead, .games, .words, .settings, .shell], readable: nil, writable: nil)
    let program = try BoundProgram(grants: grants, plugin: "quiz")
    try fill(program.workspace)
    try program.run(Self.objects)
    for (name, grant) in members(of: program.state) where !grant.contains("unless") && !grant.contains("decks.read") {
      let parts = name.split(whereSeparator: { ".:=".contains($0) }).map(String.init)
      if name == "deck_options.*=" || name == "note_fields.*=" { continue }
      let call =
        name.hasSuffix("=")
        ? "it.\(parts[0]).\(parts[1]) = it.\(parts[0]).\(parts[1])"
        : "local done, problem = it.\(parts[0]).\(parts[1])(it.\(parts[0]), 'good') error(problem or 'it went through')"
      #expect(try program.failure(call).contains("was not granted"), "\(name)")
    }
    for assignment in ["it.deck_options.new_per_day = 1", "it.note_fields.Front = 'x'"] {
      #expect(try program.failure(assignment).contains("was not granted decks.write"), "\(assignment)")
    }
  }

  @Test func `a sprint, and a session that changes no schedule, need only read access`() throws {
    let program = try BoundProgram(grants: Grants(modules: [.decksRead]), plugin: "quiz")
    try fill(program.workspace)
    try program.run("sprint = decks.open('D'):study{mode = 'sprint'} look = decks.open('D'):study{schedule = false}")
    try program.check([
      ("sprint:answer('right').right", "true"),
      ("(function() local it = look:answer('good') return it.right, it.interval == nil end)()", "true true"),
      ("decks.open('D'):study()", "nil [not_granted]"),
    ])
  }

  @Test func `objects are refused to a state without their module's grant, wherever they come from`() throws {
    let program = try BoundProgram(grants: Grants(modules: [.words]), plugin: "quiz")
    try fill(program.workspace)
    let (deck, document) = (
      try program.workspace.decks.open("D"), try program.workspace.documents.create(background: nil)
    )
    let use = try program.state.load("local it = ... return it.name or it.id or #it", name: "use")
    for object: any LuaRepresentable in [deck, document] as [any LuaRepresentable] {
      #expect(throws: LuaError.self) { try use.call([object], results: 1) { _ in } }
    }
  }

  /// Creates a deck with a card and a note, and a document with a text.
  private func fill(_ workspace: Workspace) throws {
    let deck = try workspace.decks.create("D")
    _ = try deck.add(NewCard(prompt: "a", answer: "b"), at: .top)
    _ = try deck.addNote(NewNote(fields: ["Front": "x", "Back": "y"], tags: [], guid: nil), typeNamed: "Basic")
    _ = try workspace.presets.create("P")
    _ = try workspace.documents.create(background: nil).addText("x", at: ElementPlacement())
  }

  /// One object of each type, by type name, and the modules.
  private static let objects = """
    local deck, document = decks.open("D"), documents.list()[1]
    local note = deck:find("x")[1].note
    it = {
      decks = decks, media = media, notetypes = notetypes, presets = presets, documents = documents, shell = shell,
      deck = deck, card = deck:card(1), note = note, note_fields = note.fields, notetype = note.type,
      preset = presets.open("P"), deck_options = deck.options, document = document, element = document.elements[1],
      session = deck:study{schedule = false}, game = games.new{base = "cambering"},
    }
    """

  /// The members that have a grant of their own.
  private func members(of state: LuaState) -> [(name: String, grant: String)] {
    var found: [(String, String)] = []
    for module in state.modules {
      found += module.functions.compactMap { function in function.grant.map { ("\(module.name):\(function.name)", $0) }
      }
    }
    for type in state.types {
      found += type.methods.compactMap { method in method.grant.map { ("\(type.name):\(method.name)", $0) } }
      found += type.fields.compactMap { field in
        field.grant.map { ("\(type.name).\(type.name == "deck_options" ? "*" : field.name)=", $0) }
      }
      if let grant = type.anyField?.grant { found.append(("\(type.name).*=", grant)) }
    }
    return found
  }
}
