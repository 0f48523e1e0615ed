// Shows long output in the user's pager, if the setting says so. Invariant: output that no pager took is printed to the
// terminal.

import Files
import Glibc
import LuaRuntime

struct Pager {
  private let program: String

  /// - Parameter program: a command line for the system's shell.
  init(_ program: String) { self.program = program }

  /// Shows the lines, and waits until the user leaves the pager.
  /// - Returns: false when the pager could not be run.
  func show(_ lines: [String]) -> Bool {
    guard let ends = uninheritedPipe() else { return false }
    // The lines are UTF-8 in every locale; without this, `less` shows other letters than ASCII as bytes in some.
    let child = startShell("export LESSCHARSET=\"${LESSCHARSET:-utf-8}\"; \(program)", input: ends.reading)
    close(ends.reading)
    guard let child else {
      close(ends.writing)
      return false
    }
    // Leaving the pager early is not a failure.
    let handler = signal(SIGPIPE, SIG_IGN)
    var bytes = Array((lines.joined(separator: "\n") + "\n").utf8)[...]
    while !bytes.isEmpty {
      let count = retrying { bytes.withUnsafeBytes { write(ends.writing, $0.baseAddress, $0.count) } }
      if count <= 0 { break }
      bytes = bytes.dropFirst(count)
    }
    close(ends.writing)
    signal(SIGPIPE, handler)
    // The statuses of a shell that cannot run the program, or does not find it.
    return ![126, 127].contains(CallPause.waitingForUser { waitForExit(of: child) })
  }
}
