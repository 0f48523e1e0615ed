// Tests of the file format: every older format is read without loss, and each migration has a golden file.

import Problems
import TestSupport
import Values

@testable import CardDocuments

private func card(_ name: String) throws -> CardDocument {
  try CardDocument(reading: fixture("shapes/\(name).rwcard"), file: name)
}

private func card(_ source: String, named file: String = "x.rwcard") throws(DocumentError) -> CardDocument {
  try CardDocument(reading: Array(source.utf8), file: file)
}

private func refusal(_ source: String) -> DocumentError? {
  do {
    _ = try card(source, named: "x.rwcard")
    return nil
  } catch { return error }
}

private let idLine = "\"id\":\"6D924181-ABFC-457A-A771-984E7F3805BD\""

@Suite struct FormatTests {
  @Test(arguments: [
    ("midchapter", CardShape.midChapter), ("edition1", .edition1), ("edition2", .edition2), ("version2", .version2),
    ("future", .future),
  ])
  func `the format of a file is recognised by its content`(name: String, shape: CardShape) throws {
    #expect(try card(name).shape == shape)
  }

  /// DECKHAND_RECORD=1 writes the golden files again.
  @Test(arguments: ["midchapter", "edition1", "edition2", "version2"])
  func `a file of each format becomes exactly its golden version 2`(name: String) throws {
    try expectGolden(try card(name).encoded, "goldens/\(name).version2.rwcard")
  }

  @Test(arguments: ["midchapter", "edition1", "edition2", "version2"])
  func `a card exported for edition 2 is exactly its golden file`(name: String) throws {
    try expectGolden(try card(name).edition2().bytes, "goldens/\(name).for-edition2.rwcard")
  }

  @Test(arguments: ["midchapter", "edition1", "edition2", "version2", "future"])
  func `a written document reads back as the same`(name: String) throws {
    let first = try card(name)
    let second = try CardDocument(reading: first.encoded, file: name)
    #expect(second.encoded == first.encoded)
    #expect(second.elements == first.elements)
    #expect(second.id == first.id)
  }

  @Test func `frames survive from either edition`() throws {
    #expect(try card("edition1").elements.map(\.frame) == [.heart, nil, nil, nil])
    #expect(try card("edition2").elements.map(\.frame) == [.circle, .hexagon, .octagon, nil])
    #expect(try card("edition1").problems().map(\.code) == ["unknown_frame"])
  }

  @Test func `numbers keep their text through a migration and an edit`() throws {
    var document = try card("midchapter")
    let element = try #require(document.elements.first)
    try document.set(.x, of: element.id, to: .number(5))
    let written = text(document.encoded)
    #expect(written.contains("-6.0000000000000009"))
    #expect(written.contains("\"x\": 5,"))
  }

  @Test func `setting the current value again keeps its text`() throws {
    var document = try card("version2")
    try document.set(.width, of: "first", to: .number(100))
    try document.set(.height, of: "first", to: .number(100))
    let written = text(document.encoded)
    #expect(written.contains("\"width\": 1E2"))
    #expect(written.contains("\"height\": 100.000"))
  }

  @Test func `unknown keys at every level survive load, edit and save`() throws {
    var document = try card("version2")
    _ = try document.addText("new", id: documentID(1))
    try document.raise("first")
    try document.setBackground(.black)
    let again = try CardDocument(reading: document.encoded, file: "again")
    #expect(again.json["x-extra"]?.record?.names == ["a", "b"])
    #expect(again.element("first")?.json["future"] == document.element("first")?.json["future"])
    #expect(text(again.encoded).contains("-0.0"))
    #expect(again.element("third")?.json["depth"] == .integer(7))
    #expect(again.elements.map(\.id) == ["second", "first", "third", documentID(1).description])
  }

  @Test func `an old file's keys that have another meaning now are restored for edition 2`() throws {
    let document = try card("edition1")
    #expect(document.json["legacy.version"] == .text("one of hers"))
    #expect(document.version == 2)
    let old = try JSONParser.parse(try document.edition2().bytes, limits: DocumentFormat.limits)
    #expect(old.record?["version"] == .text("one of hers"))
    #expect(old.record?["imageElements"]?.list?[2].record?["alt"] == .text("kept under another name"))
  }

  @Test func `an unknown key with the name of a renamed one is restored too`() throws {
    let json = """
      {"id": "6D924181-ABFC-457A-A771-984E7F3805BD", "textElements": [], "version": "hers", "legacy.version": "other",
       "legacy.mine": 1}
      """
    let document = try CardDocument(reading: Array(json.utf8), file: "old.rwcard")
    let old = try JSONParser.parse(try document.edition2().bytes, limits: DocumentFormat.limits)
    #expect(old.record?["version"] == .text("hers"))
    #expect(old.record?["legacy.version"] == .text("other"))
    #expect(old.record?["legacy.mine"] == .integer(1))
  }

  @Test func `the ids generated for old elements are the same each time`() throws {
    let first = try card("edition2").elements.map(\.id)
    #expect(try card("edition2").elements.map(\.id) == first)
    #expect(Set(first).count == first.count)
  }

