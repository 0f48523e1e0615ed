// The hidden words of a sentence, from the two sides of a card. Invariant: with its gaps filled, it is in the answer.

import Text

/// A sentence to fill in.
///
///     ClozeGaps(prompt: "born in [...] there", answer: "born in 1913 there").hidden   // ["1913"]
struct ClozeGaps: Equatable {
  private(set) var sentence = ""
  private(set) var hidden: [String] = []

  /// A prompt without gaps gets one at its end, for the whole answer.
  init(prompt: String, answer: String) {
    if let (sentence, hidden) = Self.filled(Self.pieces(prompt), from: answer), !hidden.isEmpty {
      (self.sentence, self.hidden) = (sentence, hidden)
    } else {
      (sentence, hidden) = ("\(prompt)  \(Self.blank)", [answer])
    }
  }

  private static let blank = "______________"

  private static func pieces(_ prompt: String) -> [(text: String, bracket: String?)] {
    var pieces: [(text: String, bracket: String?)] = []
    var text = ""
    var rest = Substring(prompt)
    while let open = rest.firstIndex(of: "["), let close = rest[open...].firstIndex(of: "]") {
      text += rest[..<open]
      pieces.append((text, String(rest[rest.index(after: open)..<close])))
      text = ""
      rest = rest[rest.index(after: close)...]
    }
    return pieces + [(text + rest, nil)]
  }

  /// Finds the words of each bracket in the answer; nil if the answer is a different sentence.
  private static func filled(
    _ pieces: [(text: String, bracket: String?)], from answer: String
  ) -> (sentence: String, hidden: [String])? {
    var (sentence, hidden, rest) = ("", [String](), Substring(answer))
    for (place, piece) in pieces.enumerated() {
      guard rest.hasPrefix(matched(piece)) else { return nil }
      rest = rest.dropFirst(matched(piece).count)
      sentence += piece.text
      guard let bracket = piece.bracket else { break }
      if rest.hasPrefix("[\(bracket)]") {
        sentence += "[\(bracket)]"
        rest = rest.dropFirst(bracket.count + 2)
        continue
      }
      let next = pieces[place + 1]
      guard let end = Self.end(of: rest, before: matched(next), isLast: next.bracket == nil) else { return nil }
      hidden.append(String(rest[..<end]))
      sentence += blank + (bracket == "..." ? "" : " (\(bracket))")
      rest = rest[end...]
    }
    return (sentence, hidden)
  }

  /// What the answer must have: of the text after the last gap its line, since a hint may follow.
  private static func matched(_ piece: (text: String, bracket: String?)) -> String {
    piece.bracket == nil ? String(piece.text.prefix { !$0.isNewline }) : piece.text
  }

  /// Returns where the words at the start of an answer end: where the text after their gap begins. At the last gap, an
  /// occurrence of that text at the end of a line is preferred.
  private static func end(of rest: Substring, before next: String, isLast: Bool) -> String.Index? {
    if next.isEmpty { return rest.firstIndex(where: \.isNewline) ?? rest.endIndex }
    let first = rest.firstRange(ofText: next)
    var found = first
    while isLast, let range = found {
      if rest[range.upperBound...].first?.isNewline ?? true { return range.lowerBound }
      found = rest.firstRange(ofText: next, from: rest.utf8.index(after: range.lowerBound))
    }
    return first?.lowerBound
  }
}
