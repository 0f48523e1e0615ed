// What a state has access to: grants, the session, and objects after a sign-out.

import CardDocuments
import Commands
import Files
import Glibc
import LuaRuntime
import Problems
import TestWorkspace

@testable import Bindings

@Suite struct ReachTests {
  private let program: BoundProgram

  init() throws { program = try BoundProgram() }

  @Test func `after a sign-out no object and no module works, except auth`() throws {
    try program.run(
      """
      d = decks.create("D") c = d:add{prompt = "p", answer = "a"} o = d.options s = d:study() i = d:cards()
      g = games.new{base = "cambering"} l = words.lexicon("english") w = l:words() f = doc and doc or nil
      doc = documents.create() e = doc:add_text{text = "x"}
      v = settings.value("v", {default = 1}) h = settings.switches("h", {children = {"a"}})
      k = settings.choice("k", {options = {"a"}})
      auth.logout()
      """)
    for use in [
      "d.name", "#d", "d:card(1)", "c.prompt", "c:suspend()", "o.new_per_day", "s.card", "s:answer('good')", "i()",
      "g.score", "g:guess('grace')", "g:hint()", "l.count", "l:contains('x')", "w()", "doc.id", "doc:save()", "e.text",
      "v.value", "h.state", "h:toggle()", "k.value",
    ] {
      #expect(
        try program.failure("local _, problem = \(use) if problem then error(problem.message, 0) end").contains(
          "before a sign-out"), "\(use)")
    }
    for use in [
      "decks.list()", "games.new()", "words.languages()", "documents.list()", "settings.get('v')", "shell.print(1)",
      "files.read('/etc/passwd')", "plugins.list()",
    ] {
      #expect(
        try program.failure("local _, problem = \(use) if problem then error(problem.message, 0) end").contains(
          "before a sign-out"), "\(use)")
    }
    try program.check([("auth.needs_authentication, auth.user, auth.is_authenticating", "true ana false")])
    try program.check([("deckhand.version, deckhand.api", "1.2.3 1")])
  }

  @Test func `the standard input of a state is empty, wherever the tests were started`() throws {
    try program.check([("io.read(), io.read('l'), #io.read('a')", "nil nil 0")])
  }

  @Test func `a plugin has only the modules that it was granted`() throws {
    let modules = [
      "decks", "media", "notetypes", "documents", "words", "games", "settings", "shell", "files", "plugins", "auth",
    ]
    let expression = modules.map { "\($0) ~= nil" }.joined(separator: ", ")
    let decks = ["decks", "media", "notetypes"]
    let cases: [(Grants.Module?, [String])] = [
      (nil, []), (.decksRead, decks), (.decksWrite, decks), (.documentsRead, ["documents"]),
      (.documentsWrite, ["documents"]), (.words, ["words"]), (.games, ["games"]), (.settings, ["settings"]),
      (.shell, ["shell"]), (.shellRun, ["shell"]), (.commandsRead, []),
    ]
    for (grant, names) in cases {
      let plugin = try BoundProgram(grants: Grants(modules: grant.map { [$0] } ?? []), plugin: "mine")
      let expected = modules.map { names.contains($0) || $0 == "files" ? "true" : "false" }.joined(separator: " ")
      #expect(try plugin.value(expression) == expected, "\(grant?.rawValue ?? "none")")
    }
  }

  @Test func `the message of a stopped plugin names only limits that can be set`() {
    func messages(_ seconds: Double, _ memory: Int) -> [String] {
      let limits = PluginLimits(seconds: seconds, memory: memory)
      let errors: [PluginCallError] = [
        .outOfTime(plugin: "p", .loading, place: "", limits: limits),
        .outOfMemory(plugin: "p", .loading, place: "", limits: limits),
      ]
      return errors.map { $0.message }
    }
    let near = messages(2000, 3000)
    #expect(near[0].contains("`plugin limit p --seconds 3600`") && near[1].contains("`plugin limit p --memory 4096`"))
    #expect(
      messages(3600, 4096)
        == ["p: stopped after 3600 s while it was loaded", "p: stopped at 4096 MiB while it was loaded"])
  }

  @Test func `a state with read access changes nothing, whatever is tried`() throws {
    let plugin = try BoundProgram(grants: Grants(modules: [.decksRead, .documentsRead, .games]), plugin: "mine")
    let deck = try plugin.workspace.decks.create("D")
    _ = try deck.add(NewCardSample.card)
    _ = try plugin.workspace.documents.create(background: nil).addText("x", at: ElementPlacement())
    try plugin.run("d = decks.open('D') c = d:card(1) doc = documents.list()[1] e = doc.elements[1]")
    try plugin.check([
      ("d:add_note{fields = {Front = 'x'}}", "nil [not_granted]"), ("media.add('/etc/passwd')", "nil [not_granted]"),
      ("notetypes.create{name = 'x', fields = {'a'}, cards = {}}", "nil [not_granted]"),
      ("notetypes.open('Basic'):update{name = 'x'}", "nil [not_granted]"),
      ("notetypes.open('Basic'):remove()", "nil [not_granted]"), ("notetypes.open('Basic').name", "Basic"),
      ("decks.create('X')", "nil [not_granted]"), ("decks.remove('D')", "nil [not_granted]"),
      ("d:add{prompt = 'x', answer = 'y'}", "nil [not_granted]"), ("d:add_all{}", "nil [not_granted]"),
      ("d:study()", "nil [not_granted]"), ("documents.create()", "nil [not_granted]"),
      ("doc:add_text{text = 'x'}", "nil [not_granted]"), ("doc:remove()", "nil [not_granted]"),
      ("doc:duplicate()", "nil [not_granted]"), ("doc:save()", "nil [not_granted]"),
      ("doc:raise(e)", "nil [not_granted]"),
      ("d.count, c.prompt, e.text", "1 p x"), ("d:study{mode = 'sprint'}.remaining", "1"),
    ])
    try plugin.fails(
      [
        "d.name = 'X'", "d:remove(1)", "c.prompt = 'x'", "c.answer = 'x'", "c.tags = {}", "c.document = nil",
        "c:tag('x')", "c:untag('x')", "c:move(1)", "c:remove()", "c:suspend()", "c:resume()",
        "d.options.new_per_day = 1", "doc.background = {1, 1, 1}", "e.text = 'y'", "e.x = 5", "e.color = {0, 0, 0}",
      ].map { ($0, "was not granted") })
    try plugin.check([("d.name, d.count, c.prompt, c.answer, c.tags, e.text", "D 1 p a {} x")])
  }

  @Test func `an object passed by an event gives no rights`() throws {
    let plugin = try BoundProgram(grants: Grants(modules: [.shell]), plugin: "mine")
    try plugin.run("shell.on('word_found', function(game) kept = game end)")
    let game = try plugin.workspace.games.start(GameSample.options)
    _ = try game.guess("grace")
    #expect(try plugin.failure("return kept.score").contains("was not granted games"))
  }

  @Test func `the shell is called through the services it passed in`() throws {
    let recorder = program.recorder
    recorder.answers = ["Ana", "y", "no"]
    try program.check([
      ("shell.ask('Name? '), shell.confirm('Sure?'), shell.confirm('Sure?'), shell.ask('x')", "Ana true false nil"),
      ("shell.run('deck list')", "{line=deck list, ok=true}"), ("shell.sync().received", "2"),
    ])
    #expect(recorder.shown == ["Name? ", "Sure? [y/N] ", "Sure? [y/N] ", "x", "deck list"])
    recorder.shown = []
    try program.run(
      """
      shell.table({{1, "b"}, {"c", 4}}, {"A", "B"}) shell.table({{x = 1, y = 2}}, {"y", "x"})
      shell.table({{nil, "b", nil, "d"}}, {"A"})
      local made = decks.create("Made") shell.table({{made, true}, {n = made}}, {"n"})
      local gone = decks.create("Gone") decks.remove("Gone") shell.table({{gone}})
      shell.chart({3, 4.5}, {title = "T"}) shell.chart{b = 1, a = 2}
      local p = shell.progress("Working", 3) p:step() p:step(2) p:done()
      shell.alias("dl", "deck list")
      plugins.enable("x") plugins.disable("x") plugins.reload("x")
      """)
    #expect(
      recorder.shown == [
        #"["A", "B"] [["1", "b"], ["c", "4"]]"#, #"["y", "x"] [["2", "1"]]"#, #"["A"] [["", "b", "", "d"]]"#,
        #"["n"] [["Made", "yes"], ["Made"]]"#, #"[] [["deck (the deck has been removed)"]]"#, #"T ["1=3.0", "2=4.5"]"#,
        #"- ["a=2.0", "b=1.0"]"#, "Working", "dl = deck list", "enable x", "disable x", "reload x",
      ])
    try program.fails([
      ("shell.table(5)", "list of rows"),
      ("shell.table({decks.open('Made')}, {'name', 'count'})", "element 1: a list, or a table with fields"),
      ("shell.chart('x')", "list of numbers"), ("shell.chart({a = 'x'})", "'a' is not a number"),
      ("shell.chart({0/0})", "not a number"), ("shell.progress()", "#1"), ("shell.ask()", "#1"),
      ("shell.command{}", "name"), ("shell.command{name = 'x', run = 5}", "run"),
      ("shell.command{name = 'x', run = print, arguments = {{name = 'A', kind = 'number', min = 1}}}", "min and max"),
      ("shell.command{name = 'x', run = print, arguments = {'COUNT', '--count N'}}", "would be args.count"),
    ])
  }

  @Test func `a script of map cannot catch why its output was not written`() throws {
    let path = try program.person.folder.write("a\n", to: "lines")
    let (full, null, lines) = (open("/dev/full", O_WRONLY), open("/dev/null", O_WRONLY), open(path, O_RDONLY))
    defer { for descriptor in [full, null, lines] { close(descriptor) } }
    let code = "function map(line) pcall(emit, line, ('x'):rep(70000)) print('caught') end"
    let job = try MapJob(
      Array(code.utf8), name: "map.lua", arguments: [], options: MapOptions(),
      input: InputLines(limit: 100, descriptor: lines), output: FileSink(standardOutput: full)
    ) { _ in _ = dup2(null, full) }
    #expect(throws: FileError.self) { try job.run() }
  }

  @Test func `a generator cannot catch why a card was refused`() throws {
    let path = try program.person.folder.write("pcall(card, {prompt = 'a', answer = 'b'})", to: "cards.lua")
    #expect(throws: WorkspaceError.self) {
      _ = try DeckGenerator(seconds: 5, processes: program.context.shell).run(path, in: program.person.folder.path) {
        _ in
        throw WorkspaceError.signedOut(what: "deck")
      }
    }
  }

  @Test func `a command that Lua adds runs with its arguments and reports its own failures`() throws {
    try program.run(
      """
      c = shell.command{name = "greet", summary = "Greets.", example = "greet Ana --loud",
        arguments = {"NAME: who", "--loud"}, run = function(args) return "hello " .. args.name end}
      """)
    try program.check([
      ("c.name, c.summary, c.example, c.owner", "greet Greets. greet Ana --loud you"),
      ("c.usage", "greet NAME [--loud]"),
    ])
    #expect(program.recorder.commands.map(\.name) == ["greet"])
  }

  @Test func `files are read whole and by line, and a plugin reads only what was granted`() throws {
    let folder = program.person.folder
    let path = try folder.write("one\r\ntwo\n\nfour", to: "a.txt")
    try program.check([
      ("files.read('\(path)')", "one\r\ntwo\n\nfour"), ("list(files.lines('\(path)'))", "one, two, , four"),
      ("files.write('\(folder.path)/b.txt', 'x\\0y'), #files.read('\(folder.path)/b.txt')", "true 3"),
      ("files.read('/none')", "nil [file_missing]"), ("files.write('/none/x', '')", "nil [file_missing]"),
    ])
    try program.fails([("files.lines('/none')", "/none"), ("files.read()", "#1"), ("files.write('/tmp/x')", "#2")])
    let grants = Grants(
      modules: [], readable: [folder.path + "/open", folder.path + "/\u{E9}"], writable: [folder.path + "/open"])
    for name in ["open", "\u{E9}", "e\u{301}"] { try folder.makeFolder(name) }
    try folder.write("yes", to: "open/a")
    try folder.write("no", to: "e\u{301}/a")
    let plugin = try BoundProgram(grants: grants, plugin: "mine")
    try plugin.check([
      ("files.read('\(folder.path)/open/a')", "yes"), ("files.write('\(folder.path)/open/b', 'x')", "true"),
      ("files.read('\(path)')", "nil [not_granted]"),
      ("files.read('\(folder.path)/open/../a.txt')", "nil [not_granted]"),
      ("files.write('\(path)', '')", "nil [not_granted]"),
      ("files.read('\(folder.path)/e\u{301}/a')", "nil [not_granted]"),
    ])
    try plugin.fails([("files.lines('\(path)')", "not granted")])
  }
}
