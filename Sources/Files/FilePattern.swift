// File name patterns, as in a POSIX shell: `part-*.jsonl`.
// Invariant: the name of an existing file is never treated as a pattern; a folder that cannot be read is an error.

internal import Glibc

public enum FilePattern {
  /// Returns the files that match a pattern (`*`, `?`, `[...]`), sorted; the path itself if it is not a pattern or
  /// nothing matches. As in a shell, `*` does not match the dot of a hidden file.
  ///
  ///     FilePattern.matches("part-*.jsonl")   // ["part-1.jsonl", "part-2.jsonl"]
  public static func matches(_ path: String) throws(FileError) -> [String] {
    guard isPattern(path), try FileFacts.at(path, followingLinks: false) == nil else { return [path] }
    var found = [path.hasPrefix("/") ? "/" : ""]
    let parts = path.split(separator: "/").map { String($0) }
    for (index, part) in parts.enumerated() {
      var next: [String] = []
      for start in found {
        for name in try isPattern(part) ? names(in: start, matching: part) : [part] {
          // With a slash at its end, only a folder is there.
          let path = start + name + (index + 1 < parts.count ? "/" : "")
          if try FileFacts.at(path, followingLinks: index + 1 < parts.count) != nil { next.append(path) }
        }
      }
      found = next
    }
    return found.isEmpty ? [path] : found.sorted()
  }

  private static func isPattern(_ text: String) -> Bool { text.utf8.contains { "*?[".utf8.contains($0) } }

  private static func names(in folder: String, matching pattern: String) throws(FileError) -> [String] {
    try Folder.names(in: folder.isEmpty ? "." : folder).filter { fnmatch(pattern, $0, FNM_PERIOD) == 0 }
  }
}
