// Rendering a card's two sides from a note's fields and a template: as HTML, and as text for a terminal.
// Invariant: the same fields and template give the same sides; the work is bounded, whatever a template repeats.

import Text

package struct CardFacts {
  package var tags: [String] = []
  package var typeName = ""
  package var deckName = ""
  /// The last component of the deck's name.
  package var subdeckName = ""
  package var templateName = ""
  package var cardID: Int64 = 0
  package var flag = 0
}

/// The fields of a note by name, prepared for rendering its cards.
package struct NoteFields {
  /// The note's own fields, and those of them that are not empty.
  package private(set) var values: [String: Bytes] = [:]
  private var filled: Set<String> = []
  /// What the special fields say, which differ from card to card.
  private var facts: CardFacts?
  /// The clozes of the note's own fields, each parsed once and shared by all cards.
  private let parsed = ParsedClozes()

  private final class ParsedClozes {
    var texts: [String: ClozeText] = [:]
  }

  package init(names: [String], values given: [String]) {
    for (name, value) in zip(names, given.map { Bytes($0.utf8) }) {
      values[name] = value
      if Templates.isFilled(value) { filled.insert(name) }
    }
  }

  package func clozes(of name: String) -> ClozeText {
    if let known = parsed.texts[name] { return known }
    let text = ClozeText(self[name] ?? [])
    if values[name] != nil { parsed.texts[name] = text }
    return text
  }

  /// Returns the fields together with the special fields; a note field of the same name takes precedence.
  package func adding(_ facts: CardFacts) -> NoteFields {
    var all = self
    all.facts = facts
    return all
  }

  package subscript(name: String) -> Bytes? { values[name] ?? special(name) }

  func isFilled(_ name: String) -> Bool {
    values[name] == nil ? special(name).map(Templates.isFilled) ?? false : filled.contains(name)
  }

  private func special(_ name: String) -> Bytes? {
    guard let facts, let field = SpecialField(rawValue: name), field != .frontSide else { return nil }
    return Bytes(facts.text(of: field).utf8)
  }
}

extension CardFacts {
  fileprivate func text(of field: SpecialField) -> String {
    switch field {
    case .tags: tags.joined(separator: " ")
    case .type: typeName
    case .deck: deckName
    case .subdeck: subdeckName
    case .card: templateName
    case .cardID: String(cardID)
    case .cardFlag: "flag\(flag)"
    case .frontSide: ""
    }
  }
}

package struct CardSides {
  /// The number of bytes that rendering one side may read and write in total, because a template may name a long field
  /// any number of times, and a tag any number of filters.
  package static let workLimit = 256_000_000

  let fields: NoteFields
  let ordinal: Int
  let isForTerminal: Bool
  /// Whether tags mark the clozes in terminal text too.
  var tagsClozes = false
  package let isInterrupted: () -> Bool

  package init(
    fields: NoteFields, ordinal: Int, isForTerminal: Bool = false, isInterrupted: @escaping () -> Bool
  ) {
    (self.fields, self.ordinal, self.isForTerminal, self.isInterrupted) =
      (fields, ordinal, isForTerminal, isInterrupted)
  }

  package func front(_ template: Template) throws(NoteError) -> Bytes {
    try render(template, isFront: true, frontSide: [])
  }

  package func back(_ template: Template, frontSide: Bytes) throws(NoteError) -> Bytes {
    try render(template, isFront: false, frontSide: frontSide)
  }

  private struct Output {
    var bytes = Bytes()
    var work = 0
    var nextPoll = 1 << 16
    let isFront: Bool
    let frontSide: Bytes
  }

  private func render(_ template: Template, isFront: Bool, frontSide: Bytes) throws(NoteError) -> Bytes {
    var output = Output(isFront: isFront, frontSide: frontSide)
    try render(template.nodes, &output)
    return output.bytes
  }

  private func render(_ nodes: [Template.Node], _ output: inout Output) throws(NoteError) {
    for node in nodes {
      switch node {
      case .text(let text): output.bytes += text
      case .field(let field): try render(field, &output)
      case .section(let section):
        if isTrue(section.name) != section.isNegated { try render(section.nodes, &output) }
      }
    }
  }

  /// Returns the first field that a side shows with `type` as the outermost filter.
  package func typedField(_ template: Template) -> Template.Field? { typedField(template.nodes) }

  private func typedField(_ nodes: [Template.Node]) -> Template.Field? {
    for node in nodes {
      switch node {
      case .text: continue
      case .field(let field): if field.filters.last == "type" { return field }
      case .section(let section):
        if isTrue(section.name) != section.isNegated, let found = typedField(section.nodes) { return found }
      }
    }
    return nil
  }

  private func isTrue(_ name: String) -> Bool {
    fields.isFilled(name) || fields[name] == nil && name == "c\(ordinal + 1)"
  }

  private func render(_ field: Template.Field, _ output: inout Output) throws(NoteError) {
    let before = output.bytes.count
    if let value = fields[field.name] ?? (field.name.isEmpty && !field.filters.isEmpty ? [] : nil) {
      let filter = TemplateFilter(
        field: field.name, ordinal: ordinal, isFront: output.isFront, isForTerminal: isForTerminal,
        tagsClozes: tagsClozes || !isForTerminal, clozes: { fields.clozes(of: field.name) })
      try spend(value.count, &output)
      let shown = try filter.apply(field.filters, to: value) { (size) throws(NoteError) in try spend(size, &output) }
      output.bytes += shown
    } else if field.name == SpecialField.frontSide.rawValue {
      output.bytes += output.frontSide
    } else {
      output.bytes.add("(no field \(printable(field.name)))")
    }
    try spend(output.bytes.count - before, &output)
  }

  /// Counts bytes that were read or written, and polls for an interrupt from time to time.
  private func spend(_ count: Int, _ output: inout Output) throws(NoteError) {
    output.work += count
    if output.work > CardSides.workLimit { throw .tooLarge(what: "the text of a card") }
    if output.work >= output.nextPoll {
      if isInterrupted() { throw .interrupted }
      output.nextPoll = output.work + 1 << 16
    }
  }
}

