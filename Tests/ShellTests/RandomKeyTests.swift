// Random keys at the prompt: `DECKHAND_FUZZ=500x1500` sets a long run. A failure names its seed.

import TestSupport

@Suite struct RandomKeyTests {
  private let folder = TemporaryFolder()

  private static let plan = RandomKeys.plan(runs: 6, keys: 400)

  @Test(arguments: plan.seeds)
  func `random keys, sizes and interrupts neither crash nor hang the line editor`(seed: UInt64) throws {
    let settings = try folder.write("set editing-mode \(seed % 3 == 0 ? "vi" : "emacs")\n", to: "inputrc")
    let terminal = try PseudoTerminal(
      [builtProgram("PromptProbe"), "--color"] + (seed % 4 == 0 ? [] : ["--hints"]) + [folder.file("history")],
      environment: ["TERM=\(seed % 7 == 0 ? "dumb" : "xterm")", "INPUTRC=\(settings)", "LANG=C.UTF-8"])
    terminal.wait(for: "READY")
    try type(seed, at: terminal, "alive", answer: "LINE 5 \"alive\"")
  }

  @Test(arguments: plan.seeds.prefix(max(3, plan.seeds.count / 10)))
  func `random keys neither crash nor hang the shell`(seed: UInt64) throws {
    let settings = try folder.write("set editing-mode \(seed % 3 == 0 ? "vi" : "emacs")\n", to: "inputrc")
    let terminal = try PseudoTerminal(
      [builtProgram("deckhand"), "--data", folder.file("data")],
      environment: [
        "TERM=xterm-256color", "INPUTRC=\(settings)", "LANG=C.UTF-8", "HOME=\(folder.path)", "EDITOR=/bin/true",
        "PATH=/usr/bin:/bin",
      ])
    terminal.wait(for: "> ")
    try type(seed, at: terminal, "111 * 91", answer: "10101")
  }

  private func type(_ seed: UInt64, at terminal: PseudoTerminal, _ line: String, answer: String) throws {
    var keys = RandomKeys(seed: seed, count: Self.plan.keys)
    keys.type(at: terminal)
    // On a busy machine earlier keys may still be processed, so ask more than once.
    let isAlive = (0..<4).contains { _ in
      terminal.type("\u{03}")
      _ = terminal.takeOutput(milliseconds: 300)
      terminal.type(line + "\r")
      return terminal.shows(answer, seconds: 30)
    }
    #expect(isAlive, "seed \(seed): status \(terminal.ended(seconds: 0.1)), \(terminal.output.suffix(300))")
  }
}
