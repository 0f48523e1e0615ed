// Reads a file byte by byte and tracks the position.
// Invariant: memory is one chunk, whatever the size of the file; a byte order mark is skipped, and the bytes are
// UTF-8 if the file's encoding is known.

import Files
import Text
import Values

/// Reports the progress of an import: bytes done, and their total if it is known. An error cancels the import.
public typealias ImportProgress = (_ done: Int, _ total: Int?) throws -> Void

/// How the bytes of an import are read.
struct SourceOptions {
  var kinds = FileKinds.plain
  /// Nil: detected if `findsEncoding` is set, otherwise UTF-8.
  var encoding: TextEncoding?
  /// Whether the encoding of a file that is not UTF-8 is detected. Otherwise such a file is refused.
  var findsEncoding = false
  var isInterrupted: () -> Bool
  var progress: ImportProgress = { _, _ in }
}

final class ByteSource {
  /// The file that the bytes come from.
  private struct Input {
    /// Nil when the whole text is in memory.
    let file: ByteFile?
    let progress: ImportProgress
    var transcoder: Transcoder?
    /// Bytes read from the file; differs from the bytes taken when they are transcoded.
    var read = 0
  }

  /// The limit on a file's size in bytes.
  static let fileLimit = 2_000_000_000
  static let chunk = 1 << 16

  let path: String
  private(set) var encoding = TextEncoding.utf8
  private(set) var hasMark = false
  /// Both count from 1; the column counts characters.
  private(set) var line = 1
  private(set) var column = 1
  /// The number of bytes taken so far.
  private(set) var taken = 0
  private var buffer: [UInt8]
  /// The bytes skipped since `record`; nil when nothing is being recorded.
  private var recorded: [UInt8]?
  private var span = 0..<0
  private var input: Input
  let account = LineAccount()
  private var isBlankLine = true

  /// - Parameter path: `-` is standard input if `options.kinds` allows any kind of file.
  init(path: String, _ options: SourceOptions) throws {
    self.path = path
    buffer = [UInt8](repeating: 0, count: Self.chunk)
    let file = try ByteFile.given(path, options.kinds, isInterrupted: options.isInterrupted)
    input = Input(file: file, progress: options.progress)
    if let size = file.size, size > ByteSource.fileLimit { throw tooLarge }
    // A pipe may return little at first.
    var end = 0
    while end < buffer.count {
      let count = try file.read(into: &buffer, from: end)
      if count == 0 { break }
      end += count
    }
    input.read = end
    span = 0..<end
    try begin(options)
  }

  /// Reads a text in memory.
  /// - Parameter path: the file that errors name.
  init(_ text: [UInt8], path: String, _ options: SourceOptions) throws(ExchangeError) {
    self.path = path
    (buffer, span) = (text, 0..<text.count)
    input = Input(file: nil, progress: options.progress, read: text.count)
    if text.count > ByteSource.fileLimit { throw tooLarge }
    try begin(options)
  }

  private init(start: ArraySlice<UInt8>, path: String) {
    (self.path, buffer, span) = (path, Array(start), 0..<start.count)
    input = Input(file: nil, progress: { _, _ in })
  }

  /// Returns a source of the lines that are `buffered`, to look at before they are read.
  func start() -> ByteSource {
    let end = buffered.count == Self.chunk ? buffered.lastIndex(of: 0x0A) ?? buffered.endIndex : buffered.endIndex
    return ByteSource(start: buffered[..<end], path: path)
  }

  private func begin(_ options: SourceOptions) throws(ExchangeError) {
    let start = buffer[span]
    // A file fills the buffer unless it ends before.
    let isWhole = input.file == nil || start.count < buffer.count
    encoding = options.encoding ?? (options.findsEncoding ? TextEncoding.found(in: start, isWhole: isWhole) : .utf8)
    if encoding != .utf8 {
      let isBigEndian = TextEncoding.zeroParity(of: start.prefix(64)) == 0
      guard let transcoder = Transcoder(encoding, isBigEndian: isBigEndian) else {
        throw .badEncoding(path: path, encoding: encoding)
      }
      input.transcoder = transcoder
      transcode(isLast: input.file == nil)
    } else if start.starts(with: [0xEF, 0xBB, 0xBF]) {
      span = 3..<span.upperBound
      (taken, hasMark) = (3, true)
    } else if TextEncoding.isUTF16(start) {
      throw .badEncoding(path: path, encoding: .utf16)
    }
  }

  /// Whether the bytes come from a regular file, which can be opened again.
  var isRegularFile: Bool { input.file?.size != nil }

  /// The next bytes: at the beginning 64 KiB, or the whole of a shorter file.
  var buffered: ArraySlice<UInt8> { buffer[span].prefix(Self.chunk) }

  /// Returns the next byte without taking it; nil at the end.
  func peek() throws -> UInt8? {
    if span.isEmpty { try refill() }
    return span.isEmpty ? nil : buffer[span.lowerBound]
  }

