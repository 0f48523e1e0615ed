// Checks that need more than the document itself: its pictures and the fonts. Invariant: a check changes nothing;
// anything that prevents it is reported as a finding or thrown, never taken for "fine".

import Files
import Problems
import Text
import Values
import Wire

extension StoredDocument {
  /// Returns all problems of the document: what `content.problems()` finds, image files that are missing or do not
  /// match their name, and texts that no font here can draw. Each group is in the order of the elements.
  public func check() throws -> [DocumentProblem] {
    try refresh()
    return content.problems() + (try imageProblems()) + textProblems()
  }

  private func imageProblems() throws -> [DocumentProblem] {
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

  private func problem(of hash: ContentHash, _ pointer: JSONPointer) throws -> DocumentProblem? {
    let path = store.keeper.path(of: hash)
    guard let bytes = try picture(hash) else {
      return DocumentProblem(.missingImage, pointer, "the file \(printable(path)) is missing", path: path)
    }
    if ContentHash(of: bytes) == hash { return nil }
    return DocumentProblem(
      .imageMismatch, pointer, "the file \(printable(path)) is not the image that was saved: its SHA-256 differs",
      path: path)
  }

  private func problem(ofFile name: String, _ pointer: JSONPointer) throws(DocumentError) -> DocumentProblem? {
    guard isPlainName(name) else {
      return DocumentProblem(.badImage, pointer, "\(quoted(name)) is not the name of a file beside the document")
    }
    guard try picture(named: name) == nil else { return nil }
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
      return [DocumentProblem(.unchecked, .whole, "the fonts could not be checked: \(error.reason.words)")]
    }
    return zip(places, missing).filter { !$0.1.isEmpty }.map { place, characters in
      DocumentProblem(.undrawableText, place, "no installed font can draw \(quoted(characters))")
    }
  }
}

extension DocumentStore {
  public func check() throws -> [(id: String, problem: DocumentProblem)] {
    let (documents, unopened) = try all()
    return try documents.reduce(into: unopened) { found, document in
      found += try document.check().map { (document.id.description, $0) }
    }
  }
}
