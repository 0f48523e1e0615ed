// deckhand-draw: decodes pictures and draws cards for deckhand, over standard input and output. Invariant: before it
// reads the first request, the process has limits on memory, time and files, and cannot write files, reach the network
// or start programs; it ends with its input. To convert a film, it gives up its rights and becomes the
// program that does it.

import CConfinement
import CDrawing
import Glibc
import Wire

@main struct Draw {
  static func main() {
    if CommandLine.arguments.count > 4, CommandLine.arguments[1] == "convert" { convert(CommandLine.arguments) }
    let stream = FrameStream.standard(
      longest: longestFrame, toUsers: "deckhand-draw is started by deckhand, and draws pictures for it.")
    ResourceLimits.apply()
    var server = RequestServer()
    do {
      while true {
        let request = try stream.receive()
        ResourceLimits.renewTime()
        try stream.send(server.answer(request).encoded)
      }
    } catch {
      // deckhand is gone.
      exit(0)
    }
  }

  /// Becomes the program that converts a file: `deckhand-draw convert SOURCE FOLDER PROGRAM [ARG]...`.
  private static func convert(_ words: [String]) -> Never {
    // On a kernel without seccomp or Landlock, the other limits still hold.
    _ = confine_converter(words[4], words[2], words[3])
    var arguments = words[4...].map { strdup($0) } + [nil]
    execv(words[4], &arguments)
    exit(127)
  }
}
