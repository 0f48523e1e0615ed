// What the tests of this target share: the drawing program, stores, sample pictures.

import Files
import Glibc
import Storage
import TestSupport
import Wire

@testable import CardDocuments

/// Whether DECKHAND_RECORD=1 is set: then the golden files are written instead of compared with.
var isRecording: Bool { getenv("DECKHAND_RECORD") != nil }

func fixture(_ name: String) -> [UInt8] { contents(of: fixturePath(name)) ?? [] }

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

func makeDrawing(path: String? = nil) -> DrawingProgram {
  let program = DrawingProgram(
    path: path ?? builtProgram("deckhand-draw"), environment: ["HOME=/nonexistent"], clock: monotonicSeconds)
  // All tests draw at the same time, so allow long; the timeout has a test with a deadline of its own.
  program.deadline = 300
  return program
}

/// The rows and pictures of a folder, opened as in a process of its own.
final class TestKeeper: DocumentKeeper {
  struct Refusal: Error {}
  let rows: Store
  private let home: TemporaryFolder
  private var folder: String { home.file("media") }
  /// Whether writing fails as on a full disk.
  var isFull = false

  init(_ folder: TemporaryFolder) {
    rows = Store(path: folder.file("data.sqlite"), schema: DocumentTable.schema, isInterrupted: { false })
    home = folder
  }

  var changeCount: Int { rows.changeCount }
  var now: Double { 1_000 }
  func read<T>(_ body: (Database) throws -> T) throws -> T { try rows.read(body) }
  func change<T>(_ body: (Database) throws -> T) throws -> T {
    try rows.operation("changing a document") { db in
      let result = try body(db)
      if isFull { throw Refusal() }
      return result
    }
  }
  func path(of picture: ContentHash) -> String { folder + "/" + picture.description }
  func picture(_ hash: ContentHash) throws -> [UInt8]? { contents(of: path(of: hash)) }
  func keep(_ picture: [UInt8], _ hash: ContentHash) throws {
    try makePrivateFolder(folder)
    try AtomicFile.write(path(of: hash), picture)
  }
}

/// Returns a store whose ids are the same in each run.
func makeStore(_ folder: TemporaryFolder, seed: UInt64 = 1, drawing: DrawingProgram? = nil) throws -> DocumentStore {
  var numbers = TestGenerator(seed)
  let keeper = TestKeeper(folder)
  return DocumentStore(
    keeper: keeper, drawing: drawing ?? makeDrawing(), isInterrupted: { false },
    randomBytes: { count in
      withExtendedLifetime(keeper) { (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) } }
    })
}

extension StoredDocument {
  func remove() throws { try store.keeper.change { try remove($0) } }

  func addImage(
    _ picture: [UInt8], named name: String, frame: Frame? = nil, alt: String = "",
    at placement: ElementPlacement = ElementPlacement()
  ) throws -> Element {
    try addImage(try store.picture(from: picture, named: name), frame: frame, alt: alt, at: placement)
  }
}

extension DocumentStore {
  func create() throws -> StoredDocument {
    var random = TestGenerator(7)
    return try create(using: &random)
  }
}

func documentID(_ number: Int) -> DocumentID {
  DocumentID(bytes: [0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, UInt8(number >> 8 & 255), UInt8(number & 255)])
}

/// A small SVG in place of a photograph: a red rectangle with a blue one in its upper left quarter.
func testSVG(width: Int = 40, height: Int = 20) -> [UInt8] {
  Array(
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)">
    <rect width="\(width)" height="\(height)" fill="#f00"/>
    <rect width="\(width / 2)" height="\(height / 2)" fill="#00f"/></svg>
    """.utf8)
}
