// Tests of changing a document: fields and their checks, order, locks, descriptions.

import Files
import Problems
import Testing
import Values

@testable import CardDocuments

private func card() throws -> (CardDocument, text: String, image: String) {
  var document = CardDocument(id: documentID(1), background: .yellow)
  let text = try document.addText("Hola", id: documentID(2))
  let image = try document.addImage(ContentHash(of: [1]), id: documentID(3))
  return (document, text.id, image.id)
}

@Suite struct EditingTests {
  @Test func `a new card is empty and of the newest version`() throws {
    let document = CardDocument(id: documentID(1), background: CardColor.soft[0])
    #expect(document.elements.isEmpty && document.version == 2 && !document.isReadOnly)
    #expect(document.background.parts == [0.8, 0.725, 0.926, 1])
    #expect(CardColor.soft.count == 8)
  }

  @Test func `the default placement is the middle, 800 by 800, upright`() throws {
    let (document, text, image) = try card()
    for id in [text, image] {
      let element = try #require(document.element(id))
      #expect([element.x, element.y, element.width, element.height, element.rotation] == [0, 0, 800, 800, 0])
    }
  }

  @Test func `elements that share an id in the file get ids of their own when one is changed`() throws {
    let file = """
      {"format": "rwcard", "version": 2, "id": "\(documentID(1))", "background": [0, 0, 0], "elements": [
        {"id": "a", "kind": "text", "text": "1"}, {"id": "a", "kind": "text", "text": "2"},
        {"id": "a", "kind": "text", "text": "3"}]}
      """
    var document = try CardDocument(reading: Array(file.utf8), file: "x")
    let written = document.json["elements"]
    let ids = document.elements.map(\.id)
    #expect(Set(ids).count == 3 && ids[0] == "a" && document.problems().count == 2)
    #expect(try CardDocument(reading: document.encoded, file: "x").elements.map(\.id) == ids)
    #expect(document.json["elements"] == written)
    try document.set(.text, of: ids[2], to: .text("three"))
    #expect(try document.lower(ids[2]) && document.elements.map(\.text) == ["1", "three", "2"])
    try document.removeElement(ids[1])
    #expect(document.elements.map(\.text) == ["1", "three"] && document.problems().isEmpty)
    #expect(try CardDocument(reading: document.encoded, file: "x").elements.map(\.id) == [ids[0], ids[2]])
  }

  @Test func `a number that an older format gets unchanged is reported as such`() throws {
    let file = """
      {"format": "rwcard", "version": 2, "id": "\(documentID(1))", "background": [0, 0, 0], "elements": [
        {"id": "a", "kind": "text", "text": "1", "x": 1e308, "width": -0.0, "y": "far"}]}
      """
    let losses = try CardDocument(reading: Array(file.utf8), file: "x").edition2().losses.map(\.message)
    #expect(losses.count == 3)
    #expect(losses.count { $0.hasSuffix("; there it is written unchanged") } == 2, "\(losses)")
    #expect(losses.count { $0.hasSuffix("; there it gets a default value") } == 1, "\(losses)")
  }

  @Test func `elements are drawn in the order they were added until they are raised or lowered`() throws {
    var (document, text, image) = try card()
    #expect(document.elements.map(\.id) == [text, image])
    #expect(try document.raise(text))
    #expect(document.elements.map(\.id) == [image, text])
    #expect(try !document.raise(text))
    #expect(try document.lower(text))
    #expect(try !document.lower(text))
    #expect(document.elements.map(\.id) == [text, image])
    try document.removeElement(text)
    #expect(document.elements.map(\.id) == [image])
    #expect(throws: DocumentError.noElement(text, document: document.id)) { try document.removeElement(text) }
  }

  @Test(arguments: [
    (ElementField.x, "12.5", ElementValue.number(12.5)), (.width, " 3 ", .number(3)),
    (.rotation, "-720", .number(-720)), (.frame, "heart", .text("heart")), (.frame, "none", ElementValue.none),
    (.frame, "", ElementValue.none), (.text, "none", .text("none")),
    (.color, "1, 0,0.5", .color(CardColor(red: 1, green: 0, blue: 0.5) ?? .black)), (.locked, "yes", .flag(true)),
    (.locked, "off", .flag(false)), (.alt, "", .text("")), (.wraps, "on", .flag(true)), (.cropped, "true", .flag(true)),
    (.link, "none", ElementValue.none),
  ])
  func `a field accepts what a user types`(field: ElementField, typed: String, expected: ElementValue) throws {
    #expect(try field.value(typed: typed) == expected)
    var (document, text, image) = try card()
    let id = field.applies(to: .image) ? image : text
    try document.set(field, of: id, to: expected)
    #expect(document.element(id)?.value(of: field) == expected)
    #expect(document.problems().isEmpty)
  }

