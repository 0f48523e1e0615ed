// Regular expressions. Matching takes at most time proportional to the length of the text times that of the
// expression, because all ways to match are followed at the same time (Thompson, "Regular expression search
// algorithm", 1968).
// Invariant: an expression has at most 2,000 instructions; whatever would need to go back in the text (back
// references, lookaround) is not supported.

import Templates

/// A compiled expression. It is case-insensitive.
struct TextExpression: Equatable {
  enum Instruction: Equatable {
    case character(UInt32)
    case any
    /// One of the ranges, or none of them if `isNegated` is true.
    case set([ClosedRange<UInt32>], isNegated: Bool)
    /// Continues at both.
    case split(Int, Int)
    case jump(Int)
    case start
    case end
    case wordBoundary(Bool)
    case match
  }

  static let longest = 2000

  fileprivate(set) var program: [Instruction] = []

  /// - Throws: an error with the offset in characters and a text that completes "... expected".
  init(_ source: String) throws(ExpressionError) {
    var compiler = ExpressionCompiler(Array(source))
    program = try compiler.compile()
  }
}

struct ExpressionError: Error {
  let offset: Int
  let expected: String
}

// MARK: Matching

/// Matches an expression against texts; it reuses its buffers.
final class ExpressionMatcher {
  private let program: [TextExpression.Instruction]
  private var current: [Int] = []
  private var next: [Int] = []
  /// The step at which each instruction was last added to a list.
  private var seen: [Int]
  private var stack: [Int] = []
  private var step = 0

  init(_ expression: TextExpression) {
    program = expression.program
    seen = Array(repeating: 0, count: program.count)
  }

  /// Whether the expression matches anywhere in a text.
  func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var (index, before): (Int, UInt32?) = (0, nil)
    current.removeAll(keepingCapacity: true)
    while true {
      let (scalar, length) = Self.scalar(text, index)
      step += 1
      // First the matches that began earlier, then one that begins here.
      let begun = current
      current.removeAll(keepingCapacity: true)
      for place in begun where add(place, before, scalar, index == 0) { return true }
      if add(0, before, scalar, index == 0) { return true }
      guard let scalar else { return false }
      next.removeAll(keepingCapacity: true)
      for place in current where takes(program[place], scalar) { next.append(place + 1) }
      swap(&current, &next)
      before = scalar
      index += length
    }
  }

  /// Adds an instruction to the list, with all instructions that are reached from it without a character.
  /// - Returns: true if the end of the expression is reached.
  private func add(_ place: Int, _ before: UInt32?, _ after: UInt32?, _ isStart: Bool) -> Bool {
    stack.append(place)
    while let place = stack.popLast() {
      if seen[place] == step { continue }
      seen[place] = step
      switch program[place] {
      case .match:
        stack.removeAll()
        return true
      case .jump(let target): stack.append(target)
      case .split(let first, let second):
        stack.append(second)
        stack.append(first)
      case .start: if isStart { stack.append(place + 1) }
      case .end: if after == nil { stack.append(place + 1) }
      case .wordBoundary(let isWanted):
        if (Self.isWord(before) != Self.isWord(after)) == isWanted { stack.append(place + 1) }
      default: current.append(place)
      }
    }
    return false
  }

  private func takes(_ instruction: TextExpression.Instruction, _ scalar: UInt32) -> Bool {
    switch instruction {
    case .character(let wanted): wanted == scalar
    case .any: scalar != 10
    case .set(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
    default: false
    }
  }

  private static func isWord(_ scalar: UInt32?) -> Bool {
    guard let scalar else { return false }
    if scalar < 128 { return (97...122).contains(scalar) || (48...57).contains(scalar) || scalar == 95 }
    return Unicode.Scalar(scalar)?.properties.isAlphabetic ?? false
  }

  /// The scalar at an index, in lower case; nil at the end. Bytes that are not UTF-8 match themselves.
  private static func scalar(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) -> (UInt32?, Int) {
    guard index < text.count else { return (nil, 0) }
    let byte = text[index]
    if byte < 0x80 { return (UInt32(byte &- 0x41 < 26 ? byte | 0x20 : byte), 1) }
    let (value, length) = Folding.decode(text, index)
    if length == 0 { return (UInt32(byte), 1) }
    return (Unicode.Scalar(value).map(Folding.lowered) ?? value, length)
  }
}

// MARK: Compiling

/// Compiles characters to instructions, by recursive descent.
private struct ExpressionCompiler {
  private static let deepest = 50

