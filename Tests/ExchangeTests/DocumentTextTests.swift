// Documents of Word and OpenDocument, and the pages of a PDF: what is text, in what order, and what is refused.

import Files
import Problems
import TestSupport

@testable import Exchange

@Suite struct DocumentTextTests {
  private let folder = TemporaryFolder()

  private func texts(_ name: String, _ members: [(String, String)]) throws -> [String] {
    let path = try zip(folder, named: name, members.map { ($0, Array($1.utf8)) }, deflated: true)
    return try TextFile(path, encoding: nil) { false }.paragraphs.map(\.text)
  }

  @Test(arguments: [TextFormat.docx, .odt])
  func `paragraphs, lists, tables and notes of a document are read once`(format: TextFormat) throws {
    let path = fixturePath("documents/es.\(format.rawValue)")
    let file = try TextFile(path, encoding: nil) { false }
    var expected = [
      "La casa vieja", "El gato duerme en la casa vieja. El perro ladra en la calle todas las noches.",
      "La niña lee un libro sobre la habitación azul. Después cierra la ventana.", "pan", "leche", "Hora", "Tren",
      "10:00", "El tren de Madrid llega tarde.",
    ]
    expected.insert("Una nota al pie.", at: format == .odt ? 3 : expected.count)
    #expect(file.format == format && file.paragraphs.map(\.text) == expected)
    // It is recognised by its content too.
    let renamed = try folder.write(FileText.bytes(path, limit: 1 << 20) { false }, to: "es.doc")
    let other = try TextFile(renamed, encoding: nil) { false }
    #expect(other.format == format && other.paragraphs == file.paragraphs)
  }

  private let types = ("[Content_Types].xml", "<Types/>")

  @Test func `Word's deletions, moves, fields, fallbacks and readings are not read, and a box follows its paragraph`()
    throws
  {
    let body = """
      <w:document><w:body><w:p/>
      <w:p><w:r><w:t>Uno</w:t><w:tab/><w:t>dos</w:t></w:r><w:del><w:r><w:delText>no</w:delText>
      </w:r></w:del><w:moveFrom><w:r><w:t>no</w:t></w:r></w:moveFrom><w:instrText>PAGE</w:instrText>
      <mc:AlternateContent><mc:Choice><wp:posOffset>914400</wp:posOffset><w:txbxContent><w:p><w:r><w:t>caja</w:t></w:r>
      </w:p></w:txbxContent></mc:Choice><mc:Fallback><w:p><w:r><w:t>caja</w:t></w:r></w:p></mc:Fallback>
      </mc:AlternateContent><w:r><w:t xml:space="preserve"> &amp; tres.</w:t><w:br/><w:t>x</w:t></w:r>
      <w:ruby><w:rt><w:r><w:t>kan</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:p>
      </w:body></w:document>
      """
    let found = try texts("a.docx", [types, ("word/document.xml", body)])
    #expect(found == ["Uno dos & tres. x漢", "caja"])
  }

  @Test func `OpenDocument's deletions, remarks and tables of contents are not read`() throws {
    let body = """
      <office:text><text:tracked-changes><text:deletion><text:p>no</text:p></text:deletion></text:tracked-changes>
      <text:table-of-content><text:p>Uno 3</text:p></text:table-of-content><text:h>Uno</text:h><text:p/>
      <text:p>Dos<text:s text:c="3"/>y<text:line-break/>tres<office:annotation><text:p>no</text:p></office:annotation>
      </text:p></office:text>
      """
    let meta = "<office:meta><dc:language>es</dc:language></office:meta>"
    let path = try zip(
      folder, named: "a.odt", [("content.xml", Array(body.utf8)), ("meta.xml", Array(meta.utf8))], deflated: true)
    let file = try TextFile(path, encoding: nil) { false }
    #expect(file.paragraphs.map(\.text) == ["Uno", "Dos y tres"] && file.language == "es")
  }

