// How the dictionary form of a Japanese word is read. Invariant: pure; a reading in other letters than kana is kept.

import Text

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