  private let source: [Character]
  private var index = 0
  private var depth = 0

  init(_ source: [Character]) { self.source = source }

  mutating func compile() throws(ExpressionError) -> [TextExpression.Instruction] {
    let program = try alternatives()
    if index < source.count { throw fault("a \"(\" before this \")\"") }
    return try bounded(program + [.match])
  }

  private mutating func alternatives() throws(ExpressionError) -> [TextExpression.Instruction] {
    var parts = [try sequence()]
    while index < source.count, source[index] == "|" {
      index += 1
      parts.append(try sequence())
      if parts.count > TextExpression.longest { throw fault("a shorter expression") }
    }
    // Each alternative continues after the last one.
    let end = parts.reduce(-2) { $0 + $1.count + 2 }
    var program: [TextExpression.Instruction] = []
    for part in parts.dropLast() {
      let start = program.count
      program += [.split(start + 1, start + part.count + 2)] + Self.moved(part, by: start + 1) + [.jump(end)]
      program = try bounded(program)
    }
    return try bounded(program + Self.moved(parts[parts.count - 1], by: program.count))
  }

  private mutating func sequence() throws(ExpressionError) -> [TextExpression.Instruction] {
    var program: [TextExpression.Instruction] = []
    while index < source.count, source[index] != "|", source[index] != ")" {
      let atom = try atom()
      program += Self.moved(try repeated(atom), by: program.count)
      program = try bounded(program)
    }
    return program
  }

  private mutating func atom() throws(ExpressionError) -> [TextExpression.Instruction] {
    let character = source[index]
    index += 1
    switch character {
    case ".": return [.any]
    case "^": return [.start]
    case "$": return [.end]
    case "[": return [try set()]
    case "(": return try group()
    case "\\": return try escaped()
    case "*", "+", "?", "{":
      index -= 1
      throw fault("something to repeat before \"\(character)\"")
    default: return character.unicodeScalars.map { .character(Folding.lowered($0)) }
    }
  }

  private mutating func group() throws(ExpressionError) -> [TextExpression.Instruction] {
    let start = index - 1
    if index < source.count, source[index] == "?" {
      guard index + 1 < source.count, source[index + 1] == ":" else { throw fault("a group without \"?\", or \"(?:\"") }
      index += 2
    }
    depth += 1
    if depth > Self.deepest { throw fault("at most \(Self.deepest) nested brackets") }
    let program = try alternatives()
    depth -= 1
    guard index < source.count else { throw ExpressionError(offset: start, expected: "a \")\" for this bracket") }
    index += 1
    return program
  }

  private static let digits: ClosedRange<UInt32> = 48...57
  private static let blanks: [ClosedRange<UInt32>] = [9...13, 32...32, 0xA0...0xA0, 0x2000...0x200A, 0x3000...0x3000]
  /// Letters of every script, approximately: everything beyond ASCII except the blocks of punctuation.
  private static let letters: [ClosedRange<UInt32>] = [
    97...122, 48...57, 95...95, 0xAA...0xAA, 0xB5...0xB5, 0xBA...0xBA, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x1FFF,
    0x2C00...0x2DFF, 0x3040...0xD7FF, 0xF900...0xFDFF, 0xFE70...0xFEFF, 0xFF66...0xFFDC, 0x10000...0x1EFFF,
    0x20000...0x3FFFF,
  ]

  private mutating func escaped() throws(ExpressionError) -> [TextExpression.Instruction] {
    guard index < source.count else { throw fault("a character after \"\\\"") }
    let character = source[index]
    index += 1
    switch character {
    case "d", "D": return [.set([Self.digits], isNegated: character == "D")]
    case "w", "W": return [.set(Self.letters, isNegated: character == "W")]
    case "s", "S": return [.set(Self.blanks, isNegated: character == "S")]
    case "b", "B": return [.wordBoundary(character == "b")]
    case "n": return [.character(10)]
    case "t": return [.character(9)]
    default:
      if character.isLetter || character.isNumber {
        index -= 1
        throw fault("one of d, D, w, W, s, S, b, B, n, t or a punctuation character after \"\\\"")
      }
      return character.unicodeScalars.map { .character($0.value) }
    }
  }

