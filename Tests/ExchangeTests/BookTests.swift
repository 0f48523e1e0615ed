// Books: which chapters are read, in what order, and what is refused or named as left out.

import Files
import Problems
import TestSupport

@testable import Exchange

@Suite struct BookTests {
  private let folder = TemporaryFolder()

  private func epub(_ members: [(String, String)]) throws -> String {
    let name = "book-\(members.count)-\(members.map(\.1.utf8.count).reduce(0, +)).epub"
    return try zip(folder, named: name, members.map { ($0, Array($1.utf8)) }, deflated: true)
  }

  private let container = (
    "META-INF/container.xml",
    "<?xml version=\"1.0\"?><container><rootfiles><rootfile full-path=\"OEBPS/p.opf\"/></rootfiles></container>"
  )
  private let package = (
    "OEBPS/p.opf",
    """
    <package><manifest><item id="a" href="text/a%20b%+5%.xhtml" media-type="application/xhtml+xml"/>
    <item id="b" href="text/../b.xhtml#x" media-type="application/xhtml+xml"/>
    <item id="i" href="../../../etc/passwd" media-type="text/html"/></manifest>
    <spine><itemref idref="b"/><itemref idref="a"/><itemref idref="i"/><itemref idref="missing"/></spine></package>
    """
  )

  @Test func `a book is read in the order of its spine, and nothing outside it`() throws {
    let path = try epub([
      container, package, ("OEBPS/text/a b%+5%.xhtml", "<html><body><p>Dos.</p></body></html>"),
      ("OEBPS/b.xhtml", "<!DOCTYPE html><html><body><h1>Uno</h1></body></html>"),
    ])
    #expect(try TextFile(path, encoding: nil) { false }.paragraphs.map(\.text) == ["Uno", "Dos."])
  }

  /// A book with a chapter before and after the item.
  private func book(
    _ item: String, _ members: [(String, String)], reference: String = "<itemref idref='x'/>"
  ) throws -> TextFile {
    let package = """
      <package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>\(item)</manifest>
      <spine><itemref idref="a"/>\(reference)</spine></package>
      """
    let path = try epub([container, ("OEBPS/p.opf", package), ("OEBPS/a.xhtml", "<p>Uno</p>")] + members)
    defer { removeTree(path) }
    return try TextFile(path, encoding: nil) { false }
  }

  @Test(arguments: [
    ("id=' x ' href=' b.xhtml ' media-type='application/xhtml+xml'", "b.xhtml"),
    ("id='x' href='b.xhtml' media-type='Application/XHTML+XML; charset=utf-8'", "b.xhtml"),
    ("id='x' href='b.xml' media-type='application/xml'", "b.xml"), ("id='x' href='b.xhtml'", "b.xhtml"),
    ("id='x' href='b.html' media-type='text/xhtml'", "b.html"), ("id=x href=b.xhtml media-type=text/html", "b.xhtml"),
    ("id='x' href='b%20c.xhtml' media-type='text/html'", "b%20c.xhtml"),
    ("id='x' href='/OEBPS/b.xhtml' media-type='text/html'", "b.xhtml"),
    ("id='x' href='b.xhtml?x=1' media-type='text/html'", "b.xhtml"), ("id='x' href='B.XHTML'", "b.xhtml"),
    ("id='x' href='t\\b.xhtml' media-type='text/html'", "t/b.xhtml"),
    ("id='x' href='b.svg' media-type='image/svg+xml' fallback='y'/><item id='y' href='b.xhtml'", "b.xhtml"),
  ])
  func `a chapter is found however its item is written`(item: String, member: String) throws {
    let file = try book("<item \(item)/>", [("OEBPS/" + member, "<p>Dos</p>")])
    #expect(file.paragraphs.map(\.text) == ["Uno", "Dos"] && file.losses.isEmpty, "\(file.losses)")
  }

