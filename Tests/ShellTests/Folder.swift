// Folders and files of a test's own, and numbers that repeat.

import Glibc
import Testing

/// Runs with a new folder that is removed afterwards.
func withFolder(_ body: (String) throws -> Void) throws {
  var template = Array("/tmp/deckhand-test-XXXXXX".utf8CString)
  let folder = template.withUnsafeMutableBufferPointer { buffer in
    buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
  }
  try #require(!folder.isEmpty)
  defer { removeAll(folder) }
  try body(folder)
}

private func removeAll(_ folder: String) {
  guard let stream = opendir(folder) else { return }
  var names: [String] = []
  while let entry = readdir(stream) {
    names.append(withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
  }
  closedir(stream)
  for name in names where name != "." && name != ".." {
    if unlink(folder + "/" + name) != 0 { removeAll(folder + "/" + name) }
  }
  rmdir(folder)
}

func write(_ bytes: [UInt8], to path: String) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  try #require(descriptor >= 0)
  defer { close(descriptor) }
  #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
}

func size(of path: String) -> Int {
  var status = stat()
  return stat(path, &status) == 0 ? Int(status.st_size) : -1
}

func mode(of path: String) -> UInt32 {
  var status = stat()
  return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
}

/// SplitMix64: the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
