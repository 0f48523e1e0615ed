// An editor for the tests of `lsp`: it starts the built program and speaks the protocol over pipes.

import Glibc
import TestSupport

/// An editor that sends messages and waits for their responses.
final class Editor {
  let child: Child
  private var bytes: [UInt8] = []
  /// All received messages.
  private(set) var said: [String] = []
  private var number = 0

  init(_ home: Home, encoding: String = "utf-8", root: String) throws {
    child = try home.start(["lsp"])
    let capabilities = #"{"general":{"positionEncodings":["\#(encoding)"]}}"#
    let answer = request(
      "initialize",
      #"{"processId":\#(getpid()),"rootUri":"file://\#(root)","capabilities":\#(capabilities)}"#)
    try #require(answer.contains(#""positionEncoding":"\#(encoding)""#), "\(answer)")
    notify("initialized", "{}")
  }

  func send(_ message: String) { child.feed("Content-Length: \(message.utf8.count)\r\n\r\n" + message) }

  func notify(_ method: String, _ parameters: String) {
    send(#"{"jsonrpc":"2.0","method":"\#(method)","params":\#(parameters)}"#)
  }

  func request(_ method: String, _ parameters: String) -> String {
    number += 1
    send(#"{"jsonrpc":"2.0","id":\#(number),"method":"\#(method)","params":\#(parameters)}"#)
    return wait { $0.contains(#""id":\#(self.number),"#) }
  }

  /// Returns the next wanted message; empty if none comes.
  func wait(_ isWanted: (String) -> Bool) -> String {
    while let message = next() { if isWanted(message) { return message } }
    return ""
  }

  private func next() -> String? {
    while true {
      if let message = takeMessage() {
        said.append(message)
        return message
      }
      let more = child.next(milliseconds: 60_000)
      if more.isEmpty { return nil }
      bytes += more
    }
  }

  private func takeMessage() -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix("Content-Length: "), let end = text.firstRange(of: "\r\n\r\n"),
      let length = Int(text[..<end.lowerBound].dropFirst("Content-Length: ".count))
    else { return nil }
    let start = text[..<end.upperBound].utf8.count
    guard bytes.count >= start + length else { return nil }
    defer { bytes.removeFirst(start + length) }
    return String(decoding: bytes[start..<start + length], as: UTF8.self)
  }

  // MARK: Documents

  /// - Returns: the diagnostics of the document.
  func open(_ path: String, _ text: String, version: Int = 1) -> String {
    notify(
      "textDocument/didOpen",
      #"{"textDocument":{"uri":"file://\#(path)","languageId":"x","version":\#(version),"text":\#(quoted(text))}}"#)
    return diagnostics(path)
  }

  func change(_ path: String, _ version: Int, _ range: String, _ text: String) -> String {
    notify(
      "textDocument/didChange",
      #"{"textDocument":{"uri":"file://\#(path)","version":\#(version)},"contentChanges":[{"range":\#(range),"text":\#(quoted(text))}]}"#
    )
    return diagnostics(path)
  }

  func diagnostics(_ path: String) -> String {
    wait { $0.contains("publishDiagnostics") && $0.contains(#""uri":"file://\#(path)""#) }
  }

  func ask(_ method: String, _ path: String, _ line: Int, _ character: Int) -> String {
    request(
      "textDocument/\(method)",
      #"{"textDocument":{"uri":"file://\#(path)"},"position":{"line":\#(line),"character":\#(character)}}"#)
  }

  /// Requests the code actions at a line, without waiting for edits.
  func actions(_ path: String, _ line: Int) -> String {
    request(
      "textDocument/codeAction",
      #"{"textDocument":{"uri":"file://\#(path)"},"range":\#(Self.range(line, 0, line, 0)),"context":{"diagnostics":[]}}"#
    )
  }

  func end() -> Int32 {
    _ = request("shutdown", "null")
    notify("exit", "null")
    return child.wait()
  }

  static func range(_ line: Int, _ character: Int, _ endLine: Int, _ end: Int) -> String {
    #"{"start":{"line":\#(line),"character":\#(character)},"end":{"line":\#(endLine),"character":\#(end)}}"#
  }
}

private func quoted(_ text: String) -> String {
  "\""
    + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n").replacing(
      "\t", with: "\\t") + "\""
}
