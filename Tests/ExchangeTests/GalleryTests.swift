// A page of pictures: what it contains, what it allows a browser to do, and that it is written whole or not at all.

import Files
import TestSupport
import Testing
import Text

@testable import Exchange

struct GalleryTests {
  private struct Stopped: Error {}

  private func picture(_ title: String, broken: Int = 0) -> GalleryPicture {
    GalleryPicture(title: title, description: "A card with \(title).", png: [1, 2, 3], broken: broken)
  }

  @Test func `pictures in order, each with its caption, and no script`() throws {
    let folder = TemporaryFolder()
    let titles = ["el gato", "</style><script>hostile = 1</script>", "\" onload=\"hostile=1"]
    var done: [Int] = []
    let report = try GalleryPage(title: "<Animals>", count: 3) { picture(titles[$0], broken: $0) }
      .write(to: folder.path + "/page.html", isInterrupted: { false }) { done.append($0) }
    let text = try #require(try FileText.read(folder.path + "/page.html", limit: 1 << 20))
    #expect(report.documents == 3 && report.broken == 3 && report.bytes == text.utf8.count && done == [1, 2, 3])
    #expect(text.ranges(of: "src=\"data:image/png;base64,\(base64([1, 2, 3]))\"").count == 3)
    #expect(text.contains("<title>&lt;Animals&gt;</title>") && text.contains("alt=\"A card with el gato.\""))
    #expect(!text.contains("<script") && !text.contains("\" onload="))
    #expect(text.ranges(of: "</style>").count == 1)
    let pieces = text.split(separator: "<style>", maxSplits: 1)
    let style = try #require(pieces.last?.split(separator: "</style>", maxSplits: 1).first)
    #expect(
      text.contains(
        "default-src 'none'; style-src 'sha256-\(base64(sha256(Array(style.utf8))))'; img-src data:; base-uri 'none'; "
          + "form-action 'none'"))
  }

  @Test func `a picture that cannot be drawn leaves the file as it was`() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/page.html"
    try AtomicFile.write(path, Array("before".utf8))
    #expect(throws: Stopped.self) {
      try GalleryPage(title: "", count: 2) { place in
        if place == 1 { throw Stopped() }
        return picture("a")
      }.write(to: path, isInterrupted: { false })
    }
    #expect(try FileText.read(path, limit: 100) == "before")
    #expect(try Folder.names(in: folder.path).count == 1)
  }
}
