// Compares the first bytes of a media file with its file name extension.
// Invariant: a file is reported only if no program could show or play it as its name says; any kind of picture may
// have the extension of another one.

import Files
import Text

/// The kind of file that a name indicates.
enum MediaContent {
  case picture, sound

  /// Returns nil for an extension without fixed first bytes, such as .mp3.
  init?(ofName name: String) {
    switch name.lowercased().split(separator: ".").last {
    case "png", "jpg", "jpeg", "gif", "webp", "svg": self = .picture
    case "ogg", "oga", "opus", "wav", "flac": self = .sound
    default: return nil
    }
  }

  static let headSize = 4096

  /// - Parameter head: the first bytes of the file.
  func matches(_ head: [UInt8]) -> Bool {
    switch self {
    case .picture:
      let starts: [[UInt8]] = [[0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8), Array("BM".utf8)]
      return starts.contains { head.starts(with: $0) } || isRIFF(head, "WEBP") || isISOMedia(head) || isSVG(head)
    case .sound:
      let starts = ["OggS", "fLaC", "ID3"].map { Array($0.utf8) }
      return starts.contains { head.starts(with: $0) } || isRIFF(head, "WAVE") || isISOMedia(head)
    }
  }

  /// RIFF files have their type after their size.
  private func isRIFF(_ head: [UInt8], _ type: String) -> Bool {
    head.starts(with: Array("RIFF".utf8)) && head.dropFirst(8).starts(with: Array(type.utf8))
  }

  /// AVIF, HEIC and MPEG-4 files have their type after the size of their first box.
  private func isISOMedia(_ head: [UInt8]) -> Bool { head.dropFirst(4).starts(with: Array("ftyp".utf8)) }

  private func isSVG(_ head: [UInt8]) -> Bool {
    // SVG in UTF-16 or compressed is accepted as well.
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) || head.starts(with: [0x1F, 0x8B]) {
      return true
    }
    return String(decoding: head, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }.hasPrefix("<")
  }

  var words: String { self == .picture ? "picture" : "sound" }
}

extension MediaOperations {
  /// Returns what a media file is called but is not, judging by its first bytes, such as "picture"; nil if nothing is
  /// wrong or the file does not exist.
  /// - Throws: `NoteError.mediaNotFound`, `FileError`.
  public func misnamed(_ name: String) throws -> String? {
    guard let content = MediaContent(ofName: name) else { return nil }
    let path = try path(name)
    guard fileExists(path) else { return nil }
    let file = try ByteFile(path, followingLinks: false, isInterrupted: workspace.isInterrupted)
    let head = try file.bytes(at: 0, count: min(MediaContent.headSize, file.facts.size))
    return content.matches(head) ? nil : content.words
  }
}
