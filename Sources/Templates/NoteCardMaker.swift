// The cards that a note type makes from a note: which cards exist, and what each shows.
// Invariant: a note has at least one card and at most `mostCards`.

import Text

/// A note type with its templates parsed, for any number of notes.
package struct NoteCardMaker {
  package let type: NoteType
  package let sides: [TemplatePair]
  package let isInterrupted: () -> Bool
  package let isBasic: Bool
  /// Whether a template shows the card's id, which is unknown until the card is stored.
  package let needsCardID: Bool
  static let mostCards = 500
  /// The number of field bytes that may be read for all cards of one note; see `CardSides.workLimit` for one side.
  package static let workLimit = 512_000_000

  package init(_ type: NoteType, isInterrupted: @escaping () -> Bool) {
    (self.type, self.isInterrupted) = (type, isInterrupted)
    sides = type.cards.map(TemplatePair.init)
    isBasic = type.isBasic
    needsCardID = sides.contains { pair in
      [pair.front, pair.back].contains { $0.shows { $0.name == SpecialField.cardID.rawValue } }
    }
  }

  package var showsDeck: Bool { shows([.deck, .subdeck]) }
  package var showsFlag: Bool { shows([.cardFlag]) }
  package var showsTags: Bool { shows([.tags]) }

  /// Whether what a template shows depends on one of these special fields; a field of the same name takes precedence.
  private func shows(_ specials: [SpecialField]) -> Bool {
    let names = Set(specials.map(\.rawValue)).subtracting(type.fields)
    return sides.contains { pair in [pair.front, pair.back].contains { side in names.contains { side.names($0) } } }
  }

  /// Returns facts with the name of the first card template: where cards are only counted, the name does not matter.
  package func facts(tags: [String], deckName: String, subdeckName: String) -> CardFacts {
    CardFacts(
      tags: tags, typeName: type.name, deckName: deckName, subdeckName: subdeckName,
      templateName: type.cards.first?.name ?? "")
  }

  /// Returns the ordinals of the cards that a note has, at least one.
  package func ordinals(_ fields: NoteFields) -> [Int] {
    let found = filledOrdinals(fields)
    return found.isEmpty ? [0] : found
  }

  /// Returns the ordinals of the cards whose fronts the fields fill; there may be none.
  package func filledOrdinals(_ fields: NoteFields) -> [Int] {
    guard type.isCloze else { return sides.indices.filter { sides[$0].front.isFilled(fields) } }
    // As in Anki, higher numbers share the last card.
    let numbers = fields.values.keys.flatMap { fields.clozes(of: $0).numbers }
    return Set(numbers.filter { $0 > 0 }.map { min($0, Self.mostCards) - 1 }).sorted()
  }

  package func texts(_ fields: NoteFields, _ facts: CardFacts, ordinal: Int) throws(NoteError) -> CardTexts {
    guard let pair = sides.indices.contains(type.isCloze ? 0 : ordinal) ? sides[type.isCloze ? 0 : ordinal] : nil else {
      return CardTexts.nothing
    }
    if isBasic {
      let values = type.fields.map { fields.values[$0]?.text ?? "" }
      return try CardTexts(basic: values, isInterrupted: isInterrupted)
    }
    var facts = facts
    facts.templateName = type.cards[type.isCloze ? 0 : ordinal].name
    let all = fields.adding(facts)
    let isBlank = !type.isCloze && !pair.front.isFilled(all)
    let texts = try CardTexts(pair, fields: all, ordinal: ordinal, isBlank: isBlank, isInterrupted: isInterrupted)
    return describing(texts, fields, ordinal: ordinal)
  }

  /// Returns the sides of a card as HTML; empty for a card that the type does not make.
  /// - Parameter isForTerminal: whether typed and spoken parts appear as text.
  package func html(
    _ fields: NoteFields, _ facts: CardFacts, ordinal: Int, isForTerminal: Bool
  ) throws(NoteError) -> (front: Bytes, back: Bytes) {
    let place = type.isCloze ? 0 : ordinal
    guard sides.indices.contains(place) else { return ([], []) }
    var facts = facts
    facts.templateName = type.cards[place].name
    var views = CardSides(
      fields: fields.adding(facts), ordinal: ordinal, isForTerminal: isForTerminal, isInterrupted: isInterrupted)
    views.tagsClozes = true
    return (try views.front(sides[place].front), try views.back(sides[place].back, frontSide: []))
  }

  package var unnamedFields: [String] {
    type.fields.filter { name in
      !sides.contains { pair in [pair.front, pair.back].contains { $0.names(name) } }
    }
  }
}

extension CardTexts {
  package static let nothing = CardTexts(prompt: blank, answer: blank)

  /// The texts for a type of the same form as Basic: each side is one field, and a field that was written as plain text
  /// shows exactly that text.
  package init(basic fields: [String], isInterrupted: @escaping () -> Bool) throws(NoteError) {
    func shown(_ place: Int) throws(NoteError) -> String {
      try CardTexts.basicSide(fields.indices.contains(place) ? fields[place] : "", isInterrupted: isInterrupted)
    }
    self.init(prompt: try shown(0), answer: try shown(1))
  }

  package static func basicSide(
    _ field: String, isInterrupted: @escaping () -> Bool
  ) throws(NoteError) -> String {
    if let text = CardTexts.plainText(field) { return text }
    let text = try CardTexts.shown(Bytes(field.utf8), isInterrupted: isInterrupted)
    return text.isEmpty ? CardTexts.blank : text
  }

  /// Returns the plain text that a field was written as; nil for HTML, and for text that a card cannot show.
  package static func plainText(_ field: String) -> String? {
    // An escape is at most five bytes for one.
    guard field.utf8.count <= 5 * CardTexts.limit, !field.utf8.contains(0x0A), var text = FieldHTML.plain(field),
      text.utf8.count <= CardTexts.limit
    else { return nil }
    let isText = !text.isEmpty && text.trimmed.utf8.count == text.utf8.count && text.withUTF8 { !hasTooManyMarks($0) }
    return isText ? text : nil
  }

  package init(prompt: String, answer: String) { (self.prompt, self.answer) = (prompt, answer) }
}

extension NoteCardMaker {
  /// Returns the question of a card whose front asks for a typed answer.
  package func typedQuestion(_ fields: NoteFields, ordinal: Int) -> TypedQuestion? {
    let place = type.isCloze ? 0 : ordinal
    guard sides.indices.contains(place),
      let asked = CardSides(fields: fields, ordinal: ordinal, isInterrupted: isInterrupted).typedField(
        sides[place].front)
    else { return nil }
    let isCloze = asked.filters == ["cloze", "type"]
    let value =
      isCloze
      ? fields.clozes(of: asked.name).typed(number: ordinal + 1) : fields[asked.name] ?? []
    let expected = TerminalText.line(value)
    if expected.isEmpty { return nil }
    return (expected, asked.filters == ["nc", "type"])
  }
}
