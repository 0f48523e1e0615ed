// Tests of owners and of the names of plugins.

import Problems
import Testing
import Text

@Suite struct OwnerTests {
  @Test(arguments: ["you", "a", "word_ladder", "b-2", String(repeating: "a", count: 40)])
  func `a plugin's name is small letters, digits, _ and -`(name: String) {
    #expect(PluginName(name)?.description == name)
  }

  @Test(arguments: ["", "A", "1a", "_a", "a b", "a/b", "..", "a\n", "é", "a\u{1B}", String(repeating: "a", count: 41)])
  func `what could be a path, an escape or another name is no plugin's name`(name: String) {
    #expect(PluginName(name) == nil)
  }

  @Test func `a plugin called "you" is not the user, nor a script of the name of the start script another one`() {
    let you = Owner.plugin(PluginName("you")!)
    #expect(you != .user)
    #expect(Set([you, .user, .program, .script("you"), .startScript]).count == 5)
    #expect(Owner.script("init.lua") == .startScript)
  }

  @Test(arguments: [
    Owner.program, .user, .startScript, .script("deck: 1.lua"), .script(""), .plugin(PluginName("person")!),
  ])
  func `an owner is read back from what is stored`(owner: Owner) {
    #expect(Owner(stored: owner.stored) == owner)
  }

  @Test(arguments: ["", "you", "plugin:", "plugin:A b", "Program"])
  func `what is no stored owner is none`(text: String) { #expect(Owner(stored: text) == nil) }
}
