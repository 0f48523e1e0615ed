// The five supported kinds of pictures, identified by the first bytes of a file, never by its name.

import Text

/// The raw value is gdk-pixbuf's name for the kind.
enum PictureKind: String {
  case png, jpeg, gif, webp, svg

  init?(of bytes: [UInt8]) {
    if bytes.starts(with: PictureKind.pngSignature) {
      self = .png
    } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: Array("GIF87a".utf8)) || bytes.starts(with: Array("GIF89a".utf8)) {
      self = .gif
    } else if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
      self = .webp
    } else if PictureKind.isSVG(bytes) {
      self = .svg
    } else {
      return nil
    }
  }

  static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// Whether it is markup with an svg element in the first kilobytes.
  private static func isSVG(_ bytes: [UInt8]) -> Bool {
    let head = String(decoding: bytes.prefix(4096), as: UTF8.self)
    let text = head.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    return text.hasPrefix("<") && text.contains(text: "<svg")
  }

  /// Whether the file reaches the end that its format requires; for the kinds whose loaders do not check.
  func isWhole(_ bytes: [UInt8]) -> Bool {
    switch self {
    case .png: PictureKind.hasLastChunk(bytes)
    case .jpeg: PictureKind.hasEndOfImage(bytes)
    case .webp: PictureKind.number(bytes[4..<8].reversed()) <= bytes.count - 8
    case .gif, .svg: true
    }
  }

  /// Whether the chunks continue up to IEND.
  private static func hasLastChunk(_ bytes: [UInt8]) -> Bool {
    var position = pngSignature.count
    while position + 12 <= bytes.count {
      if bytes[(position + 4)...].starts(with: Array("IEND".utf8)) { return true }
      position += number(bytes[position..<position + 4]) + 12
    }
    return false
  }

  /// Whether the segments continue up to the end of image (FF D9). A preview in the metadata is inside a segment, and
  /// what a phone appends (the film of a motion photo) comes after the end.
  private static func hasEndOfImage(_ bytes: [UInt8]) -> Bool {
    var position = 2
    while position + 1 < bytes.count {
      // Data of a scan, in which FF 00 is a byte FF and FF D0 to FF D7 are restarts.
      if bytes[position] != 0xFF {
        position += 1
        continue
      }
      switch bytes[position + 1] {
      case 0xD9: return true
      case 0xFF: position += 1
      case 0x00, 0x01, 0xD0...0xD8: position += 2
      default:
        guard position + 4 <= bytes.count else { return false }
        position += 2 + number(bytes[(position + 2)..<(position + 4)])
      }
    }
    return false
  }

  /// Decodes a number, most significant byte first.
  private static func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
