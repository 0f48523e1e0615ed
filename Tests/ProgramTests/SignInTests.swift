// Sign-in through the built program: nothing works before it or after a sign-out; all failures get the same answer.

import Glibc
import TestSupport

/// A home with an account `ana`, whose password is in a file, and a deck that existed before.
struct Accounts {
  let home: Home
  let password: String
  let wrong: String

  init() throws {
    home = Home()
    home.clock = try ManualClock()
    password = try home.write("correct horse 12\n", to: "password")
    wrong = try home.write("incorrect horse\n", to: "wrong")
    chmod(password, 0o600)
    chmod(wrong, 0o600)
    try home.lua("decks.create('Mine'):add{prompt = 'p', answer = 'a'}")
    try home.run("account", "add", "ana", "--new-password-file", password).succeeds()
  }

  @discardableResult
  func ana(_ arguments: String..., input: String = "") throws -> Run {
    try home.run(["--user", "ana", "--password-file", password] + arguments, input: input)
  }

  /// Adds `ben`, with the same password.
  func addBen() throws {
    try ana("account", "add", "ben", "--new-password-file", password).succeeds()
  }

  /// Returns a prompt at which ana has signed in.
  func prompt() throws -> PseudoTerminal {
    let terminal = try home.terminal()
    terminal.type("correct horse 12\r", after: "Password for ana: ", showing: "Deckhand 0.1.0", "> ")
    return terminal
  }
}

@Suite(.serialized) struct SignInTests {
  private let accounts: Accounts

  init() throws { accounts = try Accounts() }

  @Test func `the first account takes over the local data`() throws {
    let data = accounts.home.path + "/data"
    #expect(access(data + "/local", F_OK) != 0)
    #expect(mode(of: data + "/accounts/ana") == 0o700)
    #expect(mode(of: data + "/accounts/ana/collection.sqlite") == 0o600)
    #expect(try accounts.ana("deck", "list").output.contains("Mine"))
    #expect(try accounts.ana("whoami").output == "ana\n")
    #expect(try accounts.ana("--json", "account", "list").output == "{\"name\": \"ana\", \"signed_in\": true}\n")
  }

  @Test(arguments: [
    ["deck", "list"], ["set"], ["whoami"], ["account", "list"], ["account", "add", "eve"], ["passwd"], ["logout"],
    ["study", "Mine"], ["play"], ["plugin", "list"], ["history"], ["word", "check", "a"], ["doctor"],
    ["toggle", "sound"], ["-e", "decks.list()"], ["-e", "print(#words.languages())"], ["-e", "shell.print(1)"],
    ["-e", "files.read('/etc/passwd').x()"], ["-e", "settings.on_change('', print)"], ["-e", "plugins.list()"],
    ["-e", "assert(games.new{})"],
  ])
  func `before the sign-in everything else is refused with 77`(words: [String]) throws {
    let run = try Accounts().home.run(words)
    guard words != ["-e", "files.read('/etc/passwd').x()"] else {
      return #expect(run.status == 1 && run.output.isEmpty)
    }
    #expect(run.status == 77, "\(run)")
    #expect(run.output.isEmpty)
    #expect(run.errors.contains("sign in first with `login`"))
  }

  @Test func `help, version, login and auth work before the sign-in`() throws {
    #expect(try accounts.home.run("version").status == 0)
    #expect(try accounts.home.run("help", "login").output.contains("login"))
    #expect(try accounts.home.run("--json", "deck", "list").errors.hasPrefix("{\"code\": \"auth_required\""))
    let code = "print(auth.needs_authentication, auth.is_authenticating, auth.user)"
    #expect(try accounts.home.lua(code).output == "true\tfalse\tnil\n")
    #expect(try accounts.home.run("--password-file", accounts.password, "login").output == "Signed in as ana.\n")
    let input = "version\nwhoami\nlogin\nwhoami\nlogout\nwhoami\n"
    let piped = try accounts.home.run([], input: input)
    #expect(piped.output.hasPrefix("Deckhand 0.1.0\nLua 5.4") && piped.output.utf8.count(where: { $0 == 0x0A }) == 2)
    #expect(piped.status == 77)
    let run = try accounts.home.run(
      ["--password-file", accounts.password], input: "whoami\nlogout\nwhoami\nlogin\nwhoami\n")
    #expect(run.output == "ana\nSigned out.\nSigned in as ana.\nana\n", "\(run)")
  }

