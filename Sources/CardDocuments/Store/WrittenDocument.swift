// Documents as `.rwcard` files. Invariant: every file that is written beside the document is listed, and is read from
// there again; a failure leaves no new file or folder.

import Files
import Glibc
import Values

/// The result of writing a document to a file.
public struct WrittenDocument: Equatable, Sendable {
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
        losses.append(ExportLoss(pointer: .whole, message: "the image \(hash) is missing, so its file was not written"))
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
        known = try readPlainFile(
          path, limit: StoredDocument.mostPictureBytes, followingLinks: false, isInterrupted: store.isInterrupted)
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
