// The files of the store: the only code of the room that touches the disk inside the folder of documents.
// Invariant: a name of a file never leads out of the folder or through a symbolic link, and a file that is written
// holds its old content or its new one at every moment.

import Files
import Glibc

/// What identified a file when it was last read or written.
struct FileStamp: Equatable {
  let inode: UInt64
  let size: Int
  let seconds: Int
  let nanoseconds: Int

  init(_ facts: FileFacts) {
    inode = facts.inode
    size = facts.size
    seconds = facts.modified.seconds
    nanoseconds = facts.modified.nanoseconds
  }

  /// Seconds since 1970.
  var modified: Double { Double(seconds) + Double(nanoseconds) / 1e9 }
}

/// A file found in the folder, unread.
struct FolderEntry {
  let name: String
  let stamp: FileStamp
  let isSymbolicLink: Bool
}

struct DocumentFolder {
  static let images = "images"
  static let thumbnails = "thumbnails"
  static let lock = ".lock"
  static let temporaryPrefix = ".writing-"
  static let unitPrefix = ".unit-"
  /// What is left of a batch whose journal cannot be read.
  static let damagedPrefix = ".damaged-"
  static let maximumImage = 64 << 20

  let path: String
  /// Told before each step that changes something on disk; the tests end the process there, or make the step fail by
  /// answering an error number.
  let step: (String) -> Int32

  func full(_ name: String) -> String { path + "/" + name }

  // MARK: - Reading

  /// A file's whole content. Symbolic links, pipes, devices and files above the limit are refused.
  func read(_ name: String, limit: Int) throws(DocumentError) -> (bytes: [UInt8], stamp: FileStamp) {
    try readPlainFile(full(name), limit: limit, followingLinks: false, isInterrupted: isNeverInterrupted)
  }

  /// Nil when there is no such file.
  func stamp(of name: String) throws(DocumentError) -> FileStamp? {
    guard let facts = try facts(of: name) else { return nil }
    if facts.kind == .symbolicLink { throw .symbolicLink(path: full(name)) }
    guard facts.kind == .file else { throw .notAFile(path: full(name)) }
    return FileStamp(facts)
  }

  /// Whether there is a regular file of the name. What cannot be looked at counts as none.
  func has(_ name: String) -> Bool {
    // Whoever reads the file next gets the error.
    do { return try facts(of: name)?.kind == .file } catch { return false }
  }

  private func facts(of name: String) throws(DocumentError) -> FileFacts? {
    do { return try FileFacts.at(full(name), followingLinks: false) } catch { throw .reading(error) }
  }

  /// The names in a folder of it, sorted; empty when there is none.
  func names(in folder: String = "") throws(DocumentError) -> [String] {
    if !folder.isEmpty, try facts(of: folder)?.kind == .symbolicLink { throw .symbolicLink(path: full(folder)) }
    do { return try Folder.names(in: folder.isEmpty ? path : full(folder)) } catch { throw .reading(error) }
  }

  /// All `.rwcard` files here and below, by name; the store's own folders and hidden ones are passed over.
  func documents(in folder: String = "", depth: Int = 0) throws(DocumentError) -> [FolderEntry] {
    var found: [FolderEntry] = []
    for name in try names(in: folder) where !name.hasPrefix(".") {
      let relative = folder.isEmpty ? name : folder + "/" + name
      if relative == DocumentFolder.images || relative == DocumentFolder.thumbnails { continue }
      guard let facts = try facts(of: relative) else { continue }
      switch facts.kind {
      case .folder where depth < 8: found += try documents(in: relative, depth: depth + 1)
      case .file where name.hasSuffix(".rwcard"), .symbolicLink where name.hasSuffix(".rwcard"):
        let isLink = facts.kind == .symbolicLink
        found.append(FolderEntry(name: relative, stamp: FileStamp(facts), isSymbolicLink: isLink))
      default: break
      }
    }
    return found
  }

  /// Whether the image is there and its content is what its name says; a damaged one is written again.
  func hasIntact(_ image: ContentHash) throws(DocumentError) -> Bool {
    let name = DocumentStore.imageName(image)
    guard has(name) else { return false }
    return ContentHash(of: try read(name, limit: DocumentFolder.maximumImage).bytes) == image
  }

  // MARK: - Writing

  /// Puts bytes under a name, whole or not at all. The caller holds the lock.
  /// - Parameters:
  ///   - isSynced: false for what can be made again, and may be lost with the power.
  ///   - syncsName: false where the folder is synced later.
  func write(
    _ bytes: [UInt8], to name: String, isSynced: Bool = true, syncsName: Bool = true
  ) throws(DocumentError) {
    var options = Replacement.ofOurs(temporaryName: DocumentFolder.temporaryPrefix + "\(getpid())")
    options.isSynced = isSynced
    options.syncsName = syncsName
    options.step = { [step] in step("\($0.rawValue) \(name)") }
    do { try AtomicFile.write(full(name), bytes, options) } catch { throw .writing(error) }
  }

  /// Syncs all files of a folder at once.
  func syncAll(_ name: String) throws(DocumentError) {
    try change("sync all of", name) { () throws(FileError) in try Folder.syncFileSystem(of: full(name)) }
  }

  /// Syncs the names in the folder of a file.
  func syncNames(around name: String) {
    _ = step("sync the names around " + name)
    Folder.sync(parentFolder(of: full(name)))
  }

  func move(_ name: String, to other: String) throws(DocumentError) {
    try change("move", other) { () throws(FileError) in try Folder.move(full(name), to: full(other)) }
  }

  /// Takes a file away; one that is not there is no error.
  func remove(_ name: String) throws(DocumentError) {
    try change("remove", name) { () throws(FileError) in try Folder.removeFile(full(name)) }
  }

  func makeFolder(_ name: String = "") throws(DocumentError) {
    let place = name.isEmpty ? path : full(name)
    let kind: FileFacts.FileType?
    do { kind = try FileFacts.at(place, followingLinks: name.isEmpty)?.kind } catch { throw .reading(error) }
    if kind == .folder { return }
    if kind != nil { throw .notAFile(path: place) }
    try change("make folder", name) { () throws(FileError) in try makePrivateFolder(place) }
  }

  func removeFolder(_ name: String) throws(DocumentError) {
    try change("remove folder", name) { () throws(FileError) in try Folder.removeTree(full(name)) }
  }

  /// Reports the step, then does it.
  private func change(_ what: String, _ name: String, _ body: () throws(FileError) -> Void) throws(DocumentError) {
    let refusal = step(name.isEmpty ? what : what + " " + name)
    if refusal != 0 { throw .cannotWrite(path: full(name), errno: refusal) }
    do { try body() } catch { throw .writing(error) }
  }
}
