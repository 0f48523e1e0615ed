// The command `lua`: the stand-alone interpreter, with the line editor where lines are typed. Invariant: it is handed
// no data of the user's.

import LuaRuntime

struct StandaloneLua {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// Runs it; answers the exit status.
  func run(_ arguments: [String]) -> Int32 {
    var reader: LineReader?
    return LuaProgram.run(arguments) { prompt in
      do {
        let editor = try reader ?? LineReader(name: "lua", history: History(path: nil))
        reader = editor
        guard case .line(let line) = try editor.read(prompt: prompt) else { return nil }
        editor.remember(line)
        return line
      } catch {
        // A terminal that cannot be read is at its end.
        return nil
      }
    }
  }
}
