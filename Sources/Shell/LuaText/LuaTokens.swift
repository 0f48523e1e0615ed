// A tokenizer for Lua (reference manual, section 3.1), used for colours, completion and the prompt of an unfinished
// chunk. Invariant: any text yields consecutive tokens, and none of it is run; an unclosed token extends to the end.

import Commands
import Text

struct LuaToken: Equatable {
  enum Kind: Equatable {
    case name, keyword, number, symbol
    /// `isClosed` is false when the end is missing.
    case string(isClosed: Bool)
    case comment(isClosed: Bool)
  }

  let kind: Kind
  let text: String
  /// The position in UTF-8 bytes.
  let range: Range<Int>

  func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }
  func isKeyword(_ keyword: String) -> Bool { kind == .keyword && text == keyword }
  var isString: Bool { if case .string = kind { true } else { false } }
  var isComment: Bool { if case .comment = kind { true } else { false } }

  /// The text between the quotes, with escapes as written.
  var stringContent: String {
    guard case .string(let isClosed) = kind else { return "" }
    if text.hasPrefix("[") {
      let level = text.dropFirst().prefix { $0 == "=" }.count + 2
      return String(text.dropFirst(level).dropLast(isClosed ? level : 0))
    }
    return String(text.dropFirst().dropLast(isClosed ? 1 : 0))
  }
}

/// The tokens of a text, including comments.
func luaTokens(_ text: String) -> [LuaToken] {
  var scanner = LuaScanner(bytes: Array(text.utf8))
  return scanner.all()
}

private struct LuaScanner {
  let bytes: [UInt8]
  var index = 0

  mutating func all() -> [LuaToken] {
    var tokens: [LuaToken] = []
    while let token = next() { tokens.append(token) }
    return tokens
  }

  private func byte(_ offset: Int = 0) -> UInt8? { index + offset < bytes.count ? bytes[index + offset] : nil }

  private mutating func next() -> LuaToken? {
    while let byte = byte(), isASCIISpace(byte) { index += 1 }
    let start = index
    guard let first = byte() else { return nil }
    let kind = take(first)
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    let isKeyword = kind == .name && luaKeywords.contains(text)
    return LuaToken(kind: isKeyword ? .keyword : kind, text: text, range: start..<index)
  }

  private mutating func take(_ first: UInt8) -> LuaToken.Kind {
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(isClosed: takeShortString(first))
    case UInt8(ascii: "-") where byte(1) == UInt8(ascii: "-"):
      index += 2
      if let level = longBracketLevel() { return .comment(isClosed: takeLong(level)) }
      while let byte = byte(), byte != UInt8(ascii: "\n") { index += 1 }
      return .comment(isClosed: true)
    case UInt8(ascii: "["): if let level = longBracketLevel() { return .string(isClosed: takeLong(level)) }
    case _ where isDigit(first) || first == UInt8(ascii: ".") && byte(1).map(isDigit) == true:
      let isHex = byte() == UInt8(ascii: "0") && byte(1).map { $0 | 0x20 } == UInt8(ascii: "x")
      let exponent = UInt8(ascii: isHex ? "p" : "e")
      while let byte = byte(), isNameByte(byte) || byte == UInt8(ascii: ".") {
        index += 1
        let isSign = self.byte() == UInt8(ascii: "+") || self.byte() == UInt8(ascii: "-")
        if byte | 0x20 == exponent, isSign { index += 1 }
      }
      return .number
    case _ where isNameByte(first):
      while let byte = byte(), isNameByte(byte) { index += 1 }
      return .name
    default: break
    }
    takeSymbol()
    return .symbol
  }

  private mutating func takeShortString(_ quote: UInt8) -> Bool {
    index += 1
    while let byte = byte() {
      index += 1
      if byte == quote { return true }
      if byte == UInt8(ascii: "\n") { return false }
      if byte == UInt8(ascii: "\\"), index < bytes.count { index += 1 }
    }
    return false
  }

  /// The number of `=` in a long bracket that opens here; nil when none does.
  private func longBracketLevel() -> Int? {
    guard byte() == UInt8(ascii: "[") else { return nil }
    var level = 0
    while byte(1 + level) == UInt8(ascii: "=") { level += 1 }
    return byte(1 + level) == UInt8(ascii: "[") ? level : nil
  }

  private mutating func takeLong(_ level: Int) -> Bool {
    index += level + 2
    let end = [UInt8(ascii: "]")] + [UInt8](repeating: UInt8(ascii: "="), count: level) + [UInt8(ascii: "]")]
    while index < bytes.count {
      if bytes[index...].starts(with: end) {
        index += end.count
        return true
      }
      index += 1
    }
    return false
  }

  private mutating func takeSymbol() {
    for symbol in ["...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>"]
    where bytes[index...].starts(with: symbol.utf8) {
      index += symbol.utf8.count
      return
    }
    index += 1
    // The remaining bytes of a non-ASCII character, which Lua does not use.
    while let byte = byte(), byte & 0xC0 == 0x80 { index += 1 }
  }

  private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

/// Letters, digits and `_`: the bytes of names and numbers.
func isNameByte(_ byte: UInt8) -> Bool {
  (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
}

/// The parts of an unfinished chunk that still have to be closed, outermost first: `function`, `for`, `(`, `[[`.
func openParts(of chunk: String) -> [String] {
  var open: [String] = []
  var tokens = luaTokens(chunk)[...]
  while let token = tokens.popFirst() {
    switch token.kind {
    case .string(isClosed: false): open.append(token.text.hasPrefix("[") ? "[[" : String(token.text.prefix(1)))
    case .comment(isClosed: false): open.append("--[[")
    case .keyword: take(keyword: token.text, &open)
    case .symbol: take(symbol: token.text, &open)
    default: break
    }
  }
  return open.map { $0.hasSuffix(" ") ? String($0.dropLast()) : $0 }
}

private func take(keyword: String, _ open: inout [String]) {
  switch keyword {
  case "function", "if", "repeat": open.append(keyword)
  // A loop's own `do` opens no further block. The trailing space marks a loop whose `do` is still missing.
  case "for", "while": open.append(keyword + " ")
  case "do":
    if let last = open.last, last.hasSuffix(" ") {
      open[open.count - 1] = String(last.dropLast())
    } else {
      open.append(keyword)
    }
  case "end": if let last = open.last, last != "repeat", !isBracket(last) { open.removeLast() }
  case "until": if open.last == "repeat" { open.removeLast() }
  default: break
  }
}

private func take(symbol: String, _ open: inout [String]) {
  switch symbol {
  case "(", "[", "{": open.append(symbol)
  case ")", "]", "}": if let last = open.last, isBracket(last) { open.removeLast() }
  default: break
  }
}

private func isBracket(_ text: String) -> Bool { text == "(" || text == "[" || text == "{" }