  @Test func `chapters that are not linear are read, and those that cannot be are named`() throws {
    let item = "<item id='x' href='b.xhtml' media-type='text/html'/>"
    let notes = try book(item, [("OEBPS/b.xhtml", "<p>Dos</p>")], reference: "<itemref idref=' x ' linear='no'/>")
    #expect(notes.paragraphs.map(\.text) == ["Uno", "Dos"])
    #expect(try book(item, []).losses.named == ["the chapter \"b.xhtml\" is left out: the book lacks that file"])
    let picture = "<item id='x' href='b.svg' media-type='image/svg+xml'/>"
    #expect(
      try book(picture, [("OEBPS/b.svg", "<svg/>")]).losses.named
        == ["the chapter \"b.svg\" is left out: it is no page (image/svg+xml)"])
    #expect(try book("", []).losses.named == ["the chapter \"x\" is left out: the book has no such item"])
  }

  @Test func `a chapter that is not in UTF-8 is reported`() throws {
    let chapter = [UInt8]("<p>caf\u{E9}</p>".unicodeScalars.map { UInt8($0.value) })
    let members = [container, package].map { ($0.0, Array($0.1.utf8)) } + [("OEBPS/b.xhtml", chapter)]
    let path = try zip(folder, named: "latin.epub", members, deflated: true)
    let book = try TextFile(path, encoding: nil) { false }
    #expect(book.encoding == .windows1252 && book.paragraphs.map(\.text) == ["café"])
  }

  @Test func `a chapter is read in the encoding that its XML declaration names`() throws {
    let chapter = Array("<?xml version='1.0' encoding='windows-1251'?><p>".utf8) + [0xEA, 0xEE, 0xF2]
    let members = [container, package].map { ($0.0, Array($0.1.utf8)) } + [("OEBPS/b.xhtml", chapter)]
    let book = try TextFile(zip(folder, named: "cat.epub", members, deflated: true), encoding: nil) { false }
    #expect(book.encoding == .windows1251 && book.paragraphs.map(\.text) == ["кот"])
  }

  @Test func `a book is read however its package file is written`() throws {
    let odd = (
      "p.opf",
      """
      <package><metadata><dc:language id="l">
        pt-BR </dc:language></metadata><manifest><item id='a' href='./t/./a.xhtml' media-type='application/xhtml+xml'/><item href="x"/>
      <item id="b" href="b.css" media-type="text/css"/></manifest><spine><itemref idref='a'/><itemref idref="b"/></spine
      """
    )
    let path = try epub([
      ("META-INF/container.xml", "<container><rootfile full-path='p.opf' other/></container>"), odd,
      ("t/a.xhtml", "\u{FEFF}<html><body><p>Uno.</p></body></html>"),
    ])
    let book = try TextFile(path, encoding: nil) { false }
    #expect(book.paragraphs.map(\.text) == ["Uno."] && book.language == "pt-BR")
    let none = try epub([("META-INF/container.xml", "<container></container>")])
    let error = #expect(throws: TextFileError.self) { try TextFile(none, encoding: nil) { false } }
    #expect(error?.report.message.contains("names no package") == true)
  }

  @Test func `a book without a container, or with encrypted chapters, is refused; encrypted fonts are allowed`() throws
  {
    let chapter = ("OEBPS/b.xhtml", "<p>Uno</p>")
    #expect(throws: TextFileError.self) { try TextFile(try epub([chapter]), encoding: nil) { false } }
    func encryption(_ name: String) -> (String, String) {
      ("META-INF/encryption.xml", "<encryption><enc:CipherReference URI=\"\(name)\"/></encryption>")
    }
    let fonts = try epub([container, package, chapter, encryption("OEBPS/font.otf")])
    #expect(try TextFile(fonts, encoding: nil) { false }.paragraphs.map(\.text) == ["Uno"])
    let sold = try epub([container, package, chapter, encryption("OEBPS/b.xhtml")])
    #expect(throws: TextFileError.self) { try TextFile(sold, encoding: nil) { false } }
  }

  @Test func `a chapter that inflates beyond the limit is refused while it is inflated`() throws {
    let path = try epub([container, package, ("OEBPS/b.xhtml", String(repeating: " ", count: 65 << 20))])
    #expect { try TextFile(path, encoding: nil) { false } } throws: {
      guard case TextFileError.refused(path, _) = $0 else { return false }
      return true
    }
  }

  @Test func `a book truncated anywhere is refused or read, nothing else`() throws {
    let whole = try epub([container, package, ("OEBPS/b.xhtml", "<p>Uno</p>")])
    let bytes = try FileText.bytes(whole, limit: 1 << 20) { false }
    for length in stride(from: 0, to: bytes.count, by: 7) {
      #expect(throws: (any Error).self) {
        try TextFile(folder.write(Array(bytes[..<length]), to: "cut.epub"), encoding: nil) { false }
      }
    }
  }

  @Test func `tags in a comment are ignored`() {
    let tags = XMLTags(
      Array("<!-- <item id='a'/> <item id='b'/> --><item id='c'/><![CDATA[<item id='d'/>]]><item id='e'/>".utf8))
    #expect(tags.all("item").map { $0["id"] } == ["c", "e"])
  }

  @Test func `a value of an attribute may contain a greater-than sign and references`() {
    let tags = XMLTags(Array("<item id='a>b'/><item id=\"&lt;&#99;&#x64;&gt; &quot;&apos;&amp;lt;\"/>".utf8))
    #expect(tags.all("item").map { $0["id"] } == ["a>b", "<cd> \"'&lt;"])
  }
}
