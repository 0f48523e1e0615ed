// Words hidden in a square of letters. Invariant: each placed word can be read to the right, down or diagonally.

import Values

/// A square of letters.
struct WordSearch: Equatable {
  private(set) var letters: [[Character]]
  /// Whether a letter belongs to a word.
  private(set) var isWord: [[Bool]]
  /// The indices in `words` of the words that are in the square.
  private(set) var placed: [Int] = []

  static let sizes = 10...18
  /// The number of letters that a hidden word may have.
  static let lengths = 2...16

  /// The form in which a text is hidden: its letters alone, in capitals. Nil if there are too few or too many letters,
  /// more than three words, or a line break.
  static func word(of text: String) -> [Character]? {
    guard text.split(separator: " ").count <= 3, !text.contains(where: \.isNewline) else { return nil }
    let letters = text.uppercased().filter(\.isLetter).map { $0 }
    return lengths.contains(letters.count) ? letters : nil
  }

  /// Hides as many words as fit, the longest first. The first word always fits, because the square is empty.
  init(_ words: [[Character]], numbers: inout SeededNumbers) {
    let room = Double(words.reduce(0) { $0 + $1.count }) * 2
    let longest = words.map(\.count).max() ?? 0
    let size = min(max(Self.sizes.lowerBound, longest, Int(room.squareRoot().rounded(.up))), Self.sizes.upperBound)
    var square: [[Character?]] = Array(repeating: Array(repeating: nil, count: size), count: size)
    let longestFirst = words.indices.sorted { (words[$1].count, $0) < (words[$0].count, $1) }
    for place in longestFirst where Self.hide(words[place], in: &square, &numbers) { placed.append(place) }
    isWord = square.map { $0.map { $0 != nil } }
    let all = words.flatMap { $0 }
    letters = square.map { row in row.map { $0 ?? all.randomElement(using: &numbers) ?? "A" } }
    placed.sort()
  }

  private static let steps = [(1, 0), (0, 1), (1, 1), (1, -1)]

  private static func hide(
    _ word: [Character], in square: inout [[Character?]], _ numbers: inout SeededNumbers
  ) -> Bool {
    let size = square.count
    for _ in 0..<400 {
      let (right, down) = steps[Int.random(in: 0..<steps.count, using: &numbers)]
      let x = Int.random(in: 0..<size, using: &numbers)
      let y = Int.random(in: 0..<size, using: &numbers)
      let (endX, endY) = (x + right * (word.count - 1), y + down * (word.count - 1))
      guard endX < size, (0..<size).contains(endY) else { continue }
      let places = word.indices.map { (x + right * $0, y + down * $0) }
      guard zip(word, places).allSatisfy({ square[$1.1][$1.0] == nil || square[$1.1][$1.0] == $0 }) else { continue }
      for (letter, place) in zip(word, places) { square[place.1][place.0] = letter }
      return true
    }
    return false
  }
}
