// Image Occlusion notes of Anki's: both sides of six cards by their pixels, and the notes in a package again; documents
// that become such notes.

import CardDocuments
import Decks
import Exchange
import Files
import Problems
import Templates
import TestWorkspace
import Text
import Values

@testable import Workspace

@Suite struct MaskedPictureTests {
  private let here = Person()
  private let there = Person()
  private let workspace: Workspace
  private let fixture = sourceRoot() + "/Tests/ExchangeTests/Fixtures/occlusion.apkg"

  init() throws { workspace = try here.workspace(drawing: builtProgram("deckhand-draw")) }

  private static let asked = "ff8e8e"
  private static let hidden = "ffeba2"
  /// The middles of the window, the door, the sun and the roof, and their colours in the picture.
  private static let places: [(x: Int, y: Int)] = [(158, 183), (235, 202), (355, 45), (200, 100)]
  private static let bare = ["5a8cbe", "3c3c3c", "e6c85a", "b45a3c"]

  private func colors(_ card: CardHandle, isFront: Bool) throws -> [String] {
    let picture = try workspace.media.picture("casa.png", of: card.maskedPicture(), isFront: isFront)
    #expect(picture.width == 400 && picture.height == 300)
    let drawing = try workspace.media.pixels(of: picture, width: 400, height: 300)
    return Self.places.map { place in
      hexadecimal(drawing.rgba[((place.y * 400 + place.x) * 4)..<((place.y * 400 + place.x) * 4 + 3)])
    }
  }

  @Test func `both sides of six cards are drawn by the table of colours`() throws {
    _ = try workspace.exchange.importCards(intoDeck: "Casa", from: [fixture], .plain, .init())
    let cards = try workspace.decks.open("Casa").cards().rest()
    let all = try cards.filter { try $0.record().prompt.hasPrefix("La casa") }
    let one = try cards.filter { try $0.record().prompt.hasPrefix("Todo") }
    #expect(all.count == 4 && one.count == 2)
    for card in all {
      let place = try card.record().ordinal
      var (front, back) = (Array(repeating: Self.hidden, count: 4), Array(repeating: Self.hidden, count: 4))
      (front[place], back[place]) = (Self.asked, Self.bare[place])
      #expect(try colors(card, isFront: true) == front, "card \(place + 1)")
      #expect(try colors(card, isFront: false) == back, "card \(place + 1)")
    }
    for card in one {
      let isFirst = try card.record().ordinal == 0
      let front = Self.bare.indices.map { isFirst == ($0 < 2) && $0 < 3 ? Self.asked : Self.bare[$0] }
      #expect(try colors(card, isFront: true) == front)
      #expect(try colors(card, isFront: false) == Self.bare)
    }
  }

  @Test func `a picture scaled to 80 columns keeps each mask within one cell`() throws {
    _ = try workspace.exchange.importCards(intoDeck: "Casa", from: [fixture], .plain, .init())
    let cards = try workspace.decks.open("Casa").cards().rest()
    let card = try #require(try cards.first { try $0.record().prompt.hasSuffix("area 1 in the middle") })
    let picture = try workspace.media.picture("casa.png", of: card.maskedPicture(), isFront: true)
    let drawing = try workspace.media.pixels(of: picture, width: 80, height: 60)
    let red = (0..<80 * 60).filter { drawing.rgba[$0 * 4] > 230 && abs(Int(drawing.rgba[$0 * 4 + 1]) - 0x8E) < 20 }
    let (columns, rows) = (red.map { $0 % 80 }, red.map { $0 / 80 })
    let edges = [columns.min(), columns.max(), rows.min(), rows.max()].map { $0.map(Double.init) ?? -9 }
    for (edge, wanted) in zip(edges, [27.0, 35, 32, 40]) { #expect(abs(edge - wanted) <= 1) }
  }

  @Test func `fields, type and picture are in a package what they were`() throws {
    _ = try workspace.exchange.importCards(intoDeck: "Casa", from: [fixture], .plain, .init())
    let path = there.folder.file("out.apkg")
    _ = try workspace.decks.open("Casa").exportCards(to: path)
    let other = try there.workspace()
    _ = try other.exchange.importCards(intoDeck: "Casa", from: [path], .plain, .init())
    func fields(_ workspace: Workspace) throws -> [[String]] {
      try workspace.decks.open("Casa").cards().rest().map { try $0.note().record().fields }.sorted { $0[2] < $1[2] }
    }
    let given = try fields(workspace)
    #expect(given.count == 6 && given[0][0].hasPrefix("{{c1::image-occlusion:rect:left=.3375:top=.5333:width=.1125:"))
    #expect(try fields(other) == given)
    let types = try [workspace, other].map { try $0.noteTypes.open("Image Occlusion").record() }
    #expect(types[0].record["originalStockKind"]?.integer == 6 && types[0].draft == types[1].draft)
    #expect(types[1].record["originalStockKind"]?.integer == 6)
    #expect(try other.media.all() == workspace.media.all())
  }

  @Test func `the images of a document that have a frame are hidden, or else its texts`() throws {
    let deck = try workspace.decks.create("Cards")
    let document = try workspace.documents.create(background: nil)
    try document.document().save()
    #expect(throws: DocumentError.self) { try document.occlude(in: deck) }
    _ = try document.addText("el sol", at: ElementPlacement(y: -500, width: 650, height: 400))
    try document.document().save()
    let texts = try document.occlude(in: deck).fields()
    #expect(texts[0].value == "{{c1::image-occlusion:rect:left=.25:top=.15:width=.5:height=.2:oi=1}}")
    #expect(texts[3].value == "1 el sol")
    let picture = try workspace.media.picture(fixturePicture())
    for (frame, y) in [(Frame.circle, -500.0), (.diamond, 500)] {
      let element = try document.addImage(picture, frame: frame, at: ElementPlacement(y: y, width: 650, height: 400))
      try element.set(.alt, to: .text("a \(frame)"))
    }
    try document.document().save()
    let note = try document.occlude(in: deck)
    let areas = [
      "ellipse:left=.3462:top=.15:rx=.1538:ry=.1", "polygon:left=.25:top=.65:points=.5,.65 .75,.75 .5,.85 .25,.75",
    ]
    let clozes = areas.enumerated().map { "{{c\($0.offset + 1)::image-occlusion:\($0.element):oi=1}}" }
    let fields = try note.fields()
    #expect(fields[0].value == clozes.joined(separator: "<br>") && fields[3].value == "1 a circle, 2 a diamond")
    let name = try #require(MediaNames.inHTML(fields[1].value).first)
    let drawn = try workspace.media.picture(name)
    #expect(drawn.width == 650 && drawn.height == 1000 && name.hasPrefix("rwcard-"))
    #expect(try note.cards().map { try $0.maskedPicture()?.canBeBared } == [true, true])
    let before = try workspace.media.all().count
    _ = try workspace.care.undo()
    #expect(try deck.cards().count == 1 && workspace.media.all().count == before - 1)
  }

  /// Adds the picture of the fixture; returns its name.
  private func fixturePicture() throws -> String {
    _ = try workspace.exchange.importCards(intoDeck: "Casa", from: [fixture], .plain, .init())
    return "casa.png"
  }
}
