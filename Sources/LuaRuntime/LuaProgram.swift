// The stand-alone interpreter of lua(1), for the command `lua`. Invariant: it has a Lua state of its own, with
// nothing of Deckhand's in it.

import CLua
import Glibc

public enum LuaProgram {
  /// Reads a line for the interactive mode at a terminal; nil at the end of the input.
  ///
  ///     LuaProgram.run(["-e", "print(1)"]) { _ in nil }   // 0
  public typealias Reader = (_ prompt: String) -> String?

  /// Who reads lines while it runs: a C function finds it here.
  nonisolated(unsafe) private static var reader: Reader = { _ in nil }

  /// Runs it; answers the exit status. `os.exit` ends the process. In `arg` and in messages it is called `lua`.
  public static func run(_ arguments: [String], reading: @escaping Reader) -> Int32 {
    reader = reading
    defer { reader = { _ in nil } }
    var words: [UnsafeMutablePointer<CChar>?] = (["lua"] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    let count = Int32(clamping: words.count - 1)
    return words.withUnsafeMutableBufferPointer { buffer in
      lua_program_run(count, buffer.baseAddress, 1) { prompt in
        guard let prompt, let line = LuaProgram.reader(String(cString: prompt)) else { return nil }
        return strdup(line)
      }
    }
  }
}
