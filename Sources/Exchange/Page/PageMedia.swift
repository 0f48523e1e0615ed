// Embeds pictures and sounds in a page as data: URLs.
// Invariant: memory is one chunk, whatever the size of the file; what a browser cannot show is left out and counted.

import Decks
import Files
import Text

/// How a browser presents a file, by the extension of its name.
enum PageMediaKind {
  case picture(String), sound(String)

  init?(ofName name: String) {
    switch name.lowercased().split(separator: ".").last {
    case "png": self = .picture("image/png")
    case "jpg", "jpeg": self = .picture("image/jpeg")
    case "gif": self = .picture("image/gif")
    case "webp": self = .picture("image/webp")
    case "avif": self = .picture("image/avif")
    case "bmp": self = .picture("image/bmp")
    case "svg": self = .picture("image/svg+xml")
    case "mp3": self = .sound("audio/mpeg")
    case "ogg", "oga", "opus": self = .sound("audio/ogg")
    case "wav": self = .sound("audio/wav")
    case "flac": self = .sound("audio/flac")
    case "m4a", "aac", "mp4": self = .sound("audio/mp4")
    case "webm": self = .sound("audio/webm")
    default: return nil
    }
  }
}

struct PageMedia {
  /// A multiple of three bytes, so that the chunks of base64 can be concatenated.
  private static let chunk = 3 << 14

  /// Writes a file as an element that shows or plays it.
  /// - Parameter path: the path of the file's content.
  /// - Returns: false when a browser cannot show the file, or it does not exist; then nothing was written.
  static func write(
    _ name: String, at path: String, to sink: FileSink, isInterrupted: @escaping () -> Bool
  ) throws -> Bool {
    guard let kind = PageMediaKind(ofName: name), try FileFacts.at(path) != nil else { return false }
    let file = try ByteFile(path, isInterrupted: isInterrupted)
    let name = PageText.escaped(name)
    switch kind {
    case .picture(let type): try sink.append("<img alt=\"\(name)\" src=\"data:\(type);base64,".utf8)
    case .sound(let type): try sink.append("<audio controls title=\"\(name)\" src=\"data:\(type);base64,".utf8)
    }
    var place = 0
    while true {
      let bytes = try file.bytes(at: place, count: chunk)
      try sink.append(base64(bytes).utf8)
      place += bytes.count
      if bytes.count < chunk { break }
    }
    if case .sound = kind { try sink.append("\"></audio>".utf8) } else { try sink.append("\">".utf8) }
    return true
  }
}
