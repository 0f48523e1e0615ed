// The fast paths on bytes, compared with the general functions of the same names on random texts.

import Lexicon
import TestSupport

@Suite struct PlainTextTests {
  /// Letters, capitals, spaces, whitespace, a carriage return and line feed, marks, two-byte letters, and bytes that
  /// are not text.
  private static let pieces: [[UInt8]] =
    [
      "a", "b", "c", "aa", "cab", "i", "I", "A", "Z", "z", "?", "??", " ", "\t", "\n", "\r", "\r\n", "\u{0}", "\u{1C}",
      "`", "{", "@", "[", "é", "e\u{301}", "\u{301}", "ß", "İ", "ς", "Σ", "\u{A0}", "\u{200B}", "K",
    ].map { Array($0.utf8) } + [[0xFF], [0xC3]]

  private static func text(_ generator: inout TestGenerator, plain: Bool) -> [UInt8] {
    (0..<Int.random(in: 0...12, using: &generator)).flatMap { _ in
      pieces[Int.random(in: 0..<(plain ? 22 : pieces.count), using: &generator)]
    }
  }

  private static func normalized(_ bytes: [UInt8], _ letterCase: LetterCase) -> [UInt8]? {
    var answer: [UInt8]?
    let isAnswered = bytes.withUnsafeBufferPointer { withNormalizedPlain($0, letterCase) { answer = Array($0) } }
    #expect(isAnswered == (answer != nil))
    return answer
  }

  @Test(arguments: [true, false])
  func `canForm gives the same result on bytes as on texts, or none`(isPlain: Bool) {
    var generator = TestGenerator(isPlain ? 11 : 12)
    var answered = 0
    var known = PlainLetters()
    var letters: [UInt8] = []
    for round in 0..<20_000 {
      // The same letters are used several times.
      if round % 3 == 0 { letters = Self.text(&generator, plain: isPlain) }
      let word = Self.text(&generator, plain: isPlain)
      let plain = letters.withUnsafeBufferPointer { letters in
        word.withUnsafeBufferPointer { known.canForm(letters, $0) }
      }
      guard let plain else { continue }
      answered += 1
      guard let lettersText = String(validating: letters, as: UTF8.self),
        let wordText = String(validating: word, as: UTF8.self)
      else {
        Issue.record("an answer for bytes that are no text: \(letters), \(word)")
        continue
      }
      #expect(plain == canForm(letters: lettersText, word: wordText), "\(letters), \(word)")
    }
    #expect(answered > (isPlain ? 2_000 : 500))
  }

  @Test func `canForm with cached letters gives the same result for lower-case words`() {
    var generator = TestGenerator(14)
    func text(_ count: ClosedRange<Int>) -> [UInt8] {
      (0..<Int.random(in: count, using: &generator)).map { _ in UInt8.random(in: 0x61...0x66, using: &generator) }
    }
    var known = PlainLetters()
    var formed = 0
    for _ in 0..<2_000 {
      let letters = text(0...20)
      for word in [text(0...20), text(1...4), text(1...4), letters, letters + letters.prefix(1)] {
        let plain = letters.withUnsafeBufferPointer { letters in
          word.withUnsafeBufferPointer { known.canForm(letters, $0) }
        }
        let expected = canForm(
          letters: String(decoding: letters, as: UTF8.self), word: String(decoding: word, as: UTF8.self))
        #expect(plain == expected, "\(letters), \(word)")
        formed += expected ? 1 : 0
      }
    }
    #expect(formed > 2_000)
  }

  @Test(arguments: Language.known.map(\.name))
  func `normalising on bytes gives the same result as on texts, or none`(name: String) throws {
    let language = try language(name)
    let letterCase = language.letterCase
    let found = Array(name.utf8).withUnsafeBufferPointer { Language.letterCase(ofNamed: $0) }
    // Names beyond 16 bytes are left to the general path.
    #expect(found == (name.utf8.count <= 16 ? letterCase : nil))
    var generator = TestGenerator(13)
    var answered = 0
    for round in 0..<4_000 {
      let bytes = Self.text(&generator, plain: round % 2 == 0)
      guard let plain = Self.normalized(bytes, letterCase) else { continue }
      answered += 1
      let text = try #require(
        String(validating: bytes, as: UTF8.self), "an answer for bytes that are no text: \(bytes)")
      #expect(plain == Array(normalize(text, language: language).utf8), "\(bytes)")
    }
    #expect(answered > 500)
  }

  @Test func `long texts are handled by either path`() {
    let (many, more) = (
      Array(repeating: UInt8(ascii: "a"), count: 255), Array(repeating: UInt8(ascii: "a"), count: 256)
    )
    var known = PlainLetters()
    func plain(_ letters: [UInt8], _ word: [UInt8]) -> Bool? {
      letters.withUnsafeBufferPointer { letters in
        word.withUnsafeBufferPointer { known.canForm(letters, $0) }
      }
    }
    #expect(plain(many, many) == true)
    #expect(plain(many, more) == false)
    #expect(plain(more, many) == nil)
    #expect(Self.normalized(Array(repeating: UInt8(ascii: "A"), count: 257), .plain) == nil)
    #expect(Self.normalized(more, .dotless)?.count == 256)
  }

  @Test func `only the exact name of a known language is recognised on bytes`() {
    for name in ["", "English", "en", "engl", "englishh", "klingon"] {
      #expect(Array(name.utf8).withUnsafeBufferPointer { Language.letterCase(ofNamed: $0) } == nil)
    }
  }
}
