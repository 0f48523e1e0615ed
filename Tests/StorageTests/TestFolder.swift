// A folder of its own for a test, gone after it.

import Glibc

final class TestFolder {
  let path: String

  init() {
    var template = Array("/tmp/deckhand-test-XXXXXX".utf8CString)
    path = String(cString: mkdtemp(&template))
  }

  deinit { remove(path) }

  func file(_ name: String) -> String { path + "/" + name }

  /// The names in the folder, sorted.
  var names: [String] { TestFolder.names(in: path).sorted() }

  private func remove(_ path: String) {
    for name in TestFolder.names(in: path) {
      let inner = path + "/" + name
      var facts = stat()
      if lstat(inner, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR { remove(inner) } else { unlink(inner) }
    }
    rmdir(path)
  }

  private static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}

func mode(_ path: String) -> mode_t {
  var facts = stat()
  return stat(path, &facts) == 0 ? facts.st_mode & 0o7777 : 0
}
