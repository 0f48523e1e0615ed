// Finds words by a pattern, palindromes and neighbours, in the planes of a block: one bit for each word, for each
// position and each bit of a letter's code. Comparing one position thus costs a few operations for 64 words. Invariant:
// only planes that `Block.all` has checked are read, and only rows below the block's number of words are returned.

import Problems

/// A pattern: letters, `?` for one letter, `*` for any number, `[abc]` for a choice.
struct Pattern {
  enum Token: Equatable {
    case any
    /// One of these codes; none of them is 0, and the list may be empty.
    case oneOf([UInt16])
    case many
  }

  private(set) var tokens: [Token] = []

  /// The longest pattern, in letters.
  private static let limit = 1000

  init(_ text: String, alphabet: Alphabet) throws(LexiconError) {
    let letters = Array(text)
    guard letters.count <= Self.limit else {
      throw .badPattern(pattern: String(text.prefix(20)), position: Self.limit, reason: "it is too long")
    }
    var index = 0
    while index < letters.count {
      switch letters[index] {
      case "?": tokens.append(.any)
      case "*": if tokens.last != .many { tokens.append(.many) }
      case "[":
        guard let end = letters[index...].firstIndex(of: "]"), end > index + 1 else {
          throw .badPattern(pattern: text, position: index + 1, reason: "[ needs letters and a ]")
        }
        tokens.append(.oneOf(letters[(index + 1)..<end].map { alphabet.code(of: String($0).utf8) }.filter { $0 != 0 }))
        index = end
      case "]": throw .badPattern(pattern: text, position: index + 1, reason: "] without [")
      case let letter: tokens.append(.oneOf([alphabet.code(of: String(letter).utf8)].filter { $0 != 0 }))
      }
      index += 1
    }
  }

  var letters: Int { tokens.count { $0 != .many } }
  var stars: Int { tokens.count - letters }

  /// Returns the codes that a word of `length` letters must have at its fixed positions; nil if no such word can match.
  func constraints(length: Int) -> [(position: Int, codes: [UInt16])]? {
    guard stars == 0 ? letters == length : letters <= length else { return nil }
    let head = tokens.prefix { $0 != .many }
    let tail = stars == 0 ? [] : tokens.reversed().prefix { $0 != .many }.map { $0 }
    let ends =
      head.enumerated().map { ($0.offset, $0.element) } + tail.enumerated().map { (length - 1 - $0.offset, $0.element) }
    return ends.compactMap { position, token in
      if case .oneOf(let codes) = token { (position, codes) } else { nil }
    }
  }

  /// Returns whether a word with these codes matches; after a mismatch, backtracks to the last star.
  func matches(_ codes: [UInt16]) -> Bool {
    var (token, letter) = (0, 0)
    var retry: (token: Int, letter: Int)?
    while letter < codes.count {
      if token < tokens.count, tokens[token] == .many {
        retry = (token, letter)
        token += 1
      } else if token < tokens.count, accepts(tokens[token], codes[letter]) {
        token += 1
        letter += 1
      } else if let last = retry {
        retry = (last.token, last.letter + 1)
        token = last.token + 1
        letter = last.letter + 1
      } else {
        return false
      }
    }
    return tokens[token...].allSatisfy { $0 == .many }
  }

  private func accepts(_ token: Token, _ code: UInt16) -> Bool {
    switch token {
    case .any: true
    case .oneOf(let codes): codes.contains(code)
    case .many: false
    }
  }
}

extension Lexicon {
  /// Returns the words that match a pattern: letters in normal form, `?` for one letter, `*` for any number, `[abc]`
  /// for a choice.
  /// - Parameter isInterrupted: polled while words are tried one by one; true gives up.
  public func listMatches(of pattern: String, isInterrupted: () -> Bool) throws(LexiconError) -> ListedWords {
    let pattern = try Pattern(pattern, alphabet: compiled.alphabet)
    var offsets: [UInt32] = []
    var tried = 0
    for block in blocks {
      guard let constraints = pattern.constraints(length: block.length) else { continue }
      var rows = BlockRows(block, of: self)
      for (position, codes) in constraints { rows.keep(position: position, codes: codes) }
      for offset in rows.offsets() {
        tried += 1
        if tried & 0x3FF == 0, isInterrupted() { throw .interrupted }
        let isMatch = pattern.stars < 2 || pattern.matches(compiled.alphabet.codes(of: bytes(at: offset)))
        if isMatch { offsets.append(offset) }
      }
    }
    return ListedWords(lexicon: self, offsets: offsets)
  }