  @Test func `a wrong name and a wrong password get the same answer, and then a delay`() throws {
    try accounts.addBen()
    let name = try accounts.home.run("--user", "eve", "--password-file", accounts.password, "deck", "list")
    let word = try accounts.home.run("--user", "ana", "--password-file", accounts.wrong, "deck", "list")
    #expect(name.status == 77 && word.status == 77)
    #expect(name.errors == word.errors)
    #expect(name.errors == "login: wrong name or password\n")
    // Another process with the right password has to wait all the same.
    let code =
      "local ok, p = auth.login{user = 'ana', password_file = '\(accounts.password)'} print(ok, p.code, p.retry_after)"
    #expect(try accounts.home.lua(code).output == "nil\tlocked\t1\n")
    let batch = try accounts.ana("deck", "list")
    #expect(batch.status == 77 && batch.errors == "login: too many failed tries; try again in 1 second\n")
    // A failed attempt of ana's does not delay ben.
    #expect(try accounts.home.run("--user", "ben", "--password-file", accounts.password, "whoami").output == "ben\n")
    accounts.home.clock?.pass(seconds: 1)
    #expect(try accounts.ana("whoami").output == "ana\n")
  }

  @Test func `a sign-in without a password is refused before it counts as an attempt`() throws {
    let empty = try accounts.home.write("\n", to: "empty")
    chmod(empty, 0o600)
    let code =
      "for _, u in ipairs{'', 'ana'} do local ok, p = auth.login{user = u, password_file = '\(empty)'} print(ok, p.code) end"
    #expect(try accounts.home.lua(code).output == "nil\tempty\nnil\tempty\n")
    #expect(try accounts.ana("whoami").status == 0)
    try accounts.addBen()
    try accounts.home.run("--password-file", accounts.password, "whoami").fails("--user NAME", status: 77)
    let missing = try accounts.home.run("--user", "ana", "--password-file", accounts.home.path + "/none", "whoami")
    #expect(missing.status == 77 && missing.errors.contains("/none"), "\(missing)")
    let nobody = try Home().run("--user", "ana", "deck", "list")
    #expect(nobody.status == 77 && nobody.errors == "login: no account is called \"ana\"\n")
  }

  @Test func `a password comes from standard input, and the rest of the input belongs to the script`() throws {
    try accounts.home.run(
      ["--password-file", "-", "-"], input: "correct horse 12\nprint(auth.user, #decks.list())"
    ).prints("ana\t1\n")
  }

  @Test func `objects kept from before a sign-out raise an error`() throws {
    let code = """
      local deck = decks.open("Mine")
      local card, cards, session = deck:card(1), deck:cards(), deck:study{mode = "sprint"}
      local group = settings.switches("quiz", {children = {"a", "b"}})
      local form, normal = words.can_form, words.normalize
      assert(form("ab", "a") and normal("A", "english") == "a")
      local game, words = games.new{base = "cambering"}, words.lexicon("english")
      assert(game:guess("bearing") and words:contains("paper"))
      local each, lines = words:words(), files.lines("/etc/passwd")
      local heard = 0
      local sub = settings.on_change("", function() heard = heard + 1 end)
      shell.on("authentication_changed", function(needs) print("changed", needs, pcall(function() return deck.name end)) end)
      local co = coroutine.wrap(function() coroutine.yield() return deck.name end)
      co()
      deck:add{prompt = "kept", answer = "k"}
      group.value = true
      auth.logout()
      local function try(name, f) local ok, p = pcall(f) print(name, ok, type(p) == "table" and p.code or p) end
      try("deck", function() return deck.name end)
      try("add", function() return assert(deck:add{prompt = "lost", answer = "l"}) end)
      try("card", function() return card.prompt end)
      try("iterator", function() return cards() end)
      try("session", function() return session.remaining end)
      try("group", function() return group.state end)
      try("game", function() return assert(game:guess("grace")) end)
      try("words", function() return #words end)
      try("contains", function() return words:contains("paper") end)
      try("form", function() return form("ab", "a") end)
      try("normal", function() return normal("a", "english") end)
      try("each", each) try("lines", lines)
      try("coroutine", co)
      try("module", function() return decks.list() end)
      print(heard, sub.active, auth.needs_authentication, auth.user)
      """
    let run = try accounts.ana("-e", code)
    let names = [
      "deck", "add", "card", "iterator", "session", "group", "game", "words", "contains", "form", "normal", "each",
      "lines", "coroutine", "module",
    ]
    #expect(run.lines.first?.hasPrefix("changed\ttrue\tfalse") == true, "\(run)")
    #expect(Array(run.lines.dropFirst().prefix(names.count)) == names.map { "\($0)\tfalse\tauth_required" }, "\(run)")
    #expect(run.lines.last == "1\tfalse\ttrue\tnil")
    #expect(run.status == 0)
    // Work done before the sign-out is saved.
    #expect(try accounts.ana("card", "list").output.contains("kept"))
  }

