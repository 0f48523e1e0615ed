// The texts of a dictionary on disk: plain, or compressed by dictzip so that a part of them can be decompressed alone.
// Invariant: reads stay within limits that the file cannot change; a damaged file is an error, never a shorter text.

import CZlib
import Files

/// A `.dict` or `.dict.dz` file.
struct PackedText {
  /// The most bytes that one entry may have.
  static let entryLimit = 4 << 20

  private let file: ByteFile
  /// For a compressed file: the uncompressed size of a piece, and the offsets of the pieces and of their end.
  private var pieceSize = 0
  private var pieceStarts: [Int] = []

  init(_ path: String, _ isInterrupted: @escaping () -> Bool) throws {
    file = try ByteFile(path, isInterrupted: isInterrupted)
    if path.hasSuffix(".dz") { try readPieces() }
  }

  /// - Throws: `FileError`; `DictionaryError.damaged` for a range that is not in the file.
  func bytes(at offset: Int, count: Int) throws -> [UInt8] {
    guard offset >= 0, count >= 0, count <= PackedText.entryLimit, offset <= Int.max - count else {
      throw damaged("an entry claims to have \(count) bytes")
    }
    if pieceStarts.isEmpty { return try read(offset, count) }
    if count == 0 { return [] }
    var bytes: [UInt8] = []
    for piece in offset / pieceSize...(offset + count - 1) / pieceSize {
      guard piece + 1 < pieceStarts.count else { throw damaged("an entry lies beyond its end") }
      let start = pieceStarts[piece]
      let part = try unpacked(try read(start, pieceStarts[piece + 1] - start))
      if part.count < pieceSize, piece + 2 < pieceStarts.count {
        throw damaged("a piece before the last one has fewer than \(pieceSize) bytes")
      }
      bytes += part
    }
    let from = offset % pieceSize
    guard from + count <= bytes.count else { throw damaged("an entry lies beyond its end") }
    return Array(bytes[from..<from + count])
  }

  private func unpacked(_ packed: [UInt8]) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: pieceSize)
    let count = deckhand_inflate(packed, packed.count, &bytes, bytes.count, -15)
    if count < 0 { throw damaged("a piece cannot be unpacked") }
    return Array(bytes[..<count])
  }

  private func read(_ offset: Int, _ count: Int) throws -> [UInt8] {
    let bytes = try file.bytes(at: offset, count: count)
    if bytes.count < count { throw damaged("it ends in the middle of an entry") }
    return bytes
  }

  private func damaged(_ reason: String) -> DictionaryError { .damaged(path: file.path, reason: reason) }

  /// Reads the header of gzip (RFC 1952) with dictzip's field `RA`: version, size of a piece, count, compressed sizes.
  private mutating func readPieces() throws {
    let head = try read(0, 12)
    guard head[0] == 0x1F, head[1] == 0x8B, head[3] & 4 != 0 else {
      throw damaged("it was compressed with gzip; compress it with dictzip, so that parts of it can be read")
    }
    let extra = try read(12, little(head, 10))
    guard extra.count >= 10, extra[0] == UInt8(ascii: "R"), extra[1] == UInt8(ascii: "A") else {
      throw damaged("its table of pieces is missing")
    }
    pieceSize = little(extra, 6)
    let count = little(extra, 8)
    guard pieceSize > 0, extra.count >= 10 + 2 * count else { throw damaged("its table of pieces is truncated") }
    var start = 12 + extra.count
    if head[3] & 8 != 0 { start += try textLength(at: start) }
    if head[3] & 16 != 0 { start += try textLength(at: start) }
    if head[3] & 2 != 0 { start += 2 }
    pieceStarts = [start]
    for piece in 0..<count {
      start += little(extra, 10 + 2 * piece)
      pieceStarts.append(start)
    }
  }

  /// Returns the length of a text that ends with NUL, including the NUL.
  private func textLength(at start: Int) throws -> Int {
    var length = 0
    while try read(start + length, 1)[0] != 0 {
      length += 1
      if length > 4096 { throw damaged("its header has no end") }
    }
    return length + 1
  }

  private func little(_ bytes: [UInt8], _ index: Int) -> Int { Int(bytes[index]) | Int(bytes[index + 1]) << 8 }
}
