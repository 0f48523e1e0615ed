// Tests of normalisation forms, of widths and of line breaking.

import Testing
import Text

/// Composed text and its decomposition, from the examples of UAX 15 and the scripts of the word lists.
private let forms: [(composed: String, decomposed: String)] = [
  ("", ""), ("deck", "deck"), ("é", "e\u{301}"), ("Å", "A\u{30A}"), ("ǘ", "u\u{308}\u{301}"),
  ("ñandú", "n\u{303}andu\u{301}"),
  ("ṩ", "s\u{323}\u{307}"), ("가", "\u{1100}\u{1161}"), ("한글", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}"),
  ("й", "\u{438}\u{306}"), ("ᾧ", "\u{3C9}\u{314}\u{342}\u{345}"), ("か\u{3099}", "か\u{3099}"), ("🐕", "🐕"),
]

private func isSame(_ first: String, _ second: String) -> Bool { first.utf8.elementsEqual(second.utf8) }

@Suite struct UnicodeFormTests {
  @Test(arguments: forms)
  func `a text is composed and decomposed`(composed: String, decomposed: String) {
    #expect(isSame(decomposed.decomposed, decomposed))
    #expect(isSame(composed.decomposed, decomposed))
    let expected = composed == "か\u{3099}" ? "が" : composed
    #expect(isSame(decomposed.composed, expected))
    #expect(isSame(composed.composed, expected))
  }

  @Test func `marks are put in canonical order, singletons and excluded letters become their canonical equivalents`() {
    #expect(isSame("s\u{307}\u{323}".composed, "ṩ"))
    #expect(isSame("s\u{307}\u{323}".decomposed, "s\u{323}\u{307}"))
    #expect(isSame("\u{212B}".composed, "\u{C5}"))
    #expect(isSame("\u{958}".composed, "\u{915}\u{93C}"))
  }

  @Test func `both forms of every scalar are one text, and each is its own form`() {
    for value in (UInt32(0)...0x1FFF).lazy.filter({ Unicode.Scalar($0) != nil }) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(scalar)
      #expect(text == text.composed && text == text.decomposed, "U+\(String(value, radix: 16))")
      #expect(isSame(text.composed.composed, text.composed))
      #expect(isSame(text.decomposed.decomposed, text.decomposed))
      #expect(isSame(text.decomposed.composed, text.composed))
    }
  }

  @Test(arguments: [("Straße", "strasse"), ("ＡＢＣ", "abc"), ("ﬁne", "fine"), ("ΜΆΪΟΣ", "μάϊοσ"), ("E\u{301}", "é")])
  func `names that differ only in case or compatibility forms are the same`(name: String, folded: String) {
    #expect(isSame(name.compatiblyFolded, folded))
  }

  @Test(
    arguments: [
      ("é", "e"), ("Ǻ", "A"), ("ᾧ", "ω"), ("й", "и"), ("ñ", "n"), ("ø", "ø"), ("ẛ", "ſ"), ("n", "n"), ("¨", "¨"),
      ("ß", "ß"), ("آ", "آ"),
    ] as [(Unicode.Scalar, Unicode.Scalar)])
  func `a letter without its diacritics`(letter: Unicode.Scalar, plain: Unicode.Scalar) {
    #expect(letter.withoutDiacritics == plain)
  }

  @Test func `text is composed in place, except if it is not UTF-8 or does not fit`() {
    func compose(_ bytes: [UInt8], room: Int = 200) -> [UInt8]? {
      var work = [Int32](repeating: 0, count: room)
      return work.withUnsafeMutableBufferPointer { work in
        bytes.withUnsafeBytes { composeUTF8($0, in: work) }.map { Array(UnsafeRawBufferPointer(work).prefix($0)) }
      }
    }
    #expect(compose(Array("e\u{301}x".utf8)) == Array("éx".utf8))
    #expect(compose([]) == [])
    #expect(compose([0xFF]) == nil)
    #expect(compose(Array("abcdef".utf8), room: 4) == nil)
  }
}

