// Tests of owners and of plugin names.

import Problems
import Testing
import Text

@Suite struct OwnerTests {
  @Test(arguments: ["you", "a", "word_ladder", "b-2", String(repeating: "a", count: 40)])
  func `a plugin's name is lower-case letters, digits, _ and -`(name: String) {
    #expect(PluginName(name)?.description == name)
  }

  @Test(arguments: ["", "A", "1a", "_a", "a b", "a/b", "..", "a\n", "é", "a\u{1B}", String(repeating: "a", count: 41)])
  func `a possible path, an escape sequence or a look-alike is not a plugin name`(name: String) {
    #expect(PluginName(name) == nil)
  }

  @Test func `a plugin called "you" is not the user, and a script with the name of the init script is another owner`() {
    let you = Owner.plugin(PluginName("you")!)
    #expect(you != .user)
    #expect(Set([you, .user, .program, .script("you"), .startScript]).count == 5)
    #expect(Owner.script("init.lua") == .startScript)
  }

  @Test(arguments: [
    Owner.program, .user, .startScript, .script("deck: 1.lua"), .script(""), .plugin(PluginName("person")!),
  ])
  func `a stored owner reads back as the same`(owner: Owner) {
    #expect(Owner(stored: owner.stored) == owner)
  }

  @Test(arguments: ["", "you", "plugin:", "plugin:A b", "Program"])
  func `an invalid stored owner is refused`(text: String) { #expect(Owner(stored: text) == nil) }
}
