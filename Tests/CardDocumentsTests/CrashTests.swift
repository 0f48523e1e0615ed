// Tests of what a killed process, a full disk and a hostile folder leave behind: the old version or the new one, never
// half.

import Files
import Glibc
import Problems
import TestSupport
import Testing

@testable import CardDocuments

/// Counts the steps that change the disk, and ends the process or makes the step fail at one of them.
private final class Steps {
  var count = 0
  var names: [String] = []
  let last: Int
  let answer: (String) -> Int32
  init(last: Int = .max, answer: @escaping (String) -> Int32 = { _ in 0 }) {
    self.last = last
    self.answer = answer
  }
  func take(_ name: String) -> Int32 {
    count += 1
    names.append(name)
    return count == last ? answer(name) : 0
  }
}

/// What trials start from copies of: two documents that share an image, one of an old shape with a file beside it.
private func prepare() throws -> TemporaryFolder {
  let folder = TemporaryFolder()
  let store = try makeStore(folder, seed: 5)
  let first = try store.create()
  _ = try first.addText("first")
  _ = try first.addImage(testSVG(), named: "x")
  _ = try first.duplicate()
  let third = try store.create()
  _ = try third.addImage(testSVG(width: 64), named: "x")
  return folder
}

/// Every way of writing, one after the other.
private func work(in path: String, steps: Steps, inUnit: Bool) throws {
  var numbers = TestGenerator(42)
  let store = try DocumentStore(
    folder: path + "/documents", drawing: makeDrawing(), wait: LockWait(elapsed: monotonicSeconds),
    randomBytes: { count in (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) } }, step: steps.take)
  defer { store.close() }
  let documents = try store.list().documents
  if inUnit { store.beginUnit() }
  for document in documents {
    for element in document.elements where element.kind == .image { try document.removeElement(element.id) }
    try document.setBackground(.black)
  }
  let new = try store.create()
  _ = try new.addImage(testSVG(width: 72), named: "x")
  try new.set(.x, of: new.elements[0].id, to: .number(9))
  if let failure = store.saveAll().first { throw failure }
  try documents[0].remove()
  if inUnit { _ = try store.commitUnit() }
}

/// Every file opens, every image that is named is there and whole. Gives the state as text, to compare.
private func inspect(_ folder: TemporaryFolder) throws -> String {
  let store = try makeStore(folder, seed: 77)
  let (documents, problems) = try store.list()
  #expect(problems.isEmpty)
  for document in documents {
    let found = try document.check()
    #expect(found.isEmpty, "\(found)")
  }
  #expect(!folder.names("documents").contains { $0.hasPrefix(".unit") })
  return documents.map { text($0.content.encoded) }.joined()
}

/// Does the work in a process of its own that kills itself at a step.
private func beKilled(in path: String, at last: Int, inUnit: Bool) async {
  await #expect(processExitsWith: .signal(SIGKILL)) {
    [path = path as String, last = last as Int, inUnit = inUnit as Bool] in
    let steps = Steps(last: last) { _ in
      kill(getpid(), SIGKILL)
      return 0
    }
    try work(in: path, steps: steps, inUnit: inUnit)
  }
}

@Suite struct CrashTests {
  /// How many steps the work takes, and the state after it.
  private func wholeRun(inUnit: Bool) throws -> (steps: Int, after: String) {
    let folder = try prepare()
    let steps = Steps()
    try work(in: folder.path, steps: steps, inUnit: inUnit)
    return (steps.count, try inspect(folder))
  }

  @Test func `a unit that is killed at any step is done as a whole or not at all`() async throws {
    let (count, after) = try wholeRun(inUnit: true)
    let start = try prepare()
    let before = try inspect(TemporaryFolder(copying: start))
    #expect(count > 20)
    var outcomes: Set<String> = []
    for last in 1...count {
      let folder = try TemporaryFolder(copying: start)
      await beKilled(in: folder.path, at: last, inUnit: true)
      let state = try inspect(folder)
      #expect(state == before || state == after, "killed at step \(last)")
      outcomes.insert(state)
    }
    #expect(outcomes == [before, after])
  }

  @Test func `a process that is killed at any single write leaves whole files and all images that are named`()
    async throws
  {
    let (count, after) = try wholeRun(inUnit: false)
    #expect(count > 40)
    let start = try prepare()
    // Every third step each run is enough: the kinds of steps recur.
    for last in stride(from: 1, through: count, by: 3) {
      let folder = try TemporaryFolder(copying: start)
      await beKilled(in: folder.path, at: last, inUnit: false)
      _ = try inspect(folder)
      // The lock and what was half written are no hindrance.
      let store = try makeStore(folder, seed: 78)
      _ = try store.create()
      #expect(try store.check().allSatisfy { $0.kind == .orphanedImage })
    }
    #expect(!after.isEmpty)
  }

  @Test(arguments: [ENOSPC, EROFS, EIO])
  func `a step that fails in a unit leaves everything as it was, on disk and in memory`(number: Int32) throws {
    let (count, after) = try wholeRun(inUnit: true)
    let start = try prepare()
    let before = try inspect(TemporaryFolder(copying: start))
    for last in 1...count {
      let folder = try TemporaryFolder(copying: start)
      do {
        try work(in: folder.path, steps: Steps(last: last) { _ in number }, inUnit: true)
      } catch let error as DocumentError {
        guard case .cannotWrite(_, let found) = error else {
          Issue.record("\(error)")
          continue
        }
        #expect(found == number)
      }
      let state = try inspect(folder)
      #expect(state == before || state == after, "failed at step \(last)")
    }
  }

