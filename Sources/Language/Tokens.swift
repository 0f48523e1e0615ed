// Words and sentences in a paragraph. Invariant: both are byte ranges in text order, and each word is in one sentence.
//
// A word consists of letters, marks and digits, joined inside by an apostrophe, a full stop, a middle dot or a colon,
// in numbers by a comma too, and by a hyphen only before a pronoun of Portuguese. Where headwords are given, the
// longest one from the left is a word of a run of Chinese characters, and so is a character that begins none. A
// sentence ends at the end of a paragraph, or at an end mark followed by a capital, a letter of a script without
// capitals, a digit or an opening mark, or after 1,000 words, since what shows a sentence reads it whole.

import Lexicon
import Text

struct WordRange: Equatable {
  var start: Int
  var end: Int
  /// Whether its first letter is a capital, and whether all are.
  var isCapital: Bool
  var isAllCapitals = false
  /// Whether it begins with a digit.
  var isNumber: Bool
}

private enum CharacterClass: UInt8 { case other, letter, capital, digit, joiner, blank }

struct Tokenizer {
  private let tables: WordTables
  /// What divides runs of Chinese characters; nil to take each run for a word.
  private let headwords: HeadwordSet?
  private let clitics = ["n't", "'s", "'re", "'ve", "'ll", "'d", "'m"].map { Array($0.utf8) }

  init(tables: WordTables, headwords: HeadwordSet? = nil) { (self.tables, self.headwords) = (tables, headwords) }

  static let longestSentence = 1000

  /// Calls `body` with the range and the words of each sentence that has a word. Only one sentence is held at a time.
  /// - Parameter watch: called after each 4,096 words with the bytes that the words of the sentence take.
  func forEachSentence(
    in bytes: UnsafeBufferPointer<UInt8>, watch: (Int) throws -> Void,
    _ body: (Range<Int>, ArraySlice<WordRange>) throws -> Void
  ) rethrows {
    var words: [WordRange] = []
    var (start, index, checked, read) = (0, 0, 1, 0)
    while readWord(bytes, &index, &words) {
      read += 1
      if read & 0xFFF == 0 { try watch(words.capacity * MemoryLayout<WordRange>.stride) }
      while checked < words.count {
        let end = boundary(bytes, after: words[checked - 1], before: words[checked])
        guard let end = end ?? (checked < Self.longestSentence ? nil : words[checked].start) else {
          checked += 1
          continue
        }
        try body(trimmed(bytes, start..<end), words[..<checked])
        words.removeFirst(checked)
        (start, checked) = (end, 1)
      }
    }
    if !words.isEmpty { try body(trimmed(bytes, start..<bytes.count), words[...]) }
  }

  func trimmed(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, bytes[start] <= 0x20 { start += 1 }
    while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
    return start..<end
  }

  // MARK: Words

  /// Adds the next word from `index` on, or its parts; false at the end.
  private func readWord(_ bytes: UnsafeBufferPointer<UInt8>, _ index: inout Int, _ words: inout [WordRange]) -> Bool {
    while index < bytes.count {
      if let headwords, let end = headwordEnd(bytes, index, headwords) {
        words.append(WordRange(start: index, end: end, isCapital: false, isNumber: false))
        index = end
        return true
      }
      let (kind, length) = Self.classify(bytes, index)
      index += length
      guard kind == .letter || kind == .capital || kind == .digit else { continue }
      var word = WordRange(
        start: index - length, end: index, isCapital: kind == .capital, isAllCapitals: kind == .capital,
        isNumber: kind == .digit)
      let isElided = extend(&word, bytes)
      index = word.end
      if !isElided, isLink(bytes, word) { return true }
      words.append(word)
      // `don't` is `do`, `n't`.
      if !isElided, tables.rules.splitsContractions, let length = cliticLength(bytes, word) {
        words[words.count - 1].end -= length
        words.append(WordRange(start: word.end - length, end: word.end, isCapital: false, isNumber: false))
      }
      return true
    }
    return false
  }

  /// Returns the end of the longest headword that begins at a Chinese character, or of the character; nil elsewhere.
  private func headwordEnd(
    _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ headwords: HeadwordSet
  ) -> Int? {
    var (index, end, hash): (Int, Int?, UInt64) = (start, nil, HeadwordSet.start)
    for _ in 0..<8 {
      guard index < bytes.count, case let (scalar, length) = Self.scalar(bytes, index), scalar.isHan else { break }
      for place in index..<index + length { hash = HeadwordSet.extended(hash, by: bytes[place]) }
      index += length
      if end == nil || headwords.contains(hash: hash) { end = index }
    }
    return end
  }

  /// Whether a word ends here because a Chinese character follows.
  private func isDivided(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    headwords != nil && index < bytes.count && Self.scalar(bytes, index).scalar.isHan
  }

