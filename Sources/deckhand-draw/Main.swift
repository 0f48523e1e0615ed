// deckhand-draw: decodes pictures and draws cards for deckhand, over standard input and output. Invariant: before it
// reads the first request, the process has limits on memory, time and files, and cannot write files, reach the network
// or start programs; it ends with its input.

import CDrawing
import Glibc
import Wire

@main struct Draw {
  static func main() {
    StandardFrames.requireChannel("deckhand-draw is started by deckhand, and draws pictures for it.")
    ResourceLimits.apply()
    var server = RequestServer()
    while let request = StandardFrames.read(limit: longestFrame) {
      ResourceLimits.renewTime()
      guard StandardFrames.write(server.answer(request).encoded, limit: longestFrame) else { exit(1) }
    }
  }
}
