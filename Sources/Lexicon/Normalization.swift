// A text as the lexicon compares it: trimmed, composed, in small letters by the language's rules, without accents on
// request. Invariant: normalising twice gives the same as once, and a word of a compiled list is its own normal form.

import Text

/// `text` trimmed, in NFC, lowercased by the rules of `language`; with `foldAccents` without the accents of letters
/// that are not letters of their own there (à becomes a, ñ stays).
public func normalize(_ text: String, language: Language, foldAccents: Bool = false) -> String {
  if hasPlainBytes(text.utf8) { return text }
  let lowered = lowercased(text.trimmed, letterCase: language.letterCase).composed
  return foldAccents ? folded(lowered, keeping: language.ownLetters) : lowered
}

/// Whether bytes are small ASCII letters only: already normal in every language.
func hasPlainBytes(_ bytes: some Sequence<UInt8>) -> Bool {
  for byte in bytes where byte < 0x61 || byte > 0x7A { return false }
  return true
}

/// Small letters by the rules of a language.
func lowercased(_ text: String, letterCase: LetterCase) -> String {
  switch letterCase {
  case .plain, .nouns: return text.lowercased()
  case .dotless:
    var scalars = String.UnicodeScalarView()
    for scalar in text.composed.unicodeScalars {
      scalars.append(scalar == "I" ? "ı" : scalar == "İ" ? "i" : scalar)
    }
    return String(scalars).lowercased()
  case .finalSigma: return withFinalSigma(text.lowercased())
  }
}

/// Each σ that ends a word written ς, and each ς within one written σ.
private func withFinalSigma(_ text: String) -> String {
  var scalars = Array(text.unicodeScalars)
  for index in scalars.indices where scalars[index] == "σ" || scalars[index] == "ς" {
    let after = scalars[(index + 1)...].first { !$0.isMark }
    let before = scalars[..<index].last { !$0.isMark }
    let ends = before?.isLetter == true && after?.isLetter != true
    scalars[index] = ends ? "ς" : "σ"
  }
  var view = String.UnicodeScalarView()
  view.append(contentsOf: scalars)
  return String(view)
}

/// The text without the marks on its letters, but for the letters in `kept` and ñ, which are letters of their own.
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
  // The parts of a Korean letter are no marks, and make it again.
  return String(result).composed
}

/// Whether `word` can be laid with `letters`, each used as often as it stands there; a `?` is a blank that stands for
/// any letter. Both are taken as they are: normalise them first where case or accents may differ.
public func canForm(letters: String, word: String) -> Bool {
  var available: [Character: Int] = [:]
  for letter in letters { available[letter, default: 0] += 1 }
  for letter in word {
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