  /// Reads the rest of a word; true if it ends with the apostrophe of an elision.
  private func extend(_ word: inout WordRange, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    while word.end < bytes.count, !isDivided(bytes, word.end) {
      let (kind, length) = Self.classify(bytes, word.end)
      switch kind {
      case .letter, .capital, .digit:
        word.isAllCapitals = word.isAllCapitals && kind == .capital
        word.end += length
      case .joiner:
        let after = word.end + length
        let isApostrophe = bytes[word.end] == UInt8(ascii: "'") || length == 3
        let next = after < bytes.count && !isDivided(bytes, after) ? Self.classify(bytes, after).kind : .other
        let goesOn = next == .letter || next == .capital || next == .digit
        let divides = tables.rules.splitsElisions && !isOne(of: tables.undivided, bytes, word.start..<word.end)
        if isApostrophe, goesOn ? divides : isOne(of: tables.apocopes, bytes, word.start..<after) {
          word.end = after
          return true
        }
        guard goesOn else { return false }
        word.isAllCapitals = word.isAllCapitals && isApostrophe
        word.end = after
      case .other where isDecimalComma(bytes, word.end) || isJoinControl(bytes, word.end) || joinsEnclitic(bytes, word):
        word.end += length
      case .other, .blank: return false
      }
    }
    return false
  }

  /// Whether it is a comma between digits: `3,14`.
  private func isDecimalComma(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    bytes[place] == UInt8(ascii: ",") && place > 0 && place + 1 < bytes.count
      && [bytes[place - 1], bytes[place + 1]].allSatisfy { $0 &- 0x30 < 10 }
  }

  /// Whether it is a joiner or a non-joiner before a letter, as in words of Hindi and Persian.
  private func isJoinControl(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    // U+200C and U+200D in UTF-8.
    guard place + 3 < bytes.count, bytes[place] == 0xE2, bytes[place + 1] == 0x80, bytes[place + 2] & 0xFE == 0x8C
    else { return false }
    return Self.classify(bytes, place + 3).kind == .letter
  }

  /// Whether a hyphen after a word joins a pronoun to a verb, `comprá-los`, or the ending to both.
  private func joinsEnclitic(_ bytes: UnsafeBufferPointer<UInt8>, _ word: WordRange) -> Bool {
    guard !tables.enclitics.isEmpty, bytes[word.end] == UInt8(ascii: "-"), word.end - word.start > 1 else {
      return false
    }
    let (start, hasEnclitic) = (word.end + 1, bytes[word.start..<word.end].contains(UInt8(ascii: "-")))
    var end = start
    while end < bytes.count, case let (kind, length) = Self.classify(bytes, end), kind == .letter || kind == .capital {
      end += length
    }
    return isOne(of: tables.enclitics, bytes, start..<end)
      || hasEnclitic && isOne(of: tables.endingsAfterEnclitics, bytes, start..<end)
  }

