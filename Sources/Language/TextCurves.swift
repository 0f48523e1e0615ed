// Coverage as a curve: along a text, as more lemmas are learned, and with words that are forgotten. Invariant: names,
// numbers and ignored words are not counted; every share is from 0 to 1.

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
