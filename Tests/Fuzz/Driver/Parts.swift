// Inputs that consist of several files, and zip files made of them, so that the content of a container is mutated
// rather than the container. Invariant: the same input gives the same files.

import Glibc

/// A folder in memory that is removed with the process, for code that reads files by name.
public struct FuzzFolder {
  public let path: String

  public init() {
    var template = Array("/dev/shm/deckhand-fuzz-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { preconditionFailure("/dev/shm takes no folder: errno \(errno)") }
    path = String(cString: made)
  }

  /// A subfolder of another folder.
  public init(in other: FuzzFolder, _ name: String) {
    path = other.path + "/" + name
    mkdir(path, 0o700)
  }

  public func file(_ name: String) -> String { path + "/" + name }

  /// Writes a file; returns its path.
  @discardableResult public func write(_ bytes: some Collection<UInt8>, to name: String) -> String {
    let bytes = Array(bytes)
    let file = open(file(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    hold(file >= 0 && Glibc.write(file, bytes, bytes.count) == bytes.count, "\(name) cannot be written")
    close(file)
    return self.file(name)
  }

  public func remove(_ name: String) { unlink(file(name)) }
}

/// Returns the parts of an input: each begins with a line `%% NAME`.
public func parts(_ bytes: [UInt8]) -> [(name: String, bytes: ArraySlice<UInt8>)] {
  var found: [(name: String, bytes: ArraySlice<UInt8>)] = []
  var rest = bytes[...]
  while let start = mark(in: rest) {
    let line = rest[(start + 3)...].prefix { $0 != 0x0A }
    let body = rest[min(line.endIndex + 1, rest.endIndex)...]
    let end = mark(in: body) ?? body.endIndex
    // The line feed before a mark belongs to the mark.
    let last = end < body.endIndex ? max(body.startIndex, end - 1) : end
    found.append((String(decoding: line, as: UTF8.self), body[..<last]))
    rest = rest[end...]
    if found.count == 64 { break }
  }
  return found
}

/// Returns the position of the next `%% ` at the start of a line.
private func mark(in bytes: ArraySlice<UInt8>) -> Int? {
  var place = bytes.startIndex
  while place + 3 <= bytes.endIndex {
    let isStart = place == bytes.startIndex || bytes[place - 1] == 0x0A
    if isStart, bytes[place] == 0x25, bytes[place + 1] == 0x25, bytes[place + 2] == 0x20 { return place }
    place += 1
  }
  return nil
}

/// Returns a file with the byte changes of the input, four bytes each: three for the position, one for the value. A
/// remaining byte truncates the file.
public func edited(_ whole: [UInt8], by input: [UInt8]) -> [UInt8] {
  var bytes = whole
  for start in stride(from: 0, to: input.count - 3, by: 4) {
    let place = input[start..<start + 3].reduce(0) { $0 << 8 | Int($1) }
    bytes[place % bytes.count] = input[start + 3]
  }
  return input.count % 4 == 1 ? Array(bytes.prefix(bytes.count * Int(input[input.count - 1]) / 256)) : bytes
}

/// Returns a gzip file without compression (RFC 1952; RFC 1951, 3.2.4).
public func gzipFile(_ bytes: [UInt8]) -> [UInt8] {
  // Method deflate, no flags, no time, unknown system.
  var file: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
  var rest = bytes[...]
  repeat {
    let block = rest.prefix(0xFFFF)
    rest = rest.dropFirst(block.count)
    file.append(rest.isEmpty ? 1 : 0)
    file += block.count.littleEndian(2) + (0xFFFF - block.count).littleEndian(2) + block
  } while !rest.isEmpty
  return file + Int(checkSum(bytes[...])).littleEndian(4) + bytes.count.littleEndian(4)
}

/// Returns a zip file without compression (APPNOTE.TXT, 4.3).
public func zipFile(_ files: [(name: String, bytes: ArraySlice<UInt8>)]) -> [UInt8] {
  var body: [UInt8] = []
  var directory: [UInt8] = []
  for file in files {
    let name = Array(file.name.utf8.prefix(200))
    // Version, flags (names are UTF-8), method, time, date, checksum, both sizes, length of the name.
    var facts: [UInt8] = [20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0x50]
    for number in [Int(checkSum(file.bytes)), file.bytes.count, file.bytes.count] { facts += number.littleEndian(4) }
    facts += name.count.littleEndian(2)
    directory += [0x50, 0x4B, 1, 2, 20, 0]
    directory += facts
    directory += [UInt8](repeating: 0, count: 12)
    directory += body.count.littleEndian(4)
    directory += name
    body += [0x50, 0x4B, 3, 4]
    body += facts
    body += [0, 0]
    body += name
    body += file.bytes
  }
  var end: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
  for _ in 0..<2 { end += files.count.littleEndian(2) }
  for number in [directory.count, body.count] { end += number.littleEndian(4) }
  return body + directory + end + [0, 0]
}

extension Int {
  fileprivate func littleEndian(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }
}

/// The CRC-32 used by zip (APPNOTE.TXT, 4.4.7).
private func checkSum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
  var sum = ~UInt32(0)
  for byte in bytes {
    sum ^= UInt32(byte)
    for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
  }
  return ~sum
}
