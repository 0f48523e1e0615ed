// The bytes of a file one by one, with the place they stand at.
// Invariant: memory is one chunk, whatever the file; a mark of UTF-8 at the beginning is passed over, another encoding
// refused.

import Files
import Text
import Values

/// How far an import has come: bytes done, and all of them where that is known. Throwing cancels.
public typealias ImportProgress = (_ done: Int, _ total: Int?) throws -> Void

final class ByteSource {
  /// The file that the bytes come from.
  private struct Input {
    let file: ByteFile
    let progress: ImportProgress
    var transcoder: Transcoder?
    /// Bytes that came from the file, which are not those taken where they are transcoded.
    var read: Int
  }

  /// Bytes that a file may have.
  static let fileLimit = 2_000_000_000

  let path: String
  /// From 1; the column counts characters.
  private(set) var line = 1
  private(set) var column = 1
  /// Bytes that have been taken.
  private(set) var taken = 0
  private var buffer: [UInt8]
  /// The bytes that were passed over since `record`; nil while they are not kept.
  private var recorded: [UInt8]?
  private var position = 0
  private var end = 0
  private var input: Input

  init(
    path: String, _ kinds: FileKinds = .plain, encoding: TextEncoding, isInterrupted: @escaping () -> Bool = { false },
    progress: @escaping ImportProgress
  ) throws {
    self.path = path
    buffer = [UInt8](repeating: 0, count: 1 << 16)
    let file = try ByteFile(path, kinds, isInterrupted: isInterrupted)
    let transcoder = encoding == .utf8 ? nil : Transcoder(encoding)
    input = Input(file: file, progress: progress, transcoder: transcoder, read: 0)
    if let size = file.size, size > ByteSource.fileLimit { throw tooLarge }
    // A pipe may give less than a mark at first.
    while end < 4 {
      let count = try file.read(into: &buffer, from: end)
      if count == 0 { break }
      end += count
    }
    input.read = end
    if encoding == .utf8 { try refuseOtherEncodings() } else { transcode() }
  }

  /// The next byte, left where it is; nil at the end.
  func peek() throws -> UInt8? {
    if position < end { return buffer[position] }
    try refill()
    return position < end ? buffer[position] : nil
  }

  /// Passes over the byte that `peek` gave.
  func skip() {
    let byte = buffer[position]
    position += 1
    taken += 1
    recorded?.append(byte)
    if byte == UInt8(ascii: "\n") {
      line += 1
      column = 1
    } else if byte & 0xC0 != 0x80 {
      column += 1
    }
  }

  /// Passes over bytes that stand for themselves in a text of JSON, as far as they are in the buffer, and appends them.
  func takePlain(into content: inout [UInt8]) {
    let start = position
    var characters = 0
    while position < end, isPlainInJSON(buffer[position]) {
      if buffer[position] & 0xC0 != 0x80 { characters += 1 }
      position += 1
    }
    column += characters
    taken += position - start
    content.append(contentsOf: buffer[start..<position])
    recorded?.append(contentsOf: buffer[start..<position])
  }

  /// Keeps the bytes that are passed over, until they are asked for.
  func record() { recorded = [] }

  func takeRecorded() -> [UInt8] {
    defer { recorded = nil }
    return recorded ?? []
  }

  func next() throws -> UInt8? {
    guard let byte = try peek() else { return nil }
    skip()
    return byte
  }

  /// An error at the place that has been reached.
  func expected(_ what: String) throws -> ExchangeError {
    guard let byte = try peek() else {
      return .badFile(path: path, line: line, column: column, expected: "\(what) expected, the file ends here")
    }
    let found = byte >= 0x20 && byte < 0x7F ? "\"\(Character(Unicode.Scalar(byte)))\"" : "byte \(byte)"
    return .badFile(path: path, line: line, column: column, expected: "\(what) expected, \(found) found")
  }

  private var tooLarge: ExchangeError {
    .tooLarge(path: path, line: line, what: "the file has more than the 2,000,000,000 bytes that are read of one")
  }

  private func refill() throws {
    try input.progress(input.read, input.file.size)
    if input.read > ByteSource.fileLimit { throw tooLarge }
    position = 0
    repeat {
      if input.transcoder != nil { buffer = [UInt8](repeating: 0, count: 1 << 16) }
      end = try input.file.read(into: &buffer)
      input.read += end
      if end == 0 { return }
      transcode()
    } while end == 0
  }

  /// Puts the same text in UTF-8 in place of what has been read.
  private func transcode() {
    guard input.transcoder != nil else { return }
    var text: [UInt8] = []
    input.transcoder?.append(buffer[..<end], to: &text)
    buffer = text
    end = text.count
  }

  private func refuseOtherEncodings() throws(ExchangeError) {
    let start = Array(buffer[..<min(4, end)])
    if start.starts(with: [0xEF, 0xBB, 0xBF]) {
      position = 3
      taken = 3
    } else if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
      throw .badEncoding(path: path, encoding: .utf16)
    } else if start.count >= 2, (start[0] == 0) != (start[1] == 0) {
      throw .badEncoding(path: path, encoding: .utf16)
    }
  }
}

extension ByteSource: JSONSource {
  typealias Failure = any Error

  var offset: Int { taken }

  func failure(_ fault: JSONFault) throws -> any Error {
    switch fault {
    case .digit: try expected("a digit")
    case .closingQuote: try expected("the closing quote of a text")
    case .controlCharacter: try expected("an escape (\\n, \\t, \\u0001) in place of a control character")
    case .escape: try expected("one of \" \\ / b f n r t u after a backslash")
    case .hexDigits: try expected("four hexadecimal digits after \\u")
    case .word(let word, _): try expected("\"\(word)\"")
    case .expected(let what): try expected(what)
    case .tooDeep(let limit):
      ExchangeError.tooLarge(
        path: path, line: line, what: "lists and objects stand in each other more than \(limit) deep")
    case .tooLong(let limit):
      ExchangeError.tooLarge(path: path, line: line, what: "one row has more than \(grouped(limit)) bytes")
    }
  }
}
