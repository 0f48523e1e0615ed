// File name patterns, as in a POSIX shell: `part-*.jsonl`.
// Invariant: the name of an existing file is never treated as a pattern.

internal import Glibc

public enum FilePattern {
  /// Returns the files that match a pattern (`*`, `?`, `[...]`), sorted; the path itself if it is not a pattern or
  /// nothing matches.
  ///
  ///     FilePattern.matches("part-*.jsonl")   // ["part-1.jsonl", "part-2.jsonl"]
  public static func matches(_ path: String) -> [String] {
    guard path.utf8.contains(where: { "*?[".utf8.contains($0) }), !fileExists(path) else { return [path] }
    var found = glob_t()
    defer { globfree(&found) }
    guard glob(path, 0, nil, &found) == 0 else { return [path] }
    return (0..<Int(found.gl_pathc)).compactMap { index in
      found.gl_pathv[index].flatMap { String(validatingCString: $0) }
    }
  }
}
