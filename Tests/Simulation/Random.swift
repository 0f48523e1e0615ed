// The random generator of a run, and the words that plans are made of. Invariant: a run draws from a single stream, so
// the same seed gives the same plan.

import Values

struct Random {
  private var numbers: SeededNumbers

  init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &numbers) }

  /// True with probability 1 in `count`.
  mutating func happens(onceIn count: Int) -> Bool { number(1...count) == 1 }

  mutating func pick<T>(_ list: [T]) -> T { list[number(0...(list.count - 1))] }

  /// A random element; nil if the list is empty.
  mutating func any<T>(_ list: [T]) -> T? { list.isEmpty ? nil : pick(list) }

  mutating func seed() -> UInt64 { numbers.next() }
}

/// Texts as users and files supply them, including unexpected ones.
enum OddWords {
  /// Sizes at and next to common buffer sizes.
  static let sizes: [Int] = (8...17).flatMap { [1 << $0 - 1, 1 << $0, 1 << $0 + 1] }

  static let plain = [
    "el perro", "the dog", "gato", "cat", "la casa", "haus", "uno", "dos", "tres", "run", "to run", "agua", "water",
  ]

  static let odd = [
    "", " ", "  x  ", "a\nb", "a\tb", "a\r\nb", "\"", "'", "\\", ",", ";", "<b>x</b>", "<br>", "&amp;", "&", "<",
    "{{Front}}", "{{c1::x}}", "{{c1::x}} {{c2::y::hint}}", "{{c1::{{c2::in}}}}", "{{#Front}}", "\u{1F}", "\u{0}", "é",
    "e\u{301}", "ß", "İ", "ñ", "👩‍👩‍👧", "\u{202E}rtl", "\u{200B}", "\u{FEFF}x", "-x", "--", "--json", "a::b", "::",
    "a::", "tag with space", "#sep:tab", "# title", "- item", "| a | b |", "```", "[sound:x.mp3]", "<img src=x.png>",
    "[$]x[/$]", "=1+1", "null", "0", "-1", "9223372036854775807", "1e308", "NaN", "*", "%", "_", "a*", "tag:x",
    "is:due", "or", "(", "\u{85}", "\u{2028}", "a ",
  ]

  /// The words of the only language; few, so that guesses are often right.
  static let list = [
    "act", "age", "amber", "anagram", "are", "arm", "bare", "bear", "bearing", "begin", "being", "big", "brain", "café",
    "cambering", "can", "car", "care", "cat", "cinema", "crab", "crane", "cream", "crime", "dog", "ear", "game",
    "grace", "grain", "image", "level", "mace", "magic", "main", "manic", "margin", "mince", "nice", "race", "rain",
    "range", "bearings", "creaming", "grimaces", "reaching", "rice", "ring", "tac", "water",
  ]

  static let decks = ["A", "B", "a", "A::B", "A::B::C", "B::A", "Ä", "Default", "x y"]
  static let tags = ["x", "y", "X", "x::y", "é", "leech", "marked", "a,b", "x y", ""]

  static func text(_ chance: inout Random) -> String {
    switch chance.number(1...20) {
    case 1...11: chance.pick(plain)
    case 12...16: chance.pick(odd)
    case 17...18: chance.pick(odd) + chance.pick(plain) + chance.pick(odd)
    case 19: String(repeating: chance.pick(["a", "é", "\n", "x y ", "<", "\""]), count: chance.number(1...300))
    default: run(chance.pick(sizes), &chance)
    }
  }

  /// Returns a text of exactly `size` bytes.
  static func run(_ size: Int, _ chance: inout Random) -> String {
    let head = chance.happens(onceIn: 2) ? chance.pick(plain) : ""
    return head + String(repeating: "a", count: max(0, size - head.utf8.count))
  }
}
