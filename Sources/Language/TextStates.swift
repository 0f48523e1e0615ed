// What a learner knows of a text: the state of each form, coverage, sentences by unknown words. Invariant: names and
// numbers are no words to know; a form is known when any of its lemmas is.

/// How well a word is known.
public enum WordState: UInt8, CaseIterable, Comparable, Sendable {
  /// Remembered for long.
  case known
  /// Studied, but not for long yet.
  case learning
  /// It has a card that was never studied.
  case new
  /// Not to be learned.
  case ignored
  case unknown

  public static func < (a: WordState, b: WordState) -> Bool { a.rawValue < b.rawValue }

  public var name: String {
    switch self {
    case .known: "known"
    case .learning: "learning"
    case .new: "new"
    case .ignored: "ignored"
    case .unknown: "unknown"
    }
  }

  /// Whether a sentence is harder for it.
  public var isMissing: Bool { self == .unknown || self == .new }
  /// Whether it is still to be learned.
  public var isToLearn: Bool { self != .known && self != .ignored }
}

/// The tokens and lemmas of a state.
public struct StateCount: Equatable, Sendable {
  public var tokens = 0
  public var lemmas = 0
}

/// A text as a learner meets it.
///
///     let view = TextView(text, state: { states[$0] ?? .unknown })
///     view.coverage           // 0.92
///     view.expectedCoverage   // 0.94
public struct TextView: Sendable {
  public let text: TextIndex
  /// By form; numbers count as known.
  public let formStates: [WordState]
  /// By lemma: the state of the lemma itself.
  public let lemmaStates: [WordState]
  /// By form: how likely it is remembered now.
  let recalls: [Double]
  /// How many different words each sentence has that are unknown or new, by their primary lemma.
  public let missing: [UInt16]

  /// - Parameter recall: how likely a lemma is remembered now; nil where its state says all: 1 if it is known, else 0.
  public init(_ text: TextIndex, state: (String) -> WordState, recall: (String) -> Double? = { _ in nil }) {
    self.text = text
    let own = text.lemmas.map { state($0.text) }
    let formStates = text.forms.map { form in form.lemmas.map { own[Int($0)] }.min() ?? .known }
    let recalled = text.lemmas.enumerated().map { recall($1.text) ?? (own[$0] == .known ? 1 : 0) }
    recalls = text.forms.map { form in form.lemmas.map { recalled[Int($0)] }.max() ?? 1 }
    // A lemma counts by its forms: one of them that is known by another reading is known.
    lemmaStates = text.lemmas.enumerated().map { number, lemma in
      min(own[number], lemma.forms.map { formStates[Int($0)] }.max() ?? own[number])
    }
    (self.formStates, missing) = (formStates, Self.missing(text, formStates))
  }

  private static func missing(_ text: TextIndex, _ states: [WordState]) -> [UInt16] {
    var seen: [UInt32] = []
    return text.sentences.map { sentence in
      seen.removeAll(keepingCapacity: true)
      for token in text.tokens(of: sentence) where !token.isName && states[Int(token.form)].isMissing {
        if let lemma = text.forms[Int(token.form)].lemmas.first, !seen.contains(lemma), seen.count < 1_000 {
          seen.append(lemma)
        }
      }
      return UInt16(seen.count)
    }
  }

  /// The state of a token; nil for a name or a number.
  public func state(of token: TextToken) -> WordState? {
    token.isName || text.forms[Int(token.form)].isNumber ? nil : formStates[Int(token.form)]
  }

  /// The likeliest lemma of a token; nil for a name or a number.
  public func lemma(of token: TextToken) -> UInt32? {
    token.isName ? nil : text.forms[Int(token.form)].lemmas.first
  }

  /// How many tokens and lemmas are in a state.
  public func counts() -> [WordState: StateCount] {
    var counts: [WordState: StateCount] = [:]
    for state in WordState.allCases { counts[state] = StateCount() }
    for (number, form) in text.forms.enumerated() where !form.isNumber {
      counts[formStates[number]]?.tokens += form.count
    }
    for (number, lemma) in text.lemmas.enumerated() where lemma.count > 0 {
      counts[lemmaStates[number]]?.lemmas += 1
    }
    return counts
  }

  /// Tokens that are names or numbers.
  public var passedOver: Int {
    text.tokens.count { $0.isName || text.forms[Int($0.form)].isNumber }
  }

  /// The part of all words that are known, names, numbers and what is ignored aside; 1 for a text without words.
  public var coverage: Double {
    let all = countedWords
    return all == 0 ? 1 : Double(counts()[.known]?.tokens ?? 0) / Double(all)
  }

  /// The sentences that have so many unknown or new words.
  public func sentences(missing count: Int) -> Int { missing.count { Int($0) == count } }

  /// The lemmas that are not known, by how many tokens they are; of equal ones the first in the text.
  public func lemmasByGain(where isWanted: (WordState) -> Bool = \.isToLearn) -> [UInt32] {
    text.lemmas.indices.filter { text.lemmas[$0].count > 0 && isWanted(lemmaStates[$0]) }
      .sorted { (-text.lemmas[$0].count, $0) < (-text.lemmas[$1].count, $1) }.map { UInt32($0) }
  }

  /// How many more lemmas, the most useful first, give a coverage; nil where even all of them do not.
  public func lemmasNeeded(for coverage: Double) -> Int? {
    let all = countedWords
    var known = counts()[.known]?.tokens ?? 0
    if Double(known) >= coverage * Double(all) { return 0 }
    for (number, lemma) in lemmasByGain().enumerated() {
      known += text.lemmas[Int(lemma)].count
      if Double(known) >= coverage * Double(all) { return number + 1 }
    }
    return nil
  }
}
