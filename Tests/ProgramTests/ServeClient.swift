// A program that talks to `serve` over HTTP, byte by byte where needed.

import Glibc
import TestSupport

/// A client of the `serve` that runs at a terminal.
struct ServeClient {
  /// In milliseconds; only a failing test waits that long for an answer.
  private static let timeout: Int32 = 120_000

  let port: UInt16

  /// Waits until the server listens.
  init(_ shell: PseudoTerminal) throws {
    let line = shell.wait(for: "Ctrl-C")
    let digits = line.components(after: "127.0.0.1:").prefix { $0.isNumber }
    port = try #require(UInt16(digits), "\(line)")
  }

  /// Sends bytes; returns everything received until the other end closes, or nothing comes for `milliseconds`.
  /// - Parameter isTaken: whether the server reads all of it; a refused request may not be read to its end.
  func exchange(_ bytes: [UInt8], milliseconds: Int32 = timeout, isTaken: Bool = true) throws -> String {
    let socket = try connected()
    defer { close(socket) }
    let isWritten = writeAll(bytes, to: socket)
    #expect(isWritten || !isTaken)
    return answer(on: socket, milliseconds)
  }

  func connected() throws -> Int32 { try #require(connection()) }

  /// Returns nil if nobody listens.
  func connection() -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  func answer(on socket: Int32, _ milliseconds: Int32 = timeout) -> String {
    var bytes: [UInt8] = []
    while !readable([socket], milliseconds: milliseconds).isEmpty {
      let some = readSome(socket)
      if some.isEmpty { break }
      bytes += some
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  func head(_ method: String = "POST", length: Int?, host: String? = nil, _ more: [String] = []) -> String {
    let host = host ?? "127.0.0.1:\(port)"
    let lines =
      ["\(method) / HTTP/1.1", "Host: \(host)", "Connection: close"] + (length.map { ["Content-Length: \($0)"] } ?? [])
    return (lines + more).joined(separator: "\r\n") + "\r\n\r\n"
  }

  func post(_ body: String, host: String? = nil, _ more: String...) throws -> String {
    try exchange(Array((head(length: body.utf8.count, host: host, more) + body).utf8))
  }

  func body(_ answer: String) -> String { answer.components(after: "\r\n\r\n") }

  /// Returns the body of the response to an action.
  func action(_ name: String, _ params: String = "{}", _ more: String...) throws -> String {
    let text = #"{"action":"\#(name)","version":6,"params":\#(params)}"#
    return body(try exchange(Array((head(length: text.utf8.count, more) + text).utf8)))
  }
}

extension String {
  /// Returns what follows the first occurrence of a text.
  func components(after text: String) -> String {
    firstRange(of: text).map { String(self[$0.upperBound...]) } ?? ""
  }

  /// Returns how many parts there are between the occurrences of a text.
  func components(separatedBy text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count
  }
}
