// What the tests of this room share: a folder that goes away, seeded numbers, the program that draws, pictures to use.

import DrawingWire
import Files
import Glibc
import Testing

@testable import CardDocuments

/// DECKHAND_RECORD=1 writes the golden files instead of comparing with them.
var isRecording: Bool { getenv("DECKHAND_RECORD") != nil }

/// SplitMix64: the same numbers on each run.
struct Seeded: RandomNumberGenerator {
  var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// A folder below /tmp that is removed with all in it when the object goes.
final class TemporaryFolder {
  let path: String
  init() {
    var template = Array("/tmp/cards-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer {
      $0.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
    }
  }
  deinit { removeTree(path) }

  func write(_ name: String, _ bytes: [UInt8]) {
    let file = fopen(path + "/" + name, "w")
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
  func read(_ name: String) -> [UInt8]? { contents(of: path + "/" + name) }
  func names(_ folder: String = "") -> [String] {
    guard let stream = opendir(path + "/" + folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        })
    }
    return names.filter { $0 != "." && $0 != ".." }.sorted()
  }
}

func removeTree(_ path: String) {
  var status = stat()
  guard lstat(path, &status) == 0 else { return }
  guard status.st_mode & S_IFMT == S_IFDIR else {
    unlink(path)
    return
  }
  chmod(path, 0o700)
  guard let stream = opendir(path) else { return }
  var names: [String] = []
  while let entry = readdir(stream) {
    names.append(
      withUnsafePointer(to: entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      })
  }
  closedir(stream)
  for name in names where name != "." && name != ".." { removeTree(path + "/" + name) }
  rmdir(path)
}

func contents(of path: String) -> [UInt8]? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    if count == 0 { return bytes }
    bytes += buffer[..<count]
  }
}

/// A file of Tests/CardDocumentsTests/Fixtures, in the source tree.
func fixturePath(_ name: String) -> String {
  #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/Fixtures/"
    + name
}
func fixture(_ name: String) -> [UInt8] { contents(of: fixturePath(name)) ?? [] }

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// deckhand-draw stands beside the test bundle that is being run.
func drawPath() -> String {
  var buffer = [CChar](repeating: 0, count: 4096)
  let count = readlink("/proc/self/exe", &buffer, buffer.count)
  let own = String(decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  for argument in CommandLine.arguments + [own] where argument.contains("/") {
    var folder = argument.split(separator: "/", omittingEmptySubsequences: false)
    while folder.count > 1 {
      folder.removeLast()
      let path = folder.joined(separator: "/") + "/deckhand-draw"
      if access(path, X_OK) == 0 { return path }
    }
  }
  return "/deckhand-draw was not found"
}

func monotonicSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

func makeDrawing(path: String? = nil) -> DrawingProgram {
  let program = DrawingProgram(
    path: path ?? drawPath(), environment: ["HOME=/nonexistent"], clock: monotonicSeconds)
  // Many are drawn side by side by all tests; what is given up in time has a test with a patience of its own.
  program.patience = 300
  return program
}

/// A store whose ids repeat from run to run.
func makeStore(
  _ folder: TemporaryFolder, seed: UInt64 = 1, drawing: DrawingProgram? = nil,
  wait: LockWait = LockWait(elapsed: monotonicSeconds), step: @escaping (String) -> Int32 = { _ in 0 }
) throws -> DocumentStore {
  var numbers = Seeded(seed)
  return try DocumentStore(
    folder: folder.path + "/documents", drawing: drawing ?? makeDrawing(), wait: wait,
    randomBytes: { count in (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) } }, step: step)
}

extension DocumentStore {
  func create() throws -> StoredDocument {
    var random = Seeded(7)
    return try create(using: &random)
  }
}

func documentID(_ number: Int) -> DocumentID {
  DocumentID(bytes: [0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, UInt8(number >> 8 & 255), UInt8(number & 255)])
}

/// A small SVG that stands for a photograph: a red rectangle with a blue one in its upper left quarter.
func testSVG(width: Int = 40, height: Int = 20) -> [UInt8] {
  Array(
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)">
    <rect width="\(width)" height="\(height)" fill="#f00"/>
    <rect width="\(width / 2)" height="\(height / 2)" fill="#00f"/></svg>
    """.utf8)
}
