// deckhand-plugin: runs the code of one plugin for deckhand, over standard input and output. Invariant: before the
// first byte of the plugin is read the process has no right but to compute and to answer; it ends with its input.

import CConfinement
import Glibc
import LuaRuntime
import Wire

@main struct PluginProgram {
  static func main() {
    StandardFrames.requireChannel("deckhand-plugin is started by deckhand, which it runs plugins for.")
    // The terms are a short frame; what follows may be as long as they say.
    guard let head = StandardFrames.read(limit: 64), let terms = CodeTerms(head) else { exit(2) }
    limitMemory(for: terms)
    // Swift would start a program to show a crash, which this process may not do; then it would go on.
    Interrupts.leaveCrashesToTheSystem()
    do {
      let channel = StandardChannel(longest: terms.longestFrame)
      // Made while it can ask the system how large its stack is.
      let server = try CodeServer(terms, channel)
      guard confine_code() == 0 else { exit(CodeServer.notConfined) }
      try channel.send(CodeServer.ready)
      try server.run()
    } catch {
      // The shell is gone, or has ended the conversation.
      exit(0)
    }
  }

  /// The state's own memory, frames of as much in both directions, and what the program itself takes.
  private static func limitMemory(for terms: CodeTerms) {
    let most = rlim_t(4 * terms.memoryLimit + (256 << 20))
    var bounds = rlimit(rlim_cur: most, rlim_max: most)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &bounds)
  }
}

/// Standard input and output.
final class StandardChannel: LuaChannel {
  private let stream: FrameStream

  init(longest: Int) { stream = FrameStream(input: 0, output: 1, longest: longest, glances: true) }

  func send(_ frame: [UInt8]) throws { try stream.send(frame) }
  func receive(_ waiting: () throws -> Void) throws -> [UInt8] { try stream.receive(waiting) }
}
