// deckhand-draw: decodes pictures and draws cards for deckhand, over standard input and output. Invariant: before the
// first byte of a request is read the process has bounds on memory, time and files, and no right to write a file, reach
// the network or start a program; it ends with its input.

import CDrawing
import Glibc
import Wire

@main struct Draw {
  static func main() {
    StandardFrames.requireChannel("deckhand-draw is started by deckhand, and draws pictures for it.")
    Bounds.apply()
    var server = RequestServer()
    while let request = StandardFrames.read(limit: longestFrame) {
      Bounds.renewTime()
      guard StandardFrames.write(server.answer(request).encoded, limit: longestFrame) else { exit(1) }
    }
  }
}
