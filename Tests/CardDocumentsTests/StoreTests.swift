// Tests of the store: when changes are saved, what is shared, and how two processes affect each other.

import Glibc
import Problems
import TestSupport
import Values

@testable import CardDocuments

/// A store with one document of one text and one image.
final class Desk {
  let folder = TemporaryFolder()
  let store: DocumentStore
  let document: StoredDocument
  let text: String
  let image: String
  init() throws {
    store = try makeStore(folder)
    document = try store.create()
    text = try document.addText("Hola").id
    image = try document.addImage(testSVG(), named: "test.svg").id
  }
  /// Returns the document as another process sees it.
  func onDisk(_ id: DocumentID? = nil) throws -> CardDocument {
    try makeStore(folder, seed: 77).open(id ?? document.id).content
  }
  var keeper: TestKeeper { get throws { try #require(store.keeper as? TestKeeper) } }
  /// Inserts a text as a row, whatever it contains.
  func insert(_ bytes: [UInt8], as id: String) throws {
    try store.keeper.change {
      try DocumentTable.write($0, DocumentRow(id: id, content: bytes, modified: 1))
    }
  }
  var images: [String] { folder.names("media") }
}

@Suite struct StoreTests {
  private let desk: Desk

  init() throws { desk = try Desk() }

  @Test func `everything except positions and sizes is on disk at once`() throws {
    try desk.document.change { try $0.setBackground(.black) }
    try desk.document.set(.frame, of: desk.image, to: .text("heart"))
    try desk.document.change { try $0.raise(desk.text) }
    try desk.document.set(.x, of: desk.text, to: .number(100))
    try desk.document.set(.height, of: desk.text, to: .number(50))
    let saved = try desk.onDisk()
    #expect(saved.background == .black)
    #expect(saved.element(desk.image)?.frame == .heart)
    #expect(saved.elements.map(\.id) == [desk.image, desk.text])
    #expect(saved.element(desk.text)?.x == 0)
    #expect(desk.document.content.element(desk.text)?.x == 100)
    #expect(desk.document.hasUnsavedChanges)
    try desk.document.set(.text, of: desk.text, to: .text("Adiós"))
    #expect(try desk.onDisk().element(desk.text)?.text == "Adiós")
    #expect(try desk.onDisk().element(desk.text)?.x == 0)
    try desk.document.save()
    #expect(try desk.onDisk().element(desk.text)?.x == 100)
    #expect(try desk.onDisk().element(desk.text)?.height == 50)
    #expect(!desk.document.hasUnsavedChanges)
  }

  @Test func `pending moves survive raising, adding and removing elements, and are reported once saved`() throws {
    try desk.document.set(.x, of: desk.text, to: .number(100))
    try desk.document.set(.x, of: desk.text, to: .number(200))
    try desk.document.set(.y, of: desk.image, to: .number(30))
    try desk.document.change { try $0.raise(desk.text) }
    _ = try desk.document.addText("more")
    #expect(try desk.onDisk().elements.map(\.x) == [0, 0, 0])
    #expect(try desk.onDisk().elements.map(\.id).prefix(2) == [desk.image, desk.text])
    try desk.document.change { try $0.removeElement(desk.image) }
    #expect(desk.document.hasUnsavedChanges)
    try desk.document.save()
    #expect(try desk.onDisk() == desk.document.content)
    #expect(try desk.onDisk().element(desk.text)?.x == 200)
    try desk.document.set(.x, of: desk.text, to: .number(200))
    #expect(!desk.document.hasUnsavedChanges)
  }

  @Test func `a refused change leaves memory, disk and pending moves as they were`() throws {
    try desk.document.set(.x, of: desk.text, to: .number(100))
    let before = desk.document.content
    let saved = try desk.onDisk()
    #expect(throws: DocumentError.self) { try desk.document.set(.y, of: desk.text, to: .number(.nan)) }
    #expect(throws: DocumentError.self) { try desk.document.set(.frame, of: desk.image, to: .text("hart")) }
    #expect(throws: DocumentError.self) { try desk.document.set(.x, of: "gone", to: .number(1)) }
    #expect(throws: DocumentError.self) { try desk.document.addText(" ") }
    #expect(throws: DocumentError.self) { try desk.document.change { try $0.removeElement("gone") } }
    #expect(desk.document.content == before)
    #expect(try desk.onDisk() == saved)
  }

  @Test func `moves are saved when the shell exits`() throws {
    try desk.document.set(.rotation, of: desk.text, to: .number(45))
    #expect(desk.store.saveAll().isEmpty)
    #expect(try desk.onDisk().element(desk.text)?.rotation == 45)
  }

  @Test func `a document has one handle while somebody holds it`() throws {
    #expect(try desk.store.open(desk.document.id.description) === desk.document)
    #expect(try desk.store.open(String(desk.document.id.description.prefix(6))) === desk.document)
    #expect(try desk.store.all().documents.first === desk.document)
    #expect(try desk.store.open(String(desk.document.id.description.prefix(6).lowercased())) === desk.document)
  }

  @Test func `an unknown name is reported with the nearest one`() throws {
    var close = Array(desk.document.id.description)
    close[3] = close[3] == "A" ? "B" : "A"
    do {
      _ = try desk.store.open(String(close.dropLast()))
      Issue.record("it opened")
    } catch let error as DocumentError {
      #expect(error == .notFound(String(close.dropLast()), suggestion: desk.document.id.description))
    }
    #expect(throws: DocumentError.self) { try desk.store.open("") }
    #expect(throws: DocumentError.cannotRead(path: "/nowhere/x.rwcard", errno: ENOENT)) {
      try desk.store.open("/nowhere/x.rwcard")
    }
    #expect(throws: DocumentError.self) { try desk.store.open(documentID(77).description) }
  }

  @Test func `images are shared between documents, and stay while undo may need them`() throws {
    let copy = try desk.document.duplicate()
    let third = try desk.store.create()
    _ = try third.addImage(testSVG(), named: "again.svg")
    #expect(desk.images.count == 1)
    let used = { try desk.store.keeper.read(DocumentTable.pictures) }
    #expect(try used() == Set(desk.images))
    try desk.document.change { try $0.removeElement(desk.image) }
    try copy.remove()
    #expect(try used().count == 1)
    try third.remove()
    #expect(try used().isEmpty && desk.images.count == 1)
    #expect(try desk.store.all().documents.map(\.id) == [desk.document.id])
    #expect(throws: DocumentError.removed(third.id)) { try third.change { try $0.setBackground(.black) } }
    #expect(throws: DocumentError.removed(third.id)) { try third.save() }
  }

  @Test func `a document that cannot be opened is reported, and its images count as used`() throws {
    let other = try desk.document.duplicate()
    try other.remove()
    let id = documentID(9).description
    try desk.insert(Array(String(text(other.content.encoded).dropLast(3)).utf8), as: id)
    try desk.insert(desk.document.content.encoded, as: documentID(8).description)
    try desk.document.change { try $0.removeElement(desk.image) }
    #expect(try desk.store.keeper.read(DocumentTable.pictures) == Set(desk.images))
    let (documents, unopened) = try desk.store.all()
    let problems = unopened.map(\.problem)
    #expect(documents.map(\.id) == [desk.document.id])
    #expect(problems.map(\.code) == ["unreadable", "unreadable"])
    #expect(problems.last?.message.contains("the file ends here") == true)
    #expect(problems.last?.message.contains(id) == true)
    #expect(try desk.store.check().map(\.id) == [documentID(8).description, id])
  }

  @Test func `every unknown key is kept, and numbers as they were written`() throws {
    let source = fixture("shapes/version2.rwcard")
    try desk.folder.write(source, to: "in.rwcard")
    let document = try desk.store.open(desk.folder.path + "/in.rwcard")
    try document.save()
    #expect(try desk.onDisk(document.id).encoded == CardDocument(reading: source, file: "in").encoded)
  }

  @Test func `a file outside the store is never written to, and saving puts a copy with its images into the store`()
    throws
  {
    let source = fixture("shapes/midchapter.rwcard")
    try desk.folder.write(source, to: "old.rwcard")
    let picture = try makeDrawing().picture(from: testSVG(), longSide: 100).png
    try desk.folder.write(picture, to: "8808F791-E832-465D-911A-A250B91A5141")
    let document = try desk.store.open(desk.folder.path + "/old.rwcard")
    #expect(!document.isInStore)
    try document.change { try $0.setBackground(.black) }
    let added = try document.addImage(testSVG(width: 60), named: "x")
    #expect(desk.folder.read("old.rwcard") == source)
    #expect(desk.images.count == 1)
    #expect(throws: DocumentError.notInStore(path: desk.folder.path + "/old.rwcard")) { try document.remove() }
    try document.save()
    #expect(desk.folder.read("old.rwcard") == source)
    let saved = try desk.onDisk(document.id)
    #expect(saved.background == .black && saved.version == 2)
    #expect(saved.images == [ContentHash(of: picture), try #require(added.image)])
    #expect(desk.images == saved.images.map(\.description).sorted())
    #expect(saved.elements.compactMap(\.imageFile).isEmpty)
    #expect(try document.check().isEmpty)
    #expect(try desk.store.open(document.id) === document)
  }

  @Test func `an image name that is a path is kept, reported, and never followed`() throws {
    let source = text(fixture("shapes/midchapter.rwcard"))
    let evil = source.split(separator: "8808F791-E832-465D-911A-A250B91A5141").joined(separator: "../secret")
    mkdir(desk.folder.path + "/in", 0o700)
    try desk.folder.write(Array(evil.utf8), to: "in/evil.rwcard")
    try desk.folder.write([1, 2, 3], to: "secret")
    let document = try desk.store.open(desk.folder.path + "/in/evil.rwcard")
    try document.save()
    #expect(text(try desk.onDisk(document.id).encoded).contains("\"imageFile\": \"../secret\""))
    #expect(try document.check().map(\.code) == ["bad_image"])
    #expect(!desk.images.contains(ContentHash(of: [1, 2, 3]).description))
    #expect(try document.png(width: 100).brokenElements.count == 1)
  }

  @Test func `a document whose id the store already has gets a new one when it is saved`() throws {
    try desk.folder.write(desk.document.content.encoded, to: "copy.rwcard")
    let copy = try desk.store.open(desk.folder.path + "/copy.rwcard")
    try copy.save()
    #expect(copy.id != desk.document.id)
    #expect(try desk.store.all().documents.count == 2)
  }

  @Test func `a copy of a document leaves the original alone`() throws {
    try desk.folder.write(fixture("shapes/edition1.rwcard"), to: "old.rwcard")
    let copy = try desk.store.open(desk.folder.path + "/old.rwcard").duplicate()
    #expect(copy.elements.count == 4 && copy.isInStore)
    #expect(desk.folder.read("old.rwcard") == fixture("shapes/edition1.rwcard"))
  }

  @Test func `a later version in the store is shown and never written`() throws {
    let id = "3F2504E0-4F89-41D3-9A0C-0305E82C3302"
    try desk.insert(fixture("shapes/future.rwcard"), as: id)
    let document = try desk.store.open(id)
    #expect(document.isReadOnly)
    #expect(throws: DocumentError.laterVersion(3)) { try document.set(.text, of: "a", to: .text("x")) }
    #expect(throws: DocumentError.laterVersion(3)) { try document.addImage(testSVG(), named: "x") }
    #expect(try !document.png().bytes.isEmpty)
    #expect(try desk.onDisk(document.id) == CardDocument(reading: fixture("shapes/future.rwcard"), file: id))
  }

  @Test func `a card for the original app is written with its images beside it`() throws {
    let losses = try WrittenDocument(edition2: desk.document, to: desk.folder.path + "/card.rwcard").losses
    #expect(losses.map(\.pointer.description) == ["/elements/1"])
    let old = try desk.store.open(desk.folder.path + "/card.rwcard")
    #expect(old.content.shape == .edition2)
    let name = try #require(old.elements.first?.imageFile)
    #expect(desk.folder.read(name).map { ContentHash(of: $0).description } == desk.images[0])
    unlink(desk.folder.path + "/media/" + desk.images[0])
    #expect(try WrittenDocument(edition2: desk.document, to: desk.folder.path + "/card.rwcard").losses.count == 2)
  }

  @Test(arguments: [
    ("a.rwcard", true), ("A.RWCARD", true), ("./a", true), ("6D92", false), ("rwcard", false), ("", false),
  ])
  func `a name with a slash or the ending of a card document is a path`(name: String, isPath: Bool) {
    #expect(DocumentStore.isPath(name) == isPath)
  }

  @Test(arguments: [
    "", ".profile", "a/b", "../a", "a\0", ".\u{301}a", "a/\u{301}b", String(repeating: "a", count: 256),
  ])
  func `a path and the name of a hidden file are not plain names`(name: String) { #expect(!isPlainName(name)) }

  @Test func `exported pictures never overwrite other files, and are never hidden files`() throws {
    try desk.folder.makeFolder("home")
    for name in ["photo", ".profile"] { try desk.folder.write("theirs", to: "given/\(name)") }
    try desk.folder.write(
      """
      {"id": "6D924181-ABFC-457A-A771-984E7F3805BD", "imageElements": [
        {"imageFilename": "photo", "transform": {}}, {"imageFilename": ".profile", "transform": {}}]}
      """, to: "given/a.rwcard")
    let given = try desk.store.open(desk.folder.path + "/given/a.rwcard")
    let home = desk.folder.path + "/home"
    #expect(try WrittenDocument(given, to: home + "/a.rwcard").beside == ["photo"])
    #expect(try WrittenDocument(edition2: given, to: home + "/a.rwcard").beside == ["photo"])
    #expect(desk.folder.names("home") == ["a.rwcard", "photo"])
    try desk.folder.write("mine", to: "home/photo")
    try desk.folder.write("old", to: "home/a.rwcard")
    let refusal = DocumentError.cannotWrite(path: home + "/photo", errno: EEXIST)
    #expect(throws: refusal) { try WrittenDocument(given, to: home + "/a.rwcard") }
    #expect(throws: refusal) { try WrittenDocument(edition2: given, to: home + "/a.rwcard") }
    #expect(desk.folder.read("home/photo").map { text($0) } == "mine")
    #expect(desk.folder.read("home/a.rwcard").map { text($0) } == "old")
  }

  @Test(arguments: [[], ["images"]])
  func `an export that fails leaves nothing new`(there: [String]) throws {
    for name in ["card.rwcard"] + there { try desk.folder.makeFolder("home/" + name) }
    let path = desk.folder.path + "/home/card.rwcard"
    #expect(throws: DocumentError.self) { try WrittenDocument(desk.document, to: path) }
    #expect(desk.folder.names("home") == ["card.rwcard"] + there && desk.folder.names("home/images").isEmpty)
  }

  @Test func `exporting a document with pictures does not create a missing folder`() throws {
    let folder = desk.folder.path + "/missing"
    #expect(throws: DocumentError.cannotWrite(path: folder + "/images", errno: ENOENT)) {
      try WrittenDocument(desk.document, to: folder + "/card.rwcard")
    }
    #expect(access(folder, F_OK) != 0)
  }

  @Test func `moves that cannot be saved do not keep other documents from being saved`() throws {
    let other = try desk.document.duplicate()
    for document in [desk.document, other] { try document.set(.x, of: document.elements[0].id, to: .number(5)) }
    try makeStore(desk.folder, seed: 50).open(other.id).remove()
    #expect(desk.store.saveAll().map { "\($0)" } == ["document \(other.id) was removed"])
    #expect(try desk.onDisk().elements[0].x == 5)
  }

  @Test func `without the drawing program a check lists what it could not examine`() throws {
    let folder = TemporaryFolder()
    let document = try makeStore(folder, drawing: makeDrawing(path: "/nonexistent/draw")).create()
    _ = try document.addText("Hola")
    #expect(try document.check().map(\.code) == ["unchecked"])
  }

  @Test func `changes by two processes to one document are all kept`() throws {
    let theirs = try makeStore(desk.folder, seed: 99).open(desk.document.id)
    try desk.document.set(.x, of: desk.text, to: .number(7))
    try theirs.set(.text, of: desk.text, to: .text("theirs"))
    let more = try desk.document.addText("mine")
    try theirs.change { try $0.setBackground(.black) }
    try desk.document.save()
    let both = try desk.onDisk()
    #expect(both.background == .black && both.element(desk.text)?.text == "theirs")
    #expect(both.element(desk.text)?.x == 7 && both.element(more.id)?.text == "mine")
  }

  @Test func `what another process locked is not moved, nor anything in a later version`() throws {
    for element in [desk.text, desk.image] { try desk.document.set(.x, of: element, to: .number(7)) }
    let theirs = try makeStore(desk.folder, seed: 99).open(desk.document.id)
    try theirs.set(.locked, of: desk.text, to: .flag(true))
    try desk.document.save()
    #expect(try desk.onDisk().elements.map(\.x) == [0, 7])
    // What the user moved before locking it stays where it is.
    try desk.document.set(.x, of: desk.image, to: .number(8))
    try desk.document.set(.locked, of: desk.image, to: .flag(true))
    try desk.document.save()
    #expect(try desk.onDisk().elements.map(\.x) == [0, 8])
    let more = try desk.document.addText("more").id
    try desk.document.set(.x, of: more, to: .number(9))
    let later = text(try desk.onDisk().encoded).replacing("\"version\": 2", with: "\"version\": 3")
    try desk.insert(Array(later.utf8), as: desk.document.id.description)
    try desk.document.save()
    #expect(desk.document.isReadOnly)
    #expect(try desk.onDisk().elements.map(\.x) == [0, 8, 0])
  }

  @Test func `another process's version is seen, and so is the document's removal`() throws {
    let other = try makeStore(desk.folder, seed: 99)
    try other.open(desk.document.id).change { try $0.setBackground(.black) }
    try desk.document.refresh()
    #expect(desk.document.background == .black)
    try other.open(desk.document.id).remove()
    #expect(throws: DocumentError.removed(desk.document.id)) {
      try desk.document.change { try $0.setBackground(.yellow) }
    }
    #expect(throws: DocumentError.self) { try desk.store.open(desk.document.id) }
    #expect(try desk.store.all().documents.isEmpty)
  }

