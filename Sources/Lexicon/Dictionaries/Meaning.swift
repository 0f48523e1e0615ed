// What a dictionary says about a word. Invariant: a meaning has a text; its headword is written as in the dictionary.

import Text

/// One entry of a dictionary.
public struct Meaning: Equatable, Sendable {
  /// The dictionary's name: `freedict-spa-eng`.
  public let dictionary: String
  /// The headword, as the dictionary writes it.
  public let word: String
  /// The text of the entry, with its lines.
  public var text: String
  /// Whether the text is markup, such as HTML, including its tags.
  public let isMarkup: Bool

  public init(dictionary: String, word: String, text: String, isMarkup: Bool = false) {
    (self.dictionary, self.word, self.text, self.isMarkup) = (dictionary, word, text, isMarkup)
  }

  /// Returns the text on one line, as short as a card needs it: without the headword's own line, without lists of
  /// synonyms, of at most `limit` characters; a longer one is truncated between words, and ends with `…`.
  ///
  ///     Meaning(dictionary: "d", word: "gato", text: "gato /ˈɡato/\n1. cat\n2. jack").gloss()   // "1. cat 2. jack"
  public func gloss(limit: Int = 160) -> String {
    var lines = text.lines.filter { !$0.isEmpty }.map { String($0).trimmed }
    let headword = word.lowercased()
    if lines.count > 1, let first = lines.first?.lowercased(), first.hasPrefix(headword),
      first.dropFirst(headword.count).first?.isLetter != true
    {
      lines.removeFirst()
    }
    var line = lines.joined(separator: " ")
    line.removeAll { $0 == "{" || $0 == "}" }
    var isSynonyms = false
    let words = line.split(whereSeparator: { $0.isWhitespace }).filter { word in
      if word == "[syn:" { isSynonyms = true }
      defer { if word.last == "]" { isSynonyms = false } }
      return !isSynonyms
    }
    var gloss = ""
    for word in words {
      if gloss.count + word.count + 1 > limit { return gloss.isEmpty ? String(word.prefix(limit)) : gloss + " …" }
      gloss += gloss.isEmpty ? word : " " + word
    }
    return gloss
  }

  /// The meanings of the entry: those that it numbers, or else a few words between commas, or else all of it as one.
  ///
  ///     Meaning(dictionary: "d", word: "gato", text: "1. cat 2. jack").senses   // ["cat", "jack"]
  public var senses: [String] {
    func isNumber(_ word: Substring) -> Bool { [".", ":"].contains(word.last) && Int(word.dropLast()) != nil }
    let words = gloss(limit: 2_000).split(separator: " ")
    let parts = words.split(whereSeparator: isNumber).map { $0.joined(separator: " ") }
    // What is before the first number, such as the kind of word, is no meaning.
    if parts.count > 1 { return Array(words.first.map(isNumber) == true ? parts[...] : parts.dropFirst()) }
    let pieces = (parts.first ?? "").split(separator: ",").map { String($0).trimmed }.filter { !$0.isEmpty }
    return pieces.allSatisfy { $0.split(separator: " ").count <= 3 } ? pieces : parts
  }
}
