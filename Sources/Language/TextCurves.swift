// Coverage as it grows: along a text, with what is learned, with what is forgotten. Invariant: names, numbers and what
// is ignored count for nothing; every share is from 0 to 1.

extension TextView {
  /// The words that are counted: all tokens but names, numbers and what is ignored.
  public var countedWords: Int {
    var count = 0
    for (number, form) in text.forms.enumerated() where !form.isNumber && formStates[number] != .ignored {
      count += form.count
    }
    return count
  }

  /// The part of all words that is remembered today, as the memory model expects it; 1 for a text without words.
  public var expectedCoverage: Double {
    let all = countedWords
    var sum = 0.0
    for (number, form) in text.forms.enumerated() where !form.isNumber && formStates[number] != .ignored {
      sum += Double(form.count) * recalls[number]
    }
    return all == 0 ? 1 : min(1, sum / Double(all))
  }

  /// The coverage of each part of the text, in its order; parts of as many words each.
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

  /// The coverage after so many more lemmas, the most useful first: `steps + 1` figures, from none of them to all.
  public func coverage(afterLemmas most: Int, steps: Int) -> [Double] {
    let (all, gains) = (Double(max(1, countedWords)), lemmasByGain().prefix(most))
    var sums = [coverage * all]
    for lemma in gains { sums.append(sums[sums.count - 1] + Double(text.lemmas[Int(lemma)].count)) }
    return (0...max(1, steps)).map { min(1, sums[$0 * (sums.count - 1) / max(1, steps)] / all) }
  }
}
