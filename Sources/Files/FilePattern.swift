// Patterns of file names, as a POSIX shell has them: `part-*.jsonl`.
// Invariant: a name that a file has is never taken for a pattern.

internal import Glibc

public enum FilePattern {
  /// The files of a pattern (`*`, `?`, `[...]`), sorted; the path itself where it is none, or where nothing matches.
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
