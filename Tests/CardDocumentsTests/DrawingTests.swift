// Tests of drawing: golden pictures by a perceptual difference, geometry by points, the same bytes for the same input.

import Files
import Glibc
import TestSupport
import Wire

@testable import CardDocuments

@Suite struct DrawingTests {
  private let drawing = makeDrawing()
  private let folder = TemporaryFolder()

  @Test func `an invalid length ends the conversation, not the shell`() throws {
    #expect(try drawing.ask(.finishSheet) == .refused(.badRequest, "there is nothing on the sheet"))
    let process = try ChannelProcess(path: builtProgram("deckhand-draw"), environment: [], longestFrame: longestFrame)
    let deadline = Deadline(seconds: 300, clock: monotonicSeconds, shouldStop: { false })
    let answer = try process.ask([99, 1, 2, 3], deadline: deadline)
    #expect(try DrawAnswer(decoding: answer) == .refused(.badRequest, "the request is invalid"))
    #expect(
      try DrawAnswer(decoding: process.ask([], deadline: deadline))
        == .refused(.badRequest, "the request is invalid"))
  }

  /// DECKHAND_RECORD=1 writes the golden files again; then look at them. Pango 1.56 (Debian 13) places letters a little
  /// differently than 1.50 (Debian 12): where that shows, it has a picture of its own.
  @Test(arguments: goldenNames)
  func `a card looks like its golden picture`(name: String) throws {
    let card = try goldenCard(name, in: folder)
    let width = goldenWidth(name)
    let png = try card.rendered(as: .png, width: width).bytes
    if isRecording { return try writeWhole(png, to: fixturePath("goldens/\(name).png")) }
    let drawing = card.store.drawing
    let drawn = try impression(of: png, width: width, with: drawing)
    let differences = try ["", ".pango1.56"].map { fixture("goldens/\(name)\($0).png") }.filter { !$0.isEmpty }.map {
      difference(drawn, try impression(of: $0, width: width, with: drawing))
    }
    #expect(differences.contains { worst, mean in worst < 0.1 && mean < 0.01 }, "worst and mean: \(differences)")
  }

  @Test func `the labels of a chart are under their bars, and its highest value is above its bar`() throws {
    let panel = ChartPanel("Due", .columns([1, 2, 8, 0, 4], axis: ["0", "", "4+"]), highest: "8")
    let items = ChartPicture(title: "T", panels: [panel]).scene.items
    let bars = items.filter { abs($0.placement.width - 0.84 * 560 / 5) < 0.01 }.map(\.placement.x)
    for (label, bar) in zip(["0", "8", "4+"], [0, 2, 3]) {
      let found = items.first {
        if case .text(let text, _, _, _, _, _) = $0.content { text == label } else { false }
      }
      #expect(abs(try #require(found).placement.x - bars[bar]) < 0.01, "\(label)")
    }
  }

  @Test func `the measure distinguishes pictures`() throws {
    let pictures = try goldenNames.map { name in
      try impression(of: fixture("goldens/\(name).png"), width: goldenWidth(name), with: drawing)
    }
    for (index, first) in pictures.enumerated() {
      for (other, second) in pictures.enumerated() where other != index {
        let (worst, mean) = difference(first, second)
        #expect(worst >= 0.1 || mean >= 0.01, "\(goldenNames[index]) and \(goldenNames[other])")
      }
    }
  }

  @Test(arguments: FramePoints.all)
  func `a frame shows what is inside it and hides what is outside`(points: FramePoints) throws {
    let card = try document(in: folder, background: white) { document in
      let place = ElementPlacement(x: 20, y: 100, width: 1200, height: 1000)
      _ = try document.addImage(testSVG(width: 600, height: 500), named: "x", frame: points.frame, at: place)
    }
    let picture = try Pixels(card, width: 650, height: 1000)
    for (x, y) in points.inside { #expect(picture.at(20 + x * 600, 100 + y * 500).green < 60, "inside \(x), \(y)") }
    for (x, y) in points.outside { #expect(picture.at(20 + x * 600, 100 + y * 500).green > 200, "outside \(x), \(y)") }
  }

  @Test(arguments: Frame.allCases)
  func `an outline stays within its box and keeps the proportions of the original`(frame: Frame) {
    var end = PathPoint(x: 0, y: 0)
    func check(_ point: PathPoint) {
      #expect(abs(point.x) <= 50.01 && abs(point.y) <= 30.01, "\(frame) \(point)")
    }
    for step in frame.outline(width: 100, height: 60) {
      switch step {
      case .move(let point), .line(let point):
        check(point)
        end = point
      case .curve(let a, let b, let c):
        for place in 0...40 {
          let t = Double(place) / 40
          let (u, v, w, z) = ((1 - t) * (1 - t) * (1 - t), 3 * (1 - t) * (1 - t) * t, 3 * (1 - t) * t * t, t * t * t)
          check(
            PathPoint(x: u * end.x + v * a.x + w * b.x + z * c.x, y: u * end.y + v * a.y + w * b.y + z * c.y))
        }
        end = c
      case .arc(let centre, let radius, let from, let to):
        for place in 0...40 {
          let angle = from + (to - from) * Double(place) / 40
          check(PathPoint(x: centre.x + radius * cos(angle), y: centre.y + radius * sin(angle)))
        }
      case .close: break
      }
    }
    #expect(Frame(index: frame.index) == frame)
    #expect(Frame.allCases[frame.index] == frame)
  }

  @Test func `an image keeps its ratio in its box, and rotation is clockwise about its centre`() throws {
    let card = try document(in: folder, background: white) { document in
      let place = ElementPlacement(x: 0, y: 0, width: 1000, height: 1000, rotation: 90)
      _ = try document.addImage(testSVG(width: 400, height: 200), named: "x", at: place)
    }
    let picture = try Pixels(card, width: 650, height: 1000)
    // Twice as wide as high, turned: 500 wide and 1000 high. Its upper left quarter, blue, is now the upper right.
    #expect(picture.at(0, 480).red > 200 && picture.at(0, 480).green < 60)
    #expect(picture.at(260, 0).green > 200 && picture.at(-260, 0).green > 200)
    #expect(picture.at(120, -250).blue > 200 && picture.at(120, -250).red < 60)
    #expect(picture.at(-120, -250).red > 200)
  }

  @Test func `elements in front cover those behind`() throws {
    let card = try document(in: folder, background: white) { document in
      let back = try document.addImage(testSVG(width: 20), named: "x", at: ElementPlacement(width: 500, height: 500))
      _ = try document.addText("█", at: ElementPlacement(width: 200, height: 200))
      #expect(try Pixels(document).at(0, 0) == (0, 0, 0))
      try document.change { try $0.raise(back.id) }
    }
    #expect(try Pixels(card).at(10, 20).red > 200)
  }

  @Test(arguments: [
    ("Hola", 1200.0, 600.0), ("a text that is much too long for its box", 600, 300), ("high", 1200, 40),
    ("שלום עולם", 500, 300), ("世界", 900, 100),
  ])
  func `a text fits its box, as large as possible up to 200`(words: String, width: Double, height: Double) throws {
    let card = try document(in: folder, background: white) { document in
      _ = try document.addText(words, at: ElementPlacement(x: 0, y: 100, width: width, height: height))
    }
    let ink = try #require(try Pixels(card, width: 650, height: 1000).inkBounds())
    #expect(ink.left >= -width / 2 - 8 && ink.right <= width / 2 + 8, "\(ink)")
    #expect(ink.top >= 100 - height / 2 - 3 && ink.bottom <= 100 + height / 2 + 3, "\(ink)")
    #expect(abs(ink.left + ink.right) < 40, "in the middle: \(ink)")
    let isWide = ink.right - ink.left > width * 0.8
    let isHigh = ink.bottom - ink.top > height * 0.4
    let isWhole = ink.bottom - ink.top > 120
    #expect(isWide || isHigh || isWhole, "\(ink)")
  }

  @Test func `emoji are in colour on every output`() throws {
    let card = try document(in: folder, background: white) { document in _ = try document.addText("🎉") }
    let picture = try Pixels(card)
    let isColored = stride(from: 0, to: picture.rgba.count, by: 4).contains {
      abs(Int(picture.rgba[$0]) - Int(picture.rgba[$0 + 2])) > 80
    }
    #expect(isColored)
    #expect(text(try card.rendered(as: .svg).bytes).contains("data:image/png;base64"))
    #expect(text(try card.rendered(as: .pdf).bytes).contains("/Subtype /Image"))
  }

  @Test func `a text that no font can draw is found by its characters`() throws {
    let missing = try drawing.coverage([
      CoverageQuery(text: "Hola שלום مرحبا 你好 🐶 ¿é?", font: "No such family"),
      CoverageQuery(text: "a\u{10FFFD}b\u{E123}", font: ""),
    ])
    #expect(missing == ["", "\u{10FFFD}\u{E123}"])
  }

  @Test(arguments: DrawingFormat.allCases)
  func `the same document gives the same bytes, in one process and in another`(format: DrawingFormat) throws {
    let card = try goldenCard("scripts", in: folder)
    _ = try card.addImage(
      fixture("pictures/quarter.jpg"), named: "x", frame: .cloud, at: ElementPlacement(rotation: 20))
    let first = try card.rendered(as: format).bytes
    #expect(try card.rendered(as: format).bytes == first)
    _ = try card.rendered(as: .pdf, width: 40)
    #expect(try card.rendered(as: format).bytes == first)
    #expect(try makeStore(folder, seed: 8).open(card.id).rendered(as: format).bytes == first)
  }

  @Test func `a text of two lines is drawn as two lines of the same size, centred`() throws {
    func bounds(_ text: String) throws -> (left: Double, top: Double, right: Double, bottom: Double) {
      let card = try document(in: TemporaryFolder()) { document in
        _ = try document.addText(text, at: ElementPlacement(width: 1300, height: 2000))
      }
      return try #require(try Pixels(card).inkBounds())
    }
    let one = try bounds("HH")
    let two = try bounds("HH\nHH")
    #expect(abs((two.right - two.left) - (one.right - one.left)) <= 10)
    #expect(two.bottom - two.top > 200 + (one.bottom - one.top) - 20)
    let mixed = try bounds("HHHH\nH")
    #expect(abs(mixed.left + mixed.right) <= 20)
    // All lines together fit the box.
    let many = try document(in: TemporaryFolder()) { document in
      _ = try document.addText(
        (1...12).map { "line \($0)" }.joined(separator: "\n"), at: ElementPlacement(width: 1300, height: 600))
    }
    let box = try #require(try Pixels(many).inkBounds())
    #expect(box.top >= -310 && box.bottom <= 310 && box.bottom - box.top > 400)
  }

  @Test(arguments: DrawingFormat.allCases)
  func `every kind of line ending starts a new line, in every format`(format: DrawingFormat) throws {
    func drawn(_ text: String) throws -> [UInt8] {
      let card = try document(in: TemporaryFolder()) { document in _ = try document.addText(text) }
      return try card.rendered(as: format, width: 130).bytes
    }
    let two = try drawn("a\n🐶 b")
    #expect(try two != drawn("a 🐶 b"))
    for end in ["\r\n", "\r", "\u{2028}", "\u{85}"] {
      #expect(try drawn("a\(end)🐶 b") == two, "\(end.unicodeScalars.map(\.value))")
    }
    #expect(try !drawn(Array(repeating: "🐶", count: 1000).joined(separator: "\n")).isEmpty)
  }

  @Test func `an SVG has one title and one description, escaped, and defines every id it refers to`() throws {
    let card = try document(in: folder) { document in
      _ = try document.addText("<b>&\"Hola\" #1 (url(#x)")
      _ = try document.addImage(testSVG(), named: "x", frame: .lens, alt: "a dog")
      _ = try document.addImage(fixture("pictures/quarter.png"), named: "x", alt: "again")
    }
    let svg = text(try card.rendered(as: .svg, width: 650).bytes)
    #expect(svg.contains("<title id=\"title\">&lt;b&gt;&amp;\"Hola\" #1 (url(#x)</title>"))
    #expect(svg.contains("in the shape of a lens: a dog; an image: again.</desc>"))
    #expect(svg.contains("role=\"img\"") && svg.contains("width=\"650px\" height=\"1000px\""))
    #expect(svg.split(separator: "<title").count == 2)
    let body = svg.split(separator: "</desc>").last ?? ""
    let ids = body.matches(of: /\ id="(n\d+)"/).map { String($0.1) }
    let uses = body.matches(of: /["(]#(n\d+)[")]/).map { String($0.1) }
    #expect(Set(ids).count == ids.count && !uses.isEmpty)
    #expect(Set(uses).isSubset(of: Set(ids)))
    #expect(ids.contains("n1"))
  }

  @Test func `a PDF has the requested size, a title, and a fixed date`() throws {
    let card = try document(in: folder) { document in _ = try document.addText("Hola") }
    let pdf = pdfText(try card.rendered(as: .pdf, width: 650).bytes)
    #expect(pdf.hasPrefix("%PDF") && pdf.contains("/MediaBox [ 0 0 650 1000 ]"))
    #expect(pdf.contains("/Title (Hola)") && pdf.contains("/CreationDate (20000101000000Z)"))
  }

  @Test func `an invalid file extension or width is refused before anything is drawn`() throws {
    let card = try document(in: folder) { _ in }
    for name in ["x", "x.jpg", ".png/x", "x.png.gz", "x.ps"] {
      #expect(throws: DocumentError.unknownEnding(path: name)) { try card.render(to: name) }
    }
    for width in [0, -1, 6501, .min, .max] {
      #expect(throws: DocumentError.badWidth(width, 1...6500)) { try card.render(to: "x.png", width: width) }
    }
    #expect(DrawingFormat(path: "a.b/X.PNG") == .png)
    #expect(try card.rendered(as: .png, width: 1).bytes.count > 50)
  }

  @Test func `the widest drawing stays within the program's memory`() throws {
    let card = try document(in: folder) { document in _ = try document.addImage(testSVG(), named: "x") }
    for format in DrawingFormat.allCases { #expect(try !card.rendered(as: format, width: 6500).bytes.isEmpty) }
  }

  @Test func `a scene of any numbers is drawn or refused, and the program survives`() throws {
    var random = TestGenerator(8)
    let fair: [Double] = [0, -0.0, 1, -1, 650, 1e-300, 1e6, -1e6, .leastNonzeroMagnitude, 1300, 2e5, 99]
    var numbers = fair
    func number() -> Double { numbers.randomElement(using: &random) ?? 0 }
    func point() -> PathPoint { PathPoint(x: number(), y: number()) }
    _ = try drawing.coverage([])
    let process = drawing.process?.process
    var drawn = 0
    for trial in 0..<150 {
      numbers = trial.isMultiple(of: 10) ? fair + [1e9, -1e308, 1e308] : fair
      let clip: [PathStep] = [
        .move(point()), .line(point()), .curve(point(), point(), point()),
        .arc(centre: point(), radius: number(), from: .random(in: -99...99, using: &random), to: 3), .close,
      ]
      let color = SceneColor(red: number(), green: number(), blue: number(), alpha: number())
      let place = Placement(x: number(), y: number(), width: number(), height: number(), degrees: number())
      let scene = Scene(
        width: .random(using: &random) ? 1300 : number(), height: 2000, background: color, title: "", summary: "",
        pictures: [fixture("pictures/quarter.png"), []],
        items: [
          SceneItem(placement: place, content: .picture(index: 0, clip: clip.shuffled(using: &random))),
          SceneItem(placement: place, content: .picture(index: nil, clip: [])),
          SceneItem(placement: place, content: .text("a 🐶", font: ",,", color: color, size: number())),
        ])
      let format = DrawingFormat.allCases.randomElement(using: &random) ?? .png
      do {
        if case .drawing = try drawing.ask(.render(scene, format, width: 40)) { drawn += 1 }
      } catch { Issue.record("\(error) \(scene)") }
    }
    #expect(drawn > 30)
    #expect(drawing.process?.process == process)
  }

  @Test func `an existing file stays when the drawing cannot be written`() throws {
    let card = try document(in: folder) { _ in }
    try card.render(to: folder.path + "/x.png", width: 13)
    #expect(folder.read("x.png")?.starts(with: [0x89, 0x50]) == true)
    mkdir(folder.path + "/d.png", 0o700)
    #expect(throws: DocumentError.cannotWrite(path: folder.path + "/d.png", errno: EISDIR)) {
      try card.render(to: folder.path + "/d.png")
    }
    #expect(throws: DocumentError.cannotWrite(path: "/nowhere/x.svg", errno: ENOENT)) {
      try card.render(to: "/nowhere/x.svg")
    }
    #expect(folder.names.filter { $0.hasSuffix(".tmp") }.isEmpty)
  }

  @Test(arguments: ["x", "🐶", "漢", "e\u{301}\u{302}\u{303}", "\u{202E}a"])
  func `the longest text is drawn in bounded time`(part: String) throws {
    let card = try document(in: folder, background: white) { document in
      let text = String(repeating: part, count: 100_000 / part.utf8.count)
      _ = try document.addText(text, style: TextStyle(font: String(repeating: "f", count: 100_000)))
    }
    var process: pid_t = 0
    for format in DrawingFormat.allCases {
      #expect(try !card.rendered(as: format, width: 130).bytes.isEmpty)
      process = try #require(card.store.drawing.process?.process)
    }
    #expect(processorSeconds(of: process) < 20)
  }

  @Test func `invalid values of a document are drawn as well as possible`() throws {
    let odd = """
      {"format":"rwcard","version":2,"id":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","background":[9,9],"elements":[
      {"id":"a","kind":"text","text":"x","x":1e308,"width":1e308,"height":1e999,"rotation":1e300},
      {"id":"b","kind":"text","text":"x","width":0,"height":-5},{"id":"c","kind":"image","image":"../../x","frame":77},
      {"id":"d","kind":"image","imageFile":7},{"id":"e","kind":3},{"id":"f","kind":"text","text":"\\u0000\\n","color":"red"},
      {"id":"g","kind":"image","imageFile":"\(String(repeating: "n", count: 5000))","width":1e-9,"frame":"heart"}]}
      """
    try folder.write(Array(odd.utf8), to: "odd.rwcard")
    let card = try makeStore(folder).open(folder.path + "/odd.rwcard")
    for format in DrawingFormat.allCases { #expect(try !card.rendered(as: format, width: 65).bytes.isEmpty) }
    #expect(try card.rendered(as: .png).brokenElements == ["c", "d", "g"])
    #expect(try card.check().count > 8)
  }

  @Test func `a sheet has nine cards a page and the same bytes each time`() throws {
    let card = try document(in: folder) { document in
      _ = try document.addImage(testSVG(), named: "x")
      _ = try document.addText("Hola 🐶")
    }
    let cards = Array(repeating: card, count: 19)
    var told: [Int] = []
    try card.store.sheet(cards, to: folder.path + "/a.pdf") { told.append($0) }
    _ = try card.rendered(as: .png, width: 20)
    try card.store.sheet(cards, to: folder.path + "/b.pdf")
    let pdf = folder.read("a.pdf") ?? []
    #expect(pdfText(pdf).matches(of: /\/Type \/Page\b/).count == 3)
    #expect(pdf == folder.read("b.pdf") ?? [0])
    #expect(told == Array(1...19))
    #expect(throws: DocumentError.unknownEnding(path: "x.png", expected: ".pdf")) {
      try card.store.sheet(cards, to: "x.png")
    }
    #expect(throws: DocumentError.drawing(.refused("there is nothing on the sheet"))) {
      try card.store.sheet([], to: folder.path + "/c.pdf")
    }
  }
}
