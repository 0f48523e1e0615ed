// The names that a template may use: the fields of its note type, Deckhand's special fields, cloze numbers.
// Invariant: a template that passed this check shows no error text when it is rendered.

import Text

/// Special names besides the note's fields. A field of the same name takes precedence.
package enum SpecialField: String, CaseIterable {
  case tags = "Tags"
  case type = "Type"
  case deck = "Deck"
  case subdeck = "Subdeck"
  case card = "Card"
  case cardID = "CardID"
  case cardFlag = "CardFlag"
  /// Only on the back: what the front showed. It cannot be the condition of a section.
  case frontSide = "FrontSide"

  /// Whether a section may have this name.
  static func isCondition(_ name: String) -> Bool {
    SpecialField(rawValue: name).map { $0 != .frontSide } ?? (clozeNumber(name) != nil)
  }

  /// Returns 2 for `c2`.
  static func clozeNumber(_ name: String) -> Int? {
    guard name.utf8.first == UInt8(ascii: "c"), name.utf8.count > 1 else { return nil }
    return name.utf8.dropFirst().allSatisfy { (48...57).contains($0) } ? Int(name.dropFirst()) ?? .max : nil
  }
}

extension Template {
  /// All fields and sections in their order, a section before its content.
  private var tags: [Node] { Template.tags(nodes) }

  private static func tags(_ nodes: [Node]) -> [Node] {
    nodes.flatMap { node -> [Node] in
      switch node {
      case .text: []
      case .field: [node]
      case .section(let section): [node] + tags(section.nodes)
      }
    }
  }

  /// - Throws: the first name that is neither a field nor special.
  func check(fields: [String]) throws(TemplateFault) {
    let known = Set(fields)
    for tag in tags {
      let (name, isAllowed) =
        switch tag {
        case .text: ("", true)
        case .field(let field):
          (field.name, SpecialField(rawValue: field.name) != nil || field.name.isEmpty && !field.filters.isEmpty)
        case .section(let section): (section.name, SpecialField.isCondition(section.name))
        }
      if isAllowed || known.contains(name) { continue }
      throw .unknownField(name: name, suggestion: suggestion(for: name, among: fields))
    }
  }

  /// Whether any field tag matches the test.
  package func shows(_ isWanted: (Field) -> Bool) -> Bool {
    tags.contains { if case .field(let field) = $0 { isWanted(field) } else { false } }
  }

  /// Whether a tag or a section names the field.
  package func names(_ field: String) -> Bool {
    tags.contains { tag in
      switch tag {
      case .text: false
      case .field(let found): found.name == field
      case .section(let section): section.name == field
      }
    }
  }

  /// Whether a card is made from it: with its section conditions applied, it shows at least one non-empty field.
  /// - Parameter filled: the names of the non-empty fields and special fields.
  package func isFilled(_ filled: Set<String>) -> Bool { Template.isFilled(nodes, filled) }

  private static func isFilled(_ nodes: [Node], _ filled: Set<String>) -> Bool {
    nodes.contains { node in
      switch node {
      case .text: false
      case .field(let field): filled.contains(field.name)
      case .section(let section):
        filled.contains(section.name) != section.isNegated && isFilled(section.nodes, filled)
      }
    }
  }
}

/// Whether a field counts as non-empty: it holds more than whitespace, `<br>` and `<div>` tags.
package func isFilled(_ field: Bytes) -> Bool {
  var index = 0
  while index < field.count {
    if isASCIISpace(field[index]) {
      index += 1
    } else if let end = emptyTagEnd(field[...], index) {
      index = end
    } else {
      return true
    }
  }
  return false
}

/// Returns the end of `<br>`, `</br>`, `<br/>`, `<br />`, `<div>` or a similar tag at an index.
private func emptyTagEnd(_ bytes: ArraySlice<UInt8>, _ start: Int) -> Int? {
  guard bytes[start] == UInt8(ascii: "<") else { return nil }
  var index = start + 1
  if bytes.begins(with: "/", at: index) { index += 1 }
  if bytes.beginsIgnoringCase(with: "br", at: index) {
    index += 2
  } else if bytes.beginsIgnoringCase(with: "div", at: index) {
    index += 3
  } else {
    return nil
  }
  if bytes.begins(with: " ", at: index) { index += 1 }
  if bytes.begins(with: "/", at: index) { index += 1 }
  return bytes.begins(with: ">", at: index) ? index + 1 : nil
}
