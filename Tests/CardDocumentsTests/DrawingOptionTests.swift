// Tests of element options: wrapping texts, pictures that fill their box, panels behind groups.

import Problems
import TestSupport
import Wire

@testable import CardDocuments

@Suite struct DrawingOptionTests {
  private let folder = TemporaryFolder()
  private let long = "the quick brown fox jumps over the lazy dog and goes on for a while"

  private func ink(wraps: Bool, width: Double = 1000, height: Double = 1600) throws -> (width: Double, height: Double) {
    let folder = TemporaryFolder()
    let card = try document(in: folder, background: white) { document in
      let place = ElementPlacement(width: width, height: height)
      _ = try document.addText(long, style: TextStyle(wraps: wraps), at: place)
    }
    let bounds = try #require(try Pixels(card, width: 650, height: 1000).inkBounds())
    return (bounds.right - bounds.left, bounds.bottom - bounds.top)
  }

  @Test func `a wrapped text stays readable and within its box`() throws {
    let shrunk = try ink(wraps: false)
    let wrapped = try ink(wraps: true)
    #expect(shrunk.height < 100 && wrapped.height > 700, "\(shrunk) \(wrapped)")
    #expect(wrapped.width <= 1004 && wrapped.height <= 1604)
    let low = try ink(wraps: true, height: 400)
    #expect(low.height <= 404 && low.height > 200 && low.width <= 1004, "\(low)")
    // A word is never broken: the text gets smaller.
    let narrow = try ink(wraps: true, width: 150)
    #expect(narrow.width <= 154, "\(narrow)")
  }

  @Test func `a cropped picture fills its box and nothing beyond it`() throws {
    for isCropped in [false, true] {
      let folder = TemporaryFolder()
      let card = try document(in: folder, background: white) { document in
        let element = try document.addImage(
          testSVG(width: 400, height: 200), named: "x", at: ElementPlacement(width: 600, height: 600))
        try document.set(.cropped, of: element.id, to: .flag(isCropped))
      }
      let picture = try Pixels(card, width: 650, height: 1000)
      // Uncropped it is 600 by 300; cropped it is 1200 by 600, of which the middle is visible.
      #expect((picture.at(250, 250).green < 60) == isCropped && picture.at(0, 100).green < 60)
      #expect(picture.at(400, 0).green > 200 && picture.at(0, 400).green > 200)
    }
  }

  @Test func `a panel is behind all of its group and nothing else`() throws {
    let card = try document(in: folder, background: white) { document in
      for x in [-300.0, 300] {
        let place = ElementPlacement(x: x, y: -500, width: 200, height: 200)
        let element = try document.addImage(testSVG(width: 20, height: 20), named: "x", at: place)
        try document.set(.group, of: element.id, to: .text("pair"))
      }
      try document.change { try $0.setPanel(of: "pair", to: CardColor(red: 0, green: 1, blue: 0)) }
    }
    let picture = try Pixels(card, width: 650, height: 1000)
    #expect(picture.at(0, -500) == (0, 255, 0) && picture.at(-420, -500) == (0, 255, 0))
    #expect(picture.at(-300, -450).green < 60 && picture.at(0, -350).red > 200 && picture.at(-450, -500).red > 200)
    let files = try [DrawingFormat.svg, .pdf].map { try card.rendered(as: $0).bytes }
    try card.change { try $0.setPanel(of: "pair", to: nil) }
    #expect(try Pixels(card, width: 650, height: 1000).at(0, -500).red == 255)
    #expect(try files != [.svg, .pdf].map { try card.rendered(as: $0).bytes })
    #expect(throws: DocumentError.self) { try card.change { try $0.setPanel(of: "pear", to: .black) } }
    #expect(card.content.problems().isEmpty)
  }

  @Test func `of two panels with the name of one group the first is shown and changed`() throws {
    let source = """
      {"version": 2, "format": "rwcard", "id": "\(documentID(1))", "background": [1, 1, 1, 1],
       "elements": [{"id": "a", "kind": "text", "text": "a", "group": "g"}],
       "groups": [{"id": "g", "color": [0, 0, 0]}, {"id": "g", "color": [1, 0, 0]}]}
      """
    var document = try CardDocument(reading: Array(source.utf8), file: "x")
    #expect(document.panels == ["g": .black])
    try document.setPanel(of: "g", to: .yellow)
    #expect(document.panels == ["g": .yellow])
    try document.setPanel(of: "g", to: nil)
    #expect(document.panels.isEmpty)
  }

  @Test func `a missing picture behind a panel is reported as such`() throws {
    var id = ""
    let card = try document(in: folder, background: white) { document in
      let text = try document.addText("a", at: ElementPlacement(y: -700, width: 300, height: 200))
      try document.set(.group, of: text.id, to: .text("g"))
      try document.change { try $0.setPanel(of: "g", to: .black) }
      id = try document.addImage(testSVG(), named: "x").id
    }
    let image = try #require(card.content.element(id)?.image)
    #expect(try card.rendered(as: .png, width: 130).brokenElements.isEmpty, "\(image)")
  }

  @Test func `element options are saved in the file, and reported as lost if an older format cannot hold them`() throws
  {
    var document = CardDocument(id: documentID(1), background: .yellow)
    let text = try document.addText("a", style: TextStyle(wraps: true), id: documentID(2))
    _ = try document.addImage(ContentHash(of: []), isCropped: true, id: documentID(3))
    try document.set(.group, of: text.id, to: .text("g"))
    try document.setPanel(of: "g", to: .black)
    let read = try CardDocument(reading: document.encoded, file: "x")
    #expect(read == document && read.panels == ["g": .black])
    #expect(read.elements[0].wraps == true && read.elements[1].isCropped == true)
    let losses = try document.edition2().losses.map(\.message)
    #expect(losses.contains("the wrapping is not supported there"))
    #expect(losses.contains("the cropping is not supported there"))
  }
}
