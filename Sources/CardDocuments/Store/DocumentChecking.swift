// Checks of what a document alone cannot tell: its image files, the fonts, and the folder as a whole.
// Invariant: a check changes nothing; whatever keeps it from looking is reported as a finding or thrown, never taken
// for "fine".

import Files
import Text
import Values
import Wire

extension StoredDocument {
  /// All problems of the document, in the order of its elements: what `content.problems()` finds, image files that are
  /// missing or are not what their name says, and texts that no font here can draw.
  public func check() throws(DocumentError) -> [DocumentProblem] {
    if isRemoved { throw .removed(id) }
    return content.problems() + (try imageProblems()) + textProblems()
  }

  private func imageProblems() throws(DocumentError) -> [DocumentProblem] {
    var found: [DocumentProblem] = []
    for (index, element) in content.elements.enumerated() where element.namesImage {
      let place = JSONPointer.whole.appending("elements").appending(index)
      if let hash = element.image {
        if let problem = try problem(of: hash, place.appending("image")) { found.append(problem) }
      } else if let name = element.imageFile {
        if let problem = try problem(ofFile: name, place.appending("imageFile")) { found.append(problem) }
      }
    }
    return found
  }

  private func problem(of hash: ContentHash, _ pointer: JSONPointer) throws(DocumentError) -> DocumentProblem? {
    let path = store.folder.full(DocumentStore.imageName(hash))
    guard let bytes = try store.imageIfThere(hash, of: self) else {
      return DocumentProblem(.missingImage, pointer, "the file \(printable(path)) is missing", path: path)
    }
    if ContentHash(of: bytes) == hash { return nil }
    return DocumentProblem(
      .imageMismatch, pointer, "the file \(printable(path)) is not the image that was saved: its SHA-256 differs",
      path: path)
  }

  private func problem(ofFile name: String, _ pointer: JSONPointer) throws(DocumentError) -> DocumentProblem? {
    guard DocumentStore.isPlainName(name) else {
      return DocumentProblem(.badImage, pointer, "\(quoted(name)) is not the name of a file beside the document")
    }
    guard try store.imageFile(name, of: self) == nil else { return nil }
    return DocumentProblem(.missingImage, pointer, "the file \(quoted(name)) beside the document is missing")
  }

  private func textProblems() -> [DocumentProblem] {
    var queries: [CoverageQuery] = []
    var places: [JSONPointer] = []
    for (index, element) in content.elements.enumerated() {
      let line = oneLine(element.text ?? "")
      if line.isEmpty { continue }
      queries.append(CoverageQuery(text: line, font: element.font ?? ""))
      places.append(JSONPointer.whole.appending("elements").appending(index).appending("text"))
    }
    guard !queries.isEmpty else { return [] }
    let missing: [String]
    do { missing = try store.drawing.coverage(queries) } catch {
      return [DocumentProblem(.unchecked, .whole, "the fonts could not be looked at: \(error.reason.words)")]
    }
    return zip(places, missing).filter { !$0.1.isEmpty }.map { place, characters in
      DocumentProblem(.undrawableText, place, "no font here can draw \(quoted(characters))")
    }
  }
}

extension DocumentStore {
  /// All problems of all documents and of the folder: each bears the path of the file that it is about.
  public func check() throws(DocumentError) -> [DocumentProblem] {
    let (documents, unopened) = try list()
    var found = unopened
    for document in documents {
      for var problem in try document.check() {
        problem.path = problem.path ?? document.path
        found.append(problem)
      }
    }
    return found + (try orphanedImages()) + (try damagedBatches())
  }

  /// Takes away images that no document shows, and what is left of changes whose journal was damaged.
  public func mend() throws(DocumentError) {
    let lock = try locked()
    defer { lock.release() }
    try recover()
    for name in try orphanNames() { try folder.remove(DocumentFolder.images + "/" + name) }
    for name in try folder.names() where name.hasPrefix(DocumentFolder.damagedPrefix) { try folder.removeFolder(name) }
  }

  /// What is left of changes whose journal was damaged before they were done.
  private func damagedBatches() throws(DocumentError) -> [DocumentProblem] {
    try folder.names().filter { $0.hasPrefix(DocumentFolder.damagedPrefix) }.map { name in
      let path = folder.full(name)
      return DocumentProblem(
        .damagedJournal, .whole, "a change was begun, and its journal cannot be read; its files are in \(quoted(path))",
        path: path)
    }
  }

  /// Files among the images that no document shows.
  private func orphanedImages() throws(DocumentError) -> [DocumentProblem] {
    try orphanNames().map { name in
      let path = folder.full(DocumentFolder.images + "/" + name)
      return DocumentProblem(.orphanedImage, .whole, "no document shows the image \(quoted(name))", path: path)
    }
  }

  private func orphanNames() throws(DocumentError) -> [String] {
    let names = try folder.names(in: DocumentFolder.images)
    guard !names.isEmpty else { return [] }
    let used = try imagesInUse()
    return names.filter { ContentHash($0).map { !used.contains($0) } ?? true }
  }
}
