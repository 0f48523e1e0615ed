// Interprets an analyser's reading of a form: its lemma as people look it up, and how likely it is; and how the
// dictionary form of a Japanese word is read.
// Invariant: pure functions; the ranking of parts of speech is the same for all languages with an analyser; a reading
// in other letters than kana is kept.

import Lexicon
import Text

/// A possible lemma of a form; a lower rank is likelier.
struct LemmaCandidate: Equatable {
  let lemma: String
  let rank: Int32
}

extension [LemmaCandidate] {
  /// Adds a candidate; of two with the same lemma, the likelier one is kept.
  mutating func merge(_ candidate: LemmaCandidate) {
    if let known = firstIndex(where: { $0.lemma == candidate.lemma }) {
      if candidate.rank < self[known].rank { self[known] = candidate }
    } else {
      append(candidate)
    }
  }
}

enum Reading {
  /// Returns the lemma and the rank of a reading in Apertium's notation; nil for a reading that is not a single word.
  /// - Parameter form: in lower case; it is the lemma of a personal pronoun, which the reading leaves open.
  static func candidate(_ reading: String, form: String, code: String) -> LemmaCandidate? {
    let parts = reading.split(separator: "+", omittingEmptySubsequences: false)
    guard let first = parts.first, !first.isEmpty, !first.hasPrefix("*") else { return nil }
    let tags = first.split(separator: "<").dropFirst().map { $0.dropLast() }
    var lemma = lemmaText(first.prefix { $0 != "<" })
    // What follows `#` belongs to a multi-word entry.
    if lemma.contains(" ") { return nil }
    if lemma == "prpers" { lemma = form }
    // `lavar` from `lavarse`, `lavare` from `lavarsi`.
    if tags.first?.hasPrefix("vb") == true,
      let ending = Language.base(code)?.reading.reflexives.first(where: { lemma.hasSuffix($0.key) })
    {
      lemma = lemma.dropLast(ending.key.count) + ending.value
    }
    guard !lemma.isEmpty else { return nil }
    return LemmaCandidate(lemma: lemma, rank: rank(tags, isJoined: parts.count > 1))
  }

  /// Ranks parts of speech by how often they are meant when a form is ambiguous; lower is likelier.
  private static func rank(_ tags: [Substring], isJoined: Bool) -> Int32 {
    guard let part = tags.first else { return 90 }
    switch part {
    case "vbser", "vbhaver", "vaux", "vbmod", "vbaux": return isJoined ? 70 : tags.contains("pp") ? 60 : 0
    case "det", "predet": return 10
    case "adv", "preadv", "cnjcoo", "cnjsub", "rel": return 20
    case "pr", "cnjadv": return 30
    case "n", "num": return 40
    case "adj": return 50
    case "vblex":
      if isJoined { return 70 }
      return tags.contains("pp") ? 60 : 90
    case "prn": return 80
    case "ij": return 100
    default: return 95
    }
  }
}

/// Returns the reading of a lemma, in hiragana: `たべる` for 食べる, of which the form 食べ is read タベ. Forms differ only in
/// their endings, which are kana, but for 来る.
/// - Returns: nil for a word of kana, or without a reading.
public func readingOfLemma(_ lemma: String, form: String, reading: String) -> String? {
  if reading.isEmpty || lemma.unicodeScalars.allSatisfy({ (0x3041...0x30FF).contains($0.value) }) { return nil }
  if lemma == "来る" { return "くる" }
  let (read, length) = (hiragana(reading), zip(form, lemma).prefix { $0 == $1 }.count)
  let ending = hiragana(String(form.dropFirst(length)))
  return read.hasSuffix(ending) ? String(read.dropLast(ending.count)) + lemma.dropFirst(length) : read
}

private func hiragana(_ text: String) -> String {
  let scalars = text.unicodeScalars.map { scalar in
    (0x30A1...0x30F6).contains(scalar.value) ? Unicode.Scalar(scalar.value - 0x60) ?? scalar : scalar
  }
  return String(String.UnicodeScalarView(scalars))
}
