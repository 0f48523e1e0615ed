// A file of commands, `weekly.dh`: one command per line; lines beginning with `#` are comments. Invariant: the run
// stops at the first failure, which is reported with file and line; the whole run is one unit of work, as a script is.

import Commands
import Files
import LuaRuntime
import Problems
import Text
import Workspace

struct CommandFile {
  let session: Session
  /// The file's name in messages.
  let name: String
  private let lines: [String]

  /// Whether a path names a file of commands.
  static func isCommandFile(_ path: String) -> Bool { path.hasSuffix(".dh") }

  /// - Throws: the reason why the file cannot be read.
  init(_ session: Session, path: String) throws {
    self.session = session
    name = path
    let bytes = try FileText.bytes(path, limit: 16 << 20, .any) { Interrupts.areRequested }
    lines = try checkedText(bytes.withoutMark).lines.map { String($0).trimmed }
  }

  /// Runs the lines; returns the exit status of the one that failed.
  func run() -> Int32 {
    let outer = session.console.place
    defer { session.console.place = outer }
    for (index, line) in lines.enumerated() where !line.isEmpty && !line.hasPrefix("#") {
      session.console.place = "\(name):\(index + 1): "
      let status: Int32
      do {
        status = try CommandLine(session).run(line)
      } catch {
        status = session.report(error)
      }
      if status != ExitStatus.done || session.state.leaving != nil { return status }
    }
    return ExitStatus.done
  }
}
