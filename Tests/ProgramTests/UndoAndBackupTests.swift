// `undo`, `redo`, `backup`, `restore` and `doctor` in the built program.

import Glibc
import TestSupport

@Suite struct UndoAndBackupTests {
  private let home = Home()

  private func cards(_ home: Home) throws -> Int { try home.run("card", "list", "--json").lines.count }

  @Test func `each change is a named step, undone and redone across processes`() throws {
    try home.run("deck", "create", "Spanish")
    try home.run("deck", "create", "Spanish")
    try home.run("card", "add", "Spanish", "el perro", "the dog")
    let script = try home.write(
      "local deck = decks.open('Spanish') for i = 1, 1204 do deck:add{prompt = 'p' .. i, answer = 'a'} end "
        + "settings.set('study.limit', 7) documents.create{}", to: "make.lua")
    #expect(try home.run("run", script).status == 0)
    let undone = try home.run("undo")
    #expect(
      undone.output.hasPrefix("Undone: adding 1,204 cards to Spanish") && undone.output.contains("(run make.lua)"),
      "\(undone)")
    #expect(try cards(home) == 1)
    // A setting is not an undo step; it has `set --reset`.
    #expect(try home.run("set", "study.limit", "--json").output == "7\n")
    #expect(try home.run("doc", "list", "--json").output.isEmpty)
    let list = try home.run("undo", "--list")
    #expect(list.lines.first?.split(separator: " ").map(String.init) == ["Step", "When", "What"])
    #expect(list.output.contains("(run make.lua)") && list.output.contains("(undone) "), "\(list)")
    #expect(list.output.contains("adding 1 card to Spanish (card add)"))
    #expect(try home.run("redo").output.hasPrefix("Redone: adding 1,204 cards"))
    #expect(try cards(home) == 1205)
    #expect(try home.run("set", "study.limit", "--json").output == "7\n")
    #expect(try home.run("doc", "list", "--json").lines.count == 1)
    let none = try home.run("redo")
    #expect(none.status == 1 && none.errors == "redo: there is nothing to redo\n", "\(none)")
  }

  @Test func `a change to the same value makes no undo step`() throws {
    try home.lua("decks.create('D'):add{prompt = 'p', answer = 'a'}")
    for line in ["card.flag = 1", "card:suspend()", "card.document = nil", "deck.name = 'D'"] {
      for _ in 1...2 { try home.lua("local deck = decks.open('D') local card = deck:card(1) \(line)") }
    }
    #expect(try home.run("undo", "--list").lines.count == 4)
  }

  @Test func `a step is undone by its number unless its rows were changed since`() throws {
    try home.run("deck", "create", "Spanish")
    try home.run("card", "add", "Spanish", "one", "1")
    try home.run("card", "add", "Spanish", "two", "2")
    try home.run("card", "edit", "Spanish:1", "--answer", "uno")
    let refused = try home.run("undo", "2")
    #expect(refused.status == 1)
    let later = "'adding 1 card to Spanish (card add)' cannot be undone or redone because of later changes: "
    #expect(refused.errors.contains(later + "'editing \"one\" (card edit)'; undo those first"), "\(refused)")
    #expect(try home.run("undo", "3").output == "Undone: adding 1 card to Spanish (card add)\n")
    #expect(try home.run("card", "list", "--json").output.contains("\"uno\""))
    #expect(try home.run("undo", "99").errors == "undo: there is no step 99; `undo --list` shows the steps\n")
    #expect(try home.run("undo", "0").status == 2)
    #expect(try home.run("undo", "--list", "1").errors.contains("--list and N cannot be given together"))
    let json = try home.run("--json", "undo", "--list").lines
    #expect(json.count == 4 && json[0].contains("\"step\": 4") && json[1].contains("\"undone\": true"), "\(json)")
  }

  @Test func `lines of Lua and answers are steps too, and Lua undoes them`() throws {
    try home.lua("decks.create('Spanish'):add{prompt = 'p', answer = 'a'}")
    try home.run(input: "decks.create('New')\nstudy Spanish\n\n3\n").succeeds()
    try home.run("undo", "--list").succeeds("creating the deck New (a line of Lua)", "answering \"p\": good (study)")
    let lua = try home.lua("print(shell.undo()) print(shell.redo()) print(select(2, shell.redo()).code)")
    let name = "answering \"p\": good (study)"
    #expect(lua.output == "\(name)\n\(name)\nnothing_to_redo\n", "\(lua)")
    let listed = try home.run("--json", "undo", "--list").output
    try home.run("-e", "assert(shell.undo()) assert(shell.undo()) decks.create('X') error('no')").fails("no")
    #expect(try home.run("--json", "undo", "--list").output == listed)
    #expect(try home.lua("decks.create('X') print(select(2, shell.undo()).code)").output == "cannot_undo\n")
  }

  @Test func `a command added by Lua is one step, and a failing one changes nothing`() throws {
    try home.plugin(
      "maker", permissions: #"["shell", "decks.write"]"#, manifest: "\"commands\": [\"make\"]",
      """
      shell.command{name='make', summary='x', arguments={'WORD'}, run=function(args)
        local deck = decks.open('A') or decks.create('A')
        deck:add{prompt = args.word, answer = 'a'}
        if args.word == 'bad' then error('no') end
        if args.word == 'plain' then return nil, 'not so' end
        if args.word == 'bytes' then return nil, 'not \\xff so' end
        if args.word == 'told' then return nil, {code = 'told', title = 'Told', message = 'told'} end
        if args.word == 'coded' then return nil, {code = 'x7'} end
        if args.word == 'worded' then return nil, {message = 'not at all'} end
        if args.word == 'empty' then return nil, {} end
      end}
      """)
    try home.enable("maker")
    #expect(try home.run("make", "bad").status == 1)
    #expect(try home.run("make", "told").status == 1)
    try home.run("make", "plain").fails("not so")
    try home.run("make", "bytes").fails("not \u{FFFD} so")
    try home.run("make", "coded").fails("it failed with the code \"x7\"")
    try home.run("make", "worded").fails("not at all")
    #expect(try home.run("make", "empty").errors.contains("neither a code nor a message"))
    #expect(try home.run("deck", "list", "--json").output == "")
    #expect(try home.run("make", "word").status == 0)
    #expect(try home.run("--json", "undo", "--list").lines.count == 1)
    try home.run("undo")
    #expect(try home.run("deck", "list", "--json").output == "")
    let asked = "local done, problem = shell.run('make plain') print(done, problem.code, problem) os.exit(1)"
    #expect(try home.lua(asked).output == "nil\tfailed\tnot so\n")
    // Within a script it is part of the script's transaction.
    try home.lua("decks.create('B') shell.run('make word') shell.run('make told')")
    let steps = try home.run("--json", "undo", "--list").lines
    #expect(steps.count == 1 && steps[0].contains("creating the deck B, creating the deck A"), "\(steps)")
  }

  @Test func `u in a study session undoes its step, so that undo does not bring the answer back`() throws {
    try home.lua("local d = decks.create('S') d:add{prompt='a', answer='b'} d:add{prompt='c', answer='d'}")
    #expect(try home.run(input: "study S\n\n3\nu\n").status == 0)
    #expect(try home.run("undo", "--list").output.contains("(undone) "))
    #expect(try home.run("card", "list", "is:new", "--json").lines.count == 2)
    #expect(try home.run("undo").output.contains("creating the deck S"))
    try home.run("redo")
    let lua = "local s = decks.open('S'):study() s:answer('good') s:undo() print(s.card.prompt, s.remaining)"
    #expect(try home.lua(lua).output.hasSuffix("\t2\n"))
    #expect(try home.run("card", "list", "is:new", "--json").lines.count == 2)
    #expect(try home.run("undo").output.contains("creating the deck S"))
  }

  @Test func `a plugin undoes nothing without the right to run commands`() throws {
    try home.run("deck", "create", "Spanish")
    try home.plugin(
      "sly", permissions: #"["shell", "decks.write"]"#, manifest: "\"commands\": [\"sly\"]",
      "shell.command{name='sly', summary='x', run=function() assert(shell.undo()) end}")
    try home.enable("sly")
    let run = try home.run("sly")
    #expect(run.status == 1 && run.errors.contains("shell.run"), "\(run)")
    #expect(try home.run("deck", "list").output.contains("Spanish"))
  }

  @Test func `a backup is compared with the current data, and restores everything`() throws {
    try home.lua("local d = decks.create('Spanish') for i = 1, 30 do d:add{prompt = 'p' .. i, answer = 'a'} end")
    let file = home.path + "/one.backup"
    #expect(try home.run("backup", file).output == "Backed up 1 deck, 30 cards, 0 documents to \(file).\n")
    var facts = stat()
    #expect(stat(file, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
    try home.run("deck", "remove", "Spanish")
    try home.run("doc", "create")
    let restored = try home.run("restore", file).succeeds("Restored 1 deck, 30 cards, 0 documents.")
    let row = restored.lines.first { $0.hasPrefix("Cards") }?.split(separator: " ").map(String.init)
    #expect(row == ["Cards", "30", "0"], "\(restored)")
    #expect(try cards(home) == 30)
    #expect(try home.run("doc", "list", "--json").output.isEmpty)
    let kept = try #require(restored.lines.last?.split(separator: " ").last).dropLast()
    #expect(try home.run("--json", "restore", String(kept)).output.contains("\"documents\": 1"))
    #expect(try cards(home) == 0)
    try home.write("PK", to: "a.colpkg")
    try home.run("restore", home.path + "/a.colpkg").fails("`deck import DECK FILE` imports such a file")
    try home.run("restore", "/etc/hostname").fails("not a complete archive")
    #expect(try home.lua("decks.create('Y') assert(shell.run('restore \(file)'))").status == 1)
  }

  @Test func `an account's backup is restored only into that account, after its sign-in`() throws {
    try home.run("deck", "create", "Spanish")
    let ana = try home.write("the password of ana\n", to: "ana")
    let bob = try home.write("the password of bob\n", to: "bob")
    #expect(try home.run("account", "add", "ana", "--new-password-file", ana).status == 0)
    let file = home.path + "/ana.backup"
    #expect(try home.run("--password-file", ana, "backup", file).status == 0)
    #expect(try home.run("restore", file).status == 77)
    #expect(
      try home.run("--user", "ana", "--password-file", ana, "account", "add", "bob", "--new-password-file", bob).status
        == 0)
    try home.run("--user", "bob", "--password-file", bob, "restore", file).fails("sign in as \"ana\"", status: 77)
    #expect(try home.run("--user", "ana", "--password-file", ana, "deck", "remove", "Spanish").status == 0)
    #expect(try home.run("--user", "ana", "--password-file", ana, "restore", file).status == 0)
    #expect(try home.run("--user", "ana", "--password-file", ana, "deck", "list").output.contains("Spanish"))
  }

  @Test func `an unanswered question restores nothing`() throws {
    try home.run("deck", "create", "Spanish")
    let file = home.path + "/one.backup"
    try home.run("backup", file)
    try home.run("deck", "rename", "Spanish", "Castellano")
    let terminal = try home.terminal("restore", file)
    #expect(terminal.shows("[y/N]"))
    terminal.type("n\r")
    #expect(terminal.shows("Nothing was restored."))
    #expect(try home.run("deck", "list").output.contains("Castellano"))
  }

  @Test func `the first change of a day is followed by a backup, as often as the setting says`() throws {
    home.clock = try ManualClock()
    let folder = home.path + "/data/local/backups"
    try home.run("deck", "create", "Spanish")
    #expect(names(in: folder).isEmpty)
    try home.run("deck", "list")
    #expect(names(in: folder).isEmpty)
    try home.run("deck", "create", "French")
    let made = names(in: folder)
    #expect(made.count == 1 && made[0].hasPrefix("daily-"), "\(made)")
    try home.run("deck", "create", "German")
    #expect(names(in: folder) == made)
    let before = try home.run("--dry-run", "restore", folder + "/" + (made.first ?? ""))
    #expect(
      before.lines.first { $0.hasPrefix("Decks") }?.split(separator: " ").map(String.init) == ["Decks", "2", "3"])
    #expect(try home.run("set", "backup").output.contains("backup.weekly   4"))
    try home.run("set", "backup.daily", "0")
    unlink(folder + "/" + (made.first ?? ""))
    try home.run("deck", "create", "Italian")
    #expect(names(in: folder).isEmpty)
  }

  @Test func `a backup that cannot be written names its path and the reason`() throws {
    try home.run("backup", home.path).fails("could not be written: it is a folder")
    let path = home.path + "/none/x.backup"
    let missing = try home.run("backup", path)
    #expect(
      missing.errors == "backup: \"\(path)\" could not be written: its folder does not exist; create it first\n",
      "\(missing)")
  }

  @Test func `a backup that fails does not prevent the change`() throws {
    try home.run("deck", "create", "Spanish")
    _ = try home.write("in the way", to: "data/local/backups")
    let run = try home.run("deck", "create", "French")
    #expect(run.status == 0 && run.errors.contains("note: today's backup could not be made"), "\(run)")
    #expect(!run.errors.contains("nothing was changed"))
    #expect(try home.run("deck", "list").output.contains("French"))
  }

  @Test func `the doctor reports problems with status 1, and repairs them after a backup`() throws {
    try home.run("deck", "create", "Spanish")
    let well = try home.run("doctor")
    #expect(well.status == 0 && well.output.hasPrefix("All is well.\n"), "\(well)")
    chmod(home.path + "/data/local", 0o755)
    let found = try home.run("doctor")
    #expect(found.status == 1 && found.output.contains("other users may read or write it"), "\(found)")
    #expect(found.errors == "doctor: 1 finding; `doctor --mend` makes a backup and repairs 1 of them\n")
    #expect(try home.run("doctor", "--json").output.contains("\"code\": \"open_to_others\""))
    #expect(try home.run("--dry-run", "doctor", "--mend").errors.contains("would make a backup and repair 1 finding"))
    try home.run("doctor", "--mend")
      .succeeds("Repaired 1 finding.\nThe previous data is saved in ", "repaired: other users may read or write it")
    #expect(try home.run("doctor").status == 0)
  }

  @Test(arguments: [
    """
    db.execute("INSERT INTO presets (name, name_key, options) VALUES ('P', 'p', '[]')")
    db.execute("UPDATE decks SET options = '{'")
    """,
    """
    page, = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'reviews'").fetchone()
    size, = db.execute("PRAGMA page_size").fetchone()
    db.execute("PRAGMA wal_checkpoint(truncate)")
    with open(sys.argv[1], "r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\\xff" * 64)
    """,
  ])
  func `at a damaged collection the prompt still takes lines, and the doctor repairs it`(damage: String) throws {
    try home.run("deck", "create", "Spanish")
    try home.run("card", "add", "Spanish", "el perro", "the dog")
    let script = "import sqlite3, sys\ndb = sqlite3.connect(sys.argv[1])\n\(damage)\ndb.commit()\n"
    try Child(
      ["/usr/bin/env", "python3", "-c", script, home.path + "/data/local/collection.sqlite"],
      environment: home.environment
    ).finish(input: "").succeeds()
    #expect(try home.run("doctor").status == 1)
    let run = try home.run(input: "deck list\ndoctor --mend\ndeck list\n")
    #expect(run.errors.contains("`doctor --mend` recovers"), "\(run)")
    #expect(run.output.contains("Repaired ") && run.output.contains("Spanish"), "\(run)")
    #expect(try home.run("doctor").output.hasPrefix("All is well.\n"))
    #expect(try home.run("card", "list", "deck:Spanish").output.contains("el perro"))
  }

  @Test func `the doctor leaves the history as it is`() throws {
    let lines = "deck list\nplay\nhelp\n\n"
    try home.run("deck", "create", "D")
    let path = try home.write(lines, to: "data/local/history")
    #expect(try home.run("doctor").status == 0)
    #expect(text(of: path) == lines)
  }
}