  @Test(arguments: [
    (ElementField.x, "abc"), (.x, ""), (.color, "1,2"), (.color, "1,0,0,0,0"), (.color, "red"), (.color, "1,,0"),
    (.locked, "maybe"), (.wraps, "1"), (.width, "wide"),
  ])
  func `invalid field text is refused when it is typed`(field: ElementField, typed: String) {
    #expect(throws: DocumentError.self) { try field.value(typed: typed) }
  }

  @Test(arguments: [
    (ElementField.x, ElementValue.number(.nan)), (.x, .number(.infinity)), (.y, .number(1e308)), (.width, .number(0)),
    (.height, .number(-1)), (.width, .number(1e6)), (.rotation, .number(.infinity)), (.x, .text("1")),
    (.frame, .text("hart")), (.frame, .number(3)), (.alt, .text("a\0b")), (.group, .text("")), (.locked, .none),
    (.x, ElementValue.none),
  ])
  func `a value that a field cannot hold changes nothing`(field: ElementField, value: ElementValue) throws {
    var (document, _, image) = try card()
    let before = document.encoded
    #expect(throws: DocumentError.self) { try document.set(field, of: image, to: value) }
    #expect(document.encoded == before)
  }

  @Test func `errors name the field, what was expected and what was found`() throws {
    var (document, text, image) = try card()
    func message(_ body: () throws -> Void) -> String {
      do {
        try body()
        return ""
      } catch { return "\(error)" }
    }
    #expect(
      message { try document.set(.frame, of: image, to: .text("hart")) }
        == "frame: a frame (circle, rectangle, rounded_rectangle, heart, lens, chevron, cone, cloud, diamond, hexagon, "
        + "octagon) or nothing expected, \"hart\" found (did you mean \"heart\"?)")
    #expect(
      message { try document.set(.width, of: image, to: .number(-2)) }
        == "width: a number above 0, at most 100000 expected, -2 found")
    #expect(message { try document.set(.frame, of: text, to: .none) } == "a text element has no field \"frame\"")
    #expect(message { try document.set(.text, of: image, to: .text("x")) } == "an image element has no field \"text\"")
    #expect(
      message { try document.set(.text, of: text, to: .text(" \n")) }
        == "text: a text of at most 100000 bytes without NUL that is not blank expected, \" \\n\" found")
  }

  @Test(arguments: [
    ("a\nb", ["a", "b"]), ("a\r\nb", ["a", "b"]), ("a\rb", ["a", "b"]), ("a\u{2028}b\u{2029}c", ["a", "b", "c"]),
    ("a\u{85}b\u{B}c\u{C}d", ["a", "b", "c", "d"]), ("a\n\nb", ["a", "", "b"]), ("\n a \n\n", ["a"]), (" \n", []),
    ("a\tb\u{1}c", ["a b c"]), ("", []), ("a", ["a"]),
  ])
  func `a text is split into lines at its line endings`(text: String, lines: [String]) throws {
    #expect(linesOf(text) == lines)
    #expect(oneLine(text) == lines.filter { !$0.isEmpty }.joined(separator: " "))
  }

  @Test func `line endings in a text are stored in the file, and edition 2 is reported to draw one line`() throws {
    var document = CardDocument(id: documentID(1), background: .yellow)
    let element = try document.addText("one", id: documentID(2))
    try document.set(.text, of: element.id, to: .text("one\r\ntwo\nthree"))
    #expect(try CardDocument(reading: document.encoded, file: "again").element(element.id)?.text == "one\r\ntwo\nthree")
    let export = try document.edition2()
    #expect(
      export.losses.map { "\($0.pointer) \($0.message)" } == [
        "/elements/0/text the text has 3 lines; the app there draws only one line"
      ])
    #expect(try CardDocument(reading: export.bytes, file: "old").elements.first?.text == "one\r\ntwo\nthree")
  }

  @Test func `a locked element cannot be changed until it is unlocked`() throws {
    var (document, text, _) = try card()
    try document.set(.locked, of: text, to: .flag(true))
    #expect(throws: DocumentError.locked(element: text)) { try document.set(.x, of: text, to: .number(1)) }
    #expect(throws: DocumentError.locked(element: text)) { try document.removeElement(text) }
    try document.set(.locked, of: text, to: .flag(false))
    try document.removeElement(text)
  }

  @Test func `a card holds a bounded number of elements`() throws {
    let list = Value.list(
      (0..<10_000).map {
        .record(["id": .text("e\($0)"), "kind": .text("text"), "text": .text("x")])
      })
    var json = CardDocument(id: documentID(1), background: .black).json
    json["elements"] = list
    var document = try CardDocument(reading: JSONWriter.bytes(of: .record(json)), file: "full")
    #expect(throws: DocumentError.full(limit: 10_000)) { try document.addText("x", id: documentID(2)) }
  }

  @Test func `an id is a UUID in any case and nothing else`() {
    #expect(DocumentID("6d924181-abfc-457a-a771-984e7f3805bd")?.description == "6D924181-ABFC-457A-A771-984E7F3805BD")
    for text in [
      "", "../../x", "6D924181-ABFC-457A-A771-984E7F3805B", "6D924181-ABFC-457A-A771-984E7F3805BG",
      "6D924181/ABFC-457A-A771-984E7F3805BD", "6D9241810ABFC-457A-A771-984E7F3805B", "６D924181-ABFC-457A-A771-984E7F38",
    ] { #expect(DocumentID(text) == nil, "\(text)") }
    #expect(documentID(258).description == "00000000-0000-4000-8000-000000000102")
  }

  @Test func `a hash is 64 lower-case hexadecimal digits`() {
    #expect(
      ContentHash(of: Array("abc".utf8)).description
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(ContentHash("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD") == nil)
    #expect(ContentHash("../" + String(repeating: "a", count: 61)) == nil)
  }

  @Test func `a card has a description in words`() throws {
    var (document, text, image) = try card()
    try document.set(.frame, of: image, to: .text("octagon"))
    try document.set(.alt, of: image, to: .text("a \u{1B}[31mdog"))
    try document.set(.x, of: image, to: .number(-400))
    try document.set(.text, of: text, to: .text("Hola\nAna"))
    #expect(document.title == "Hola Ana")
    #expect(
      document.linesInWords == [
        "Card 00000000-0000-4000-8000-000000000001, yellow", "a text in 2 lines: \"Hola\", \"Ana\", in the middle",
        "an image in the shape of an octagon: a  [31mdog, on the left",
      ])
    #expect(document.summary.hasPrefix("A card, yellow, with a text in 2 lines: \"Hola\", \"Ana\"; an image"))
    #expect(CardDocument(id: documentID(9), background: .black).summary == "An empty card, black.")
  }

  @Test func `a colour outside sRGB in a file is the nearest one within it`() {
    let wide = Value.list([1.0930, -0.2267, -0.1501, 1].map { .number($0) })
    #expect(CardColor(json: wide)?.parts == [1, 0, 0, 1])
    #expect(CardColor(json: .list([.number(.infinity), .number(0), .number(0)])) == nil)
    #expect(CardColor(json: .list([.text("1"), .number(0), .number(0)])) == nil)
    #expect(CardColor(parts: [1.0930, 0, 0]) == nil)
  }

  @Test func `every soft colour has a descriptive name`() {
    #expect(
      CardColor.soft.map(\.words) == [
        "light purple", "light green", "orange", "light pink", "orange", "turquoise", "light yellow", "light blue",
      ])
    #expect(CardColor.black.words == "black")
  }

  @Test func `every error has a code, a title and a one-line message`() {
    let errors: [DocumentError] = [
      .notACard(file: "f"), .notFound("x", suggestion: "y"), .ambiguous("6", count: 2),
      .symbolicLink(path: "p"), .notAFile(path: "p"), .tooLargeFile(path: "p", limit: 1 << 23),
      .cannotRead(path: "p", errno: 13), .cannotWrite(path: "p", errno: 28),
      .notInStore(path: "p"), .laterVersion(3), .locked(element: "e"), .full(limit: 10_000), .removed(documentID(1)),
      .picture(file: "f", .damaged("why")), .picture(file: "f", .noLoader("WebP")), .picture(file: "f", .crashed),
      .picture(file: "f", .tooLarge("why")), .picture(file: "f", .unknownKind), .drawing(.crashed),
      .drawing(.missing(path: "p", errno: 2)), .drawing(.timedOut(seconds: 30)), .drawing(.interrupted),
      .drawing(.refused("why")), .unknownEnding(path: "x.doc"), .badWidth(0, 1...6500),
    ]
    for error in errors {
      #expect(!error.code.isEmpty && error.code.allSatisfy { $0.isLowercase || $0 == "_" }, "\(error)")
      #expect(!error.title.isEmpty && error.message != error.title, "\(error)")
      #expect(!error.message.contains("\n") && !error.message.hasSuffix("."), "\(error)")
    }
    #expect(
      DocumentError.cannotWrite(path: "/a/b", errno: 28).message == "/a/b: no space left on device; nothing was changed"
    )
    #expect(
      DocumentError.notFound("6E", suggestion: "6D").message == "no document is called \"6E\" (did you mean \"6D\"?)")
  }
}
