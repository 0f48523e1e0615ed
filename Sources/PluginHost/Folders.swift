// Looking at folders of plugins. Invariant: names come sorted, so that plugins load in the same order everywhere.

import Glibc

func fileExists(_ path: String) -> Bool { access(path, F_OK) == 0 }

/// The folders within a folder, by name; none when it cannot be read.
func subfolders(of folder: String) -> [String] {
  guard let directory = opendir(folder) else { return [] }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if !name.hasPrefix("."), isFolder(folder + "/" + name) { names.append(name) }
  }
  return names.sorted()
}

private func isFolder(_ path: String) -> Bool {
  var facts = stat()
  return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
}
