// Determines what may be written at a position in a source, for completion.
// Invariant: a position is judged only by the text before it, because the rest may not be written yet.

import Decks
import Templates
import Text

/// The kind of text that is expected at a position.
package enum SourceSlot: Equatable {
  case tag
  /// The name of a deck within the built one.
  case deck
  case noteType
  /// A field of the note type with this name.
  case field(of: String)
  /// Words of the format itself.
  case words([String])
  case option
}

/// What is expected at a position, and which bytes it replaces.
package struct SourceContext {
  package let slot: SourceSlot
  package let range: Range<Int>
  /// The texts inserted before and after a word.
  package private(set) var (before, after) = ("", "")

  private init(_ slot: SourceSlot, _ range: Range<Int>) { (self.slot, self.range) = (slot, range) }

  /// Returns what is expected at an offset of a source; nil where any text is allowed.
  package static func of(_ reading: SourceReading, at offset: Int) -> SourceContext? {
    let text = reading.text
    let start = text.start(text.line(at: offset))
    switch reading.source.kind {
    case .cards(.md): return comment(text, start, offset)
    case .cards(.jsonl):
      return JSONPlace(text.bytes[start..<offset]).flatMap { json($0, line: text.bytes[start...], offset) }
    case .cards(.csv), .cards(.tsv): return cell(reading, offset)
    default: return nil
    }
  }

  // MARK: Markdown

  /// Handles a position within `<!-- id: 3kT; tags: verb -->`.
  private static func comment(_ text: SourceText, _ start: Int, _ offset: Int) -> SourceContext? {
    let line = String(decoding: text.bytes[start..<offset], as: UTF8.self)
    guard let opening = line.lastRange(ofText: MarkdownFacts.opening) else { return nil }
    let rest = line[opening.upperBound...]
    if rest.contains(text: MarkdownFacts.closing) { return nil }
    let part = rest.lastIndex(of: ";").map { rest[rest.index(after: $0)...] } ?? rest
    guard let colon = part.firstIndex(of: ":") else {
      return word(in: part, before: offset, .words(["id: ", "tags: ", "deck: "]))
    }
    let value = part[part.index(after: colon)...]
    switch String(part[..<colon]).trimmed.lowercased() {
    case "tags": return word(in: value, before: offset, .tag)
    case "deck": return SourceContext(.deck, offset - value.drop { $0 == " " }.utf8.count..<offset)
    default: return nil
    }
  }

  /// Returns a context for the word that ends at an offset.
  private static func word(in text: Substring, before offset: Int, _ slot: SourceSlot) -> SourceContext {
    let word = text.lastIndex(of: " ").map { text[text.index(after: $0)...] } ?? text
    return SourceContext(slot, offset - word.utf8.count..<offset)
  }

  // MARK: Tables

  private static func cell(_ reading: SourceReading, _ offset: Int) -> SourceContext? {
    let text = reading.text
    let line = text.line(at: offset)
    let first = reading.entry(at: offset).map { min(line, reading.entries[$0].line) } ?? line
    let separator = reading.table?.separator ?? (reading.source.kind == .cards(.tsv) ? 0x09 : UInt8(ascii: ","))
    var (column, start, isQuoted) = (0, text.start(first), false)
    for place in text.start(first)..<offset {
      let byte = text.bytes[place]
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == separator, !isQuoted { (column, start) = (column + 1, place + 1) }
    }
    if start < offset, text.bytes[start] == UInt8(ascii: "\"") { start += 1 }
    guard let shape = reading.table?.shape, !(shape.hasHeader && first == 1) else {
      return SourceContext(.words(["prompt", "answer", "tags", "guid", "document", "subdeck"]), start..<offset)
    }
    switch shape[column] {
    case .tags:
      return word(in: String(decoding: text.bytes[start..<offset], as: UTF8.self)[...], before: offset, .tag)
    case .subdeck: return SourceContext(.deck, start..<offset)
    default: return nil
    }
  }

  // MARK: JSON

  private static let members = ["prompt", "answer", "tags", "guid", "subdeck", "document", "note_type", "note_fields"]

  private static func json(_ place: JSONPlace, line: ArraySlice<UInt8>, _ offset: Int) -> SourceContext? {
    let range = place.start..<offset
    switch (place.path, place.isKey) {
    case ([], true): return SourceContext(.words(members), range).quoted(place)
    case (["note_fields"], true):
      let end = line.firstIndex(of: 0x0A) ?? line.endIndex
      let type = JSONPlace.text(of: JSONName.noteType, in: line[..<end]) ?? StockNoteType.basic.rawValue
      return SourceContext(.field(of: type), range).quoted(place)
    case (["tags"], false):
      let text = String(decoding: place.text, as: UTF8.self)
      return place.isInText ? word(in: text[...], before: offset, .tag) : SourceContext(.tag, range).quoted(place)
    case (["subdeck"], false): return SourceContext(.deck, range).quoted(place)
    case (["note_type"], false): return SourceContext(.noteType, range).quoted(place)
    default: return nil
    }
  }

  /// Returns what is expected at an offset of a `deck.json`.
  package static func ofDescription(_ bytes: [UInt8], at offset: Int) -> SourceContext? {
    guard let place = JSONPlace(bytes[..<offset]) else { return nil }
    let range = place.start..<offset
    switch (place.path, place.isKey) {
    case ([], true): return SourceContext(.words(BuildDescription.keys), range).quoted(place)
    case (["options"], true): return SourceContext(.option, range).quoted(place)
    default: return nil
    }
  }

  private func quoted(_ place: JSONPlace) -> SourceContext {
    if place.isInText { return self }
    var context = self
    (context.before, context.after) = ("\"", place.isKey ? "\": " : "\"")
    return context
  }
}
