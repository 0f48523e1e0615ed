// Post-processing of cairo's SVG: ids numbered from 1, and a title and description for accessibility.
// Invariant: a drawing does not depend on how many were drawn before it in the same process.

struct SVGText {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func finished(title: String, summary: String) -> [UInt8] {
    let numbered = renumbered()
    guard let end = endOfOpeningTag(numbered) else { return numbered }
    let words =
      "\n<title id=\"title\">\(escaped(title))</title>\n<desc id=\"description\">\(escaped(summary))</desc>"
    let opening = numbered[..<end] + Array(" role=\"img\" aria-labelledby=\"title description\"".utf8)
    return opening + [UInt8(ascii: ">")] + Array(words.utf8) + numbered[(end + 1)...]
  }

  /// Returns the index of the `>` of the svg element.
  private func endOfOpeningTag(_ text: [UInt8]) -> Int? {
    let tag = Array("<svg".utf8)
    guard let start = text.indices.first(where: { text[$0] == tag[0] && text[$0...].starts(with: tag) }) else {
      return nil
    }
    return text[start...].firstIndex(of: UInt8(ascii: ">"))
  }

  private func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      // Characters that XML 1.0 does not allow.
      case "\0"..<"\u{9}", "\u{B}"..<" ", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  // MARK: - Ids

  /// Renames ids, links and url(#…) references, whose names end in numbers: the first name becomes 1, and so on.
  private func renumbered() -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var numbers: [[UInt8]: Int] = [:]
    var position = 0
    while position < bytes.count {
      guard let start = startOfName(at: position) else {
        result.append(bytes[position])
        position += 1
        continue
      }
      result += bytes[position..<start]
      let name = bytes[start...].prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: ")") }
      let number = numbers[Array(name), default: numbers.count + 1]
      numbers[Array(name)] = number
      result += Array("n\(number)".utf8)
      position = name.endIndex
    }
    return result
  }

  /// Returns where a name begins if one of its three contexts starts here. Base64 pictures contain no quotes or
  /// brackets, so they cannot match.
  private func startOfName(at position: Int) -> Int? {
    switch bytes[position] {
    case UInt8(ascii: " "): after("id=\"", at: position + 1)
    case UInt8(ascii: "\""): after("#", at: position + 1)
    case UInt8(ascii: "("): after("#", at: position + 1)
    default: nil
    }
  }

  private func after(_ text: StaticString, at position: Int) -> Int? {
    let count = text.utf8CodeUnitCount
    guard position + count <= bytes.count else { return nil }
    for offset in 0..<count where bytes[position + offset] != text.utf8Start[offset] { return nil }
    return position + count
  }
}