@Suite struct WidthTests {
  @Test(arguments: [
    ("", 0), ("deck", 4), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("ｱ", 1), ("Ａ", 2), ("가", 2),
    ("\u{1112}\u{1161}\u{11AB}", 2), ("🐕", 2), ("👩‍🚀", 2), ("👨‍👩‍👧‍👦", 2), ("🇪🇸", 2), ("❤", 1), ("❤\u{FE0F}", 2),
    ("1\u{FE0F}\u{20E3}", 2), ("👍🏽", 2), ("⌚", 2), ("\u{200B}", 0), ("\u{AD}", 0), ("\u{7}", 0), ("…", 1), ("נִ", 1),
    ("ที่", 1), ("ñandú", 5), ("𠀀", 2), ("、", 2), ("x\u{20DD}", 1), ("हिन्दी", 5), ("தமிழ்", 4), ("น้ำ", 2), ("ｶﾞ", 2),
  ])
  func `a text has the right width in columns`(text: String, columns: Int) {
    #expect(text.displayWidth == columns)
  }

  @Test func `a text is truncated and padded to columns, never within a character`() {
    #expect("日本語".cut(to: 5) == "日本…")
    #expect("日本語".cut(to: 4) == "日…")
    #expect("👩‍🚀👩‍🚀".cut(to: 3) == "👩‍🚀…")
    #expect("日".filled(to: 4) == "日  ")
    #expect("日".filled(to: 4, atStart: true) == "  日")
  }

  @Test func `no line is wider than requested, and no word is lost`() {
    let text = "one 日本語の言葉 two 👩‍🚀👩‍🚀👩‍🚀 threeandmore e\u{301}e\u{301} four"
    for width in 2...30 {
      let lines = text.lines(within: width)
      #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(width)")
      #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
    }
    #expect(
      wrapped("a few words that are filled into lines", width: 20) == ["a few words that are", "filled into lines"])
  }
}

@Suite struct MarkRunTests {
  @Test func `marks are counted from one letter to the next`() {
    for (text, isEndless) in [
      ("a" + String(repeating: "\u{301}", count: longestMarkRun), false),
      ("a" + String(repeating: "\u{301}", count: longestMarkRun + 1), true),
      (String(repeating: "a\u{301}", count: 3 * longestMarkRun), false),
      (String(repeating: "я\u{301}", count: 3 * longestMarkRun), false),
      // It is no mark, but decomposes into two.
      ("a" + String(repeating: "\u{F73}", count: longestMarkRun + 1), true),
    ] {
      var text = text
      #expect(hasTooManyMarks(text) == isEndless)
      #expect(text.withUTF8 { hasTooManyMarks($0) } == isEndless)
      #expect(limitingMarks(text).unicodeScalars.count == text.unicodeScalars.count - (isEndless ? 1 : 0))
    }
  }
}

@Suite struct EncodingTests {
  @Test(arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")])
  func `base64 follows RFC 4648`(text: String, encoded: String) {
    #expect(base64(Array(text.utf8)) == encoded)
    #expect(base64(Array(text.utf8), isPadded: false) == encoded.filter { $0 != "=" })
  }

  @Test func `each byte is two hexadecimal digits`() {
    #expect(hexadecimal([0x00, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
    #expect(hexadecimal([]).isEmpty)
    #expect(hexadecimal([1, 2, 3, 4][1..<3]) == "0203")
  }

  @Test func `a path is percent-encoded, and only percent signs before two digits are decoded`() {
    #expect(percentEncoded(path: "/es/el gato~/ñ+1%.md") == "/es/el%20gato~/%C3%B1%2B1%25.md")
    #expect(percentDecoded("/a%20b/%c3%B1%+1%2".utf8) == Array("/a b/ñ%+1%2".utf8))
  }
}