  @Test func `losses when exporting to edition 2 are listed`() throws {
    let losses = try card("version2").edition2().losses.map { "\($0.pointer) \($0.message)" }
    #expect(
      losses == [
        "/elements/1 an image above a text moves below all texts",
        "/elements/1/alt the alternative text is not supported there",
        "/elements/1/group the group is not supported there", "/elements/1/link the link is not supported there",
        "/elements/1/locked the lock is not supported there", "/elements/2 an element of the kind hologram is left out",
        "/groups groups do not exist there",
      ])
    #expect(try card("edition2").edition2().losses.isEmpty)
  }

  @Test func `faults of an old file are listed too, and a frame that would crash the app is not written`() throws {
    let export = try card("edition1").edition2()
    #expect(
      export.losses.map(\.pointer.description) == [
        "/elements/2/transform/size", "/elements/2/transform/rotation", "/elements/2/frame",
      ])
    #expect(!text(export.bytes).contains("99"))
  }

  @Test func `a later version can be read and is never changed`() throws {
    var document = try card("future")
    #expect(document.isReadOnly)
    #expect(document.version == 3)
    #expect(document.elements.first?.text == "hi")
    #expect(document.problems().map(\.code) == ["later_version"])
    #expect(throws: DocumentError.laterVersion(3)) { try document.setBackground(.black) }
    #expect(throws: DocumentError.laterVersion(3)) { try document.addText("x", id: documentID(1)) }
    #expect(throws: DocumentError.laterVersion(3)) { try document.duplicate(id: documentID(1)) }
    #expect(throws: DocumentError.laterVersion(3)) { try document.edition2() }
    #expect(DocumentError.laterVersion(3).message.contains("version 3"))
  }

  @Test(arguments: [
    ("[]", "wrong_type", "x.rwcard: the whole: an object expected, a list found"),
    ("{\"imageElements\":[]}", "wrong_type", "x.rwcard: /id: a UUID expected, nothing found"),
    (
      "{\"id\":\"../../etc/passwd\",\"imageElements\":[]}", "wrong_type", "x.rwcard: /id: a UUID expected, a text found"
    ),
    ("{\(idLine)}", "not_a_document", ""), ("{\(idLine),\"format\":\"rwcard\"}", "not_a_document", ""),
    ("{\(idLine),\"format\":\"rwcard\",\"version\":1}", "not_a_document", ""),
    (
      "{\(idLine),\"format\":\"rwcard\",\"version\":2}", "wrong_type",
      "x.rwcard: /elements: a list expected, nothing found"
    ),
    (
      "{\(idLine),\"format\":\"rwcard\",\"version\":2,\"elements\":[1]}", "wrong_type",
      "x.rwcard: /elements/0: an object expected, a number found"
    ),
    (
      "{\(idLine),\"format\":\"rwcard\",\"version\":2,\"elements\":[{}]}", "wrong_type",
      "x.rwcard: /elements/0/id: a text of 1 to 200 bytes expected, nothing found"
    ),
    ("{\(idLine),\"imageElements\":{}}", "wrong_type", "x.rwcard: /imageElements: a list expected, an object found"),
    (
      "{\(idLine),\"imageElements\":[],\"textElements\":[null]}", "wrong_type",
      "x.rwcard: /textElements/0: an object expected, null found"
    ),
    ("{\(idLine),\"imageElements\":[", "not_json", "x.rwcard:1:63: a value expected, the file ends here"),
  ])
  func `an invalid file is reported with the fault and its position`(source: String, code: String, message: String) {
    let error = refusal(source)
    #expect(error?.code == code)
    if !message.isEmpty { #expect(error?.message == message) }
  }

  @Test func `a file with too many elements is refused`() {
    let elements = Array(repeating: "{}", count: 10_001).joined(separator: ",")
    #expect(refusal("{\(idLine),\"imageElements\":[\(elements)]}")?.code == "too_large")
    let many = Array(repeating: "{}", count: 100_000).joined(separator: ",")
    #expect(refusal("{\(idLine),\"imageElements\":[\(many)]}")?.code == "too_large")
    let long = String(repeating: "x", count: 100_001)
    #expect(
      refusal("{\(idLine),\"imageElements\":[],\"textElements\":[{\"text\":\"\(long)\"}]}")?.message
        == "x.rwcard: /elements/0/text: more than 100,000 bytes")
    let deep = String(repeating: "{\"a\":", count: 10_000)
    #expect(refusal(deep)?.code == "not_json")
    #expect(throws: DocumentError.self) {
      try CardDocument(reading: [UInt8](repeating: 0x20, count: 9 << 20), file: "big")
    }
  }

  @Test func `empty and blank old lists are ignored`() throws {
    #expect(try card("{\(idLine),\"imageElements\":null,\"textElements\":[]}", named: "x").elements.isEmpty)
  }
}

/// Compares with a fixture, or writes the fixture when the tests record.
func expectGolden(_ bytes: [UInt8], _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
  if isRecording {
    try writeWhole(bytes, to: fixturePath(name))
    return
  }
  #expect(text(fixture(name)) == text(bytes), sourceLocation: sourceLocation)
}
