// The answers on bytes, held against the general functions of the same names on texts by chance.

import Lexicon
import TestSupport
import Testing

@Suite struct PlainTextTests {
  /// Letters, capitals, blanks, white space, a carriage return and line end, marks, letters of two bytes, and what is no text.
  private static let pieces: [[UInt8]] =
    [
      "a", "b", "c", "aa", "cab", "i", "I", "A", "Z", "z", "?", "??", " ", "\t", "\n", "\r", "\r\n", "\u{0}", "\u{1C}",
      "`", "{", "@",
      "[", "é", "e\u{301}", "\u{301}", "ß", "İ", "ς", "Σ", "\u{A0}", "\u{200B}", "K",
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
  func `whether a word can be formed is answered on bytes as on texts, or not at all`(isPlain: Bool) {
    var generator = TestGenerator(isPlain ? 11 : 12)
    var answered = 0
    for _ in 0..<20_000 {
      let (letters, word) = (Self.text(&generator, plain: isPlain), Self.text(&generator, plain: isPlain))
      let plain = letters.withUnsafeBufferPointer { letters in
        word.withUnsafeBufferPointer { canFormPlain(letters: letters, word: $0) }
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

  @Test(arguments: Language.known.map(\.name))
  func `a text is made normal on bytes as on texts, or not at all`(name: String) throws {
    let language = try language(name)
    let letterCase = language.letterCase
    let found = Array(name.utf8).withUnsafeBufferPointer { Language.letterCase(ofNamed: $0) }
    // Names beyond 16 bytes are left to the general way.
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

  @Test func `long texts are answered, whichever way`() {
    let (many, more) = (
      Array(repeating: UInt8(ascii: "a"), count: 255), Array(repeating: UInt8(ascii: "a"), count: 256)
    )
    func plain(_ letters: [UInt8], _ word: [UInt8]) -> Bool? {
      letters.withUnsafeBufferPointer { letters in
        word.withUnsafeBufferPointer { canFormPlain(letters: letters, word: $0) }
      }
    }
    #expect(plain(many, many) == true)
    #expect(plain(many, more) == false)
    #expect(plain(more, many) == nil)
    let shouted = Array(repeating: UInt8(ascii: "A"), count: 257)
    #expect(Self.normalized(shouted, .plain) == nil)
    #expect(Self.normalized(more, .dotless)?.count == 256)
  }

  @Test func `only the exact name of a known language is known on bytes`() {
    for name in ["", "English", "en", "engl", "englishh", "klingon"] {
      #expect(Array(name.utf8).withUnsafeBufferPointer { Language.letterCase(ofNamed: $0) } == nil)
    }
  }
}
