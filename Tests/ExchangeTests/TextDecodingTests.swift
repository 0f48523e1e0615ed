// Texts and lists of words with bytes that are not in their encoding, and files that are no texts at all.

import Files
import Problems
import TestSupport

@testable import Exchange

@Suite struct TextDecodingTests {
  private let folder = TemporaryFolder()

  private func read(_ bytes: [UInt8], as encoding: TextEncoding? = nil, _ name: String = "a.txt") throws -> TextFile {
    try TextFile(folder.write(bytes, to: name), encoding: encoding) { false }
  }

  @Test(arguments: ["", "\u{FEFF}"])
  func `one byte that is not UTF-8 is replaced, and its place is told`(mark: String) throws {
    let file = try read(Array("\(mark)La cigüeña\ny el a".utf8) + [0xF1] + Array("o nuevo".utf8))
    #expect(file.encoding == .utf8 && file.paragraphs.map(\.text) == ["La cigüeña y el a\u{FFFD}o nuevo"])
    #expect(file.losses.named == ["line 2, byte 7: 0xF1 is not UTF-8 and was replaced"])
  }

  @Test func `an encoding that is given is used`() throws {
    let latin = [UInt8]("el a\u{F1}o".unicodeScalars.map { UInt8($0.value) })
    #expect(try read(latin, as: .utf8).paragraphs.map(\.text) == ["el a\u{FFFD}o"])
    #expect(try read(Array("año".utf8), as: .windows1252).paragraphs.map(\.text) == ["aÃ±o"])
    #expect(try read(latin).encoding == .windows1252)
    #expect(try read([0xEA, 0xEE, 0xF2], as: .windows1251).paragraphs.map(\.text) == ["кот"])
  }

  @Test func `a list of words leaves out the word with a bad byte, by name`() throws {
    let bytes = Array("cigüeña\nca".utf8) + [0xF1] + Array("a\nniño\n".utf8)
    for name in ["a.txt", "a.csv"] {
      let list = try KnownWordList(folder.write(bytes, to: name), columns: []) { false }
      #expect(list.entries.map(\.word) == ["cigüeña", "niño"])
      #expect(list.losses.named == ["line 2, byte 3: 0xF1 is not UTF-8 and was replaced", "left out: \"ca\u{FFFD}a\""])
    }
  }

  @Test(arguments: [
    (Array("%PDF-1.4\n1 0 obj".utf8), "a PDF document"), (Array("PK\u{3}\u{4}zip".utf8), "a ZIP archive"),
    (Array("{\\rtf1 Hola}".utf8), "an RTF document"), ([0x89] + Array("PNG\r\n".utf8), "a PNG picture"),
    ([0x1F, 0x8B, 8, 0, 0, 0], "a gzip file"), (Array("[{\"a\": [1]}]".utf8), "JSON"),
  ])
  func `a file that is no text is refused by what it is`(bytes: [UInt8], name: String) throws {
    for file in ["a.txt", "a.srt", "a"] {
      let error = #expect(throws: TextFileError.self) { try read(bytes, as: nil, file) }
      #expect(error?.report.message.contains("is refused: it is \(name)") == true, "\(String(describing: error))")
    }
    if name == "JSON" { return }
    let path = try folder.write(bytes, to: "l.csv")
    let error = #expect(throws: TextFileError.self) { try KnownWordList(path, columns: []) { false } }
    #expect(error?.report.message.contains("it is \(name)") == true, "\(String(describing: error))")
  }

  @Test(arguments: ["[Verse 1] La casa", "{sic} no", "BZh is a word", "[1] nota", "In this WAVE of GIF8"])
  func `a text that begins like something else is a text`(text: String) throws {
    #expect(try read(Array(text.utf8)).paragraphs.map(\.text) == [text])
  }

  private func list(_ name: String, _ text: String) throws -> KnownWordList {
    try KnownWordList(folder.write(text, to: name), columns: []) { false }
  }

  @Test(arguments: [
    #"["gato", "perro"]"#, #"[{"word": "gato"}, {"word": "perro", "status": "5"}]"#,
    #"{"version": 1, "words": ["gato", "perro"]}"#, #"{"gato": "known", "perro": 5}"#,
    #"{"vocabulary": [{"spelling": "gato", "reading": "x"}, {"spelling": "perro"}]}"#,
  ])
  func `a JSON list of words is read`(json: String) throws {
    let entries = try list("known.json", json).entries
    #expect(entries.map(\.word) == ["gato", "perro"] && entries.allSatisfy { $0.state == .known })
  }

  @Test func `other JSON is refused by its members`() throws {
    let error = #expect(throws: TextFileError.self) { try list("a.json", #"{"name": "x", "cards": [{"front": "a"}]}"#) }
    #expect(error?.report.message.contains("it is JSON with the members \"cards\", \"name\"") == true)
  }

  @Test(arguments: ["a.csv", "a.txt"])
  func `the heading of AnkiMorphs is no word`(name: String) throws {
    for heading in ["Morph-Lemma", "Morph-Lemma,Morph-Inflection"] {
      #expect(try list(name, "\(heading)\ngato,gatos\n").entries.map(\.word) == ["gato"])
    }
  }

  @Test func `a first row that may be a heading is named`() throws {
    let unknown = try list("a.csv", "Palabra,Meaning\ngato,cat\n")
    #expect(unknown.entries.map(\.word) == ["Palabra", "gato"])
    #expect(unknown.losses.named.first?.contains("\"Palabra\" is read as a word") == true)
    #expect(try list("b.tsv", "gato\tknown\n").losses.isEmpty)
  }
}
