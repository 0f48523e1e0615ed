import Testing

@testable import CardDocuments

@Suite struct SmokeTests {
  @Test func smoke() throws {
    let folder = TemporaryFolder()
    let store = try makeStore(folder)
    let d = try store.create()
    var i = 0
    for frame in Frame.allCases {
      _ = try d.addImage(
        testSVG(width: 300, height: 300), named: "x.svg", frame: frame,
        at: ElementPlacement(
          x: Double(i % 3 - 1) * 420, y: Double(i / 3 - 2) * 380 + 100, width: 400, height: 350, rotation: Double(i) * 5
        ))
      i += 1
    }
    _ = try d.addText("Hola, el perro grande", at: ElementPlacement(y: -880, width: 900, height: 200))
    _ = try d.addText("שלום مرحبا", at: ElementPlacement(x: 300, y: 880, width: 600, height: 200))
    _ = try d.addText("狗 dog 🐶🎉", at: ElementPlacement(x: -300, y: 880, width: 600, height: 200, rotation: -10))
    for f in ["svg", "png", "pdf"] { try d.render(to: "/tmp/out.\(f)", width: 650) }
    try store.sheet([d, d, d], to: "/tmp/sheet.pdf")
    print(d.content.linesInWords)
    print(text(d.content.encoded).prefix(900))
    print(try d.check())
    print(try d.pixels(width: 4, height: 4).rgba)
    print(
      try d.thumbnail().count, try d.thumbnail().count, folder.names("documents"), folder.names("documents/thumbnails"))
  }
}
