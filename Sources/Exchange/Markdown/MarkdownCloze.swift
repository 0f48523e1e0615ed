// Clozes within a Markdown paragraph: `==word==` and `{{c1::word}}`.
// Invariant: everything else is unchanged; time is linear in the length.

import Text

/// Converts inline marks of clozes.
enum MarkdownCloze {
  /// Returns a paragraph with its clozes in Anki's notation; nil when it has none. `==x==` gets the next number after
  /// the highest one in the paragraph. Marks within backquotes are text, and so are marks after a backslash, which is
  /// kept.
  static func text(of paragraph: String) -> String? {
    if !paragraph.utf8.contains(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "{") }) { return nil }
    let bytes = Array(paragraph.utf8)
    let highest = highestNumber(in: bytes)
    var number = highest
    let pairs = pairs(in: bytes)
    if highest == 0, pairs.isEmpty { return nil }
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if let isOpening = pairs[index] {
        if isOpening { number += 1 }
        result.append(contentsOf: (isOpening ? "{{c\(number)::" : "}}").utf8)
        index += 2
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the length of an escape including its backslash; nil when none begins here.
  private static func escapeLength(_ bytes: [UInt8], _ index: Int) -> Int? {
    bytes[index] == UInt8(ascii: "\\") && index + 1 < bytes.count ? 2 : nil
  }

  /// Returns the positions of `==` that open (true) or close (false) a cloze that is not empty. As other programs read
  /// it, a `==` before a blank opens nothing and one after a blank closes nothing, as in `a == b`.
  private static func pairs(in bytes: [UInt8]) -> [Int: Bool] {
    var places: [Int] = []
    var unclosed: Set<Int> = []
    var index = 0
    while index < bytes.count {
      if let length = escapeLength(bytes, index) {
        index += length
      } else if bytes[index] == UInt8(ascii: "="), index + 1 < bytes.count, bytes[index + 1] == bytes[index] {
        places.append(index)
        index += 2
      } else {
        index = bytes[index] == UInt8(ascii: "`") ? MarkdownSpans.codeEnd(bytes, index, &unclosed) : index + 1
      }
    }
    var (pairs, open): ([Int: Bool], Int?) = ([:], nil)
    for place in places {
      if let start = open {
        if isASCIISpace(bytes[place - 1]) { continue }
        if place > start + 2 { (pairs[start], pairs[place]) = (true, false) }
        open = nil
      } else if place + 2 < bytes.count, !isASCIISpace(bytes[place + 2]) {
        open = place
      }
    }
    return pairs
  }

  /// Returns the highest number in `{{c3::...}}`; 0 when there is none.
  private static func highestNumber(in bytes: [UInt8]) -> Int {
    var highest = 0
    var index = 0
    while index < bytes.count {
      if let length = escapeLength(bytes, index) {
        index += length
        continue
      }
      if bytes[index...].starts(with: "{{c".utf8) {
        let digits = bytes[(index + 3)...].prefix(4).prefix { (0x30...0x39).contains($0) }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        if bytes[(index + 3 + digits.count)...].starts(with: "::".utf8), number < 500 { highest = max(highest, number) }
      }
      index += 1
    }
    return highest
  }
}
