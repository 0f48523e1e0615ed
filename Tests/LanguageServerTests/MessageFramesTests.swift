// Messages in byte streams that are complete, split anywhere, damaged or endless.

import LanguageServer
import Testing

@Suite struct MessageFramesTests {
  private func message(_ text: String) -> [UInt8] { MessageFrames.framed(Array(text.utf8)) }

  private func texts(_ frames: inout MessageFrames) -> [String] {
    var texts: [String] = []
    do throws(ResponseError) {
      while let bytes = try frames.next() { texts.append(String(decoding: bytes, as: UTF8.self)) }
    } catch { texts.append("! " + error.message) }
    return texts
  }

  @Test func `messages are found wherever the stream is split`() {
    let stream = message("one") + message("") + Array("Content-Type: x\r\nContent-Length:4\n\nfour".utf8)
    for size in 1...stream.count {
      var frames = MessageFrames()
      var found: [String] = []
      for start in stride(from: 0, to: stream.count, by: size) {
        frames.append(stream[start..<min(stream.count, start + size)])
        found += texts(&frames)
      }
      #expect(found == ["one", "", "four"], "pieces of \(size)")
    }
  }

  @Test(arguments: [
    ("Content-Size: 3\r\n\r\nabc", "! no Content-Length before a message"),
    ("Content-Length: three\r\n\r\n{}", "! no Content-Length before a message"),
    ("Content-Length: -3\r\n\r\n{}", "! no Content-Length before a message"),
    ("Content-Length: 99999999999999999999999\r\n\r\n{}", "! no Content-Length before a message"),
    (
      "Content-Length: 101\r\n\r\n" + String(repeating: "x", count: 101),
      "! a message of 101 bytes; the limit is 100"
    ),
    ("Content-Length: 9223372036854775807\r\n\r\n{}", "! a message of 9223372036854775807 bytes; the limit is 100"),
    ("Content-Length: 4000000000\r\n\r\n{}", "! a message of 4000000000 bytes; the limit is 100"),
    (String(repeating: "noise ", count: 1000), "! a message header without an end"),
    ("Content-Length: 5\r\nX: " + String(repeating: "a", count: 5000), "! a message header without an end"),
  ])
  func `bytes that are no message are reported`(stream: String, reason: String) {
    var frames = MessageFrames(longest: 100)
    frames.append(message("whole") + Array(stream.utf8))
    #expect(texts(&frames) == ["whole", reason])
  }
}
