// The pictures of documents, named by the SHA-256 of their content and shared; the pictures of a file are beside it.
// Invariant: a name in a document never leads out of the folder of its file, or through a symbolic link.

import Files

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
    return try readPlainFile(
      file, limit: StoredDocument.mostPictureBytes, followingLinks: false, isInterrupted: store.isInterrupted)
  }
}

/// Whether it is the name of a visible file and not a path. Hidden files belong to programs. The bytes are compared: a
/// dot or a slash before a combining mark is another character, but the system sees the dot or the slash.
func isPlainName(_ name: String) -> Bool {
  let bytes = name.utf8
  return (1...255).contains(bytes.count) && bytes.first != UInt8(ascii: ".") && !bytes.contains(UInt8(ascii: "/"))
    && !bytes.contains(0)
}
