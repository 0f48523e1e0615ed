// Where the words that a reader looked up are in their sentences.
// Invariant: each looked-up word is found as a lemma, as some words in a row, or as a word that its sentence lacks.

import Text

public struct LookUp: Equatable, Sendable {
  public let word: String
  /// Index into `TextIndex.sentences`; nil for a word without letters or digits.
  public let sentence: Int?
  /// The lemma, if the word is one word of the sentence that is no name. Index into `TextIndex.lemmas`.
  public let lemma: UInt32?
  /// The place of a phrase, a name or a hyphenated word in `TextIndex.tokens`; nil if the sentence lacks it.
  public let tokens: Range<Int>?
}

extension TextIndex {
  public func lookUps(lemmas: (String) -> [String]) -> [LookUp] {
    var next = 0
    return places.enumerated().compactMap { number, place in
      let start = next
      while next < sentences.count, sentences[next].place == number { next += 1 }
      return place.word.map { lookUp($0, in: start..<next, lemmas($0)) }
    }
  }

  private func lookUp(_ word: String, in sentences: Range<Int>, _ lemmas: [String]) -> LookUp {
    for sentence in sentences {
      guard let lemma = lemmaLookedUp(in: self.sentences[sentence], of: lemmas) else { continue }
      return LookUp(word: word, sentence: sentence, lemma: lemma, tokens: nil)
    }
    let wanted = folded(word)
    for sentence in sentences {
      guard let tokens = tokens(of: wanted, in: self.sentences[sentence]) else { continue }
      return LookUp(word: word, sentence: sentence, lemma: nil, tokens: tokens)
    }
    return LookUp(word: word, sentence: sentences.first, lemma: nil, tokens: nil)
  }

  private func tokens(of phrase: String, in sentence: TextSentence) -> Range<Int>? {
    let (range, longest) = (tokenRange(of: sentence), phrase.utf8.count * 3 + 8)
    for first in range {
      for last in first..<range.upperBound {
        let bytes = bytes[Int(tokens[first].start)..<Int(tokens[last].end)]
        if bytes.count > longest { break }
        if folded(String(decoding: bytes, as: UTF8.self)) == phrase { return first..<last + 1 }
      }
    }
    return nil
  }

  private func folded(_ text: String) -> String {
    text.replacingApostrophes.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