package struct CardTexts: Equatable {
  package static let blank = "(blank)"
  /// The maximum size of one text in bytes.
  package static let limit = 1_000_000

  package let prompt: String
  package let answer: String

  /// - Parameters:
  ///   - isBlank: the front shows no non-empty field.
  ///   - isInterrupted: polled from time to time; true ends the work with `interrupted`.
  init(
    _ sides: TemplatePair, fields: NoteFields, ordinal: Int, isBlank: Bool,
    isInterrupted: @escaping () -> Bool
  ) throws(NoteError) {
    let views = CardSides(fields: fields, ordinal: ordinal, isForTerminal: true, isInterrupted: isInterrupted)
    let front = isBlank && !sides.front.isBroken ? [] : try views.front(sides.front)
    let prompt = try CardTexts.shown(front, isInterrupted: isInterrupted)
    let back = try CardTexts.answerAlone(
      try views.back(sides.back, frontSide: []), prompt: prompt, isInterrupted: isInterrupted)
    let answer = try CardTexts.shown(back, isInterrupted: isInterrupted)
    self.prompt = prompt.isEmpty ? CardTexts.blank : prompt
    self.answer = answer.isEmpty ? CardTexts.blank : answer
  }

  /// Returns the back without the front, which it may repeat above its rule.
  /// - Parameter prompt: the text of the front.
  package static func answerAlone(
    _ back: Bytes, prompt: String, isInterrupted: @escaping () -> Bool
  ) throws(NoteError) -> Bytes {
    guard let rule = Template.answerRules.compactMap({ back[...].position(of: $0, from: 0) }).min(), !prompt.isEmpty,
      try shown(Bytes(back[..<rule]), isInterrupted: isInterrupted).utf8.elementsEqual(prompt.utf8)
    else { return back }
    return Bytes(back[rule...])
  }

  /// Returns a piece of HTML as a card side shows it: trimmed, and truncated to the maximum size of a card text; empty
  /// if nothing is visible.
  static func shown(_ html: Bytes, isInterrupted: () -> Bool) throws(NoteError) -> String {
    let text = TerminalText.text(html, limit: CardTexts.limit, isInterrupted: isInterrupted)
    if html.count > 1 << 16, isInterrupted() { throw .interrupted }
    guard text.utf8.count > CardTexts.limit else { return text.trimmed }
    var bytes = Bytes(text.utf8.prefix(CardTexts.limit - 3))
    while let last = bytes.last, last & 0xC0 == 0x80 { bytes.removeLast() }
    bytes.removeLast()
    return (bytes.text + "…").trimmed
  }
}
