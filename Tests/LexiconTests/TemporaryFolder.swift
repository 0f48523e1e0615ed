// A folder for one test, gone after it, and small file functions for tests.

import Glibc
import Testing

final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/deckhand-lexicon-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
    }
    path = try #require(made)
  }

  deinit { _ = system("rm -rf '\(path)'") }

  /// Writes a file of these bytes and answers its path.
  @discardableResult func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = try #require(fopen(path + "/" + name, "w"))
    defer { fclose(file) }
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    return path + "/" + name
  }

  @discardableResult func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  func read(_ name: String) throws -> [UInt8] {
    let file = try #require(fopen(path + "/" + name, "r"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: Int(try status(name).st_size) + 1)
    bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
    return bytes
  }

  func status(_ name: String) throws -> stat {
    var status = stat()
    try #require(stat(path + "/" + name, &status) == 0)
    return status
  }

  /// Gives a file the modification time of `status`.
  func setTime(_ name: String, _ status: stat) {
    utimensat(AT_FDCWD, path + "/" + name, [status.st_mtim, status.st_mtim], 0)
  }

  var names: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
