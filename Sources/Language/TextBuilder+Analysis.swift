// The words that a program or a file in CoNLL-U found in a text. Invariant: an analysis that cannot be used leaves
// nothing in the text.

import Files
public import Lexicon
import Problems
import Text

/// What finds the words of texts in a language: a program, or headwords of dictionaries.
public struct WordDivider {
  public var analyser: TextAnalyser?
  public var headwords: HeadwordSet?
  /// Whether words are the longest headwords, rather than those of an analyser joined to headwords.
  public var isByHeadwords = false
  /// Why a language that needs one of them has none here.
  public var failure: LanguageError?

  public init() {}
}

extension TextBuilder {
  /// Finds the words of the paragraphs that wait for an analysis. If that fails, they are found without it, and the
  /// index says why.
  /// - Throws: what `watch` throws, or `FileError` if interrupted.
  public mutating func analyse(watch: (Int) throws -> Void) throws {
    guard let analyser = divider.analyser, !pending.isEmpty else { return }
    let (weight, text) = (weight, bytes)
    do {
      try analyser.withAnalysis(of: text, pending.map(\.bytes), watch: { try watch(weight) }) {
        try add(analysis: $0, named: analyser.name, watch: watch)
      }
    } catch {
      let file = error as? FileError
      guard
        let failed = error as? LanguageError ?? file.map({ .badAnalysis(source: analyser.name, reason: $0.message) }),
        file?.reason != .interrupted
      else { throw error }
      failure = failed
      try text.withUnsafeBufferPointer { text in
        for (range, place) in pending {
          try findWords(of: UnsafeBufferPointer(rebasing: text[range]), base: range.lowerBound, place, watch)
        }
      }
      pending = []
    }
  }

  /// Finds the words of the paragraphs that wait for an analysis, in CoNLL-U.
  /// - Parameter name: of its file or program, for errors.
  /// - Throws: `LanguageError.badAnalysis`, and what `watch` throws.
  public mutating func add(
    analysis: UnsafeBufferPointer<UInt8>, named name: String, watch: (Int) throws -> Void
  ) throws {
    let (text, paragraphs, tokenCount, sentenceCount) = (bytes, pending, tokens.count, sentences.count)
    do {
      var spelling: [UInt8] = []
      try text.withUnsafeBufferPointer { text in
        var reader = AnalysisReader(
          text: text, paragraphs: paragraphs.map(\.bytes), name: name, language: lemmatizer.language,
          tokenizer: tokenizer, headwords: divider.isByHeadwords ? nil : divider.headwords)
        try reader.read(analysis) { range, words in
          if sentences.count & 0xFF == 0 { try watch(weight) }
          let (first, range) = (UInt32(tokens.count), tokenizer.trimmed(text, range))
          for word in words { add(word, of: words, in: text, &spelling) }
          sentences.append(
            TextSentence(
              bytes: UInt32(range.lowerBound)..<UInt32(range.upperBound), tokens: first..<UInt32(tokens.count),
              place: paragraphs[words[0].paragraph].place))
        }
      }
    } catch {
      tokens.removeSubrange(tokenCount...)
      sentences.removeSubrange(sentenceCount...)
      throw error
    }
    pending = []
  }

  /// Adds a word. Its spelling is its form, its lemma and its reading, with tabs between them.
  private mutating func add(
    _ word: AnalysedWord, of words: [AnalysedWord], in text: UnsafeBufferPointer<UInt8>, _ spelling: inout [UInt8]
  ) {
    let meant = word.verb.map { words[$0] } ?? word
    spelling.removeAll(keepingCapacity: true)
    spelling += text[meant.range]
    for part in [meant.lemma, meant.reading] {
      spelling.append(UInt8(ascii: "\t"))
      spelling += part.utf8
    }
    let isCapital = word.kind == .open && Tokenizer.scalar(text, word.range.lowerBound).scalar.isCapital
    tokens.append(
      TextToken(
        start: UInt32(word.range.lowerBound), end: UInt32(word.range.upperBound),
        form: spelling.withUnsafeBufferPointer { spellings.number(of: $0) }, isName: word.kind == .name,
        isFirst: word.range == words[0].range, isCapital: isCapital, isPart: word.kind == .part))
  }
}
