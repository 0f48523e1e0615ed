// Writes cards as Anki's text file: notes with type, deck, guid and tags, fields in HTML.
// Invariant: a note is one line, however many cards it has; Anki can read the file without any settings.

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
  ///   - hasDecks: whether the deck has nested decks, in which case each line names its deck.
  ///   - types: the note types other than Basic.
  init(_ sink: FileSink, deck: String, hasDecks: Bool, types: [NoteType]) {
    (self.sink, self.deck, self.hasDecks, self.types) = (sink, deck, hasDecks, types)
  }

  var holdsOptions: Bool { false }

  /// The number of columns before the fields: guid, note type, deck.
  private var before: Int { hasDecks ? 3 : 2 }

  /// The number of fields of the widest note type; the tags follow them.
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
      let line = CellText.line(cells, Self.tab)
      if line.count > rowLimit { return [.largeCards] }
      try sink.append(line)
    }
    return source.unscheduled(card)
  }

  func end() throws {}
}