  @Test func `nobody signs out within a change, or at a step of the past`() throws {
    try accounts.ana(
      "-e",
      """
      local function refusal() return select(2, pcall(auth.logout)).code end
      print(shell.at(1, refusal))
      local deck, n, code = decks.create("Whole"), 0
      assert(deck:add_all(function()
        n, code = n + 1, code or refusal() return n < 4 and {prompt = "p" .. n, answer = "a"} or nil
      end))
      print(code, #deck, auth.user)
      """
    ).prints("cannot_undo\nin_script\t3\tana\n")
  }

  @Test func `a script that fails after its sign-out keeps its earlier work`() throws {
    let run = try accounts.ana("-e", "decks.create('Before') auth.logout() decks.list()")
    #expect(run.status == 77, "\(run)")
    let again = try accounts.ana(
      "-e",
      "auth.logout() assert(auth.login{user = 'ana', password_file = '\(accounts.password)'}) decks.create('Lost') error('x')"
    )
    #expect(again.status == 1)
    try accounts.ana("-e", "for _, d in ipairs(decks.list()) do print(d.name) end").prints("Before\nMine\n")
  }

  @Test func `any signed-in user can add, change and remove accounts`() throws {
    try accounts.addBen()
    let other = try accounts.home.write("another staple 9\n", to: "new")
    chmod(other, 0o600)
    for (name, code) in [
      ("Ana", "exists"), ("a/b", "bad_name"), ("", "bad_name"), ("аna", "bad_name"), ("АNА", "bad_name"),
      ("local", "bad_name"),
    ] {
      let run = try accounts.ana("--json", "account", "add", name, "--new-password-file", other)
      #expect(run.status != 0 && (run.errors.contains("\"\(code)\"") || name.isEmpty), "\(name): \(run)")
    }
    let unasked = "no password was given; use --new-password-file FILE when there is no terminal"
    #expect(try accounts.ana("account", "add", "eve").errors.contains(unasked))
    #expect(try accounts.ana("passwd").errors.contains(unasked))
    let short = try accounts.home.write("short\n", to: "short")
    #expect(try accounts.ana("account", "add", "eve", "--new-password-file", short).errors.contains("at least 8 bytes"))
    #expect(try accounts.ana("passwd", "--new-password-file", other).status == 0)
    #expect(try accounts.ana("whoami").status == 77)
    accounts.home.clock?.pass(seconds: 1)
    #expect(try accounts.home.run("--user", "ana", "--password-file", other, "whoami").output == "ana\n")
    #expect(try accounts.home.run("--user", "ana", "--password-file", other, "account", "remove", "ben").status == 1)
    #expect(try accounts.home.run("--user", "ana", "--password-file", other, "account", "remove", "ana").status == 0)
    #expect(try accounts.home.run("--password-file", accounts.password, "whoami").output == "ben\n")
    #expect(try accounts.home.run("--password-file", accounts.password, "account", "remove", "ben").status == 0)
    #expect(try accounts.home.run("deck", "list").output.hasPrefix("No decks yet"))
    #expect(try accounts.home.run("account", "remove", "ben").errors.contains("there is no account; `account add"))
  }

