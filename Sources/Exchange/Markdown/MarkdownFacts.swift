// The comment that holds a card's id, tags, deck and conflicts in Markdown.
// Invariant: a comment is read back as it was written; any other comment is ignored.

import Decks
import Text

/// The facts in a comment next to a card: `<!-- id: 3kTMd; tags: verb irregular -->`.
struct MarkdownFacts: Equatable {
  var guid = ""
  var tags: [String] = []
  var subdeck = ""
  /// The conflicts of a merge, as JSON.
  var conflicts = ""

  static let opening = "<!--"
  static let closing = "-->"

  /// - Returns: nil for any other comment.
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

  init(guid: String = "", tags: [String] = [], subdeck: String = "") {
    (self.guid, self.tags, self.subdeck) = (guid, tags, subdeck)
  }

  /// Splits `name: value` pairs at semicolons. A value that contains one is quoted, and quotes in it are doubled.
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

  /// The comment on one line; empty when there are no facts. `>` is written as an entity, so that it cannot end the
  /// comment.
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
    return parts.isEmpty ? "" : "\(Self.opening) \(parts.joined(separator: "; ")) \(Self.closing)"
  }
}