  /// Returns the words that read the same backwards.
  public func listPalindromes() -> ListedWords {
    let offsets = blocks.flatMap { block in
      var rows = BlockRows(block, of: self)
      for position in 0..<block.length / 2 { rows.keepEqual(position, block.length - 1 - position) }
      return rows.offsets()
    }
    return ListedWords(lexicon: self, offsets: offsets)
  }

  /// Returns the words of the same length that differ from `word` (normal form) in exactly one letter.
  public func listNeighbours(of word: String) -> ListedWords {
    let codes = compiled.alphabet.codes(of: Array(word.utf8))
    guard let block = blocks.first(where: { $0.length == codes.count }) else {
      return ListedWords(lexicon: self, offsets: [])
    }
    let all = BlockRows(block, of: self)
    var twice = [UInt64](repeating: 0, count: all.bits.count)
    var once = twice
    for (position, code) in codes.enumerated() {
      var same = all
      // No word has a letter without a code.
      same.keep(position: position, codes: code == 0 ? [] : [code])
      for index in once.indices {
        twice[index] |= once[index] & ~same.bits[index]
        once[index] |= ~same.bits[index]
      }
    }
    var rows = all
    for index in once.indices { rows.bits[index] &= once[index] & ~twice[index] }
    return ListedWords(lexicon: self, offsets: rows.offsets())
  }
}

/// The words of one block of a list, one bit each: set while the word is still a result.
private struct BlockRows {
  private let block: Block
  private let lexicon: Lexicon
  var bits: [UInt64]

  init(_ block: Block, of lexicon: Lexicon) {
    (self.block, self.lexicon) = (block, lexicon)
    bits = [UInt64](repeating: ~0, count: block.stride)
  }

  /// Returns the offsets of the words whose bits are set.
  func offsets() -> [UInt32] {
    let spare = block.stride * 64 - block.indices.count
    var offsets: [UInt32] = []
    for (index, var rest) in bits.enumerated() {
      if index == block.stride - 1 { rest &= ~0 >> UInt64(spare) }
      while rest != 0 {
        let offset = lexicon.offset(ofIndex: block.indices.lowerBound + index * 64 + rest.trailingZeroBitCount)
        if offset != 0 { offsets.append(offset) }
        rest &= rest - 1
      }
    }
    return offsets
  }

  private func plane(_ plane: Int, at position: Int) -> UnsafeBufferPointer<UInt64> {
    let compiled = lexicon.compiled
    let start = block.planes + (position * compiled.planeCount + plane) * block.stride
    return UnsafeBufferPointer(rebasing: compiled.elements(.planes, as: UInt64.self)[start..<start + block.stride])
  }

  /// Clears the rows whose letters at two positions differ.
  mutating func keepEqual(_ first: Int, _ second: Int) {
    for plane in 0..<lexicon.compiled.planeCount {
      let (left, right) = (self.plane(plane, at: first), self.plane(plane, at: second))
      for index in bits.indices { bits[index] &= ~(left[index] ^ right[index]) }
    }
  }

  mutating func keep(position: Int, codes: [UInt16]) {
    if codes.count == 1, let code = codes.first { return keep(position: position, code: code) }
    var any = [UInt64](repeating: 0, count: bits.count)
    for code in codes {
      var same = self
      same.keep(position: position, code: code)
      for index in any.indices { any[index] |= same.bits[index] }
    }
    bits = any
  }

  private mutating func keep(position: Int, code: UInt16) {
    for plane in 0..<lexicon.compiled.planeCount {
      let plane = (number: plane, bits: self.plane(plane, at: position))
      let flip: UInt64 = code >> UInt16(plane.number) & 1 == 1 ? 0 : ~0
      for index in bits.indices { bits[index] &= plane.bits[index] ^ flip }
    }
  }
}
