// Rendering beside Anki's own package, on cases that `Tests/Peers/anki_notes.py` made with it. It is not part of the tests that
// always run: `DECKHAND_NOTE_CASES=FILE swift test --filter TemplatePeerTests`.

import Glibc
import Testing
import Values

@testable import Decks

/// A note type, a note and its cards, as a line of a file has them.
struct RenderedNote {
  let name: String
  let type: NoteType
  let note: NoteRecord
  let deck: String
  let cards: [JSONObject]

  init(_ object: JSONObject) throws {
    func texts(_ key: String) -> [String] { (object[key]?.array ?? []).compactMap(\.string) }
    name = object["name"]?.string ?? ""
    deck = object["deck"]?.string ?? "Deck"
    cards = (object["cards"]?.array ?? []).compactMap(\.object)
    let templates = (object["templates"]?.array ?? []).compactMap(\.array).map { $0.compactMap(\.string) }
    let (fields, values) = (texts("fields"), texts("values"))
    type = NoteType(
      id: NoteTypeID(rawValue: 1), name: object["type"]?.string ?? "Type", isCloze: object["cloze"]?.bool ?? false,
      css: "",
      modified: 0, cards: templates.enumerated().map { CardTemplate("Card \($0 + 1)", front: $1[0], back: $1[1]) },
      fieldList: fields.map { NoteTypeField(name: $0) })
    note = NoteRecord(
      id: NoteID(rawValue: 1), guid: "g", type: type.id, modified: 0, tags: texts("tags"), fields: values)
  }

  /// What the card of a place shows: both sides as HTML, and both on a terminal.
  func rendered(_ ordinal: Int) throws -> (front: String, back: String, texts: CardTexts) {
    let maker = NoteCardMaker(type)
    let facts = maker.facts(note, deckName: deck)
    let fields = NoteFields(names: type.fields, values: note.fields)
    let pair = TemplatePair(type.cards[type.isCloze ? 0 : ordinal])
    var all = facts
    all.templateName = type.cards[type.isCloze ? 0 : ordinal].name
    let sides = CardSides(fields: fields.adding(all), ordinal: ordinal)
    let front = try sides.front(pair.front)
    let back = try sides.back(pair.back, frontSide: front)
    return (front.text, back.text, try maker.texts(fields, facts, ordinal: ordinal))
  }

  var ordinals: [Int] {
    let maker = NoteCardMaker(type)
    let fields = NoteFields(names: type.fields, values: note.fields)
    return maker.ordinals(fields.adding(maker.facts(note, deckName: deck)))
  }
}

/// The objects of a file, one a line.
func jsonLines(_ text: String) throws -> [JSONObject] {
  let limits = JSONLimits(bytes: 1 << 26, depth: 16, values: 1 << 20, string: 1 << 24)
  return try text.split(separator: "\n").compactMap { try JSONParser.parse(Array($0.utf8), limits: limits).object }
}

@Suite(.enabled(if: getenv("DECKHAND_NOTE_CASES") != nil)) struct TemplatePeerTests {
  @Test func `every card of the cases is rendered as Anki does`() throws {
    let path = try #require(getenv("DECKHAND_NOTE_CASES").map { String(cString: $0) })
    let text = String(decoding: try readAll(path), as: UTF8.self)
    var (notes, cards, differences, different) = (0, 0, 0, 0)
    for object in try jsonLines(text) {
      let case_ = try RenderedNote(object)
      notes += 1
      if Set(case_.ordinals) != Set(case_.cards.map { $0["ord"]?.integer ?? -1 }) {
        differences += 1
        print("CARDS", case_.ordinals, JSONValue.object(object).text)
      }
      for card in case_.cards {
        let ordinal = card["ord"]?.integer ?? 0
        guard case_.type.isCloze || case_.type.cards.indices.contains(ordinal) else { continue }
        let shown = try case_.rendered(ordinal)
        cards += 1
        if getenv("DECKHAND_NOTE_DUMP") != nil {
          let texts: JSONValue = .array([
            .string(case_.name), .integer(ordinal), .string(shown.texts.prompt), .string(shown.texts.answer),
          ])
          print("DUMP", texts.text.split(separator: "\n").joined())
        }
        for (mine, theirs) in [(shown.front, card["front"]?.string), (shown.back, card["back"]?.string)] {
          guard let theirs, plain(mine) != plain(theirs) else { continue }
          (differences, different) = (differences + 1, different + 1)
          if different < 30 { print("MINE  ", mine, "\nTHEIRS", theirs, "\n", JSONValue.object(object).text) }
        }
      }
    }
    print("\(notes) notes, \(cards) cards, \(differences) differences")
    #expect(notes > 0 && differences == 0)
  }

  /// Without the ids of hints, which are hashes of their own kind.
  private func plain(_ html: String) -> String {
    var result = ""
    var rest = html[...]
    while let range = rest.firstRange(of: "hint") {
      result += rest[..<range.upperBound]
      rest = rest[range.upperBound...].drop { $0.isHexDigit }
    }
    return result + rest
  }

  private func readAll(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var (all, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { all += chunk[..<count] }
    return all
  }
}