  private mutating func set() throws(ExpressionError) -> TextExpression.Instruction {
    let start = index - 1
    var (ranges, isNegated): ([ClosedRange<UInt32>], Bool) = ([], false)
    if index < source.count, source[index] == "^" {
      isNegated = true
      index += 1
    }
    var isFirst = true
    while index < source.count, isFirst || source[index] != "]" {
      isFirst = false
      if source[index] == "\\" {
        index += 1
        for case .set(let inner, _) in try escapedInSet(&ranges) { ranges += inner }
        continue
      }
      let low = scalar(source[index])
      index += 1
      guard index + 1 < source.count, source[index] == "-", source[index + 1] != "]" else {
        ranges.append(low...low)
        continue
      }
      let high = scalar(source[index + 1])
      guard low <= high else { throw fault("a range from the lower to the higher character") }
      ranges.append(low...high)
      index += 2
    }
    guard index < source.count else { throw ExpressionError(offset: start, expected: "a \"]\" for this bracket") }
    index += 1
    return .set(ranges, isNegated: isNegated)
  }

  private mutating func escapedInSet(_ ranges: inout [ClosedRange<UInt32>]) throws(ExpressionError)
    -> [TextExpression.Instruction]
  {
    let instructions = try escaped()
    for case .character(let value) in instructions { ranges.append(value...value) }
    for case .set(_, true) in instructions { throw fault("no \\D, \\W or \\S between \"[\" and \"]\"") }
    for case .wordBoundary in instructions { throw fault("no \\b or \\B between \"[\" and \"]\"") }
    return instructions
  }

  private func scalar(_ character: Character) -> UInt32 {
    character.unicodeScalars.first.map(Folding.lowered) ?? 0
  }

  // MARK: Repeating

  private mutating func repeated(_ atom: [TextExpression.Instruction]) throws(ExpressionError)
    -> [TextExpression.Instruction]
  {
    guard index < source.count else { return atom }
    let counts: (least: Int, most: Int?)
    switch source[index] {
    case "*": counts = (0, nil)
    case "+": counts = (1, nil)
    case "?": counts = (0, 1)
    case "{": counts = try numbers()
    default: return atom
    }
    index += 1
    // A lazy repetition does not change whether the text matches.
    if index < source.count, source[index] == "?" { index += 1 }
    if index < source.count, "*+?{".contains(source[index]) { throw fault("only one repetition (*, +, ? or {})") }
    return try expanded(atom, counts)
  }

  private mutating func expanded(_ atom: [TextExpression.Instruction], _ counts: (least: Int, most: Int?))
    throws(ExpressionError) -> [TextExpression.Instruction]
  {
    let size = (counts.most ?? counts.least + 1) * (atom.count + 1)
    if size > TextExpression.longest { throw fault("a shorter expression") }
    var program: [TextExpression.Instruction] = []
    for _ in 0..<counts.least { program += Self.moved(atom, by: program.count) }
    guard let most = counts.most else {
      let start = program.count
      program.append(.split(start + 1, start + atom.count + 2))
      program += Self.moved(atom, by: start + 1)
      return program + [.jump(start)]
    }
    let end = program.count + (most - counts.least) * (atom.count + 1)
    for _ in counts.least..<most {
      program.append(.split(program.count + 1, end))
      program += Self.moved(atom, by: program.count)
    }
    return program
  }

  /// Parses `{2}`, `{2,}` or `{2,5}`, up to the closing bracket.
  private mutating func numbers() throws(ExpressionError) -> (least: Int, most: Int?) {
    let start = index
    guard let close = source[index...].firstIndex(of: "}") else { throw fault("a \"}\" for this bracket") }
    let parts = source[(index + 1)..<close].split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    index = close
    let wrong = ExpressionError(offset: start, expected: "{2}, {2,} or {2,5}, up to 1,000,")
    guard let least = Int(parts[0]), (0...1000).contains(least), parts.count <= 2 else { throw wrong }
    if parts.count == 1 { return (least, least) }
    if parts[1].isEmpty { return (least, nil) }
    guard let most = Int(parts[1]), (least...1000).contains(most) else { throw wrong }
    return (least, most)
  }

  private static func moved(_ program: [TextExpression.Instruction], by offset: Int) -> [TextExpression.Instruction] {
    program.map { instruction in
      switch instruction {
      case .split(let first, let second): .split(first + offset, second + offset)
      case .jump(let target): .jump(target + offset)
      default: instruction
      }
    }
  }

  private func bounded(_ program: [TextExpression.Instruction]) throws(ExpressionError)
    -> [TextExpression.Instruction]
  {
    if program.count > TextExpression.longest { throw fault("a shorter expression") }
    return program
  }

  private func fault(_ expected: String) -> ExpressionError { ExpressionError(offset: index, expected: expected) }
}
