// The sentences that show words: for each word the best one, an order for learning the words of a text, and where the
// words are that a reader looked up. Invariant: a sentence in a plan has at most the requested number of words that
// are unknown at its turn, including the word itself; each looked-up word is found as a lemma, as some words in a row,
// or as a word that its sentence lacks.

import Text

extension TextView {
  /// Returns the sentence that shows each of some lemmas best: of those with the fewest unknown words.
  /// - Parameter poll: called often enough to stop the search in time.
  /// - Returns: indices into `TextIndex.sentences`, by lemma; a lemma that is only in names has none.
  public func bestSentences(for lemmas: [UInt32], poll: () throws -> Void) rethrows -> [UInt32: Int] {
    var wanted = [Bool](repeating: false, count: text.lemmas.count)
    for lemma in lemmas { wanted[Int(lemma)] = true }
    var best: [UInt32: (sentence: Int, worth: SentenceWorth)] = [:]
    for (number, sentence) in text.sentences.enumerated() where missing[number] > 0 {
      let worth = SentenceWorth(self, sentence, unknown: Int(missing[number]))
      if number & 0xFF == 0 { try poll() }
      for token in text.tokens(of: sentence) {
        guard let lemma = lemma(of: token), wanted[Int(lemma)], formStates[Int(token.form)].isMissing else { continue }
        if let known = best[lemma], known.worth <= worth { continue }
        best[lemma] = (number, worth)
      }
    }
    return best.mapValues(\.sentence)
  }

  /// Returns an order in which each sentence has one new word; of the reachable words, the most useful comes first.
  /// - Parameter poll: called often enough to stop the work in time.
  /// - Returns: indices into `TextIndex.lemmas` and `TextIndex.sentences`.
  public func plan(count: Int, poll: () throws -> Void) rethrows -> [(lemma: UInt32, sentence: Int)] {
    var planner = try Planner(self, poll)
    return try planner.run(count: count, poll)
  }

  /// Bytes that making a plan takes.
  public var planWeight: Int { 16 * (text.tokens.count + text.sentences.count) + 160 * text.lemmas.count }
}

/// How well a sentence shows a word; smaller is better.
private struct SentenceWorth: Comparable {
  /// A heading, or half a page: neither shows what a word means.
  let isNoSentence: Bool
  let unknown: Int
  let isBadLength: Bool
  /// It ends without an end mark, as a line of a poem may.
  let isCut: Bool
  let hasNoTranslation: Bool
  let hasName: Bool
  let length: Int

  init(_ view: TextView, _ sentence: TextSentence, unknown: Int) {
    let tokens = view.text.tokens(of: sentence)
    (self.unknown, length) = (unknown, tokens.count)
    isNoSentence = unknown == TextView.heading || !(3...40).contains(tokens.count)
    isBadLength = !(5...15).contains(tokens.count)
    isCut = !view.text.endsWithMark(sentence)
    hasNoTranslation = view.text.place(of: sentence).translation == nil
    hasName = tokens.contains { $0.isName }
  }

  static func < (a: SentenceWorth, b: SentenceWorth) -> Bool {
    if a.isNoSentence != b.isNoSentence { return b.isNoSentence }
    func key(_ worth: SentenceWorth) -> (Int, Int, Int, Int, Int) {
      let faults = (worth.isBadLength ? 2 : 0) + (worth.isCut ? 1 : 0)
      let distance = worth.isBadLength ? max(5 - worth.length, worth.length - 15) : 0
      return (worth.unknown, faults, worth.hasNoTranslation ? 1 : 0, worth.hasName ? 1 : 0, distance)
    }
    return key(a) < key(b)
  }
}

/// The greedy order: of the words that have a sentence without other unknown words, the most frequent comes next.
private struct Planner {
  private let view: TextView
  /// The sentences of each missing lemma; `left` is the number of missing lemmas remaining in each sentence.
  private var postings: [UInt32: [UInt32]] = [:]
  private var left: [Int]
  private var isLearned: [Bool]
  /// The most frequent last; of equally frequent ones, the first in the text is last.
  private var ready: [UInt32] = []
  private var isReady: [Bool]

  init(_ view: TextView, _ poll: () throws -> Void) rethrows {
    self.view = view
    left = view.missing.map { Int($0) }
    isLearned = Array(repeating: false, count: view.text.lemmas.count)
    isReady = isLearned
    let wanted = 1..<Int(TextView.heading)
    for (number, sentence) in view.text.sentences.enumerated() where wanted.contains(left[number]) {
      if number & 0xFF == 0 { try poll() }
      let lemmas = missingLemmas(of: sentence)
      // Count again: the view counts only up to a limit.
      left[number] = lemmas.count
      for lemma in lemmas { postings[lemma, default: []].append(UInt32(number)) }
    }
    for (number, sentence) in view.text.sentences.enumerated() where left[number] == 1 { offer(sentence) }
  }

  private func missingLemmas(of sentence: TextSentence) -> [UInt32] {
    let missing = view.text.tokens(of: sentence).lazy.filter { view.formStates[Int($0.form)].isMissing }
    return missing.compactMap(view.lemma).distinct(by: \.self)
  }

  private mutating func offer(_ sentence: TextSentence) {
    for lemma in missingLemmas(of: sentence) where !isLearned[Int(lemma)] && !isReady[Int(lemma)] {
      isReady[Int(lemma)] = true
      let lemmas = view.text.lemmas
      let place = ready.indices.bisected { index in
        let other = ready[index]
        return (lemmas[Int(other)].count, lemma) < (lemmas[Int(lemma)].count, other)
      }
      ready.insert(lemma, at: place)
    }
  }

  mutating func run(count: Int, _ poll: () throws -> Void) rethrows -> [(lemma: UInt32, sentence: Int)] {
    var plan: [(lemma: UInt32, sentence: Int)] = []
    while plan.count < count, let lemma = ready.popLast() {
      try poll()
      let sentences = postings[lemma, default: []]
      guard let easiest = sentences.filter({ left[Int($0)] == 1 }).min(by: { worth($0) < worth($1) }) else { continue }
      plan.append((lemma, Int(easiest)))
      isLearned[Int(lemma)] = true
      for sentence in sentences {
        left[Int(sentence)] -= 1
        if left[Int(sentence)] == 1 { offer(view.text.sentences[Int(sentence)]) }
      }
    }
    return plan
  }

  private func worth(_ sentence: UInt32) -> SentenceWorth {
    SentenceWorth(view, view.text.sentences[Int(sentence)], unknown: 1)
  }
}

/// A word of a text, and the sentence that shows it.
public struct LookUp: Equatable, Sendable {
  /// What the reader looked up; empty for a word that nobody did.
  public let word: String
  /// Index into `TextIndex.sentences`; nil for a word without letters or digits.
  public let sentence: Int?
  /// The lemma, if the word is one word of the sentence that is no name. Index into `TextIndex.lemmas`.
  public let lemma: UInt32?
  /// The place of a phrase, a name or a hyphenated word in `TextIndex.tokens`; nil if the sentence lacks it.
  public let tokens: Range<Int>?
}

extension LookUp {
  public init(_ lemma: UInt32, in sentence: Int) {
    self.init(word: "", sentence: sentence, lemma: lemma, tokens: nil)
  }
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
      for token in tokens(of: self.sentences[sentence]) where !token.isName {
        let form = forms[Int(token.form)]
        guard let lemma = form.lemmas.first, lemmas.contains(form.text) || lemmas.contains(self.lemmas[Int(lemma)].text)
        else { continue }
        return LookUp(word: word, sentence: sentence, lemma: lemma, tokens: nil)
      }
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
