// Tags: what may be one, and how a card's are kept in one column.
// Invariant: no tag holds white space, so that spaces can part them; the order given is kept, a repeated one is
// dropped.

import Text

/// The tags of a card as texts.
///
///     Tags.separated("verb irregular")   // ["verb", "irregular"]
public enum Tags {
  /// ` animal farm ` for the tags animal and farm, an empty text for none: `instr(tags, ' animal ')` finds one.
  static func column(_ tags: [String]) throws(DeckError) -> String {
    if tags.isEmpty { return "" }
    if tags.count > 1000 { throw .badTag(tag: tags[1000], reason: "is one too many: a card has at most 1,000") }
    var kept: [String] = []
    var seen: Set<String> = []
    for given in tags {
      let tag = try checked(given)
      if seen.insert(tag.lowercased()).inserted { kept.append(tag) }
    }
    return " " + kept.joined(separator: " ") + " "
  }

  /// The tags of a column.
  static func list(_ column: String) -> [String] {
    column.isEmpty ? [] : column.utf8.split(separator: UInt8(ascii: " ")).map { String($0) ?? "" }
  }

  /// The tags of a text in which spaces part them, as tables of cards have it.
  public static func separated(_ text: String) -> [String] {
    text.unicodeScalars.split { $0.properties.isWhitespace }.map { String($0) }
  }

  /// Tags without some, capitals aside, and with others.
  public static func changed(_ tags: [String], adding: [String], removing: [String]) -> [String] {
    let removed = Set(removing.map { $0.trimmed.lowercased() })
    return tags.filter { !removed.contains($0.lowercased()) } + adding
  }

  private static func checked(_ given: String) throws(DeckError) -> String {
    let tag = given.trimmed
    if tag.isEmpty { throw .badTag(tag: given, reason: "must not be blank") }
    if tag.utf8.count > 200 { throw .badTag(tag: given, reason: "has at most 200 bytes") }
    for scalar in tag.unicodeScalars {
      if scalar.properties.isWhitespace { throw .badTag(tag: given, reason: "holds no blanks; write an underscore") }
      if scalar.properties.generalCategory == .control {
        throw .badTag(tag: given, reason: "holds no control characters")
      }
    }
    return tag
  }
}
