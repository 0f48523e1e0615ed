// What the notes of a type have in common: the names of their fields, and a template for each card; and the types that
// every collection has, created when they are first used.
// Invariant: a type that was created or edited here has templates that name only its own fields; a type from another
// program may not. Stock types are recognised by their content, so a type that a user has changed is not one.

import Text
package import Values

/// The id of a note type: its creation time in milliseconds since 1970.
public struct NoteTypeID: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// How one card of a note is rendered.
///
///     CardTemplate("Card 1", front: "{{Front}}", back: "{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}")
public struct CardTemplate: Equatable, Sendable {
  public var name: String
  public var front: String
  public var back: String
  package var other = Value.Record()

  public init(_ name: String, front: String, back: String) {
    (self.name, self.front, self.back) = (name, front, back)
  }
}

package struct NoteTypeField: Equatable, Sendable {
  package var name: String
  package var other = Value.Record()

  package init(name: String, other: Value.Record = Value.Record()) { (self.name, self.other) = (name, other) }
}

/// The content of a note type to create, or the new content of an existing one.
///
///     let draft = NoteTypeDraft(name: "Word", fields: ["Word", "Meaning"], cards: [card])
public struct NoteTypeDraft: Equatable, Sendable {
  public var name: String
  public var fields: [String]
  public var cards: [CardTemplate]
  public var css: String
  /// Whether there is one card for each cloze number in the fields, all rendered by the first template.
  public var isCloze: Bool

  public init(
    name: String, fields: [String], cards: [CardTemplate], css: String = NoteTypeDraft.plainCSS, isCloze: Bool = false
  ) {
    (self.name, self.fields, self.cards, self.css, self.isCloze) = (name, fields, cards, css, isCloze)
  }

  public static let plainCSS = """
    .card {
        font-family: sans-serif;
        font-size: 20px;
        line-height: 1.5;
        text-align: center;
    }
    .cloze {
        font-weight: bold;
    }

    """
}

public struct NoteType: Equatable, Sendable {
  public package(set) var id: NoteTypeID
  public package(set) var name: String
  public package(set) var isCloze: Bool
  public package(set) var css: String
  /// Seconds since 1970.
  public package(set) var modified: Int
  public package(set) var cards: [CardTemplate]
  package var fieldList: [NoteTypeField]
  var other = Value.Record()

  public var fields: [String] { fieldList.map(\.name) }

  public var draft: NoteTypeDraft {
    NoteTypeDraft(name: name, fields: fields, cards: cards, css: css, isCloze: isCloze)
  }

  /// Whether users may edit its cards' prompt and answer directly: there are two fields, the front is the first, and
  /// the back is the front, a rule and the second.
  public var isBasic: Bool {
    guard !isCloze, fieldList.count == 2, cards.count == 1 else { return false }
    let sides = TemplatePair(cards[0])
    return sides.front.isPlain([fieldList[0].name])
      && sides.back.isPlain([SpecialField.frontSide.rawValue, fieldList[1].name], ruleBetween: true)
  }
}

extension NoteType {
  /// Whether it is the type for a prompt and an answer that are given without a type.
  public var isStockBasic: Bool { name == StockNoteType.basic.rawValue && isBasic }

  package init(_ draft: NoteTypeDraft, id: NoteTypeID, modified: Int) {
    self.init(
      id: id, name: draft.name, isCloze: draft.isCloze, css: draft.css, modified: modified, cards: draft.cards,
      fieldList: draft.fields.map { NoteTypeField(name: $0, other: NoteTypeField.fresh) }, other: NoteType.fresh)
    guard draft.cards == StockNoteType.occlusion.draft.cards else { return }
    // By these, Anki knows the type and its fields, and opens its editor of masks.
    other["originalStockKind"] = .integer(6)
    for index in fieldList.indices { fieldList[index].other["tag"] = .integer(index) }
  }

  /// Returns the type with its templates and its style sheet changed.
  package func mapping(_ text: (String) throws -> String) rethrows -> NoteType {
    var type = self
    type.css = try text(css)
    for index in cards.indices {
      type.cards[index].front = try text(cards[index].front)
      type.cards[index].back = try text(cards[index].back)
    }
    return type
  }

