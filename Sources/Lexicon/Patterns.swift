// Words by a pattern, palindromes and neighbours, found in the planes of a block: one bit a word for each position and
// each bit of a letter's code, so that a comparison of one position costs a few operations for 64 words. Invariant:
// only planes that `Block.all` has checked are read, and only rows below the block's number of words are answered.

import Problems

/// A pattern: letters, `?` for one letter, `*` for any number, `[abc]` for a choice.
struct Pattern {
  enum Token: Equatable {
    case any
    /// One of these codes; none of them is 0, and there may be none.
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

  /// The number of tokens that stand for one letter.
  var letters: Int { tokens.count { $0 != .many } }
  var stars: Int { tokens.count - letters }

  /// What a word of `length` letters must have at which position, as far as that is fixed; nil where none can match.
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

  /// Whether a word of these codes matches, by trying the last star again where a match fails.
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
  /// The words that a pattern describes: letters in normal form, `?` for one letter, `*` for any number, `[abc]` for a
  /// choice.
  public func match(_ pattern: String) throws(LexiconError) -> [String] {
    try listMatches(of: pattern, isInterrupted: { false }).texts
  }

  /// The words that a pattern describes, as `match`.
  /// - Parameter isInterrupted: asked while words are tried one by one; true gives up.
  public func listMatches(
    of pattern: String, isInterrupted: () -> Bool
  ) throws(LexiconError) -> ListedWords {
    let pattern = try Pattern(pattern, alphabet: compiled.alphabet)
    var offsets: [UInt32] = []
    var tried = 0
    for block in blocks {
      guard let constraints = pattern.constraints(length: block.length) else { continue }
      for offset in rows(
        of: block,
        where: { rows in
          for (position, codes) in constraints { keep(&rows, of: block, position: position, codes: codes) }
        })
      {
        tried += 1
        if tried & 0x3FF == 0, isInterrupted() { throw .interrupted }
        let isMatch = pattern.stars < 2 || pattern.matches(compiled.alphabet.codes(of: bytes(at: offset)))
        if isMatch { offsets.append(offset) }
      }
    }
    return ListedWords(lexicon: self, offsets: offsets)
  }

  /// The words that read the same from both ends.
  public func palindromes() -> [String] { listPalindromes().texts }

  /// The words that read the same from both ends, as `palindromes`.
  public func listPalindromes() -> ListedWords {
    let offsets = blocks.flatMap { block in
      rows(of: block) { rows in
        for position in 0..<block.length / 2 {
          keepEqual(&rows, of: block, position, block.length - 1 - position)
        }
      }
    }
    return ListedWords(lexicon: self, offsets: offsets)
  }

  /// The words of the same length that differ from `word` (normal form) in one letter.
  public func neighbours(of word: String) -> [String] { listNeighbours(of: word).texts }

  /// The neighbours of a word, as `neighbours`.
  public func listNeighbours(of word: String) -> ListedWords {
    let codes = compiled.alphabet.codes(of: Array(word.utf8))
    guard let block = blocks.first(where: { $0.length == codes.count }) else {
      return ListedWords(lexicon: self, offsets: [])
    }
    let offsets = rows(of: block) { rows in
      var twice = [UInt64](repeating: 0, count: rows.count)
      var once = twice
      for (position, code) in codes.enumerated() {
        var same = [UInt64](repeating: code == 0 ? 0 : ~0, count: rows.count)
        keep(&same, of: block, position: position, codes: [code])
        for index in rows.indices {
          twice[index] |= once[index] & ~same[index]
          once[index] |= ~same[index]
        }
      }
      for index in rows.indices { rows[index] &= once[index] & ~twice[index] }
    }
    return ListedWords(lexicon: self, offsets: offsets)
  }

  /// The offsets of the words of a block whose bit `narrow` leaves set.
  private func rows(of block: Block, where narrow: (inout [UInt64]) -> Void) -> [UInt32] {
    var rows = [UInt64](repeating: ~0, count: block.stride)
    narrow(&rows)
    let spare = block.stride * 64 - block.indices.count
    rows[block.stride - 1] &= ~0 >> UInt64(spare)
    var offsets: [UInt32] = []
    for (index, var bits) in rows.enumerated() {
      while bits != 0 {
        let offset = offset(ofIndex: block.indices.lowerBound + index * 64 + bits.trailingZeroBitCount)
        if offset != 0 { offsets.append(offset) }
        bits &= bits - 1
      }
    }
    return offsets
  }

  private func plane(_ plane: Int, at position: Int, of block: Block) -> UnsafeBufferPointer<UInt64> {
    let start = block.planes + (position * compiled.planeCount + plane) * block.stride
    return UnsafeBufferPointer(rebasing: compiled.elements(.planes, as: UInt64.self)[start..<start + block.stride])
  }

  /// Clears the rows whose letters at two positions differ.
  private func keepEqual(_ rows: inout [UInt64], of block: Block, _ first: Int, _ second: Int) {
    for plane in 0..<compiled.planeCount {
      let (left, right) = (self.plane(plane, at: first, of: block), self.plane(plane, at: second, of: block))
      for index in rows.indices { rows[index] &= ~(left[index] ^ right[index]) }
    }
  }

  /// Clears the rows whose letter at `position` is none of `codes`.
  private func keep(_ rows: inout [UInt64], of block: Block, position: Int, codes: [UInt16]) {
    if codes.count == 1, let code = codes.first { return keep(&rows, of: block, position: position, code: code) }
    var any = [UInt64](repeating: 0, count: rows.count)
    for code in codes {
      var same = rows
      keep(&same, of: block, position: position, code: code)
      for index in any.indices { any[index] |= same[index] }
    }
    rows = any
  }

  private func keep(_ rows: inout [UInt64], of block: Block, position: Int, code: UInt16) {
    for plane in 0..<compiled.planeCount {
      let bits = self.plane(plane, at: position, of: block)
      let flip: UInt64 = code >> UInt16(plane) & 1 == 1 ? 0 : ~0
      for index in rows.indices { rows[index] &= bits[index] ^ flip }
    }
  }
}
