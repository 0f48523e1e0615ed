// Tests of the bytes between the shell and deckhand-draw.

import TestSupport
import Wire

private let scene = Scene(
  width: 13, height: 20, background: SceneColor(red: 1, green: 0.5, blue: 0, alpha: 1), title: "título", summary: "",
  pictures: [[1, 2, 3], []],
  items: [
    SceneItem(
      placement: Placement(x: 1, y: -2, width: 3, height: 4, degrees: -6.0000000000000009),
      content: .picture(
        index: 1,
        clip: [
          .move(PathPoint(x: 0, y: 0)), .line(PathPoint(x: 1, y: 0)),
          .curve(PathPoint(x: 1, y: 1), PathPoint(x: 2, y: 2), PathPoint(x: 3, y: 3)),
          .arc(centre: PathPoint(x: 0, y: 0), radius: 2, from: 0, to: 3), .close,
        ])),
    SceneItem(
      placement: Placement(x: 0, y: 0, width: 0, height: 0, degrees: 0),
      content: .picture(index: nil, clip: [], fills: true)),
    SceneItem(
      placement: Placement(x: 0, y: 0, width: 5, height: 5, degrees: 0),
      content: .text(
        "שלום", font: "Sans", color: SceneColor(red: 0, green: 0, blue: 0, alpha: 0), size: 200, wraps: true)),
    SceneItem(
      placement: Placement(x: 0, y: 0, width: 1, height: 1, degrees: 0),
      content: .shape([.close], color: SceneColor(red: 0, green: 0, blue: 0, alpha: 1), line: 2)),
  ])

private let requests: [DrawRequest] = [
  .convert(picture: [9, 8, 7], longSide: 1000), .render(scene, .pdf, width: 650), .pixels(scene, width: 4, height: 5),
  .addToSheet(scene), .addPage(scene), .finishSheet,
  .coverage([CoverageQuery(text: "a", font: ""), CoverageQuery(text: "", font: "b")]),
]

private let answers: [DrawAnswer] = [
  .picture(png: [1], width: 2, height: 3), .drawing([1, 2], broken: [0, 7]), .coverage(["", "é"]),
  .refused(.tooLarge, "100000 × 100000"),
]

@Suite struct DrawingWireTests {
  @Test(arguments: requests)
  func `a request is decoded as it was encoded`(request: DrawRequest) throws {
    #expect(try DrawRequest(decoding: request.encoded) == request)
  }

  @Test(arguments: answers)
  func `a response is decoded as it was encoded`(answer: DrawAnswer) throws {
    #expect(try DrawAnswer(decoding: answer.encoded) == answer)
  }

  @Test func `every proper prefix of a message is refused`() throws {
    for bytes in requests.map(\.encoded) {
      for count in 0..<bytes.count {
        #expect(throws: WireError.self) { try DrawRequest(decoding: Array(bytes.prefix(count))) }
      }
      #expect(throws: WireError.self) { try DrawRequest(decoding: bytes + [0]) }
    }
  }

  @Test func `a message with any bytes changed is decoded or refused`() throws {
    var random = TestGenerator(1)
    var refused = 0
    for _ in 0..<3000 {
      var bytes = requests.map(\.encoded).randomElement(using: &random) ?? []
      for _ in 0..<3 { bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random) }
      do { _ = try DrawRequest(decoding: bytes) } catch { refused += 1 }
      do { _ = try DrawAnswer(decoding: bytes) } catch { refused += 1 }
    }
    #expect(refused > 1000)
  }

  @Test func `a picture that is not in the scene is refused`() {
    var broken = scene
    broken.items[0].content = .picture(index: 2, clip: [])
    #expect(throws: WireError.self) { try DrawRequest(decoding: DrawRequest.addToSheet(broken).encoded) }
    broken.items[0] = scene.items[2]
    broken.items[0].placement.x = .nan
    #expect(throws: WireError.self) { try DrawRequest(decoding: DrawRequest.addToSheet(broken).encoded) }
  }
}
