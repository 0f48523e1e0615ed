// Many cards as a table in $EDITOR. Invariant: what is not understood changes nothing at all; a line that was taken out
// leaves its card as it is.

import Commands
import Decks
import Problems
import Text
import Workspace

/// Opens cards as a table, and applies what was changed in it as one operation.
struct CardTableEditing {
  private let session: Session

  init(_ session: Session) { self.session = session }

  private static let heading = """
    # A line for each card: its number, prompt, answer and tags, a tab between them. \\n is a line break, \\t a tab, \\\\ a
    # backslash. A line that is taken out leaves its card as it is.
    """

  /// - Returns: the cards that were changed.
  func edit(_ cards: [CardHandle]) throws -> [CardHandle] {
    let lines = try cards.enumerated().map { number, card in
      let record = try card.record()
      let cells = [record.prompt, record.answer, record.tags.joined(separator: " ")]
      return "\(number + 1)\t" + cells.map(Self.escaped).joined(separator: "\t")
    }
    let text = Self.heading + "\n" + lines.joined(separator: "\n") + "\n"
    var changed: [CardHandle] = []
    try session.editor.edit(text, orElse: "give --prompt or --answer") { edited in
      let edits = try self.edits(edited, cards)
      if !edits.isEmpty { try session.workspace().cards.update(edits) }
      changed = edits.map(\.card)
    }
    return changed
  }

  private func edits(_ text: String, _ cards: [CardHandle]) throws -> [(card: CardHandle, to: NewCard)] {
    var (edits, seen): ([(card: CardHandle, to: NewCard)], Set<Int>) = ([], [])
    for (index, line) in text.lines.enumerated() {
      if line.hasPrefix("#") || String(line).trimmed.isEmpty { continue }
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard let number = Int(cells[0].trimmed), cards.indices.contains(number - 1), seen.insert(number).inserted else {
        throw EditorError.badLine(index + 1, expected: "the number of a card, each once, from 1 to \(cards.count)")
      }
      guard cells.count == 3 || cells.count == 4 else {
        throw EditorError.badLine(index + 1, expected: "a number, a prompt, an answer and tags with tabs between them")
      }
      let card = cards[number - 1]
      let (old, new) = (try card.record(), cells.dropFirst().map(Self.unescaped))
      let tags = new.count > 2 ? new[2].split(separator: " ").map(String.init) : []
      if new[0] == old.prompt, new[1] == old.answer, tags == old.tags { continue }
      edits.append((card, NewCard(prompt: new[0], answer: new[1], tags: tags)))
    }
    return edits
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  private static func unescaped(_ text: String) -> String {
    var (result, isEscape) = ("", false)
    for character in text.unicodeScalars {
      if isEscape {
        switch character {
        case "n": result += "\n"
        case "t": result += "\t"
        case "r": result += "\r"
        default: result.unicodeScalars.append(character)
        }
        isEscape = false
      } else if character == "\\" {
        isEscape = true
      } else {
        result.unicodeScalars.append(character)
      }
    }
    return isEscape ? result + "\\" : result
  }
}
