// What a learner knows of a text: the state of each form, coverage (also as a curve along the text, as more lemmas are
// learned, and with words that are forgotten), sentences by number of unknown words. Invariant: names and numbers are
// not words to learn, and with ignored words they are not counted; a form is known if any of its lemmas is; every share
// is from 0 to 1.

/// How well a word is known.
public enum WordState: UInt8, CaseIterable, Comparable, Sendable {
  /// Remembered for a long time.
  case known
  /// Being studied, but not yet remembered for long.
  case learning
  /// Has a card that was never studied.
  case new
  /// Excluded from learning.
  case ignored
  case unknown

  public static func < (a: WordState, b: WordState) -> Bool { a.rawValue < b.rawValue }

  public var name: String { "\(self)" }

  /// Whether the word makes a sentence harder.
  public var isMissing: Bool { self == .unknown || self == .new }
  public var isToLearn: Bool { self != .known && self != .ignored }
}

/// The number of tokens and lemmas in a state.
public struct StateCount: Equatable, Sendable {
  public var tokens = 0
  public var lemmas = 0
}

/// A text with a learner's knowledge of its words.
public struct TextView: Sendable {
  public let text: TextIndex
  /// By form; numbers count as known.
  public let formStates: [WordState]
  public let lemmaStates: [WordState]
  /// By form: the probability that it is remembered now.
  let recalls: [Double]
  /// By sentence: the number of distinct unknown or new words, by their primary lemma; `heading` for a heading.
  public let missing: [UInt16]
  /// In place of the number of unknown words: a heading is no sentence, so it never counts as an easy one.
  public static let heading = UInt16.max
  /// The number of sentences, without headings.
  public var sentenceCount: Int { missing.count { $0 != Self.heading } }

  /// - Parameter recall: the probability that a lemma is remembered now; nil: 1 if known, otherwise 0.
  public init(_ text: TextIndex, state: (String) -> WordState, recall: (String) -> Double? = { _ in nil }) {
    self.text = text
    let own = text.lemmas.map { state($0.text) }
    let formStates = text.forms.map { form in form.lemmas.map { own[Int($0)] }.min() ?? .known }
    let recalled = text.lemmas.enumerated().map { recall($1.text) ?? (own[$0] == .known ? 1 : 0) }
    recalls = text.forms.map { form in form.lemmas.map { recalled[Int($0)] }.max() ?? 1 }
    // A lemma is at least as well known as the least known of its forms, which may be known through other lemmas.
    lemmaStates = text.lemmas.enumerated().map { number, lemma in
      min(own[number], lemma.forms.map { formStates[Int($0)] }.max() ?? own[number])
    }
    (self.formStates, missing) = (formStates, Self.missing(text, formStates))
  }

  private static func missing(_ text: TextIndex, _ states: [WordState]) -> [UInt16] {
    var seen = [Int32](repeating: -1, count: text.lemmas.count)
    return text.sentences.enumerated().map { number, sentence in
      if text.place(of: sentence).isHeading { return heading }
      var count: UInt16 = 0
      for token in text.tokens(of: sentence) where !token.isName && states[Int(token.form)].isMissing {
        guard let lemma = text.forms[Int(token.form)].lemmas.first, seen[Int(lemma)] != number, count < 1_000 else {
          continue
        }
        seen[Int(lemma)] = Int32(truncatingIfNeeded: number)
        count += 1
      }
      return count
    }
  }

  /// Returns the state of a token; nil for a name or a number.
  public func state(of token: TextToken) -> WordState? {
    token.isName || text.forms[Int(token.form)].isNumber ? nil : formStates[Int(token.form)]
  }

  public func lemma(of token: TextToken) -> UInt32? { token.isName ? nil : text.lemma(of: token) }

  /// Returns the number of tokens and lemmas in each state.
  public func counts() -> [WordState: StateCount] {
    var counts = [StateCount](repeating: StateCount(), count: WordState.allCases.count)
    for (number, form) in text.forms.enumerated() where !form.isNumber {
      counts[Int(formStates[number].rawValue)].tokens += form.count
    }
    for (number, lemma) in text.lemmas.enumerated() where lemma.count > 0 {
      counts[Int(lemmaStates[number].rawValue)].lemmas += 1
    }
    return Dictionary(uniqueKeysWithValues: zip(WordState.allCases, counts))
  }