  /// Whether a short word is one of a few.
  private func isOne(of words: Set<String>, _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Bool {
    guard !words.isEmpty, range.count <= 7 else { return false }
    let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    return words.contains(text.replacingApostrophes.lowercased())
  }

  /// Whether it is the t of `demanda-t-il`.
  private func isLink(_ bytes: UnsafeBufferPointer<UInt8>, _ word: WordRange) -> Bool {
    guard tables.rules.linksWithT, word.end - word.start == 1, bytes[word.start] | 0x20 == UInt8(ascii: "t"),
      word.start > 0, word.end < bytes.count
    else { return false }
    return bytes[word.start - 1] == UInt8(ascii: "-") && bytes[word.end] == UInt8(ascii: "-")
  }

  /// Returns how many bytes `n't` or `'s` takes at the end of a word.
  private func cliticLength(_ bytes: UnsafeBufferPointer<UInt8>, _ word: WordRange) -> Int? {
    // The first bytes of apostrophes in UTF-8.
    guard bytes[word.start..<word.end].contains(where: { $0 == UInt8(ascii: "'") || $0 == 0xE2 || $0 == 0xCA }) else {
      return nil
    }
    let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[word.start..<word.end]), as: UTF8.self)
    let plain = Array(text.replacingApostrophes.lowercased().utf8)
    guard let clitic = clitics.first(where: { plain.count > $0.count && plain.suffix($0.count) == $0[...] }) else {
      return nil
    }
    // Counted in the original text: its apostrophe may have more bytes, and upper and lower case may differ in length.
    return text.suffix(clitic.count).utf8.count
  }

  // MARK: Sentences

  /// Returns where 。！or ？ ends a sentence between two words that another program found; nil if it continues.
  func wideEnd(_ bytes: UnsafeBufferPointer<UInt8>, after word: Range<Int>, before next: Range<Int>) -> Int? {
    if word.upperBound == next.lowerBound { return nil }
    let gap = String(decoding: UnsafeBufferPointer(rebasing: bytes[word.upperBound..<next.lowerBound]), as: UTF8.self)
    guard gap.unicodeScalars.contains(where: "。！？".unicodeScalars.contains) else { return nil }
    let (kind, _) = Self.classify(bytes, next.lowerBound)
    return boundary(
      bytes, after: WordRange(start: word.lowerBound, end: word.upperBound, isCapital: false, isNumber: false),
      before: WordRange(
        start: next.lowerBound, end: next.upperBound, isCapital: kind == .capital, isNumber: kind == .digit))
  }

  /// Returns where a sentence ends between two words; nil if it continues.
  private func boundary(_ bytes: UnsafeBufferPointer<UInt8>, after word: WordRange, before next: WordRange) -> Int? {
    var index = word.end
    var (dots, isEnd, opens, end): (Int, Bool, Bool, Int?) = (0, false, false, nil)
    // Where a sentence ends that no blank follows, in Chinese and Japanese.
    var (wideEnd, closes): (Int?, Bool) = (nil, false)
    while index < next.start {
      let (scalar, length) = Self.scalar(bytes, index)
      switch scalar {
      case ".":
        dots += 1
        isEnd = end == nil || isEnd
      case "。", "！", "？": (isEnd, dots, wideEnd) = (true, dots + 2, index + length)
      case _ where wideEnd == index && "」』）".unicodeScalars.contains(scalar): (wideEnd, closes) = (index + length, true)
      case ";" where tables.rules.asksWithSemicolon: (isEnd, dots) = (true, dots + 2)
      case _ where scalar.endsSentence: (isEnd, dots) = (true, dots + (scalar == "…" ? 3 : 2))
      // A blank line ends a paragraph.
      case "\n" where end == nil && index + 1 < bytes.count && bytes[index + 1] == 0x0A: return index
      default:
        if isEnd, end == nil, scalar.properties.isWhitespace { end = index }
        // In French a blank comes before the mark that closes a quotation; one that opens follows it directly.
        if "»”".unicodeScalars.contains(scalar), end != nil, !opens, isBlank(bytes, index + length) {
          end = index + length
        }
        // A dash opens nothing here: what a speaker says goes on in small letters, `—¿Vienes? —preguntó`.
        if end != nil, "¿¡«“\"‘'([".unicodeScalars.contains(scalar) { opens = true }
      }
      index += length
    }
    // A word right after a quotation continues the sentence.
    guard isEnd, let end = end ?? (closes && wideEnd == next.start ? nil : wideEnd) else { return nil }
    let isCaseless = Self.scalar(bytes, next.start).scalar.properties.generalCategory == .otherLetter
    let follows = next.isCapital || ((isCaseless || next.isNumber) && dots != 3) || (opens && dots != 1)
    guard follows else { return nil }
    return dots == 1 && isAbbreviation(bytes, word, before: next) ? nil : end
  }

  private func isBlank(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    index < bytes.count && Self.classify(bytes, index).kind == .blank
  }

  private func isAbbreviation(_ bytes: UnsafeBufferPointer<UInt8>, _ word: WordRange, before next: WordRange) -> Bool {
    let length = word.end - word.start
    if word.isNumber { return tables.rules.pointsOrdinals && length <= 2 }
    if length > 12 { return false }
    let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[word.start..<word.end]), as: UTF8.self)
    if word.isCapital, text.unicodeScalars.count == 1 { return true }
    let lowered = text.lowercased()
    return tables.abbreviations.contains(lowered) && (next.isNumber || !WordTables.abbreviatedWords.contains(lowered))
  }

  // MARK: Characters

  private static let plain: [CharacterClass] = (0..<128).map { byte in
    switch UInt8(byte) {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): .letter
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): .capital
    case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
    case UInt8(ascii: "'"), UInt8(ascii: "."), UInt8(ascii: ":"): .joiner
    case 0...0x20: .blank
    default: .other
    }
  }

  private static func classify(
    _ bytes: UnsafeBufferPointer<UInt8>, _ index: Int
  ) -> (kind: CharacterClass, length: Int) {
    if bytes[index] < 0x80 { return (plain[Int(bytes[index])], 1) }
    let (scalar, length) = scalar(bytes, index)
    switch scalar.value {
    // The letters of Latin-1: nearly all the non-ASCII letters of Western texts.
    case 0xC0...0xDE where scalar.value != 0xD7: return (.capital, length)
    case 0xDF...0xFF where scalar.value != 0xF7: return (.letter, length)
    case 0xAA, 0xBA: return (.letter, length)
    case 0x2019, 0xB7: return (.joiner, length)
    default: break
    }
    if scalar.isCapital { return (.capital, length) }
    if scalar.isLetter || scalar.isMark { return (.letter, length) }
    if scalar.properties.generalCategory == .decimalNumber { return (.digit, length) }
    return (scalar.properties.isWhitespace ? .blank : .other, length)
  }

  /// Decodes the character at an index of well-formed UTF-8; a truncated one counts as U+FFFD of one byte.
  static func scalar(
    _ bytes: UnsafeBufferPointer<UInt8>, _ index: Int
  ) -> (scalar: Unicode.Scalar, length: Int) {
    let first = UInt32(bytes[index])
    if first < 0x80 { return (Unicode.Scalar(UInt8(first)), 1) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1
    guard length > 1, index + length <= bytes.count else { return ("\u{FFFD}", 1) }
    var value = first & (0xFF >> UInt32(length + 1))
    for place in index + 1..<index + length { value = value << 6 | UInt32(bytes[place] & 0x3F) }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
  }
}
