// The program's own commands. Their descriptions are checked here, not at each start.

import Commands
import Testing

@testable import Shell

@Suite struct BuiltInTests {
  @Test func `the registry accepts the description of each command`() throws {
    let registry = CommandRegistry()
    for builtIn in BuiltIn.all { try registry.add(builtIn.command) }
    #expect(registry.commands.count == BuiltIn.all.count)
  }
}
