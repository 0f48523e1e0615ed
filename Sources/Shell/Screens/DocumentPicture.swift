// Shows a document in the terminal: by the Kitty graphics protocol if the terminal announces it, else as coloured half
// blocks, else not at all; then only the text is shown. Invariant: pictures are sent only to terminals that can show
// them; a screen that is redrawn gets half blocks, since it truncates and counts lines.

import CardDocuments
import Files
import Text
import Workspace

struct DocumentPicture {
  private let terminal: Terminal
  private let environment: (String) -> String?
  private let rows: Int
  private let isRedrawn: Bool

  /// - Parameter rows: the most rows to use on a screen that is redrawn; nil for output that stays.
  init(_ session: Session, rows: Int? = nil) {
    terminal = session.console.terminal
    environment = session.environment.variables.value
    self.rows = max(4, min(rows ?? terminal.height - 6, 24))
    isRedrawn = rows != nil
  }

  /// The lines that draw the document; none when the terminal shows no pictures, or the picture cannot be drawn.
  func lines(of document: StoredDocument) throws -> [String] {
    guard terminal.canRedraw, terminal.usesColor else { return [] }
    do {
      return hasKitty && !isRedrawn ? kitty(try document.png().bytes) : blocks(try pixels(document))
    } catch DocumentError.drawing {
      // Without the drawing program, the text that follows is enough.
      return []
    }
  }

  /// The lines that draw a media file; none when it is not a picture or cannot be drawn; the text shows its name.
  func lines(ofMedia name: String, in workspace: Workspace) -> [String] {
    guard terminal.canRedraw, terminal.usesColor else { return [] }
    do {
      let picture = try workspace.media.picture(name)
      return blocks(try workspace.media.pixels(of: picture, width: terminal.width - 4, height: rows * 2))
    } catch {
      // A card can be studied without a picture that cannot be drawn.
      return []
    }
  }

  /// Whether the environment identifies a terminal that supports the protocol.
  private var hasKitty: Bool {
    environment("KITTY_WINDOW_ID") != nil || environment("TERM") == "xterm-kitty"
      || environment("TERM") == "xterm-ghostty"
      || environment("TERM_PROGRAM") == "WezTerm" || environment("TERM_PROGRAM") == "ghostty"
  }

  /// The picture in chunks of base64, as the protocol requires (Kitty's documentation, "The graphics escape code").
  private func kitty(_ png: [UInt8]) -> [String] {
    let text = Array(base64(png).utf8)
    var chunks: [String] = []
    let size = 4096
    for start in stride(from: 0, to: text.count, by: size) {
      let end = min(start + size, text.count)
      let more = end < text.count ? 1 : 0
      let head = start == 0 ? "a=T,f=100,q=2,r=\(rows),m=\(more)" : "m=\(more)"
      chunks.append("\u{1B}_G\(head);" + String(decoding: text[start..<end], as: UTF8.self) + "\u{1B}\\")
    }
    return [chunks.joined()]
  }

  /// A card is 1300 by 2000 units; a cell of the terminal shows two pixels, one above the other.
  private func pixels(_ document: StoredDocument) throws -> PixelDrawing {
    let height = rows * 2
    return try document.pixels(width: min(terminal.width - 4, height * 13 / 20), height: height)
  }

  private func blocks(_ drawing: PixelDrawing) -> [String] { HalfBlocks(drawing).lines.map { "  " + $0 } }
}
