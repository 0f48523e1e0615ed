// Completion of file and folder paths.
// Invariant: it reads one folder and returns at most `most` names; names that are not UTF-8 are skipped.

import Files

package enum PathCompletion {
  private static let most = 5_000

  /// The paths that begin with the text, sorted; folders end with a slash. Hidden names are included only when the
  /// typed name begins with a dot. `home` replaces a leading `~/` when reading; the returned paths keep the `~/`.
  package static func paths(beginningWith text: String, foldersOnly: Bool = false, home: String?) -> [String] {
    let split = text.lastIndex(of: "/").map { text.index(after: $0) } ?? text.startIndex
    let (folder, start) = (String(text[..<split]), text[split...])
    if text == "~" { return home == nil ? [] : ["~/"] }
    let real = folder.hasPrefix("~/") ? (home.map { $0 + folder.dropFirst() } ?? folder) : folder
    let names = entries(of: real.isEmpty ? "." : real).filter { name in
      name.unicodeScalars.starts(with: start.unicodeScalars) && (!name.hasPrefix(".") || start.hasPrefix("."))
    }
    return names.sorted().prefix(most).compactMap { name in
      let isFolder = Folder.isFolder(real + name)
      return foldersOnly && !isFolder ? nil : folder + name + (isFolder ? "/" : "")
    }
  }

  private static func entries(of folder: String) -> [String] {
    // A folder that cannot be read has no completions.
    do { return try Folder.names(in: folder) } catch { return [] }
  }
}
