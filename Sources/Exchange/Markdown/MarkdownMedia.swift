// Pictures and sounds that a Markdown text names relative to its file.
// Invariant: nothing outside the folder can be named, whether by `..`, by an absolute path or through a link, and
// nothing hidden in it: `.git/config` and `.env` may hold passwords.

import Files
import Templates
import Text

/// A picture or a sound beside the file of a text.
struct MarkdownMedia {
  /// The file's name in the account.
  let name: String
  /// The path relative to the text's folder.
  let path: String
  private static let sounds = [".mp3", ".ogg", ".oga", ".opus", ".wav", ".m4a", ".flac", ".aac", ".mp4", ".webm"]

  /// - Parameter address: the address in Markdown. The result is nil for a URL, an absolute path, and an invalid
  ///   name.
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

  /// Finds a file.
  /// - Parameters:
  ///   - path: the path in the text.
  ///   - place: the text's folder relative to `folder`, such as `verbs`; empty for `folder` itself.
  ///   - folder: the folder outside of which nothing is read.
  /// - Returns: the path relative to `folder`; nil when it is not a plain, visible file.
  static func file(_ path: String, from place: String, in folder: String) throws -> String? {
    var parts = place.split(separator: "/").map(String.init)
    for part in path.split(separator: "/") where part != "." {
      if part != ".." {
        if part.utf8.first == UInt8(ascii: ".") { return nil }
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
