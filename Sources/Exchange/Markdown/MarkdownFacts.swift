// What a comment of Markdown says of the card beside it.
// Invariant: a comment that was written is read back as the same; any other comment is none of ours.

import Decks
import Text

/// What a comment beside a card says of it: `<!-- id: 3kTMd; tags: verb irregular -->`.
struct MarkdownFacts: Equatable {
  var guid = ""
  var tags: [String] = []
  var subdeck = ""
  /// What a merge could not decide, as JSON.
  var conflicts = ""

  static let opening = "<!--"
  static let closing = "-->"

  /// - Returns: nil for another comment.
  init?(comment: Substring) {
    let text = String(comment).trimmed
    guard text.hasPrefix(Self.opening), text.hasSuffix(Self.closing), text.utf8.count >= 7 else { return nil }
    let parts = Self.parts(of: text.dropFirst(4).dropLast(3))
    guard parts.contains(where: { ["id", "tags", "deck", MergeConflict.name].contains($0.name) }) else { return nil }
    for part in parts {
      switch part.name {
      case "id": guid = part.value
      case "tags": tags = Tags.separated(part.value)
      case "deck": subdeck = part.value
      case MergeConflict.name: conflicts = part.value
      default: continue
      }
    }
  }

  init(guid: String, tags: [String], subdeck: String) { (self.guid, self.tags, self.subdeck) = (guid, tags, subdeck) }

  /// `name: value` between semicolons; a value that has one is quoted, a quote in it doubled.
  private static func parts(of text: Substring) -> [(name: String, value: String)] {
    var parts: [(name: String, value: String)] = []
    var part = ""
    var isQuoted = false
    for character in text + ";" {
      if character == "\"" { isQuoted.toggle() }
      if character != ";" || isQuoted {
        part.append(character)
        continue
      }
      if let colon = part.firstIndex(of: ":") {
        let value = String(part[part.index(after: colon)...]).trimmed
        parts.append((String(part[..<colon]).trimmed.lowercased(), unquoted(value)))
      }
      part = ""
    }
    return parts
  }

  private static func unquoted(_ value: String) -> String {
    guard value.hasPrefix("\""), value.hasSuffix("\""), value.count >= 2 else { return value }
    var result = ""
    var isQuote = false
    for character in value.dropFirst().dropLast() {
      if character == "\"", !isQuote {
        isQuote = true
        continue
      }
      isQuote = false
      result.append(character)
    }
    return result.replacing(text: "&gt;", with: ">").replacing(text: "&lt;", with: "<").replacing(
      text: "&amp;", with: "&")
  }

  /// The comment, on one line. `>` is written as an entity: it may not end the comment.
  var comment: String {
    var parts: [String] = []
    let values = [
      ("id", guid), ("tags", tags.joined(separator: " ")), ("deck", subdeck), (MergeConflict.name, conflicts),
    ]
    for (name, value) in values where !value.isEmpty {
      let isPlain = !value.contains { "\";&<>".contains($0) } && !value.hasPrefix("-") && !value.hasSuffix("-")
      let safe = value.replacing(text: "&", with: "&amp;").replacing(text: "<", with: "&lt;").replacing(
        text: ">", with: "&gt;"
      )
      .replacing(text: "\"", with: "\"\"")
      parts.append("\(name): " + (isPlain ? value : "\"\(safe)\""))
    }
    return "\(Self.opening) \(parts.joined(separator: "; ")) \(Self.closing)"
  }
}
