// Documents as templates: which braces are names, and how they are filled.

import TestSupport
import Wire

@testable import CardDocuments

struct TemplateFillingTests {
  @Test(arguments: [
    ("{prompt}", ["prompt"], "P"), ("a {prompt} b{answer}", ["prompt", "answer"], "a P bA"),
    ("{Example 1}", ["Example 1"], "E"), ("{{prompt}}", [], "{prompt}"), ("{{{prompt}}}", ["prompt"], "{P}"),
    ("{", [], "{"), ("}", [], "}"), ("{}", [], "{}"), ("{ prompt}", [], "{ prompt}"), ("{prompt", [], "{prompt"),
    ("{a\nb}", [], "{a\nb}"), ("{a\r\nb}", [], "{a\r\nb}"), ("a { b } c", [], "a { b } c"), ("{gone}", ["gone"], ""),
    ("{prompt}{prompt}", ["prompt", "prompt"], "PP"), ("", [], ""), ("é{prompt}é", ["prompt"], "éPé"),
  ])
  func `names in braces are filled, and every other brace stays`(text: String, names: [String], filled: String) {
    let template = TemplateText(text)
    #expect(template.names == names)
    #expect(template.filled(["prompt": "P", "answer": "A", "Example 1": "E"]) == filled)
  }

  @Test func `filled-in text is not searched for names again`() {
    #expect(TemplateText("{prompt}").filled(["prompt": "{answer}", "answer": "A"]) == "{answer}")
    let many = String(repeating: "{", count: 100_000)
    #expect(TemplateText(many).filled([:]).utf8.count == 50_000)
  }

  private func id(_ byte: UInt8) -> DocumentID { DocumentID(bytes: [UInt8](repeating: byte, count: 16)) }

  @Test func `elements that share an id are each filled and drawn as themselves`() throws {
    let (first, second) = (ContentHash(of: [1]), ContentHash(of: [2]))
    let json = """
      {"format": "rwcard", "version": 2, "id": "\(id(1))", "elements": [
        {"id": "a", "kind": "text", "text": "{prompt}"}, {"id": "a", "kind": "image", "alt": "{gone}"},
        {"id": "a", "kind": "text", "text": "{answer}"},
        {"id": "a", "kind": "image", "image": "\(first)"}, {"id": "a", "kind": "image", "image": "\(second)"}]}
      """
    let document = try CardDocument(reading: Array(json.utf8), file: "a.rwcard")
    var values = TemplateValues()
    values.texts = ["prompt": "P", "answer": "A"]
    let filled = try document.filled(id: id(2), values)
    #expect(filled.elements.compactMap(\.text) == ["P", "A"])
    #expect(filled.elements.map(\.image) == [nil, nil, first, second])
    #expect(filled.scene(pictures: [2: [1], 3: [2]]).scene.pictures == [[1], [2]])
  }

  @Test func `an image becomes the picture of its alternative text, and is removed if there is none`() throws {
    var template = CardDocument(id: id(1), background: .yellow)
    let (old, new) = (ContentHash(of: [1]), ContentHash(of: [2]))
    _ = try template.addText("{prompt}", id: id(2))
    _ = try template.addImage(old, alt: "{answer} as {Picture}", id: id(3))
    _ = try template.addImage(old, alt: "a frame", id: id(4))
    try template.set(.locked, of: id(2).description, to: .flag(true))
    #expect(template.placeholders == ["prompt", "answer", "Picture"])
    var values = TemplateValues()
    values.texts = ["prompt": "el gato", "answer": "the cat"]
    values.pictures = ["Picture": new]
    let filled = try template.filled(id: id(9), values)
    #expect(filled.id == id(9) && template.id == id(1) && filled.elements.map(\.id) == template.elements.map(\.id))
    #expect(filled.elements[0].text == "el gato" && filled.elements[0].isLocked)
    #expect(filled.elements[1].image == new && filled.elements[1].alt == "the cat as ")
    #expect(filled.elements[2].image == old && filled.elements[2].alt == "a frame")
    values.pictures = [:]
    #expect(try template.filled(id: id(9), values).elements.map(\.id) == [id(2).description, id(4).description])
    values.texts["answer"] = String(repeating: "x", count: 100_001)
    #expect(try template.filled(id: id(9), values).elements.count == 2)
    values.pictures = ["Picture": new]
    #expect(throws: DocumentError.self) { try template.filled(id: id(9), values) }
    values.texts = ["prompt": String(repeating: "x", count: 100_001)]
    #expect(throws: DocumentError.self) { try template.filled(id: id(9), values) }
  }
}
