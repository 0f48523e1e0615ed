// The images of the store: files named by the SHA-256 of their content, shared between documents.
// Invariant: an image goes only when its hash stands in no document's file any more.

import Files
import Glibc

extension DocumentStore {
  static func imageName(_ hash: ContentHash) -> String { DocumentFolder.images + "/" + hash.description }
  static func thumbnailName(_ id: DocumentID) -> String { DocumentFolder.thumbnails + "/" + id.description + ".png" }

  /// The PNG bytes of an image that a document shows, as they are on disk: nobody has checked them.
  public func image(_ hash: ContentHash, of document: StoredDocument) throws(DocumentError) -> [UInt8] {
    guard let bytes = try imageIfThere(hash, of: document) else {
      throw .cannotRead(path: folder.full(DocumentStore.imageName(hash)), errno: ENOENT)
    }
    return bytes
  }

  func imageIfThere(_ hash: ContentHash, of document: StoredDocument) throws(DocumentError) -> [UInt8]? {
    if let bytes = document.state.images[hash] { return bytes }
    if let bytes = try stagedImage(hash) { return bytes }
    let name = DocumentStore.imageName(hash)
    if folder.has(name) { return try folder.read(name, limit: DocumentFolder.maximumImage).bytes }
    guard let outside = document.state.outside else { return nil }
    return try plainFile(parentFolder(of: outside) + "/" + name)
  }

  /// The images beside a document of an older shape, by the names that it uses for them. Names that are paths count as
  /// missing.
  func adoptable(of document: StoredDocument) throws(DocumentError) -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for file in document.content.elements.compactMap(\.imageFile) where found[file] == nil {
      if let bytes = try imageFile(file, of: document) { found[file] = bytes }
    }
    return found
  }

  /// A file beside the document; nil when it is missing, or its name leads elsewhere.
  func imageFile(_ name: String, of document: StoredDocument) throws(DocumentError) -> [UInt8]? {
    guard DocumentStore.isPlainName(name) else { return nil }
    return try plainFile(parentFolder(of: document.path) + "/" + name)
  }

  static func isPlainName(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && !name.contains("/") && !name.utf8.contains(0)
      && name.utf8.count <= 255
  }

  private func plainFile(_ path: String) throws(DocumentError) -> [UInt8]? {
    do {
      guard try FileFacts.at(path, followingLinks: false)?.kind == .file else { return nil }
    } catch {
      // A path that cannot be looked at is no plain file of an image.
      return nil
    }
    return try readPlainFile(
      path, limit: DocumentFolder.maximumImage, followingLinks: false, isInterrupted: wait.isInterrupted
    ).bytes
  }

  /// Takes away those of the images that no file shows any more. The caller holds the lock. One that cannot be taken
  /// away, or of which it cannot be known, stays: that is no failure of the change that was saved, and `check()` tells
  /// of it.
  func releaseImages(_ candidates: Set<ContentHash>) {
    guard !candidates.isEmpty else { return }
    do {
      let unused = candidates.subtracting(try imagesInUse())
      for hash in unused.sorted(by: { $0.description < $1.description }) {
        try folder.remove(DocumentStore.imageName(hash))
      }
    } catch {
      // An image too many is no failure of the change that was saved.
      return
    }
  }

  /// The hashes that stand anywhere in the documents' files, also in files that do not open and in keys that are not
  /// known.
  /// - Parameter left: files that do not count.
  func imagesInUse(except left: Set<String> = []) throws(DocumentError) -> Set<ContentHash> {
    var found: Set<ContentHash> = []
    for file in try folder.documents() where !file.isSymbolicLink && !left.contains(file.name) {
      collectHashes(in: try folder.read(file.name, limit: CardFormat.maximumBytes).bytes, into: &found)
    }
    return found
  }

  private func stagedImage(_ hash: ContentHash) throws(DocumentError) -> [UInt8]? {
    try unit?.image(hash)
  }
}

/// Finds texts of 64 hexadecimal digits in quotes without parsing anything.
func collectHashes(in bytes: [UInt8], into found: inout Set<ContentHash>) {
  var start = 0
  for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\"") {
    if index - start == 64, let hash = ContentHash(String(decoding: bytes[start..<index], as: UTF8.self)) {
      found.insert(hash)
    }
    start = index + 1
  }
}