  func skip() {
    let byte = buffer[span.lowerBound]
    span = (span.lowerBound + 1)..<span.upperBound
    taken += 1
    recorded?.append(byte)
    if byte == UInt8(ascii: "\n") {
      if isBlankLine { account.blank(line) }
      isBlankLine = true
      line += 1
      column = 1
      return
    }
    if isBlankLine { isBlankLine = isASCIISpace(byte) }
    if byte & 0xC0 != 0x80 { column += 1 }
  }

  /// Takes bytes from the buffer that need no escape in a JSON string, and appends them.
  func takePlain(into content: inout [UInt8]) { take(into: &content) { !isPlainInJSON($0) } }

  /// Takes bytes from the buffer up to the first for which `isEnd` is true, and appends them.
  /// - Parameter isEnd: must be true for a line feed, because lines are not counted here.
  @inline(__always)
  func take(into content: inout [UInt8], until isEnd: (UInt8) -> Bool) {
    let (start, end) = (span.lowerBound, span.upperBound)
    let stop = buffer.withUnsafeBufferPointer { bytes in
      var place = start
      var continuing = 0
      while place < end, !isEnd(bytes[place]) {
        if bytes[place] & 0xC0 == 0x80 { continuing += 1 }
        place += 1
      }
      column += place - start - continuing
      content.append(contentsOf: bytes[start..<place])
      if isBlankLine { isBlankLine = bytes[start..<place].allSatisfy(isASCIISpace) }
      return place
    }
    taken += stop - start
    span = stop..<end
    recorded?.append(contentsOf: buffer[start..<stop])
  }

  /// Starts recording the bytes that are taken.
  func record() {
    if recorded == nil { recorded = [] } else { recorded?.removeAll(keepingCapacity: true) }
  }

  /// The bytes taken since `record`; recording continues.
  var kept: [UInt8] { recorded ?? [] }

  func takeRecorded() -> [UInt8] {
    defer { recorded = nil }
    return recorded ?? []
  }

  /// Takes a line with its end, and returns it without its line feed; nil at the end of the file.
  /// - Parameter before: how many bytes of the row come before the line.
  func takeLine(after before: Int = 0) throws -> [UInt8]? {
    guard try peek() != nil else { return nil }
    var line: [UInt8] = []
    while let byte = try peek(), byte != 0x0A {
      take(into: &line) { $0 == 0x0A }
      if before + line.count > rowLimit { throw tooLong() }
    }
    if try peek() != nil { skip() }
    if line.last == 0x0D { line.removeLast() }
    return line
  }

  /// Skips whitespace after a value that must end its line; anything else is an error.
  func endLine() throws {
    while let byte = try peek(), byte == 0x20 || byte == 0x09 || byte == 0x0D { skip() }
    if let byte = try peek(), byte != 0x0A { throw try expected("the line's end") }
  }

  func endAccount() {
    if column > 1, isBlankLine { account.blank(line) }
    account.end(lines: column > 1 ? line : line - 1)
  }

  func expected(_ what: String) throws -> ExchangeError {
    guard let byte = try peek() else {
      return .badFile(path: path, line: line, column: column, expected: "\(what) expected, the file ends here")
    }
    let found = byte >= 0x20 && byte < 0x7F ? "\"\(Character(Unicode.Scalar(byte)))\"" : "byte \(byte)"
    return .badFile(path: path, line: line, column: column, expected: "\(what) expected, \(found) found")
  }

  func tooLong(_ hint: String = "") -> ExchangeError {
    .tooLarge(path: path, line: line, what: "one row has more than \(grouped(rowLimit)) bytes\(hint)")
  }

  private var tooLarge: ExchangeError {
    .tooLarge(
      path: path, line: line, what: "the file has more than \(grouped(Self.fileLimit)) bytes, which is the limit")
  }

  private func refill() throws {
    guard let file = input.file else { return }
    try input.progress(input.read, file.size)
    if input.read > ByteSource.fileLimit { throw tooLarge }
    repeat {
      if buffer.count != Self.chunk { buffer = [UInt8](repeating: 0, count: Self.chunk) }
      let count = try file.read(into: &buffer)
      input.read += count
      span = 0..<count
      if count == 0 { return transcode(isLast: true) }
      transcode()
    } while span.isEmpty
  }

  /// Replaces the buffer with the same text in UTF-8.
  private func transcode(isLast: Bool = false) {
    guard input.transcoder != nil else { return }
    var text: [UInt8] = []
    input.transcoder?.append(buffer[span], to: &text)
    if isLast { input.transcoder?.finish(&text) }
    buffer = text
    span = 0..<text.count
  }
}

extension ByteSource: JSONSource {
  typealias Failure = any Error

  var offset: Int { taken }

  func failure(_ reason: JSONFailure.Reason) throws -> any Error {
    switch reason {
    case .expected(let what, _): try expected(what)
    case .badEscape:
      try expected("one of \" \\ / b f n r t, or u and four hexadecimal digits, after a backslash")
    case .controlCharacter: try expected("an escape (\\n, \\t, \\u0001) in place of a control character")
    case .tooLong: tooLong()
    case .tooDeep(let limit):
      ExchangeError.tooLarge(path: path, line: line, what: "lists and objects are nested more than \(limit) deep")
    default: ExchangeError.badFile(path: path, line: line, column: column, expected: reason.words)
    }
  }
}
