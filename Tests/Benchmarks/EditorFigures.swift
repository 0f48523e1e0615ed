// How long an editor waits for `lsp` after a keystroke, in a folder of 10,000 cards. The reference is the target time.

import Files
import Glibc

enum EditorFigures {
  private static let title = "lsp after a keystroke"
  private static let wanted = 50.0

  static func all(_ deckhand: String, _ folder: String) throws -> [Figure] {
    guard isAsked(title) else { return [] }
    try makePrivateFolder(folder)
    return figures(
      ofPeer: "keystrokes.py", [deckhand, folder, Asked.isSmoke ? "1" : "15", "\(sized(10_000))"], title: title,
      wanted: wanted)
  }
}
