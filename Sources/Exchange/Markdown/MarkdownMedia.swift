// Pictures and sounds that a text in Markdown names, beside its file.
// Invariant: nothing outside the folder is ever named, be it by `..`, from the root or through a link.

import Files
import Templates
import Text

/// A picture or a sound beside the file of a text.
struct MarkdownMedia {
  /// What it is called in the account.
  let name: String
  /// From the folder of the text.
  let path: String
  private static let sounds = [".mp3", ".ogg", ".oga", ".opus", ".wav", ".m4a", ".flac", ".aac", ".mp4", ".webm"]

  /// - Parameter address: as Markdown has it; nil for one of another place, or that no file may have as its name.
  init?(_ address: String) {
    let start = address.utf8.prefix { $0 != UInt8(ascii: "/") }
    if address.isEmpty || address.hasPrefix("/") || start.contains(UInt8(ascii: ":")) { return nil }
    let decoded = MediaNames.decoded(address)
    do throws(NoteError) {
      name = try MediaNames.checked(String(decoded.split(separator: "/").last ?? ""))
    } catch { return nil }
    path = decoded
  }

  var isSound: Bool { Self.sounds.contains { name.lowercased().hasSuffix($0) } }

  /// Where a file is.
  /// - Parameters:
  ///   - path: as a text names it.
  ///   - place: of the text's folder, from `folder`: `verbs`; empty for itself.
  ///   - folder: what nothing outside is read of.
  /// - Returns: the path from `folder`; nil where no plain file is there.
  static func file(_ path: String, from place: String, in folder: String) throws -> String? {
    var parts = place.split(separator: "/").map(String.init)
    for part in path.split(separator: "/") where part != "." {
      if part != ".." {
        parts.append(String(part))
      } else if parts.popLast() == nil {
        return nil
      }
    }
    var reached = folder
    for (index, part) in parts.enumerated() {
      reached += "/" + part
      let isLast = index == parts.count - 1
      guard let found = try FileFacts.at(reached, followingLinks: false), found.kind == (isLast ? .file : .folder)
      else { return nil }
    }
    return parts.isEmpty ? nil : parts.joined(separator: "/")
  }
}
