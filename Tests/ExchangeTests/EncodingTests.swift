// Texts in the encodings before Unicode: how each is found, by its language or without it, and read: see
// Fixtures/encodings.

import Files
import Problems
import TestSupport

@testable import Exchange

@Suite struct EncodingTests {
  private let folder = TemporaryFolder()

  static let files = [
    ("ja.shift_jis", "ja", TextEncoding.shiftJIS), ("ja.euc-jp", "ja", .eucJP), ("zh.gb18030", "zh", .gb18030),
    ("zht.big5", "zh-TW", .big5), ("ru.windows-1251", "ru", .windows1251), ("ru.koi8-r", "ru", .koi8R),
    ("pl.windows-1250", "pl", .windows1250), ("tr.windows-1254", "tr", .windows1254),
  ]

  @Test(arguments: files)
  func `the encoding is found by the language`(name: String, language: String, encoding: TextEncoding) throws {
    let expected = try fixtureText("encodings/\(name).expected.txt").split(separator: "\n").map(String.init)
    let path = fixturePath("encodings/\(name).txt")
    let file = try TextFile(path, encoding: nil, language: language) { false }
    #expect(file.encoding == encoding && file.paragraphs.map(\.text) == expected && file.losses.isEmpty)
    let given = try TextFile(path, encoding: encoding) { false }
    #expect(given.encoding == encoding && given.paragraphs == file.paragraphs)
    // Its bytes are those of the file again.
    let bytes = try FileText.bytes(path, limit: 1 << 16)
    #expect(encoding.encoded(Array(try fixtureText("encodings/\(name).expected.txt").utf8)) == bytes)
  }

  @Test(arguments: files.prefix(6))
  func `without a language it is found where its bytes show it`(
    name: String, language: String, encoding: TextEncoding
  ) throws {
    let path = fixturePath("encodings/\(name).txt")
    #expect(try TextFile(path, encoding: nil, usual: "en") { false }.encoding == encoding)
    let bytes = try FileText.bytes(path, limit: 1 << 16)
    #expect(TextEncoding.found(in: bytes[...], isWhole: true) == encoding)
  }

  private func found(_ text: String, in encoding: TextEncoding, language: String? = nil, usual: String? = nil) throws
    -> TextEncoding
  {
    let bytes = try #require(encoding.encoded(Array(text.utf8)))
    return try TextFile(folder.write(bytes, to: "a.txt"), encoding: nil, language: language, usual: usual) { false }
      .encoding
  }

  @Test(arguments: [
    ("Élève, où êtes-vous ? Déjà là ! Ça va, très cher.", TextEncoding.windows1252, "fr"),
    ("Äpfel, Öl und Übungen für größere Mädchen.", .windows1252, "en"), ("café", .windows1252, "en"),
    ("Zażółć gęślą jaźń, żółty źrebię.", .windows1250, "pl"), ("Η γάτα κοιμάται στο σπίτι.", .windows1253, "el"),
    ("Şişli’de yağmur yağıyor, çok güzel.", .windows1254, "tr"), ("Мама мыла раму.", .koi8R, "ru"),
    ("החתול ישן בבית.", .windows1255, "he"), ("القطة نائمة في البيت.", .windows1256, "ar"),
    ("Äpfel 日本", .utf16, "de"),
  ])
  func `other texts are in the encoding of the usual language`(
    text: String, encoding: TextEncoding, usual: String
  ) throws {
    #expect(try found(text, in: encoding, usual: usual) == encoding)
  }

  @Test func `the names that other programs use are known, and encodings with states are refused by name`() throws {
    let names: [(TextEncoding, [String])] = [
      (.shiftJIS, ["shift_jis", "SJIS", "cp932", "ms932", "windows-31j"]), (.eucJP, ["euc-jp"]),
      (.gb18030, ["gb18030", "gbk", "gb2312"]), (.big5, ["big5", "big5-hkscs", "cp950"]), (.koi8R, ["koi8-r"]),
    ]
    for (encoding, names) in names {
      for name in names { #expect(try TextEncoding(named: name) == encoding) }
    }
    for name in ["hz", "ISO-2022-JP"] {
      let error = #expect(throws: ExchangeError.self) { try TextEncoding(named: name) }
      #expect(error?.message == "the encoding \"\(name)\" is not read; iconv -f \(name) -t UTF-8 converts a file in it")
    }
    let path = try folder.write("\u{1B}$B%F%9%H\u{1B}(B", to: "j.txt")
    let error = #expect(throws: TextFileError.self) { try TextFile(path, encoding: nil) { false } }
    #expect(error?.report.message.contains("it is encoded in iso-2022-jp, which is not read") == true)
  }

  @Test func `a byte that is not in the encoding is replaced, and its line is told`() throws {
    let bytes: [UInt8] = Array("a\n".utf8) + [0x82, 0xA0, 0xFF, 0x82, 0xA2, 0x82]
    let file = try TextFile(folder.write(bytes, to: "a.txt"), encoding: .shiftJIS) { false }
    #expect(file.paragraphs.map(\.text) == ["a あ\u{FFFD}い\u{FFFD}"])
    #expect(file.losses.named == Array(repeating: "line 2: a byte that is not shift_jis was replaced", count: 2))
  }

  @Test(arguments: [TextEncoding.shiftJIS, .eucJP, .gb18030, .big5])
  func `characters may be divided between pieces`(encoding: TextEncoding) throws {
    let text = Array(String(repeating: "a漢b字", count: 7).utf8)
    let bytes = try #require(encoding.encoded(text))
    for size in 1...5 {
      var (found, transcoder): ([UInt8], Transcoder) = ([], try #require(Transcoder(encoding)))
      for start in stride(from: 0, to: bytes.count, by: size) {
        transcoder.append(bytes[start..<min(start + size, bytes.count)], to: &found)
      }
      transcoder.finish(&found)
      #expect(found == text)
    }
  }

  @Test func `a page may name an encoding of East Asia, and a text in UTF-8 with a bad byte stays`() throws {
    let sentence = "日本語の本を読みました。"
    let body = try #require(TextEncoding.shiftJIS.encoded(Array(sentence.utf8)))
    let page = Array("<meta charset=Shift_JIS><p>".utf8) + body
    let file = try TextFile(folder.write(page, to: "a.html"), encoding: nil, language: "es") { false }
    #expect(file.encoding == .shiftJIS && file.paragraphs.map(\.text) == [sentence])
    for language in ["ja", "zh", "ru", nil] {
      let bytes = Array("日本語の本。Мама мыла раму.".utf8) + [0xFF] + Array("é".utf8)
      let path = try folder.write(bytes, to: "b.txt")
      #expect(try TextFile(path, encoding: nil, language: language) { false }.encoding == .utf8)
    }
  }
}