  @Test func `an encrypted document, a table and a file without text are refused by name`() throws {
    func message(_ name: String, _ members: [(String, String)]) -> String {
      let error = #expect(throws: TextFileError.self) { try texts(name, members) }
      return error?.report.message ?? ""
    }
    let list = ("META-INF/manifest.xml", "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>")
    #expect(
      message("a.odt", [("content.xml", "\u{1}\u{2}"), list]).hasSuffix("it is encrypted; save it without a password"))
    #expect(
      message("a.docx", [types, ("xl/workbook.xml", "<workbook/>")]).contains("it is not an EPUB, .docx or .odt"))
    #expect(message("b.docx", [("a", "b")]).contains("it is not an EPUB, .docx or .odt"))
    #expect(message("b.odt", [("content.xml", "<text:p> </text:p>")]).hasSuffix("contains no text"))
  }

  // MARK: PDF

  /// A line of a page: its left and upper end and its height, in points.
  private struct Line {
    var (left, top, height) = (50.0, 100.0, 10.0)
    var words: String

    init(_ words: String, top: Double = 100, left: Double = 50, height: Double = 10) {
      (self.words, self.top, self.left, self.height) = (words, top, left, height)
    }
  }

  private func read(_ pages: [[[Line]]]) throws -> TextFile {
    func box(_ line: Line) -> String {
      "xMin=\"\(line.left)\" yMin=\"\(line.top)\" xMax=\"300\" yMax=\"\(line.top + line.height)\""
    }
    let xml = pages.map { page in
      let blocks = page.map { block in
        let lines = block.map { line in
          let words = line.words.split(separator: " ").map { "<word \(box(line))>\($0)</word>\n" }
          return "<line \(box(line))>\n\(words.joined())</line>\n"
        }
        return "<block \(box(block[0]))>\n\(lines.joined())</block>\n"
      }
      return "<page width=\"420\" height=\"595\">\n<flow>\n\(blocks.joined())</flow>\n</page>\n"
    }
    let html = "<html><head><title>no</title></head><body><doc>\n\(xml.joined())</doc></body></html>"
    return try TextFile("a.pdf", encoding: nil, pages: Array(html.utf8)) { false }
  }

  @Test func `a sentence goes on over lines, pages and notes, and divided words are joined`() throws {
    let file = try read([
      [
        [Line("La casa", top: 50, height: 14)],
        [Line("El gato &amp; la habi-", top: 100), Line("tación. Es bien-", top: 115), Line("María y el", top: 130)],
        [Line("1 Una nota.", top: 500, height: 8)], [Line("12", top: 550)],
      ],
      [
        [Line("Perro ladra.", top: 50), Line("Otra frase", top: 65, left: 70), Line("larga.", top: 80)],
        [Line("• pan", top: 110), Line("• leche", top: 125)], [Line("13", top: 550)],
      ],
    ])
    #expect(
      file.paragraphs.map(\.text) == [
        "La casa", "El gato & la habitación. Es bien- María y el Perro ladra.", "1 Una nota.", "Otra frase larga.",
        "pan", "leche",
      ])
    #expect(file.format == .pdf && file.losses.messages == ["left out: 2 page numbers"])
  }

  @Test func `a running head is left out, and a line that stands once at an edge is not`() throws {
    let ends = ["Fin de uno.", "Fin de dos.", "1936.", "Fin de cuatro.", "Fin de cinco."]
    let pages: [[[Line]]] = ends.enumerated().map { number, end in
      let head = Line("Capítulo \(number % 2) · \(number + 9)", top: 20)
      let first = Line("Línea antes de \(end)", top: 60)
      return [[head], [first], [Line(end, top: 300 + Double(number))]]
    }
    let file = try read(pages)
    #expect(file.paragraphs.map(\.text).filter { !$0.hasPrefix("Línea") && !$0.hasPrefix("Fin") } == ["1936."])
    #expect(file.losses.messages == ["left out: 5 running heads"] && file.paragraphs.count == 10)
  }

  @Test func `ligatures are letters, and pages without text are refused as a scan`() throws {
    #expect(try read([[[Line("el \u{FB01}n del o\u{FB03}cio.")]]]).paragraphs.map(\.text) == ["el fin del officio."])
    let error = #expect(throws: TextFileError.self) { try read([[], []]) }
    #expect(error?.report.message.contains("its pages have no text (a scan?)") == true)
  }
}
