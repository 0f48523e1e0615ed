// `deckhand completions` and the queries of its stubs, in the shells that are installed here.

import Glibc
import TestSupport

@Suite struct ShellCompletionTests {
  /// A home with decks whose names a shell has to quote, and a folder with `deckhand` for PATH.
  private let home = Home()

  init() throws {
    for name in ["A::Birds of prey", "A::Dogs", "Costs $5 & more", "It's"] {
      #expect(try home.run("deck", "create", name).status == 0)
    }
    #expect(mkdir(home.path + "/bin", 0o700) == 0)
    #expect(symlink(builtProgram("deckhand"), home.path + "/bin/deckhand") == 0)
  }

  private var environment: [String] {
    home.environment(with: [
      "PATH=\(home.path)/bin:/usr/bin:/bin", "DECKHAND_DATA=\(home.path)/data", "ZDOTDIR=\(home.path)", "PS1=% ",
    ])
  }

  private static func isInstalled(_ shell: String) -> Bool { access("/usr/bin/" + shell, X_OK) == 0 }

  /// The text typed before Tab, and the words on the shell's line after it.
  static let lines: [(typed: String, words: [String])] = [
    ("deckhand deck sho", ["deckhand", "deck", "show"]),
    ("deckhand deck show A::Bi", ["deckhand", "deck", "show", "A::Birds of prey"]),
    ("deckhand deck show A::Birds\\ o", ["deckhand", "deck", "show", "A::Birds of prey"]),
    ("deckhand deck show \"A::Bi", ["deckhand", "deck", "show", "A::Birds of prey"]),
    ("deckhand deck show 'A::Bi", ["deckhand", "deck", "show", "A::Birds of prey"]),
    ("deckhand deck show Cos", ["deckhand", "deck", "show", "Costs $5 & more"]),
    ("deckhand deck show \"Cos", ["deckhand", "deck", "show", "Costs $5 & more"]),
    ("deckhand deck show It", ["deckhand", "deck", "show", "It's"]),
    ("deckhand --qui", ["deckhand", "--quiet"]),
    ("deckhand --quiet --color au", ["deckhand", "--quiet", "--color", "auto"]),
    ("deckhand plugin info pal", ["deckhand", "plugin", "info", "palindromes"]),
  ]

  /// Types a line and Tab, then inserts a command in front that prints the words.
  private func check(_ program: [String], setup: String) throws {
    let terminal = try PseudoTerminal(program, environment: environment)
    terminal.type(setup + "; echo rea''dy\r")
    #expect(terminal.shows("ready"))
    for line in Self.lines {
      terminal.type(line.typed)
      _ = terminal.waitUntilQuiet(awaitsPrompt: false)
      // If more input follows, zsh takes a Tab for pasted text.
      terminal.type("\t")
      _ = terminal.waitUntilQuiet(awaitsPrompt: false)
      terminal.type("\u{01}printf '<%s>' \r")
      let shown = terminal.shows(line.words.map { "<\($0)>" }.joined())
      #expect(shown, "\(program[0]): \(line.typed)")
      if !shown { terminal.type("\u{03}") }
    }
    terminal.type("exit\r")
  }

  @Test(.enabled(if: isInstalled("bash"), "bash is not installed"))
  func `bash completes commands, names and options`() throws {
    try check(["/usr/bin/bash", "--norc", "-i"], setup: "source <(deckhand completions bash)")
  }

  @Test(.enabled(if: isInstalled("zsh"), "zsh is not installed"))
  func `zsh completes commands, names and options`() throws {
    try check(
      ["/usr/bin/zsh", "-f", "-i"],
      setup: "bindkey -e; autoload -U compinit; compinit -D -u; source <(deckhand completions zsh)")
  }

  @Test(.enabled(if: isInstalled("fish"), "fish is not installed"))
  func `fish completes commands, names and options`() throws {
    for line in Self.lines where !line.typed.contains("\"") && !line.typed.contains("'") {
      let text = line.typed.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
      let run = try Child(
        ["/usr/bin/fish", "-N", "-c", "deckhand completions fish | source; complete -C '\(text)'"],
        environment: environment
      ).finish(input: "")
      let word = String(line.words.last ?? "")
      #expect(run.lines.contains { $0.hasPrefix(word + "\t") || $0 == word }, "\(line.typed): \(run)")
    }
  }

  @Test func `before a sign-in no password is asked for, and nothing of an account is offered`() throws {
    _ = try home.write("a long password\n", to: "password")
    #expect(try home.run("account", "add", "ana", "--new-password-file", home.path + "/password").status == 0)
    #expect(try home.run("__complete", "--", "deck", "show", "A").output == "")
    #expect(try home.run("__complete", "--", "deck", "sho").output.hasPrefix("show\t"))
    let terminal = try home.terminal("__complete", "--", "deck", "show", "")
    #expect(terminal.ended() == 0)
    #expect(!terminal.shows("assword", seconds: 0.1))
    let signedIn = try home.run(
      "__complete", "--", "--data", home.path + "/data", "--user", "ana", "--password-file", home.path + "/password",
      "deck", "show", "A")
    #expect(signedIn.output == "", "a password that stands on the line is not used at Tab: \(signedIn)")
  }

  @Test func `a Tab creates nothing in a new home, and a wrong line gets no completions`() throws {
    let home = Home()
    #expect(try home.run("__complete", "--", "deck", "show", "").lines.count == 1)
    #expect(try home.run("__complete", "--", "set", "game.").output == "")
    #expect(access(home.path + "/data", F_OK) != 0)
    for words in [
      ["--nonsense", ""], ["deck", "show", "--nonsense", ""], ["nonsense", ""], ["deck", "show", "a", "b"],
    ] {
      let run = try home.run(["__complete", "--"] + words)
      #expect(run.status == 0 && run.output == "" && run.errors == "", "\(words): \(run)")
    }
    #expect(try home.run("completions", "tcsh").status == 2)
  }

  @Test func `exercises and modes are offered where they are named, before their plugins are loaded`() throws {
    for (words, offer) in [
      (["study", "It's", "--exercise", "reo"], "reorder\t"),
      (["deck", "options", "It's", "exercise=reo"], "exercise=reorder"),
      (["play", "hang"], "hangman\t"), (["play", "hangman", "--deck", "It"], "It's\t"),
    ] {
      #expect(try home.run(["__complete", "--"] + words).output.hasPrefix(offer), "\(words)")
    }
  }

  @Test func `a name that no shell can put into a line is not offered, and help is one line`() throws {
    let lines = try home.run("__complete", "--", "").output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count > 35 && lines.dropLast().allSatisfy { $0.split(separator: "\t").count <= 2 && !$0.isEmpty })
    #expect(try home.run("__complete", "--bash", "deckhand deck show A::B").output.hasPrefix("Birds\\ of\\ prey\t"))
    #expect(try home.run("__complete", "--bash", "deckhand deck show 'It").output.hasPrefix("It'\\''s\t"))
    #expect(try home.run("deck", "create", "Zebra\u{202E}s").status == 0)
    #expect(try home.run("__complete", "--", "deck", "show", "Zeb").output == "")
  }
}
