// Rendering compared with Anki's own package, on cases that `Tests/Peers/anki_notes.py` made with it. It does not run
// by default: `DECKHAND_NOTE_CASES=FILE Scripts/test --filter TemplatePeerTests`.

import Glibc
import Testing
import Values

@testable import Templates

/// A note type, a note and its cards, from one line of a file.
struct RenderedNote {
  let name: String
  let type: NoteType
  let tags: [String]
  let values: [String]
  let deck: String
  let cards: [Value.Record]

  init(_ object: Value.Record) throws {
    func texts(_ key: String) -> [String] { (object[key]?.list ?? []).compactMap(\.text) }
    name = object["name"]?.text ?? ""
    deck = object["deck"]?.text ?? "Deck"
    cards = (object["cards"]?.list ?? []).compactMap(\.record)
    let templates = (object["templates"]?.list ?? []).compactMap(\.list).map { $0.compactMap(\.text) }
    (tags, values) = (texts("tags"), texts("values"))
    type = NoteType(
      id: NoteTypeID(rawValue: 1), name: object["type"]?.text ?? "Type", isCloze: object["cloze"]?.boolean ?? false,
      css: "",
      modified: 0, cards: templates.enumerated().map { CardTemplate("Card \($0 + 1)", front: $1[0], back: $1[1]) },
      fieldList: texts("fields").map { NoteTypeField(name: $0) })
  }

  /// Returns what the card with the ordinal shows: both sides as HTML, and both on a terminal.
  func rendered(_ ordinal: Int) throws -> (front: String, back: String, texts: CardTexts) {
    let maker = NoteCardMaker(type, isInterrupted: { false })
    let facts = facts(maker)
    let fields = NoteFields(names: type.fields, values: values)
    let pair = TemplatePair(type.cards[type.isCloze ? 0 : ordinal])
    var all = facts
    all.templateName = type.cards[type.isCloze ? 0 : ordinal].name
    let sides = CardSides(fields: fields.adding(all), ordinal: ordinal, isInterrupted: { false })
    let front = try sides.front(pair.front)
    let back = try sides.back(pair.back, frontSide: front)
    return (front.text, back.text, try maker.texts(fields, facts, ordinal: ordinal))
  }

  private func facts(_ maker: NoteCardMaker) -> CardFacts {
    let parts = deck.split(separator: "::", omittingEmptySubsequences: false)
    return maker.facts(tags: tags, deckName: deck, subdeckName: String(parts.last ?? ""))
  }

  var ordinals: [Int] {
    let maker = NoteCardMaker(type, isInterrupted: { false })
    let fields = NoteFields(names: type.fields, values: values)
    return maker.ordinals(fields.adding(facts(maker)))
  }
}

/// Returns the objects of a file, one per line.
func jsonLines(_ text: String) throws -> [Value.Record] {
  let limits = JSONLimits(bytes: 1 << 26, depth: 16, values: 1 << 20, string: 1 << 24)
  return try text.split(separator: "\n").compactMap { try JSONParser.parse(Array($0.utf8), limits: limits).record }
}

@Suite(.enabled(if: getenv("DECKHAND_NOTE_CASES") != nil, "DECKHAND_NOTE_CASES names no file"))
struct TemplatePeerTests {
  @Test func `every card of the cases is rendered as in Anki`() throws {
    let path = try #require(getenv("DECKHAND_NOTE_CASES").map { String(cString: $0) })
    let text = String(decoding: try readAll(path), as: UTF8.self)
    var (notes, cards, differences, different) = (0, 0, 0, 0)
    for object in try jsonLines(text) {
      let case_ = try RenderedNote(object)
      notes += 1
      if Set(case_.ordinals) != Set(case_.cards.map { $0["ord"]?.integer ?? -1 }) {
        differences += 1
        print("CARDS", case_.ordinals, Value.record(object).json)
      }
      for card in case_.cards {
        let ordinal = card["ord"]?.integer ?? 0
        guard case_.type.isCloze || case_.type.cards.indices.contains(ordinal) else { continue }
        let shown = try case_.rendered(ordinal)
        cards += 1
        if getenv("DECKHAND_NOTE_DUMP") != nil {
          let texts: Value = .list([
            .text(case_.name), .integer(ordinal), .text(shown.texts.prompt), .text(shown.texts.answer),
          ])
          print("DUMP", texts.json.split(separator: "\n").joined())
        }
        for (mine, theirs) in [(shown.front, card["front"]?.text), (shown.back, card["back"]?.text)] {
          guard let theirs, plain(mine) != plain(theirs) else { continue }
          (differences, different) = (differences + 1, different + 1)
          if different < 30 { print("MINE  ", mine, "\nTHEIRS", theirs, "\n", Value.record(object).json) }
        }
      }
    }
    print("\(notes) notes, \(cards) cards, \(differences) differences")
    #expect(notes > 0 && differences == 0)
  }

  /// Removes the ids of hints, which are hashes that differ from Anki's.
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
