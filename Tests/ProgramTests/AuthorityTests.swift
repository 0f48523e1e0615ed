// Hostile plugins: each tries to do more than it was granted, and must not.

import Testing

@Suite struct AuthorityTests {
  // MARK: Names

  @Test func `a plugin called "you" neither takes the person's command nor their alias away`() throws {
    let home = try Home()
    try home.plugin(
      "you", permissions: #"["shell"]"#, manifest: #""commands": ["take"]"#,
      """
      shell.command{name = "take", summary = "x", run = function()
        print(pcall(shell.command, {name = "mine", summary = "x", run = function() return "theirs" end}))
        print(pcall(shell.alias, "short", "take"))
      end}
      """)
    try home.enable("you")
    let code = """
      shell.command{name = "mine", summary = "x", run = function() return "mine" end}
      shell.alias("short", "mine")
      shell.run("take")
      plugins.reload("you")
      plugins.disable("you")
      print(shell.run("mine"), shell.run("short"))
      """
    let result = try home.run("-e", code)
    #expect(result.lines.last == "mine\tmine", "\(result)")
    #expect(result.lines.count == 3 && result.lines.dropLast().allSatisfy { $0.hasPrefix("false\t") }, "\(result)")
  }
}
