// Determines what may be written at a position in a source, for completion.
// Invariant: a position is judged only by the text before it, because the rest may not be written yet.

import Decks
import Templates
import Text

package enum SourceSlot: Equatable {
  case tag, deck, noteType
  case field(of: String)
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

/// The position at the end of a prefix of JSON, which may be incomplete.
struct JSONPlace {
  /// The keys of the enclosing objects, outermost first; if a value is expected, its own key comes last.
  private(set) var path: [String] = []
  private(set) var isKey = false
  /// Whether the position is within a text, which begins at `start`.
  private(set) var isInText = false
  private(set) var start: Int
  private(set) var text: ArraySlice<UInt8> = []

  private struct Level {
    let isObject: Bool
    var key: String?
    var isAfterColon = false
  }

  /// - Returns: nil outside any object, and where neither a key nor a value is expected.
  init?(_ bytes: ArraySlice<UInt8>) {
    start = bytes.endIndex
    var levels: [Level] = []
    var last: UInt8 = 0
    var place = bytes.startIndex
    while place < bytes.endIndex {
      let byte = bytes[place]
      switch byte {
      case UInt8(ascii: "\""):
        guard let end = Self.end(of: bytes, from: place + 1) else {
          (isInText, start, text) = (true, place + 1, bytes[(place + 1)...])
          place = bytes.endIndex
          continue
        }
        if let level = levels.last, level.isObject, !level.isAfterColon {
          levels[levels.count - 1].key = String(decoding: bytes[place + 1..<end], as: UTF8.self)
        }
        place = end
      case UInt8(ascii: "{"), UInt8(ascii: "["): levels.append(Level(isObject: byte == UInt8(ascii: "{")))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = levels.popLast()
      case UInt8(ascii: ":"): if !levels.isEmpty { levels[levels.count - 1].isAfterColon = true }
      case UInt8(ascii: ","):
        if levels.last?.isObject == true { levels[levels.count - 1] = Level(isObject: true) }
      default: break
      }
      if byte > 0x20 { last = byte }
      place += 1
    }
    guard let level = levels.last else { return nil }
    isKey = level.isObject && !level.isAfterColon
    if isKey, level.key != nil { return nil }
    if !isInText, !"{[:,".utf8.contains(last) { return nil }
    path = levels.dropLast(isKey ? 1 : 0).compactMap(\.key)
  }

  private static func end(of bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
    var place = start
    while place < bytes.endIndex, bytes[place] != UInt8(ascii: "\"") {
      place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
    }
    return place < bytes.endIndex ? place : nil
  }

  /// Returns the text value of a key in a line, at any nesting level.
  static func text(of key: String, in line: ArraySlice<UInt8>) -> String? {
    let behind = String(decoding: line, as: UTF8.self).split(at: "\"\(key)\"").dropFirst()
    return behind.lazy.map { $0.drop { $0 == " " || $0 == ":" } }.first { $0.first == "\"" }.flatMap { value in
      let text = value.dropFirst()
      return text.firstIndex(of: "\"").map { String(text[..<$0]) }
    }
  }
}