  @Test func `two processes may sign in at once, and two failures both count`() throws {
    let home = accounts.home
    let words = home.words(["--password-file", accounts.password, "whoami"])
    let both = try (0..<2).map { _ in try Child(words, environment: home.environment) }
    for child in both { #expect(try child.finish(input: "").output == "ana\n") }
    let wrong = home.words(["--password-file", accounts.wrong, "whoami"])
    let failing = try (0..<2).map { _ in try Child(wrong, environment: home.environment) }
    for child in failing { #expect(try child.finish(input: "").status == 77) }
    #expect(try accounts.ana("whoami").status == 77)
  }

  @Test func `no plugin and no init file runs before the sign-in`() throws {
    let home = accounts.home
    try home.write("print('init', auth.user)", to: ".config/deckhand/init.lua")
    try home.plugin("early", permissions: #"["shell"]"#, manifest: #""load": "startup""#, "shell.print('early')")
    #expect(try accounts.ana("plugin", "enable", "early", "--grant").status == 0)
    #expect(try !home.run("version").output.contains("early"))
    #expect(try home.lua("x = 1").output.isEmpty)
    #expect(try home.run("deck", "list").output.isEmpty)
    #expect(try accounts.ana("-e", "print(auth.user)").output == "early\ninit\tana\nana\n")
  }
}

@Suite(.serialized) struct SignInTerminalTests {
  @Test func `the prompt asks for the password without echo, and again after a failed attempt`() throws {
    let accounts = try Accounts()
    let terminal = try accounts.home.terminal()
    terminal.type("not the password\r", after: "Password for ana: ")
    #expect(!terminal.wait(for: "login: wrong name or password").contains("not the password"))
    terminal.wait(for: "Password for ana: ")
    accounts.home.clock?.pass(seconds: 1)
    terminal.type("correct horse 12\r", showing: "Deckhand 0.1.0", "> ")
    terminal.type("whoami\r", showing: "ana\r\n", "> ")
    #expect(terminal.ended(after: "\u{04}") == 0)
    #expect(terminal.isInCanonicalMode)
    let history = text(of: accounts.home.path + "/data/accounts/ana/history")
    #expect(history.contains("whoami") && !history.contains("horse"))
  }

  @Test func `with several accounts the prompt asks for the name first, and Ctrl-D exits`() throws {
    let accounts = try Accounts()
    try accounts.addBen()
    let terminal = try accounts.home.terminal()
    terminal.type("ben\r", after: "Account: ", showing: "Password for ben: ")
    terminal.type("correct horse 12\r", showing: "> ")
    terminal.type("whoami\r", showing: "ben\r\n")
    let left = try accounts.home.terminal()
    left.type("ana\r", after: "Account: ", showing: "Password for ana: ")
    #expect(left.ended(after: "\u{04}") == 77)
    #expect(left.isInCanonicalMode)
  }

  @Test func `after a sign-out another user sees nothing of the previous one`() throws {
    let accounts = try Accounts()
    try accounts.addBen()
    let terminal = try accounts.home.terminal("--user", "ana")
    terminal.type("correct horse 12\r", after: "Password for ana: ", showing: "> ")
    for line in ["secret = decks.open('Mine'):card(1).prompt .. '-of-ana'", "alias own \"deck list\"", "set sound on"] {
      terminal.type(line + "\r", showing: "> ")
    }
    terminal.type("logout\r", showing: "Signed out.", "> ")
    terminal.type("deck list\r", showing: "sign in first with `login`", "> ")
    terminal.type("decks.list()\r", showing: "sign in first with `login`", "> ")
    terminal.type("login ben\r", showing: "Password for ben: ")
    terminal.type("correct horse 12\r", showing: "Signed in as ben.", "> ")
    terminal.type("secret\r", showing: "nor a Lua name", "> ")
    terminal.type("deck list\r", showing: "No decks yet", "> ")
    terminal.type("set sound.right\r", showing: "sound.right: [ ]", "> ")
    terminal.type("own\r", showing: "> ")
    terminal.type("\u{1B}[A\u{1B}[A\u{1B}[A\u{1B}[A\u{1B}[A\u{1B}[A\u{1B}[A\u{1B}[A")
    let seen = terminal.wait(for: "secret")
    #expect(!seen.contains("of-ana"), "\(seen)")
  }

  @Test func `a command at a terminal asks, and the first account is created by typing the password twice`() throws {
    let home = Home()
    let terminal = try home.terminal()
    terminal.type("x = 1\r", after: "> ", showing: "> ")
    for (again, told) in [("correct horse 13", "nothing was changed"), ("correct horse 12", "you are signed in.")] {
      terminal.type("account add ana\r", showing: "New password for ana: ")
      terminal.type("correct horse 12\r", showing: "Repeat the password: ")
      terminal.type(again + "\r", showing: told)
      #expect(!terminal.wait(for: "> ").contains("will not be saved"))
    }
    #expect(terminal.ended(after: "\u{04}") == 0)
    let list = try home.terminal("whoami")
    list.type("correct horse 12\r", after: "Password for ana: ", showing: "ana\r\n")
    #expect(list.ended() == 0)
    #expect(text(of: home.path + "/data/accounts/ana/history").contains("x = 1"))
  }

  @Test func `a typed password is never in a core dump`() throws {
    let accounts = try Accounts()
    let child = try accounts.home.start([
      "--password-file", accounts.password, "-e", "io.stderr:write('ready\\n') io.read()",
    ])
    let isForbidden = waits {
      let limits = text(of: "/proc/\(child.process)/limits").split(separator: "\n")
      let line = limits.first { $0.hasPrefix("Max core file size") }
      return line?.split(separator: " ").dropFirst(4).first == "0"
    }
    #expect(isForbidden)
    child.kill(SIGKILL)
    _ = child.wait()
  }
}
