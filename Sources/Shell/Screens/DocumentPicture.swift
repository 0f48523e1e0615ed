// Shows a document in the terminal: by the Kitty graphics protocol if the terminal announces it, else as coloured half
// blocks, else not at all; then only the text is shown. Invariant: pictures are sent only to terminals that can show
// them; a screen that is redrawn gets half blocks, since it truncates and counts lines.

import CardDocuments
import Files
import Glibc
import Templates
import Text
import Workspace

struct DocumentPicture {
  private let terminal: Terminal
  private let environment: (String) -> String?
  private let rows: Int
  private let isRedrawn: Bool

  /// - Parameter rows: the most rows to use on a screen that is redrawn; nil for output that stays.
  init(_ session: Session, rows: Int? = nil) {
    (terminal, environment) = (session.console.terminal, session.environment.variables.value)
    self.rows = max(4, min(rows ?? terminal.height - 6, 24))
    isRedrawn = rows != nil
  }

  /// The lines that draw the document; none when the terminal shows no pictures, or the picture cannot be drawn.
  func lines(of document: StoredDocument) throws -> [String] {
    guard terminal.canRedraw, terminal.usesColor else { return [] }
    do {
      if hasKitty, !isRedrawn { return kitty(try document.png().bytes) }
      // A card is 1300 by 2000 units; a cell of the terminal shows two pixels, one above the other.
      return blocks(try document.pixels(width: min(terminal.width - 4, rows * 13 / 10), height: rows * 2))
    } catch DocumentError.drawing {
      // Without the drawing program, the text that follows is enough.
      return []
    }
  }

  /// The lines that draw a media file, as a side of a card shows it; none when it is not a picture or cannot be drawn;
  /// the text shows its name.
  func lines(ofMedia name: String, of masked: MaskedPicture?, isFront: Bool, in workspace: Workspace) -> [String] {
    guard terminal.canRedraw, terminal.usesColor else { return [] }
    do {
      let picture = try workspace.media.picture(name, of: masked, isFront: isFront)
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

  private func blocks(_ drawing: PixelDrawing) -> [String] { HalfBlocks(drawing).lines.map { "  " + $0 } }
}

struct HalfBlocks {
  private let drawing: PixelDrawing
  /// The positions that are drawn in a contrasting colour.
  private let marked: Set<Int>

  init(_ drawing: PixelDrawing, marked: [(column: Int, row: Int)] = []) {
    self.drawing = drawing
    self.marked = Set(marked.map { $0.row * drawing.width + $0.column })
  }

  var lines: [String] {
    stride(from: 0, to: drawing.height - 1, by: 2).map { row in
      let cells = (0..<drawing.width).map { column in
        "\u{1B}[38;2;\(color(column, row))m\u{1B}[48;2;\(color(column, row + 1))m▀"
      }
      return cells.joined() + "\u{1B}[0m"
    }
  }

  private func color(_ x: Int, _ y: Int) -> String {
    let place = y * drawing.width + x
    let parts = drawing.rgba[(place * 4)..<(place * 4 + 3)]
    guard marked.contains(place) else { return parts.map { String($0) }.joined(separator: ";") }
    // Black on light colours, white on dark ones.
    let brightness = parts.reduce(0) { $0 + Int($1) }
    return brightness > 382 ? "0;0;0" : "255;255;255"
  }
}

struct ElementBox {
  private let corners: [(x: Double, y: Double)]
  private let middle: (x: Double, y: Double)
  private let columns: Int
  private let rows: Int

  init(_ element: Element, columns: Int, rows: Int) {
    (self.columns, self.rows) = (columns, rows)
    let turn = element.rotation.truncatingRemainder(dividingBy: 360) * .pi / 180
    func cell(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
      let (across, down) = (x / CardDocument.width + 0.5, y / CardDocument.height + 0.5)
      return (across * Double(columns) - 0.5, down * Double(rows) - 0.5)
    }
    middle = cell(element.x, element.y)
    corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map { across, down in
      let (x, y) = (across * element.width, down * element.height)
      return cell(element.x + x * cos(turn) - y * sin(turn), element.y + x * sin(turn) + y * cos(turn))
    }
  }

  /// The position of its centre; nil when that is off the card.
  var centre: (column: Int, row: Int)? { place(middle.x, middle.y) }

  /// The positions along its sides that are on the card.
  var outline: [(column: Int, row: Int)] {
    var places: [(column: Int, row: Int)] = []
    for (index, start) in corners.enumerated() {
      let end = corners[(index + 1) % corners.count]
      let steps = Int(min(500, max(1, max(abs(end.x - start.x), abs(end.y - start.y)).rounded(.up) * 2)))
      for step in 0...steps {
        let part = Double(step) / Double(steps)
        if let place = place(start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part) {
          places.append(place)
        }
      }
    }
    return places
  }

  private func place(_ x: Double, _ y: Double) -> (column: Int, row: Int)? {
    let (column, row) = (x.rounded(), y.rounded())
    guard column >= 0, row >= 0, column < Double(columns), row < Double(rows) else { return nil }
    return (Int(column), Int(row))
  }
}
