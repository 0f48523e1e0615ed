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
    #"{"gato": true, "perro": 99, "": true}"#,
    #"[{"Deutsch": 1}, {"term": "gato", "status": true}, {"term": "perro"}]"#,
    #"{"vocabulary": [{"spelling": "gato", "reading": "x"}, {"spelling": "perro"}]}"#,
  ])
  func `a JSON list of words is read`(json: String) throws {
    let entries = try list("known.json", json).entries
    #expect(entries.map(\.word) == ["gato", "perro"] && entries.allSatisfy { $0.state == .known })
  }

  @Test(arguments: [
    (#"{"name": "x", "cards": [{"front": "a"}]}"#, " with the members \"cards\", \"name\""), ("[]", ", not a list"),
    (#"[{"front": "a"}]"#, " with the members \"front\""), (#"{"a": 6}"#, " with the members \"a\""),
  ])
  func `other JSON is refused by its members`(json: String, words: String) throws {
    let error = #expect(throws: TextFileError.self) { try list("a.json", json) }
    #expect(error?.report.message.contains("it is JSON\(words)") == true, "\(String(describing: error))")
  }

  @Test func `a chosen member of JSON is the status, which may be a truth or a number`() throws {
    let path = try folder.write(
      #"[{"w": "a", "s": false}, {"w": "b", "s": "I"}, {"w": "c", "s": 1}, {"w": "d", "s": {}}]"#, to: "a.json")
    let list = try KnownWordList(path, columns: ColumnChoice.list(of: "word=w,status=s")) { false }
    #expect(list.entries.map(\.state) == [.learning, .ignored, .learning, .learning])
    let states = try self.list("b.json", #"{"a": false, "b": "learning", "c": 98, "d": "2"}"#).entries.map(\.state)
    #expect(states == [.learning, .learning, .ignored, .learning])
  }

  @Test(arguments: ["a.csv", "a.txt"])
  func `the heading of AnkiMorphs is no word`(name: String) throws {
    for heading in ["Morph-Lemma", "Morph-Lemma,Morph-Inflection"] {
      #expect(try list(name, "\(heading)\ngato,gatos\n").entries.map(\.word) == ["gato"])
    }
  }

  @Test func `a first row that may be a heading is named`() throws {
    let unknown = try list("a.csv", "Palabra,Meaning\n\"gato\"x,cat\n")
    #expect(unknown.entries.map(\.word) == ["Palabra"])
    #expect(unknown.losses.named.first?.contains("\"Palabra\" is read as a word") == true)
    #expect(unknown.losses.named.last?.contains("line 2 is left out: a separator") == true)
    #expect(try list("b.tsv", "gato\tknown\n").losses.isEmpty)
  }
}
