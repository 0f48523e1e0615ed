// Messages in a byte stream: `Content-Length: N`, an empty line, N bytes of JSON (Language Server Protocol 3.17, "Base
// Protocol").
// Invariant: memory is limited to one message, whose size is limited; after invalid input, the next complete message is
// found.

/// Extracts messages from the input bytes.
///
///     var frames = MessageFrames()
///     frames.append(bytes)
///     while let frame = frames.next() { ... }
public struct MessageFrames {
  public enum Frame: Equatable {
    /// The JSON of a message.
    case message([UInt8])
    /// Bytes that are not a message were skipped; the text says why.
    case damaged(String)
  }

  /// The maximum size of a message's header in bytes.
  private static let longestHead = 4096
  private static let name = Array("Content-Length:".utf8)

  private let longest: Int
  private var bytes: [UInt8] = []
  private var start = 0
  /// Whether the input is searched for the next header.
  private var isSearching = false

  /// - Parameter longest: the maximum size of a message in bytes.
  public init(longest: Int = 64 << 20) { self.longest = longest }

  public mutating func append(_ some: some Collection<UInt8>) {
    if start > 1 << 16 || start == bytes.count {
      bytes.removeSubrange(..<start)
      start = 0
    }
    bytes.append(contentsOf: some)
  }

  /// Returns the next message; nil until more bytes arrive.
  public mutating func next() -> Frame? {
    if isSearching && !findHead() { return nil }
    guard let head = headEnd() else {
      if bytes.count - start <= Self.longestHead { return nil }
      // Otherwise the search would find this header again.
      start += 1
      return startSearch("a message header without an end")
    }
    guard let length = length(in: bytes[start..<head]) else {
      start = head
      return startSearch("no Content-Length before a message")
    }
    if length > longest {
      // The length may be wrong, so that many bytes cannot be skipped: they could contain all later messages.
      start = head
      return startSearch("a message of \(length) bytes; the limit is \(longest)")
    }
    guard bytes.count - head >= length else { return nil }
    defer { start = head + length }
    return .message(Array(bytes[head..<head + length]))
  }

  private mutating func startSearch(_ reason: String) -> Frame {
    isSearching = true
    return .damaged(reason)
  }

  /// Skips to the next header; if there is none, skips everything except what may be its beginning.
  private mutating func findHead() -> Bool {
    var place = start
    while place + Self.name.count <= bytes.count {
      if bytes[place] == Self.name[0], bytes[place...].starts(with: Self.name) {
        (start, isSearching) = (place, false)
        return true
      }
      place += 1
    }
    start = max(start, place)
    return false
  }

  /// Returns the index after the empty line that ends a header.
  private func headEnd() -> Int? {
    var isLineEmpty = false
    for place in start..<min(bytes.count, start + Self.longestHead) {
      switch bytes[place] {
      case 0x0A where isLineEmpty: return place + 1
      case 0x0A: isLineEmpty = true
      case 0x0D: continue
      default: isLineEmpty = false
      }
    }
    return nil
  }

  private func length(in head: ArraySlice<UInt8>) -> Int? {
    for line in head.split(separator: 0x0A) where line.starts(with: Self.name) {
      let number = line.dropFirst(Self.name.count).filter { $0 != 0x20 && $0 != 0x0D }
      return Int(String(decoding: number, as: UTF8.self)).flatMap { $0 >= 0 ? $0 : nil }
    }
    return nil
  }

  /// Returns a message with its header.
  public static func framed(_ message: [UInt8]) -> [UInt8] {
    Array("Content-Length: \(message.count)\r\n\r\n".utf8) + message
  }
}
