// Tests of redirecting a command's output.

import Testing

@testable import Shell

@Suite struct RedirectionTests {
  @Test func `output stays redirected after a redirection within a redirected run`() {
    let screen = Terminal(hasKeyboard: false, hasScreen: true)
    let console = Console(terminal: screen, messages: screen, isQuiet: true, elapsed: { 0 })
    console.redirected(to: 1) {
      console.redirected(to: 1) {}
      #expect(!console.terminal.hasScreen)
    }
    #expect(console.terminal.hasScreen)
  }
}
