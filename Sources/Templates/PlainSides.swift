// What the first card of a new note shows. In a list with many notes of one type, rendering takes longer than all else
// about a note, so it is done once for all notes with the same filled fields, with a mark in place of each field.
// Invariant: the texts are those that rendering gives. A note is rendered itself if a value is not plain, or if a
// template does more than show fields.

import Text

package final class PlainSides {
  package let maker: NoteCardMaker
  private let isPossible: Bool
  /// By which fields are filled.
  private var known: [[Bool]: CardTexts] = [:]
  private static let mostKnown = 1_000
  /// The most bytes of a template, and of a value: together they stay below the limit of a text.
  private static let (longestTemplate, longestValue) = (5_000, 900)

  package init(_ maker: NoteCardMaker) {
    let (type, sides) = (maker.type, maker.sides.flatMap { [$0.front, $0.back] })
    self.maker = maker
    isPossible =
      !type.isCloze && sides.count == 2 && type.cards[0].back.hasPrefix("{{FrontSide}}\n\n<hr id=answer>")
      && type.cards[0].front.utf8.count + type.cards[0].back.utf8.count <= Self.longestTemplate
      && sides.allSatisfy { $0.arePlain($0.nodes, type.fields) }
  }

  /// - Parameters:
  ///   - values: in the order of the fields.
  ///   - render: returns what the card with such values shows; nil if it is not the only one, or shows nothing.
  package func texts(_ values: [String], _ render: ([String]) throws -> CardTexts?) throws -> CardTexts? {
    guard isPossible, values.allSatisfy(Self.isPlain) else { return try render(values) }
    let filled = values.map { !$0.isEmpty }
    var marked = known[filled]
    if marked == nil {
      // Scalars for private use, from U+F0000 on.
      let marks = values.indices.map { place in
        filled[place] ? [0xF3, 0xB0, 0x80 | UInt8(place >> 6), 0x80 | UInt8(place & 63)].text : ""
      }
      marked = try render(marks)
      if known.count >= Self.mostKnown { known = [:] }
      known[filled] = marked
    }
    guard let marked else { return nil }
    let prompt = text(marked.prompt, values)
    return prompt == CardTexts.blank ? nil : CardTexts(prompt: prompt, answer: text(marked.answer, values))
  }

  private func text(_ marked: String, _ values: [String]) -> String {
    var text = ""
    for scalar in marked.unicodeScalars {
      let place = Int(scalar.value) - 0xF0000
      if values.indices.contains(place) { text += values[place] } else { text.unicodeScalars.append(scalar) }
    }
    return limitingMarks(text)
  }

  /// Whether HTML shows exactly as it is written, wherever it stands.
  private static func isPlain(_ value: String) -> Bool {
    var last = UInt8(ascii: " ")
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: " ") where last == byte, 0xA0 where last == 0xC2: return false
      case 0..<0x20, UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "["): return false
      default: last = byte
      }
    }
    if value.isEmpty { return true }
    return last != UInt8(ascii: " ") && value.utf8.count <= longestValue && value.trimmed.utf8.count == value.utf8.count
  }
}

extension Template {
  /// Whether the nodes only show fields, between whole tags.
  fileprivate func arePlain(_ nodes: [Node], _ fields: [String]) -> Bool {
    nodes.allSatisfy { node in
      switch node {
      case .text(let text):
        !text.contains { "[&".utf8.contains($0) || $0 >= 0xF3 }
          && (text.lastIndex(of: UInt8(ascii: "<")) ?? -1) <= (text.lastIndex(of: UInt8(ascii: ">")) ?? -1)
      case .field(let field):
        field.filters.isEmpty && (fields.contains(field.name) || field.name == SpecialField.frontSide.rawValue)
      case .section(let section): fields.contains(section.name) && arePlain(section.nodes, fields)
      }
    }
  }
}
