// `lsp` in Neovim, with Neovim's own client; skipped if Neovim is not installed.

import Glibc
import TestSupport

private let neovim = "/usr/bin/nvim"

@Suite struct NeovimTests {
  @Test(.enabled(if: access(neovim, X_OK) == 0, "Debian's neovim is not installed"))
  func `neovim marks, fixes, completes and writes ids`() throws {
    let home = Home()
    try home.write(#"{"name": "Spanish"}"#, to: "es/deck.json")
    try home.write("## el gato\n\nthe cat\n\n## la vaca <!-- tags: animal -->\n\nthe cow\n", to: "es/animals.md")
    #expect(try home.run("build", home.path + "/es").status == 0)
    try home.write(
      "## el gato\n\nthe cat\n\n## la vaca <!-- tags: animal -->\n\nthe cow\n\nQ: el perro\n", to: "es/animals.md")
    let script = sourceRoot() + "/Tests/ProgramTests/Neovim/try.lua"
    let environment =
      home.environment + [
        "PROGRAM=" + builtProgram("deckhand"), "DATA=\(home.path)/data", "FILE=\(home.path)/es/animals.md",
        "XDG_CONFIG_HOME=\(home.path)/config", "XDG_STATE_HOME=\(home.path)/state",
      ]
    let run = try Child(
      [neovim, "--headless", "-u", "NONE", "-n", "-c", "luafile \(script)"], environment: environment
    )
    .finish(input: "")
    let said = (run.output + run.errors).split { $0 == "\n" || $0 == "\r\n" }.map(String.init)
    func line(_ name: String) -> String { said.first { $0.hasPrefix(name + ": ") } ?? "" }
    #expect(line("diagnostic") == "diagnostic: 9: A: expected after Q:", "\(said)")
    #expect(line("mended") == "mended: yes")
    #expect(line("action") == "action: Write an id for this card")
    #expect(line("line").hasPrefix("line: ## el gato <!-- id: "))
    #expect(line("completion") == "completion: animal")
    #expect(line("ended") == "ended: true")
  }
}
