// Documents as `.rwcard` files. Invariant: what is written beside the file is named, and read from there again.

import Files
import Glibc
import Values

/// What came of a document that was written to a file.
///
///     let written = try WrittenDocument(document, to: "dog.rwcard")
///     written.beside   // the pictures that were written beside it
public struct WrittenDocument: Equatable, Sendable {
  /// The files that belong to it, from its folder on.
  public private(set) var beside: [String] = []
  /// What could not be written, or the format cannot hold.
  public private(set) var losses: [ExportLoss] = []

  public init() {}

  init(beside: [String], losses: [ExportLoss]) { (self.beside, self.losses) = (beside, losses) }

  /// Writes a document as it is, and its pictures into the folder `images` beside the file.
  public init(_ document: StoredDocument, to path: String) throws {
    try document.refresh()
    let folder = parentFolder(of: path)
    let named = try document.picturesToWrite(in: folder)
    for hash in document.content.images.sorted(by: { $0.description < $1.description }) {
      if let bytes = try document.picture(hash) {
        try Self.makeFolder(folder + "/images")
        try write(bytes, "images/" + hash.description, in: folder)
      } else {
        losses.append(ExportLoss(pointer: .whole, message: "the image \(hash) is missing, so its file was not written"))
      }
    }
    for (name, bytes) in named {
      try write(bytes, name, in: folder)
    }
    try writeWhole(document.content.encoded, to: path)
  }

  private mutating func write(_ bytes: [UInt8], _ name: String, in folder: String) throws {
    try writeWhole(bytes, to: folder + "/" + name)
    beside.append(name)
  }

  /// A folder that is missing above it is told, as it is for a file of any other kind.
  private static func makeFolder(_ path: String) throws(DocumentError) {
    if mkdir(path, 0o777) != 0, errno != EEXIST { throw .cannotWrite(path: path, errno: errno) }
  }
}

extension StoredDocument {
  /// The pictures beside its file, by the names that the document gives them, to be written into a folder.
  /// - Throws: `.cannotWrite` where another file has such a name: who made the document chose it.
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
