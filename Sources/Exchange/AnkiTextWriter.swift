// Cards as Anki's text file: notes with their type, deck, guid and tags, fields in HTML.
// Invariant: a note is one line, whatever the number of its cards; Anki reads the file without being asked anything.

import Decks
import Files
import Templates

struct AnkiTextWriter: CardRowWriter {
  private let sink: FileSink
  private let deck: String
  private let hasDecks: Bool
  private let types: [NoteType]
  private static let tab = UInt8(ascii: "\t")

  /// - Parameters:
  ///   - hasDecks: whether there are decks within the deck: each line names its own then.
  ///   - types: those of the notes beside Basic.
  init(_ sink: FileSink, deck: String, hasDecks: Bool, types: [NoteType]) {
    (self.sink, self.deck, self.hasDecks, self.types) = (sink, deck, hasDecks, types)
  }

  var holdsOptions: Bool { false }

  /// Columns before the fields: guid, note type, deck.
  private var before: Int { hasDecks ? 3 : 2 }

  /// As many fields as the widest type has; the tags follow them.
  private var fieldCount: Int { types.map(\.fields.count).reduce(2, max) }

  func begin() throws {
    try sink.append("#separator:tab\n#html:true\n#deck:\(deck)\n#guid column:1\n#notetype column:2\n")
    if hasDecks { try sink.append("#deck column:3\n") }
    try sink.append("#tags column:\(before + fieldCount + 1)\n")
  }

  func write(_ card: CardRecord, _ source: ExportSource) throws -> Set<CardPart> {
    var cells = [source.note?.record.guid ?? card.guid, source.note?.type.name ?? StockNoteType.basic.rawValue]
    if hasDecks { cells.append(source.subdeck.isEmpty ? deck : "\(deck)::\(source.subdeck)") }
    let fields =
      source.note?.record.fields
      ?? [FieldHTML.html(ofPlain: card.prompt), FieldHTML.html(ofPlain: card.answer)]
    if source.isFirst {
      cells += fields + Array(repeating: "", count: max(0, fieldCount - fields.count))
      cells.append((source.note?.record.tags ?? card.tags).joined(separator: " "))
      try sink.append(TableText.line(cells, Self.tab))
    }
    return source.unscheduled(card)
  }

  func end() throws {}
}
