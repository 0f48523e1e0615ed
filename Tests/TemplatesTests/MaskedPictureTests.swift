// The words for pictures of which cards hide areas, and the clozes that are areas.

import TestSupport
import Text

@testable import Templates

@Suite struct MaskedPictureTests {
  private let type = NoteType(StockNoteType.occlusion.draft, id: NoteTypeID(rawValue: 1), modified: 0)

  private func texts(_ areas: [String], card: Int = 1, header: String = "", extra: String = "") throws -> CardTexts {
    let clozes = areas.map { "{{\($0)}}" }.joined(separator: "<br>")
    let fields = NoteFields(names: type.fields, values: [clozes, "<img src=\"casa.png\">", header, extra, ""])
    return try NoteCardMaker(type, isInterrupted: { false }).texts(fields, CardFacts(), ordinal: card - 1)
  }

  private static let window = "c1::image-occlusion:rect:left=.1:top=.4:width=.1:height=.2:oi=1"
  private static let sun = "c2::image-occlusion:ellipse:left=.8:top=.0667:rx=.0625:ry=.0833"
  private static let roof = "c1,3::image-occlusion:polygon:left=.4:top=.7:points=.2,.3 .3,.2 .4,.3"
  private static let label = "c0::image-occlusion:text:left=.05:top=.9:text=a\\:b:scale=1:fs=.06"

  @Test(
    arguments: [
      ([window], 1, "1 area hidden; asked is area 1 at left, middle"),
      ([window, sun, label], 1, "1 area hidden; asked is area 1 at left, middle"),
      ([window, sun, label], 2, "2 areas hidden; asked is area 2 at right, top"),
      ([window, roof], 1, "2 areas hidden; asked is area 1 at left, middle and at middle, bottom"),
      ([window, roof], 3, "2 areas hidden; asked is area 3 at middle, bottom"),
      (
        ["c1::image-occlusion:rect:left=.4:top=.4:width=1.:height=.1"], 1,
        "1 area hidden; asked is area 1 at right, middle"
      ),
      (
        ["c1::image-occlusion:rect:left=.4:top=.4:width=.1:height=.1"], 1,
        "1 area hidden; asked is area 1 in the middle"
      ),
      // An unknown shape draws nothing.
      ([window, "c2::image-occlusion:star:left=.4"], 2, "1 area hidden; asked is area 2"),
    ] as [([String], Int, String)])
  func `the front says how many areas are hidden and where the one that is asked for is`(
    areas: [String], card: Int, words: String
  ) throws {
    let texts = try texts(areas, card: card)
    #expect(texts.prompt == "Picture casa.png, " + words)
    #expect(texts.answer == "Picture casa.png, area \(card) shown")
  }

  @Test func `the answer is what the back shows besides the front, without the button`() throws {
    let texts = try texts([Self.window], header: "La casa", extra: "la <b>ventana</b>")
    #expect(texts.prompt == "La casa\nPicture casa.png, 1 area hidden; asked is area 1 at left, middle")
    #expect(texts.answer == "la ventana")
  }

  @Test(arguments: [
    "rect:left=x:top=.4:width=.1:height=.2", "rect:left=.1:top=.4:width=.1", "rect:left=.1:top=.4:width=-1:height=.2",
    "rect:left=nan:top=.4:width=.1:height=.2", "rect:left=.1:top=101:width=.1:height=.2",
    "ellipse:left=.1:top=.1:rx=.1", "ellipse:left=.1:top=.1:rx=inf:ry=.1", "polygon:left=.1:top=.1:points=",
    "polygon:left=.1:top=.1:points=.1 .2", "polygon:left=.1:top=.1:points=.1,.2 .3,x", "text:left=.1:text=a",
    "rect:left=.1:top=.4:width=.1:height=.2:angle=east",
  ])
  func `an area with a number that cannot be read is left out, and the words say so`(area: String) throws {
    let texts = try texts([Self.window, "c2::image-occlusion:" + area])
    #expect(texts.prompt.hasSuffix(", 1 area hidden; asked is area 1 at left, middle; 1 area cannot be read"))
  }

  @Test func `a cloze that is no area, or has no picture beside it, is text`() throws {
    let cloze = NoteType(StockNoteType.cloze.draft, id: NoteTypeID(rawValue: 2), modified: 0)
    let maker = NoteCardMaker(cloze, isInterrupted: { false })
    func prompt(_ text: String) throws -> String {
      try maker.texts(NoteFields(names: cloze.fields, values: [text, ""]), CardFacts(), ordinal: 0).prompt
    }
    #expect(try prompt("{{c1::sol}} <img src=a.png>") == "[...] [picture a.png]")
    #expect(try prompt("{{\(Self.window)}}<img src=a.png> b") == "[picture a.png] b")
  }

  @Test(
    arguments: [
      (
        [SIMD2(0.1, 0.2), SIMD2(0.4, 0.2), SIMD2(0.4, 1), SIMD2(0.1, 1)], false,
        "rect:left=.1:top=.2:width=.3:height=.8"
      ),
      ([SIMD2(0.1, 0), SIMD2(0.3, 0.5)], true, "ellipse:left=.1:top=0:rx=.1:ry=.25"),
      (
        [SIMD2(0.5, 0.1), SIMD2(1.25, 0.5), SIMD2(0.5, 0.5)], false, "polygon:left=.5:top=.1:points=.5,.1 1.25,.5 .5,.5"
      ),
    ] as [([SIMD2<Double>], Bool, String)])
  func `corners become the cloze of an area, which is read again`(
    corners: [SIMD2<Double>], isRound: Bool, area: String
  ) throws {
    let cloze = MaskedPicture.cloze(1, corners, isRound: isRound)
    #expect(cloze == "{{c1::image-occlusion:\(area):oi=1}}")
    #expect(try texts([String(cloze.dropFirst(2).dropLast(2))]).prompt.contains("1 area hidden; asked is area 1"))
  }
}
