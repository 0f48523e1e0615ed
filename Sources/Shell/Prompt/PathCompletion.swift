// The files and folders that Tab offers.
// Invariant: one folder is read for it, at most `most` names are given, and a name that is not UTF-8 is passed over.

import Glibc

public enum PathCompletion {
  private static let most = 5_000

  /// The paths that begin with the text, in order; folders end with a slash. Hidden ones only when the text asks for them.
  /// `home` stands for a leading `~/`, which the paths keep.
  public static func paths(beginningWith text: String, foldersOnly: Bool = false, home: String?) -> [String] {
    let split = text.lastIndex(of: "/").map { text.index(after: $0) } ?? text.startIndex
    let (folder, start) = (String(text[..<split]), text[split...])
    if text == "~" { return home == nil ? [] : ["~/"] }
    let real = folder.hasPrefix("~/") ? (home.map { $0 + folder.dropFirst() } ?? folder) : folder
    let names = entries(of: real.isEmpty ? "." : real).filter { name in
      name.hasPrefix(start) && (!name.hasPrefix(".") || start.hasPrefix(".")) && name != "." && name != ".."
    }
    return names.sorted().prefix(most).compactMap { name in
      let isFolder = isFolder(real + name)
      return foldersOnly && !isFolder ? nil : folder + name + (isFolder ? "/" : "")
    }
  }

  private static func entries(of folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = Glibc.readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(validating: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if let name { names.append(name) }
    }
    return names
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