  /// The index of the field that notes are sorted by, from 0.
  public var sortField: Int { other["sortf"]?.integer ?? 0 }
}

package struct TemplatePair {
  package let front: Template
  package let back: Template

  /// A side that cannot be parsed, in a type from another program, shows the reason instead.
  package init(_ card: CardTemplate) {
    front = Template(showingErrorOf: card.front)
    back = Template(showingErrorOf: card.back)
  }
}

extension Template {
  /// The forms of the rule between the front and the answer on a back.
  static let answerRules: [StaticString] = ["<hr id=answer>", "<hr id=\"answer\">"]

  init(showingErrorOf source: String) {
    do {
      self = try Template(source)
    } catch {
      nodes = [.text(Bytes("(this template \(error.reason))".utf8))]
      isBroken = true
    }
  }

  /// Whether it shows exactly these fields without filters, and otherwise only whitespace, plus a rule if one is
  /// wanted.
  func isPlain(_ names: [String], ruleBetween: Bool = false) -> Bool {
    var (shown, text) = ([String](), Bytes())
    for node in nodes {
      switch node {
      case .text(let part): text += part
      case .field(let field):
        if !field.filters.isEmpty { return false }
        shown.append(field.name)
      case .section: return false
      }
    }
    let rule = text.text.trimmed
    return shown == names && (ruleBetween ? Self.answerRules.contains { $0.description == rule } : rule.isEmpty)
  }
}

// MARK: Rules

extension NoteTypeDraft {
  static let mostFields = 500
  static let mostCards = 500

  /// Returns the draft with its names trimmed, and its own name composed like a deck name.
  /// - Throws: `badType`, `badTemplate`.
  package func checked() throws(NoteError) -> NoteTypeDraft {
    var draft = try named()
    if fields.isEmpty { throw .badType(reason: "must have at least one field") }
    if fields.count > Self.mostFields { throw .badType(reason: "has at most \(Self.mostFields) fields") }
    draft.fields = []
    for field in fields { draft.fields.append(try NoteTypeDraft.fieldName(field)) }
    try NoteTypeDraft.checkDistinct(draft.fields, "fields")
    if cards.isEmpty { throw .badType(reason: "must have at least one card") }
    let most = isCloze ? 1 : Self.mostCards
    if cards.count > most { throw .badType(reason: "has at most \(counted(most, "card"))") }
    for index in cards.indices {
      draft.cards[index].name = try NoteTypeDraft.name(
        cards[index].name, "must have cards with names that are not blank", "must have cards with names")
      try draft.check(draft.cards[index])
    }
    try NoteTypeDraft.checkDistinct(draft.cards.map(\.name), "cards")
    if css.utf8.count > Template.lengthLimit {
      throw .badType(reason: "has at most \(grouped(Template.lengthLimit)) bytes of CSS")
    }
    return draft
  }

  /// Returns the draft of an exported type, which may come from another program: its fields and templates are taken as
  /// they are.
  /// - Throws: `badType`.
  package func received() throws(NoteError) -> NoteTypeDraft {
    try checkSizes()
    return try named()
  }

  private func named() throws(NoteError) -> NoteTypeDraft {
    var draft = self
    draft.name = try NoteTypeDraft.name(name, "must have a name that is not blank", "must have a name").composed
    return draft
  }

  /// Checks what holds for every type, whichever program made it.
  /// - Throws: `badType`.
  func checkSizes() throws(NoteError) {
    if fields.isEmpty || cards.isEmpty { throw .badType(reason: "must have at least one field and one card") }
    if fields.count > Self.mostFields || cards.count > Self.mostCards {
      throw .badType(reason: "has at most \(Self.mostFields) fields and \(Self.mostCards) cards")
    }
    let sizes = [css] + cards.flatMap { [$0.front, $0.back] }
    if sizes.contains(where: { $0.utf8.count > Template.lengthLimit }) {
      throw .badType(reason: "has at most \(grouped(Template.lengthLimit)) bytes of CSS and in each template")
    }
  }

