// The header block before each file of a tar archive: POSIX 1003.1, "ustar Interchange Format".
// Invariant: the same values give the same bytes; a block is accepted only if its checksum is right.

import Text

/// The description of a file before its content.
struct TarHeader {
  /// The size of a header, and of the blocks that a file's content is padded to, in bytes.
  static let length = 512
  static let file = UInt8(ascii: "0")

  var name: String
  /// In bytes.
  var size: Int
  /// Seconds since 1970.
  var modified = 0
  /// The type flag: tar's letter or digit.
  var kind = TarHeader.file
  /// Whether the name field is unusual: it has bytes after a NUL, a prefix, or is not UTF-8.
  private(set) var hasStrangeName = false

  init(name: String, size: Int, modified: Int = 0, kind: UInt8 = TarHeader.file) {
    (self.name, self.size, self.modified, self.kind) = (name, size, modified, kind)
  }

  /// The number of bytes that fill the file's last block.
  var padding: Int { TarHeader.padding(of: size) }

  static func padding(of size: Int) -> Int { (length - size % length) % length }

  static func isEnd(_ block: [UInt8]) -> Bool { block.allSatisfy { $0 == 0 } }

  /// Whether a name leads to a file below the folder that it is unpacked into.
  static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 1024
      && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
        !part.isEmpty && part != "." && part != ".." && part.utf8.count <= 255
      }
  }

  // MARK: Writing

  var block: [UInt8] {
    var head = [UInt8](repeating: 0, count: TarHeader.length)
    func put(_ text: some Collection<UInt8>, at place: Int) {
      for (index, byte) in text.enumerated() { head[place + index] = byte }
    }
    func octal(_ value: Int, digits: Int) -> [UInt8] {
      let text = String(max(0, value), radix: 8)
      return Array((String(repeating: "0", count: max(0, digits - text.count)) + text).utf8)
    }
    put(name.utf8.prefix(100), at: 0)
    put(octal(0o600, digits: 7), at: 100)
    put(octal(0, digits: 7), at: 108)
    put(octal(0, digits: 7), at: 116)
    if size < 1 << 33 {
      put(octal(size, digits: 11), at: 124)
    } else {
      // Eleven octal digits hold less than 8 GiB; beyond that, GNU tar uses binary.
      head[124] = 0x80
      put(withUnsafeBytes(of: UInt64(size).bigEndian) { Array($0) }, at: 128)
    }
    put(octal(modified, digits: 11), at: 136)
    put("        ".utf8, at: 148)
    head[156] = kind
    put("ustar\0".utf8, at: 257)
    put("00".utf8, at: 263)
    let sum = head.reduce(0) { $0 + Int($1) }
    put(octal(sum, digits: 6) + [0, 0x20], at: 148)
    return head
  }

  // MARK: Reading

  /// - Parameter path: the archive's name for error messages.
  init(_ block: [UInt8], path: String) throws(ArchiveError) {
    let stored = try TarHeader.number(block[148..<156], path)
    let sum = block.enumerated().reduce(0) { $0 + ((148..<156).contains($1.offset) ? 32 : Int($1.element)) }
    guard sum == stored else { throw .damaged(path: path, reason: "the checksum of a header is wrong") }
    name = TarHeader.text(block[..<100])
    size = try TarHeader.number(block[124..<136], path)
    kind = block[156]
    let rest = block[..<100].drop { $0 != 0 }
    hasStrangeName =
      rest.contains { $0 != 0 } || block[345..<500].contains { $0 != 0 }
      || String(validating: block[..<100].prefix { $0 != 0 }, as: UTF8.self) == nil
  }

  private static func number(_ field: ArraySlice<UInt8>, _ path: String) throws(ArchiveError) -> Int {
    guard let first = field.first else { return 0 }
    if first == 0x80 {
      let value = field.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return Int(clamping: value)
    }
    let digits = field.drop { $0 == 0x20 }.prefix { (0x30...0x37).contains($0) }
    guard digits.count <= 12 else { throw .damaged(path: path, reason: "a number in a header is too large") }
    return digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }
  }

  /// Returns the text of a field, up to its first NUL.
  static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
