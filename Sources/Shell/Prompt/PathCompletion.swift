// The files and folders that Tab offers.
// Invariant: one folder is read for it, at most `most` names are given, and a name that is not UTF-8 is passed over.

import Files

package enum PathCompletion {
  private static let most = 5_000

  /// The paths that begin with the text, in order; folders end with a slash. Hidden ones only when the text asks for
  /// them. `home` stands for a leading `~/`, which the paths keep.
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
    // Completion offers nothing from a folder that cannot be read.
    do { return try Folder.names(in: folder) } catch { return [] }
  }
}