  @Test func `a change that cannot be saved is rolled back`() throws {
    let keeper = try desk.keeper
    let (document, before) = (desk.document, desk.document.content)
    keeper.isFull = true
    let uses: [() throws -> Void] = [
      { try document.change { try $0.setBackground(.black) } },
      { try document.set(.text, of: desk.text, to: .text("x")) },
      { _ = try document.addImage(testSVG(width: 77), named: "x") },
      { try document.change { try $0.removeElement(desk.text) } },
      { _ = try document.duplicate() }, { _ = try desk.store.create() },
    ]
    for use in uses { #expect(throws: TestKeeper.Refusal.self) { try use() } }
    #expect(document.content == before)
    try document.set(.x, of: desk.text, to: .number(4))
    #expect(throws: TestKeeper.Refusal.self) { try document.save() }
    #expect(document.hasUnsavedChanges)
    keeper.isFull = false
    try document.save()
    #expect(try desk.onDisk() == document.content && desk.store.all().documents.count == 1)
  }

  @Test func `invalid files are refused`() throws {
    let path = desk.folder.path
    mkfifo(path + "/pipe.rwcard", 0o600)
    #expect(throws: DocumentError.notAFile(path: path + "/pipe.rwcard")) { try desk.store.open(path + "/pipe.rwcard") }
    #expect(throws: DocumentError.notAFile(path: "/dev/zero")) { try desk.store.open("/dev/zero") }
    #expect(throws: DocumentError.notAFile(path: "/dev/zero")) { try desk.store.picture(file: "/dev/zero") }
  }
}
