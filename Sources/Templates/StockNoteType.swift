// The note types that every collection has, created when they are first used.
// Invariant: a type that a user has changed is never taken for a stock type: stock types are recognised by their
// content.

/// A note type that is created automatically. The raw value is its name.
public enum StockNoteType: String, CaseIterable, Sendable {
  case basic = "Basic"
  case reversed = "Basic (and reversed card)"
  case optionalReversed = "Basic (optional reversed card)"
  case typed = "Basic (type in the answer)"
  case cloze = "Cloze"

  public var draft: NoteTypeDraft {
    NoteTypeDraft(name: rawValue, fields: fields, cards: cards, isCloze: self == .cloze)
  }

  private var fields: [String] {
    switch self {
    case .basic, .reversed, .typed: ["Front", "Back"]
    case .optionalReversed: ["Front", "Back", "Add Reverse"]
    case .cloze: ["Text", "Back Extra"]
    }
  }

  private var cards: [CardTemplate] {
    func back(_ field: String) -> String { "{{FrontSide}}\n\n<hr id=answer>\n\n{{\(field)}}" }
    let first = CardTemplate("Card 1", front: "{{Front}}", back: back("Back"))
    return switch self {
    case .basic: [first]
    case .reversed: [first, CardTemplate("Card 2", front: "{{Back}}", back: back("Front"))]
    case .optionalReversed:
      [first, CardTemplate("Card 2", front: "{{#Add Reverse}}{{Back}}{{/Add Reverse}}", back: back("Front"))]
    case .typed:
      [
        CardTemplate(
          "Card 1", front: "{{Front}}\n\n{{type:Back}}", back: "{{Front}}\n\n<hr id=answer>\n\n{{type:Back}}")
      ]
    case .cloze:
      [CardTemplate("Cloze", front: "{{cloze:Text}}", back: "{{cloze:Text}}<br>\n{{Back Extra}}")]
    }
  }

  /// Whether a type makes the same cards from the same number of fields, whatever the names are.
  package func isSame(as type: NoteType) -> Bool {
    let own = draft
    guard type.isCloze == own.isCloze, type.fields.count == own.fields.count, type.cards.count == own.cards.count else {
      return false
    }
    let names = Dictionary(uniqueKeysWithValues: zip(own.fields, type.fields))
    return zip(own.cards, type.cards).allSatisfy { mine, theirs in
      Template.renaming(names, in: mine.front) == theirs.front && Template.renaming(names, in: mine.back) == theirs.back
    }
  }
}