  /// The number of its words, without names and numbers. A particle is counted with its verb.
  public var words: Int { text.forms.reduce(0) { $0 + ($1.isNumber ? 0 : $1.count) } }

  public var passedOver: Int { text.tokens.count { $0.isName || text.forms[Int($0.form)].isNumber } }

  /// The share of all words that are known, not counting names, numbers and ignored words; 1 for a text without words.
  public var coverage: Double {
    let all = countedWords
    return all == 0 ? 1 : Double(counts()[.known]?.tokens ?? 0) / Double(all)
  }

  /// Returns how many sentences have exactly that many unknown or new words.
  public func sentences(missing count: Int) -> Int { missing.count { Int($0) == count } }

  /// Returns the lemmas in the wanted states (by default those to be learned) by number of tokens, then in text order.
  public func lemmasByGain(where isWanted: (WordState) -> Bool = \.isToLearn) -> [UInt32] {
    text.lemmas.indices.filter { text.lemmas[$0].count > 0 && isWanted(lemmaStates[$0]) }
      .sorted { (-text.lemmas[$0].count, $0) < (-text.lemmas[$1].count, $1) }.map { UInt32($0) }
  }

  /// Returns the number of tokens that become known with a lemma: those of its forms that are still to be learned.
  func gain(of lemma: UInt32) -> Int {
    text.lemmas[Int(lemma)].forms.reduce(0) { sum, form in
      formStates[Int(form)].isToLearn ? sum + text.forms[Int(form)].count : sum
    }
  }

  /// Returns how many more lemmas, the most useful first, reach a coverage; nil if even all of them do not.
  public func lemmasNeeded(for coverage: Double) -> Int? {
    let all = countedWords
    var known = counts()[.known]?.tokens ?? 0
    if Double(known) >= coverage * Double(all) { return 0 }
    for (number, lemma) in lemmasByGain().enumerated() {
      known += gain(of: lemma)
      if Double(known) >= coverage * Double(all) { return number + 1 }
    }
    return nil
  }
}

extension String {
  /// Returns the text, cut after a number of characters.
  public func shortened(to limit: Int) -> String {
    guard utf8.count > limit, let end = index(startIndex, offsetBy: limit, limitedBy: endIndex), end < endIndex else {
      return self
    }
    return self[..<end] + "…"
  }
}

extension TextView {
  private var countedForms: [Int] {
    text.forms.indices.filter { !text.forms[$0].isNumber && formStates[$0] != .ignored }
  }

  /// The number of counted words: all tokens except names, numbers and ignored words.
  public var countedWords: Int { countedForms.reduce(0) { $0 + text.forms[$1].count } }

  /// The share of all words that is remembered today according to the memory model; 1 for a text without words.
  public var expectedCoverage: Double {
    let all = countedWords
    let sum = countedForms.reduce(0.0) { $0 + Double(text.forms[$1].count) * recalls[$1] }
    return all == 0 ? 1 : min(1, sum / Double(all))
  }

  /// Returns the coverage of each part of the text, in order; all parts have the same number of words.
  public func coverage(ofParts count: Int) -> [Double] {
    let count = max(1, min(count, text.tokens.count))
    return (0..<count).map { part in
      var (known, all) = (0, 0)
      for token in text.tokens[(part * text.tokens.count / count)..<((part + 1) * text.tokens.count / count)] {
        guard let state = state(of: token), state != .ignored else { continue }
        all += 1
        if state == .known { known += 1 }
      }
      return all == 0 ? 1 : Double(known) / Double(all)
    }
  }

  /// Returns the coverage as more lemmas are learned, the most useful first: `steps + 1` values, from none to all.
  public func coverage(afterLemmas most: Int, steps: Int) -> [Double] {
    let (all, gains) = (Double(max(1, countedWords)), lemmasByGain().prefix(most))
    var sums = [coverage * all]
    for lemma in gains { sums.append(sums[sums.count - 1] + Double(gain(of: lemma))) }
    return (0...max(1, steps)).map { min(1, sums[$0 * (sums.count - 1) / max(1, steps)] / all) }
  }
}
