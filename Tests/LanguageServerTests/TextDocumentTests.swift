// Documents under random edits, compared with the same edits of a plain array of lines.

import Testing
import Values

@testable import LanguageServer

@Suite struct TextDocumentTests {
  private func document(_ text: String, _ encoding: PositionEncoding = .utf16) -> TextDocument {
    TextDocument("file:///a.md", version: 1, text: text.utf8, encoding: encoding)
  }

  @Test func `columns count in the negotiated units`() {
    // é has two bytes and one UTF-16 unit, the clef four bytes and two units.
    for (encoding, columns) in [(PositionEncoding.utf16, [0, 1, 2, 4, 5]), (.utf8, [0, 1, 3, 7, 8])] {
      let document = document("x\n" + "aé\u{1D11E}z\nlast", encoding)
      let offsets = [2, 3, 5, 9, 10]
      #expect(offsets.map { document.position(of: $0) } == columns.map { Position(line: 1, character: $0) })
      #expect(columns.map { document.offset(of: Position(line: 1, character: $0)) } == offsets)
      // Beyond the line, beyond the text, and within a character.
      #expect(document.offset(of: Position(line: 1, character: 99)) == 10)
      #expect(document.offset(of: Position(line: 9, character: 0)) == 15)
      #expect(document.offset(of: Position(line: 1, character: columns[2] + 1)) == 5)
    }
  }

  @Test func `lines end with any of the three line endings`() {
    let text = document("a\r\nb\rc\n\nd")
    #expect(text.lineStarts == [0, 3, 5, 7, 8])
    #expect((0..<5).map { text.content(ofLine: $0) } == [0..<1, 3..<4, 5..<6, 7..<7, 8..<9])
  }

  @Test func `random edits give the same text and lines as the whole text`() {
    let pieces = ["", "a", "\n", "\r", "\r\n", "é", "\u{1D11E}", "x\ny", "\n\r", "longer text\r\nof two lines\n"]
    var numbers = SeededNumbers(seed: 5)
    for round in 0..<200 {
      let encoding: PositionEncoding = round.isMultiple(of: 2) ? .utf8 : .utf16
      var document = document("one\r\ntwo\nthree", encoding)
      for _ in 0..<40 {
        let places = (0..<2).map { _ in
          Position(
            line: Int(numbers.next() % UInt64(document.lineStarts.count + 1)), character: Int(numbers.next() % 9))
        }
        let ends = places.map { document.offset(of: $0) }
        if ends[0] > ends[1] { continue }
        let piece = pieces[Int(numbers.next() % UInt64(pieces.count))]
        let wanted = document.bytes[..<ends[0]] + Array(piece.utf8) + document.bytes[ends[1]...]
        document.replace(TextRange(places[0], places[1]), by: piece)
        let whole = self.document(String(decoding: wanted, as: UTF8.self), encoding)
        #expect(document.bytes == Array(wanted) && document.lineStarts == whole.lineStarts)
        #expect(String(validating: document.bytes, as: UTF8.self) != nil)
        let starts = (0...document.bytes.count).filter {
          $0 == document.bytes.count || document.bytes[$0] & 0xC0 != 0x80
        }
        for offset in starts {
          let back = document.offset(of: document.position(of: offset))
          // A position between CR and LF is the end of the line.
          #expect(back == offset || document.bytes[offset] == 0x0A)
        }
      }
    }
  }

  @Test func `file names survive conversion to URIs and back`() {
    let paths = ["/es/el gato.md", "/a%20b/ñ.csv", "/100%/x?y#z.md", "/"]
    for path in paths { #expect(FileURI.path(of: FileURI.uri(of: path)) == path) }
    #expect(FileURI.uri(of: "/es/el gato.md") == "file:///es/el%20gato.md")
    #expect(FileURI.path(of: "file://localhost/a%C3%B1o.md") == "/año.md")
    #expect(FileURI.path(of: "file:///a%zz%") == "/a%zz%")
    let others = ["untitled:1", "http://x/y", "file://server/x", "file:///%FF"]
    for other in others { #expect(FileURI.path(of: other) == nil) }
  }
}
