// Clozes within a paragraph of Markdown: `==word==` and `{{c1::word}}`.
// Invariant: a text that was escaped is read back as the same; time grows with the length only.

import Text

/// Inline marks of clozes.
enum MarkdownCloze {
  /// A paragraph's clozes as Anki writes them, nil when it has none. `==x==` counts on from the highest number that is
  /// there; in backquotes it is text. A backslash makes a text of `==`, of `{{` and of another one.
  static func text(of paragraph: String) -> String? {
    let bytes = Array(paragraph.utf8)
    let highest = highestNumber(in: bytes)
    var number = highest
    let pairs = pairs(in: bytes)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if let length = escapeLength(bytes, index) {
        result.append(contentsOf: bytes[(index + 1)..<(index + length)])
        index += length
      } else if let isOpening = pairs[index] {
        if isOpening { number += 1 }
        result.append(contentsOf: (isOpening ? "{{c\(number)::" : "}}").utf8)
        index += 2
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return number > 0 ? String(decoding: result, as: UTF8.self) : nil
  }

  /// A text with clozes as Anki writes them, so that it is read back unchanged.
  static func escaped(_ text: String) -> String {
    text.replacing(text: "\\", with: "\\\\").replacing(text: "==", with: "\\==")
  }

  /// How many bytes an escape has with its backslash; nil where none begins.
  private static func escapeLength(_ bytes: [UInt8], _ index: Int) -> Int? {
    guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else { return nil }
    let next = bytes[index + 1]
    if next == UInt8(ascii: "\\") { return 2 }
    guard next == UInt8(ascii: "=") || next == UInt8(ascii: "{"), index + 2 < bytes.count, bytes[index + 2] == next
    else {
      return nil
    }
    return 3
  }

  /// The places of `==` that open (true) or close a cloze with something in it.
  private static func pairs(in bytes: [UInt8]) -> [Int: Bool] {
    var places: [Int] = []
    var isCode = false
    var index = 0
    while index < bytes.count {
      if let length = escapeLength(bytes, index) {
        index += length
      } else if bytes[index] == UInt8(ascii: "="), index + 1 < bytes.count, bytes[index + 1] == bytes[index], !isCode {
        places.append(index)
        index += 2
      } else {
        if bytes[index] == UInt8(ascii: "`") { isCode.toggle() }
        index += 1
      }
    }
    var pairs: [Int: Bool] = [:]
    for pair in stride(from: 0, to: places.count - 1, by: 2) where places[pair + 1] > places[pair] + 2 {
      pairs[places[pair]] = true
      pairs[places[pair + 1]] = false
    }
    return pairs
  }

  /// Of `{{c3::...}}`; 0 when there is none.
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
