// deckhand-plugin runs the code of one plugin for deckhand, over standard input and output. Invariant: before the
// first byte of the plugin is read, the process can only compute and answer; it ends when its input ends.

import CConfinement
import Glibc
import LuaRuntime
import Wire

@main struct PluginProgram {
  static func main() {
    // The terms are a short frame; later frames may be as long as the terms say.
    let stream = FrameStream.standard(
      longest: 64, spinWait: true, toUsers: "deckhand-plugin is started by deckhand, which it runs plugins for.")
    guard let terms = terms(from: stream) else { exit(2) }
    stream.longest = terms.longestFrame
    limitMemory(for: terms)
    // To show a crash, Swift would start a program, which this process may not do; then it would continue running.
    Interrupts.removeCrashHandlers()
    do {
      let channel = StandardChannel(stream: stream)
      // Made before confinement, while the process can still ask the system for its stack size.
      let server = try CodeServer(terms, channel)
      guard confine_code() == 0 else { exit(CodeServer.notConfined) }
      try channel.send(CodeServer.ready)
      try server.run()
    } catch {
      // The shell is gone, or has closed the channel.
      exit(0)
    }
  }

  private static func terms(from stream: FrameStream) -> CodeTerms? {
    do { return CodeTerms(try stream.receive()) } catch {
      // The shell is gone, or sent something longer.
      return nil
    }
  }

  /// Limits memory to the state's own, as much for frames in each direction, and what the program itself needs.
  private static func limitMemory(for terms: CodeTerms) {
    let most = rlim_t(4 * terms.memoryLimit + (256 << 20))
    var bounds = rlimit(rlim_cur: most, rlim_max: most)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &bounds)
  }
}

/// A channel over standard input and output.
final class StandardChannel: LuaChannel {
  private let stream: FrameStream

  init(stream: FrameStream) { self.stream = stream }

  func send(_ frame: [UInt8]) throws { try stream.send(frame) }
  func receive(_ waiting: () throws -> Void) throws -> [UInt8] { try stream.receive(waiting) }
}