  @Test func `a change that cannot be saved is taken back`() throws {
    let folder = TemporaryFolder()
    var isFull = false
    let store = try makeStore(folder, step: { _ in isFull ? ENOSPC : 0 })
    let document = try store.create()
    let element = try document.addText("Hola")
    let before = document.content
    let files = folder.names("documents")
    let bytes = folder.read("documents/" + document.id.fileName)
    isFull = true
    let full = DocumentError.cannotWrite(path: document.path, errno: ENOSPC)
    #expect(throws: full) { try document.setBackground(.black) }
    #expect(throws: full) { try document.set(.text, of: element.id, to: .text("x")) }
    #expect(throws: DocumentError.self) { try document.addImage(testSVG(), named: "x") }
    #expect(throws: DocumentError.self) { try document.removeElement(element.id) }
    #expect(throws: DocumentError.self) { try document.remove() }
    #expect(throws: DocumentError.self) { try document.duplicate() }
    #expect(throws: DocumentError.self) { try store.create() }
    #expect(document.content == before && !document.isRemoved)
    #expect(folder.names("documents").filter { $0 != "images" } == files)
    #expect(folder.read("documents/" + document.id.fileName) == bytes)
    try document.set(.x, of: element.id, to: .number(4))
    #expect(throws: full) { try document.save() }
    #expect(document.hasUnsavedChanges)
    isFull = false
    try document.save()
    try document.setBackground(.black)
  }

  @Test func `symbolic links, folders and pipes in the folder are refused and the rest is listed`() throws {
    let folder = try prepare()
    let store = try makeStore(folder, seed: 9)
    let documents = folder.path + "/documents/"
    try folder.write(fixture("shapes/edition1.rwcard"), to: "secret.rwcard")
    symlink(folder.path + "/secret.rwcard", documents + "link.rwcard")
    symlink(folder.path + "/nowhere", documents + "dangling.rwcard")
    symlink(folder.path, documents + "loop")
    mkdir(documents + "folder.rwcard", 0o700)
    mkfifo(documents + "pipe.rwcard", 0o600)
    let (found, problems) = try store.list()
    #expect(found.count == 3)
    #expect(problems.count == 2)
    #expect(problems.allSatisfy { $0.message.contains("symbolic link") })
    #expect(throws: DocumentError.symbolicLink(path: documents + "link.rwcard")) {
      try store.open(documents + "link.rwcard")
    }
    #expect(throws: DocumentError.notAFile(path: documents + "pipe.rwcard")) {
      try store.open(documents + "pipe.rwcard")
    }
    #expect(throws: DocumentError.notAFile(path: "/dev/zero")) { try store.open("/dev/zero") }
    #expect(throws: DocumentError.notAFile(path: "/dev/zero")) { try found[0].addImage(file: "/dev/zero") }
  }

  @Test func `an image that is a symbolic link is missing`() throws {
    let folder = try prepare()
    let store = try makeStore(folder, seed: 9)
    let document = try #require(try store.list().documents.first { $0.elements.count == 2 })
    let hash = try #require(document.content.images.first)
    let path = folder.path + "/documents/images/" + hash.description
    try folder.write(contents(of: path) ?? [], to: "elsewhere")
    unlink(path)
    symlink(folder.path + "/elsewhere", path)
    #expect(try document.check().map(\.code) == ["missing_image"])
    #expect(try document.rendered(as: .png, width: 50).brokenElements.count == 1)
  }

  /// DECKHAND_MUTATIONS=100000 tries so many; the seed makes them the same each time.
  @Test func `a byte changed anywhere in a real file is no crash, no hang, and loses no file`() throws {
    let folder = try prepare()
    let store = try makeStore(folder, seed: 9)
    let names = ["midchapter", "edition1", "edition2", "version2", "future"]
    let sources = names.map { fixture("shapes/\($0).rwcard") }
    var random = TestGenerator(2026)
    let count = getenv("DECKHAND_MUTATIONS").flatMap { Int(String(cString: $0)) } ?? 10_000
    var opened = 0
    for trial in 0..<count {
      let bytes = mutated(sources[trial % sources.count], &random)
      do {
        let document = try CardDocument(reading: bytes, file: "mutant")
        opened += 1
        let again = try CardDocument(reading: document.encoded, file: "again")
        #expect(again.encoded == document.encoded)
        if trial % 4 == 0 {
          _ = document.problems()
          if !document.isReadOnly { _ = try document.edition2() }
          _ = document.scene(pictures: [:])
        }
      } catch { #expect(!error.message.isEmpty) }
      // Some of them in a folder among good ones, and drawn.
      if trial % 500 == 0 {
        try folder.write(bytes, to: "documents/mutant.rwcard")
        let (documents, problems) = try store.list()
        #expect(documents.count + problems.count == 4)
        for document in documents where document.path.hasSuffix("mutant.rwcard") {
          #expect(try !document.rendered(as: .png, width: 20).bytes.isEmpty)
        }
        #expect(folder.read("documents/mutant.rwcard") == bytes)
      }
    }
    #expect(opened > count / 10 && opened < count)
  }

  private func mutated(_ source: [UInt8], _ random: inout TestGenerator) -> [UInt8] {
    var bytes = source
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] = Array("0123456789.-eE[]{}\",:null".utf8).randomElement(using: &random) ?? 0
      case 2: bytes.remove(at: place)
      case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      case 4: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &random)))
      default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 30)], at: place)
      }
      if bytes.isEmpty { return bytes }
    }
    return bytes
  }
}
