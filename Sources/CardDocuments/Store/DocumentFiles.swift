// The files of documents outside the store: a document written as a `.rwcard` file, the pictures beside a file, and
// files that the user names. Pictures are named by the SHA-256 of their content and shared.
// Invariant: every file that is written beside a document is listed, and is read from there again; a failure leaves no
// new file or folder. A name in a document never leads out of the folder of its file, or through a symbolic link. Each
// error keeps the path and the errno.

import Files
import Glibc
import Values

/// The result of writing a document to a file.
public struct WrittenDocument: Sendable {
  /// The files written beside the document, relative to its folder.
  public private(set) var beside: [String] = []
  /// What could not be written, or what the format cannot hold.
  public private(set) var losses: [ExportLoss] = []

  public init() {}

  /// Writes a document as it is, and its pictures into the folder `images` beside the file.
  public init(_ document: StoredDocument, to path: String) throws {
    try document.refresh()
    let images = document.content.images.map { (name: "images/" + $0.description, hash: $0) }
    try write(document.content.encoded, to: path, of: document, images.sorted { $0.name < $1.name })
  }

  /// Writes a document in the format of the original app (edition 2), and its images under their own names beside it.
  public init(edition2 document: StoredDocument, to path: String) throws {
    try document.refresh()
    let export = try document.content.edition2()
    losses = export.losses
    try write(export.bytes, to: path, of: document, export.images)
  }

  private mutating func write(
    _ bytes: [UInt8], to path: String, of document: StoredDocument, _ images: [(name: String, hash: ContentHash)]
  ) throws {
    try removingOnFailure { created in
      try writePictures(of: document, images, in: parentFolder(of: path), &created)
      try writeWhole(bytes, to: path)
    }
  }

  /// - Parameter created: gets the paths of the files and folders that were not there.
  private mutating func writePictures(
    of document: StoredDocument, _ images: [(name: String, hash: ContentHash)], in folder: String,
    _ created: inout [String]
  ) throws {
    let named = try document.picturesToWrite(in: folder)
    for (name, hash) in images {
      guard let bytes = try document.picture(hash) else {
        losses.append((.whole, "the image \(hash) is missing, so its file was not written"))
        continue
      }
      if name.hasPrefix("images/"), !fileExists(folder + "/images") {
        try Self.makeFolder(folder + "/images")
        created.append(folder + "/images")
      }
      try write(bytes, name, in: folder, &created)
    }
    for (name, bytes) in named { try write(bytes, name, in: folder, &created) }
  }

  private mutating func write(
    _ bytes: [UInt8], _ name: String, in folder: String, _ created: inout [String]
  ) throws(DocumentError) {
    let path = folder + "/" + name
    let isNew = !fileExists(path)
    try writeWhole(bytes, to: path)
    if isNew { created.append(path) }
    beside.append(name)
  }

  /// Does not create missing parent folders: they are reported, as for any other file.
  private static func makeFolder(_ path: String) throws(DocumentError) {
    if mkdir(path, 0o777) != 0, errno != EEXIST { throw .cannotWrite(path: path, errno: errno) }
  }
}

extension StoredDocument {
  /// The pictures beside the document's file, by the names that the document gives them, to be written into a folder.
  /// - Throws: `.cannotWrite` if another file has such a name, as the author of the document chose it.
  func picturesToWrite(in folder: String) throws -> [(name: String, bytes: [UInt8])] {
    let pictures = try picturesBeside().sorted { $0.key < $1.key }
    for (name, bytes) in pictures {
      let path = folder + "/" + name
      let known: [UInt8]?
      do throws(DocumentError) {
        known = try store.bytes(ofFile: path, followingLinks: false)
      } catch {
        if case .interrupted = error { throw error }
        if case .cannotRead(_, ENOENT) = error { continue }
        known = nil
      }
      if known != bytes { throw DocumentError.cannotWrite(path: path, errno: EEXIST) }
    }
    return pictures.map { ($0.key, $0.value) }
  }
}

extension DocumentError {
  static func reading(_ error: FileError) -> DocumentError {
    switch error.reason {
    case .system(ELOOP): .symbolicLink(path: error.path)
    case .system(EISDIR), .notAFile: .notAFile(path: error.path)
    case .tooLarge(let limit): .tooLargeFile(path: error.path, limit: limit)
    case .interrupted: .interrupted(error)
    default: .cannotRead(path: error.path, errno: error.number)
    }
  }

  static func writing(_ error: FileError) -> DocumentError {
    switch error.reason {
    case .interrupted: .interrupted(error)
    default: .cannotWrite(path: error.path, errno: error.number)
    }
  }
}

extension DocumentStore {
  /// Reads a regular file up to a size limit, that of pictures by default; rejects anything else.
  func bytes(
    ofFile path: String, limit: Int = StoredDocument.mostPictureBytes, followingLinks: Bool = true
  ) throws(DocumentError) -> [UInt8] {
    do throws(FileError) {
      return try ByteFile(path, followingLinks: followingLinks, isInterrupted: isInterrupted).rest(limit: limit)
    } catch { throw .reading(error) }
  }
}

/// Writes a file for the user atomically: the path holds the old content or the new one. A path that is not a regular
/// file (a pipe, a terminal) is rejected.
func writeWhole(_ bytes: [UInt8], to path: String) throws(DocumentError) {
  do { try AtomicFile.write(path, bytes, .exported()) } catch { throw .writing(error) }
}

extension StoredDocument {
  static let mostPictureBytes = 64 << 20

  /// The PNG bytes of a picture as they are on disk, unchecked. Nil if it is missing.
  func picture(_ hash: ContentHash) throws -> [UInt8]? {
    if let bytes = state.pictures[hash] { return bytes }
    if let bytes = try store.keeper.picture(hash) { return bytes }
    return try plainFile(beside: "images/" + hash.description)
  }

  /// Nil if it is missing, or if its name is not the name of a file beside the document.
  func picture(of element: Element) throws -> [UInt8]? {
    if let hash = element.image, let bytes = try picture(hash) { return bytes }
    guard let name = element.imageFile else { return nil }
    return try picture(named: name)
  }

  /// Reads the pictures beside a file of an older format, by their names in it; names that are paths count as missing.
  func picturesBeside() throws(DocumentError) -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for name in content.elements.compactMap(\.imageFile) where found[name] == nil {
      if let bytes = try picture(named: name) { found[name] = bytes }
    }
    return found
  }

  /// Reads a file beside the document; nil if it is missing, or if its name leads elsewhere.
  func picture(named name: String) throws(DocumentError) -> [UInt8]? {
    isPlainName(name) ? try plainFile(beside: name) : nil
  }

  private func plainFile(beside name: String) throws(DocumentError) -> [UInt8]? {
    guard let path else { return nil }
    let file = parentFolder(of: path) + "/" + name
    do {
      guard try FileFacts.at(file, followingLinks: false)?.kind == .file else { return nil }
    } catch {
      // A path that cannot be examined counts as a missing picture.
      return nil
    }
    return try store.bytes(ofFile: file, followingLinks: false)
  }
}

/// Whether it is the name of a visible file and not a path. Hidden files belong to programs. The bytes are compared: a
/// dot or a slash before a combining mark is another character, but the system sees the dot or the slash.
func isPlainName(_ name: String) -> Bool {
  let bytes = name.utf8
  return (1...255).contains(bytes.count) && bytes.first != UInt8(ascii: ".") && !bytes.contains(UInt8(ascii: "/"))
    && !bytes.contains(0)
}
