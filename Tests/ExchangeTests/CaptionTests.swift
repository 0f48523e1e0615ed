// Captions of several kinds, each compared with a table of what is said when: see Fixtures/captions.

import TestSupport
import Text

@testable import Exchange

@Suite struct CaptionTests {
  private let folder = TemporaryFolder()

  /// The rows of a table: start and end in milliseconds, and a text.
  private func rows(_ name: String) throws -> [String] {
    try fixtureText("captions/\(name).tsv").split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
  }

  private func row(_ start: Double, _ end: Double, _ text: String) -> String {
    "\(Int((start * 1000).rounded()))\t\(Int((end * 1000).rounded()))\t\(text)"
  }

  private func paragraphs(_ text: String, _ name: String) throws -> [TextParagraph] {
    try TextFile(folder.write(text, to: name), encoding: nil) { false }.paragraphs
  }

  @Test(arguments: [("shapes", TextFormat.srt), ("layers", .ass), ("rolling", .vtt)])
  func `each cue says what its table tells`(name: String, format: TextFormat) throws {
    let text = try fixtureText("captions/\(name).\(format.rawValue)")
    var scan = TextScan(path: name) { false }
    let cues = try SubtitleLines.spoken(text, format, &scan).cues
    #expect(cues.map { row($0.start, $0.end, $0.lines.joined(separator: "\\n")) } == (try rows(name)))
  }

  @Test(arguments: ["rolling", "rolling_sentences"])
  func `rolling captions are one stream of sentences`(name: String) throws {
    let text = try fixtureText("captions/\(name).vtt")
    let found = try paragraphs(text, "a.vtt").map { row($0.start ?? -1, $0.end ?? -1, $0.text) }
    #expect(found == (try rows(name)))
  }

  private func cues(_ cues: [(Double, Double, String)]) -> String {
    cues.map { "0:\($0.0) --> 0:\($0.1)\n\($0.2)\n\n" }.joined()
  }

  @Test func `rolling captions without times of words get them by characters`() throws {
    let srt = cues([
      (1, 3, "One two."), (3, 5, "One two.\nThree four"), (5, 7, "Three four\nfive. Six"), (7, 9, "five. Six\nseven."),
      (12, 13, "Eight"),
    ])
    let found = try paragraphs(srt, "a.srt")
    #expect(found.map(\.text) == ["One two.", "Three four five.", "Six seven.", "Eight"])
    #expect(found.map(\.start) == [1, 3, 6.25, 12] && found.map(\.end) == [3, 6.25, 9, 13])
  }

  @Test func `captions that grow word by word say each word once`() throws {
    let srt = cues([(1, 2, "The"), (2, 3, "The old"), (3, 4, "The old song"), (4, 5, "The old song,\nagain")])
    #expect(try paragraphs(srt, "a.srt").map(\.text) == ["The old song, again"])
  }

  @Test func `a caption whose words are marked in turn is one, with gaps too`() throws {
    let marked = ["<u>Wait</u> for me!", "Wait <u>for</u> me!", "Wait for <u>me!</u>"]
    let srt = cues([(1, 1.5, marked[0]), (2, 2.5, marked[1]), (3, 3.5, marked[2]), (20, 21, marked[2])])
    #expect(
      try paragraphs(srt, "a.srt") == [
        TextParagraph("Wait for me!", start: 1, end: 3.5), TextParagraph("Wait for me!", start: 20, end: 21),
      ])
  }

  @Test func `a pause or 15 seconds end a sentence where there are no end marks`() throws {
    let words = "<c>x</c>"
    let vtt = "WEBVTT\n\n0:01.0 --> 0:03.0\none\n\n0:03.5 --> 0:05.0\ntwo <0:04.0>\(words)\n\n0:06.0 --> 0:40.0\na"
    let stream = (7..<40).map { " <0:\($0 < 10 ? "0" : "")\($0).0><c>word\(String(repeating: "s", count: 10))</c>" }
    let found = try paragraphs(vtt + stream.joined() + "\n", "a.vtt")
    #expect(found.map(\.start) == [1, 6, 7, 22, 37] && found.map(\.end) == [5, 7, 22, 37, 40])
  }
}
