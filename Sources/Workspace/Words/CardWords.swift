// The words of the cards, and how well each is known. Invariant: the words are not stored, but read again when cards
// may have changed.

import Decks
import Language
import Lexicon
import Templates
import Text

enum CardWords {
  /// Returns what is known of each lemma that has a card or is listed.
  /// - Parameter deck: if given, only the cards of this deck and its subdecks count.
  static func known(
    _ workspace: Workspace, _ lemmatizer: Lemmatizer, deck: String?
  ) throws -> [String: (state: WordState, recall: Double)] {
    let knownDays = Double(try workspace.preferences().texts.knownDays)
    let deckID = try deck.map { try workspace.decks.open($0).id }
    var known: [String: (state: WordState, recall: Double)] = [:]
    try workspace.read { db in
      try WordField.forEach(db, in: deckID, at: workspace.moment) { word in
        let state = state(of: word, knownDays: knownDays)
        for lemma in lemmas(ofField: word.field, lemmatizer) {
          let before = known[lemma] ?? (.unknown, 0)
          known[lemma] = (min(before.state, state), max(before.recall, word.recall))
        }
      }
      try ListedWordTable.forEach(db, language: lemmatizer.language.code) { lemma, isIgnored in
        known[lemma] = isIgnored ? (.ignored, 0) : (.known, 1)
      }
    }
    return known
  }

  /// Returns what a card's word may be in a text: the word itself, and its lemma.
  static func lemmas(ofField field: String, _ lemmatizer: Lemmatizer) -> Set<String> {
    guard let key = word(ofField: field) else { return [] }
    return Set([key, lemmatizer.lemma(ofPhrase: key)].compactMap { $0 })
  }

  private static func state(of word: WordField, knownDays: Double) -> WordState {
    if word.isSuspended { return .ignored }
    if !word.isStudied { return .new }
    return (word.stability ?? 0) >= knownDays ? .known : .learning
  }

  /// Returns the word in a card's field, without HTML, brackets and whatever follows the word; nil for a longer text.
  private static func word(ofField field: String) -> String? {
    guard field.utf8.count <= 300 else { return nil }
    var text = FieldHTML.sortText(field).trimmed
    // An article or a sound may come before the word: `(la) casa`, `[sound:casa.mp3] casa`.
    while let open = text.first, open == "(" || open == "[", let end = text.firstIndex(of: open == "(" ? ")" : "]") {
      text = String(text[text.index(after: end)...]).trimmed
    }
    if let end = text.firstIndex(where: { "(,;/[\n".contains($0) }) { text = String(text[..<end]) }
    text = text.trimmed.lowercased()
    return text.isEmpty || text.split(separator: " ").count > 3 ? nil : text
  }
}
