// The normal form of a text, which the lexicon compares: trimmed, composed, in small letters and without marks of
// stress by the language's rules, without accents on request. Invariant: normalising twice gives the same as once, and
// the words of a compiled list are in normal form.

import Text

/// Returns `text` trimmed, in NFC, lowercased and without marks of stress by the rules of `language`; with
/// `foldAccents` also without accents, except those of letters of their own in that language (à becomes a, ñ stays).
public func normalize(_ text: String, language: Language, foldAccents: Bool = false) -> String {
  var text = text
  if text.withUTF8(isPlain) { return text }
  var lowered = lowercased(text.trimmed, letterCase: language.letterCase).composed
  if language.marksStress { lowered = withoutStress(lowered) }
  return foldAccents ? folded(lowered, keeping: language.ownLetters) : lowered
}

/// Returns a text in NFC without combining acute accents; those of Latin letters are part of the letters there.
func withoutStress(_ text: String) -> String {
  guard text.unicodeScalars.contains("\u{301}") else { return text }
  var scalars = text.unicodeScalars
  scalars.removeAll { $0 == "\u{301}" }
  return String(scalars).composed
}

func lowercased(_ text: String, letterCase: LetterCase) -> String {
  switch letterCase {
  case .plain, .nouns: return text.lowercased()
  case .dotless:
    let scalars = text.composed.unicodeScalars.map { scalar -> Unicode.Scalar in
      scalar == "I" ? "ı" : scalar == "İ" ? "i" : scalar
    }
    return String(String.UnicodeScalarView(scalars)).lowercased()
  case .finalSigma: return withFinalSigma(text.lowercased())
  }
}

/// Writes each σ at the end of a word as ς, and each ς inside a word as σ.
private func withFinalSigma(_ text: String) -> String {
  var scalars = Array(text.unicodeScalars)
  for index in scalars.indices where scalars[index] == "σ" || scalars[index] == "ς" {
    let after = scalars[(index + 1)...].first { !$0.isMark }
    let before = scalars[..<index].last { !$0.isMark }
    let ends = before?.isLetter == true && after?.isLetter != true
    scalars[index] = ends ? "ς" : "σ"
  }
  return String(String.UnicodeScalarView(scalars))
}

/// Returns the text without the marks on its letters, except for ñ and the letters in `kept`.
func folded(_ text: String, keeping kept: String) -> String {
  if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
  var result = String.UnicodeScalarView()
  for letter in text.composed {
    if letter == "ñ" || kept.contains(letter) {
      result.append(contentsOf: letter.unicodeScalars)
    } else {
      result.append(contentsOf: String(letter).decomposed.unicodeScalars.filter { !$0.isMark })
    }
  }
  // The parts of a Korean letter are not marks, so composing them restores the letter.
  return String(result).composed
}

/// Returns the letters of a text as they are counted: ς is the letter σ at the end of a word.
public func countedLetters(_ text: String) -> [Character] {
  text.map { (letter: Character) -> Character in letter == "ς" ? "σ" : letter }
}

/// Returns whether `word` can be formed from `letters`, each used at most as often as it occurs there; a `?` is a blank
/// that stands for any letter. Both are compared as they are: normalise them first if case or accents may differ.
public func canForm(letters: String, word: String) -> Bool {
  var available: [Character: Int] = [:]
  for letter in countedLetters(letters) { available[letter, default: 0] += 1 }
  for letter in countedLetters(word) {
    if let left = available[letter], left > 0 {
      available[letter] = left - 1
    } else if let blanks = available["?"], blanks > 0 {
      available["?"] = blanks - 1
    } else {
      return false
    }
  }
  return true
}