  private func check(_ card: CardTemplate) throws(NoteError) {
    for (side, source) in [(CardSide.front, card.front), (.back, card.back)] {
      do throws(TemplateFault) {
        let template = try Template(source)
        try template.check(fields: fields)
        if side == .back { continue }
        if !template.shows({ $0.name != SpecialField.frontSide.rawValue }) { throw .noField }
        if isCloze, !template.shows({ !Set($0.filters).isDisjoint(with: ["cloze", "cloze-only"]) }) { throw .noCloze }
      } catch {
        throw .badTemplate(card: card.name, side: side, fault: error)
      }
    }
  }

  private static func name(_ given: String, _ blank: String, _ rest: String) throws(NoteError) -> String {
    if hasTooManyMarks(given) {
      throw .badType(reason: "\(rest) of at most \(longestMarkRun) combining marks in a row")
    }
    let name = given.trimmed
    if name.isEmpty { throw .badType(reason: blank) }
    if name.count > 200 { throw .badType(reason: "\(rest) of at most 200 characters") }
    if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      throw .badType(reason: "\(rest) without control characters")
    }
    return name
  }

  private static func fieldName(_ given: String) throws(NoteError) -> String {
    let name = try name(given, "must have fields with names that are not blank", "must have fields with names")
    if name.unicodeScalars.contains(where: { ":{}\"".unicodeScalars.contains($0) }) {
      throw .badType(reason: "must have fields without : { } \" in their names: \(quoted(given))")
    }
    if let first = name.unicodeScalars.first, "#^/".unicodeScalars.contains(first) {
      throw .badType(reason: "must have fields whose names do not begin with # ^ /: \(quoted(given))")
    }
    return name
  }

  private static func checkDistinct(_ names: [String], _ what: String) throws(NoteError) {
    var seen: Set<String> = []
    for name in names where !seen.insert(name.lowercased()).inserted {
      throw .badType(reason: "must have \(what) with different names; \(quoted(name)) is used twice")
    }
  }
}

extension NoteType {
  public func unknownField(_ name: String) -> NoteError {
    .noField(name: name, type: self.name, suggestion: suggestion(for: name, among: fields), fields: fields)
  }
}

public struct NoteTypeLoss: Equatable, Sendable {
  /// Cards of removed templates, and cards that the new templates do not produce and that were never studied.
  public var cards = 0
  /// Notes that have text in a removed field.
  public var notes = 0

  public init(cards: Int = 0, notes: Int = 0) { (self.cards, self.notes) = (cards, notes) }
  public var isNothing: Bool { cards == 0 && notes == 0 }

  /// "2 cards and the texts of removed fields in 1 note".
  public var inWords: String {
    let texts = "the texts of removed fields in \(counted(notes, "note"))"
    if notes == 0 { return counted(cards, "card") }
    return cards == 0 ? texts : "\(counted(cards, "card")) and \(texts)"
  }
}

/// A note type that is created automatically. The raw value is its name.
public enum StockNoteType: String, CaseIterable, Sendable {
  case basic = "Basic", reversed = "Basic (and reversed card)", optionalReversed = "Basic (optional reversed card)"
  case typed = "Basic (type in the answer)", cloze = "Cloze", occlusion = "Image Occlusion"

  public var draft: NoteTypeDraft {
    NoteTypeDraft(name: rawValue, fields: fields, cards: cards, isCloze: self == .cloze || self == .occlusion)
  }

  private var fields: [String] {
    switch self {
    case .basic, .reversed, .typed: ["Front", "Back"]
    case .optionalReversed: ["Front", "Back", "Add Reverse"]
    case .cloze: ["Text", "Back Extra"]
    case .occlusion: ["Occlusion", "Image", "Header", "Back Extra", "Comments"]
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
    case .occlusion:
      [
        CardTemplate(
          rawValue, front: Self.picture,
          back: Self.picture + "<button id=\"toggle\">Toggle Masks</button>\n<div>{{Back Extra}}</div>\n")
      ]
    }
  }

  /// The elements and the call by which Anki draws the masks.
  private static let picture = """
    <div>{{Header}}</div>
    <div style="display: none">{{cloze:Occlusion}}</div>
    <div id="image-occlusion-container">{{Image}}<canvas id="image-occlusion-canvas"></canvas></div>
    <script>anki.imageOcclusion.setup()</script>

    """

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
