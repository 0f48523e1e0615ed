// The errors of documents, as facts; `report` puts them into words.
// Invariant: whenever one of these is thrown, documents and files are unchanged.

public import Files
public import Problems
public import Values

/// The reason why an operation on a document failed.
public enum DocumentError: Problem, Equatable, Sendable {
  // Reading
  case notJSON(file: String, JSONFailure)
  case notACard(file: String)
  case wrong(file: String, JSONPointer, expected: String, found: String?)
  case tooMuch(file: String, JSONPointer, String, limit: Int)
  // Names and files
  case notFound(String, suggestion: String?)
  case ambiguous(String, count: Int)
  case symbolicLink(path: String)
  case notAFile(path: String)
  case tooLargeFile(path: String, limit: Int)
  case cannotRead(path: String, errno: Int32)
  /// An existing file is unchanged.
  case cannotWrite(path: String, errno: Int32)
  case interrupted(FileError)
  case notInStore(path: String)
  /// A card can show only documents of the store.
  case notSaved(path: String)
  // Changing
  case laterVersion(Int)
  case noElement(String, document: DocumentID)
  case noSuchField(field: String, kind: String)
  case badValue(field: String, expected: String, found: String, suggestion: String?)
  case locked(element: String)
  case full(limit: Int)
  case removed(DocumentID)
  // Templates
  /// The texts and images of the template name no field of a card.
  case noPlaceholders(DocumentID)
  /// No card has such a field.
  case unknownPlaceholder(String, suggestion: String?)
  // Pictures and drawings
  case picture(file: String, PictureFailure)
  case drawing(ProgramFailure)
  case unknownEnding(path: String, expected: String = ".svg, .png or .pdf")
  case badWidth(Int, ClosedRange<Int>)
  // Paper
  case nothingToPrint(PaperKind)
  case tooManyToPrint(limit: Int)
  /// The document has no image with a frame, and no text.
  case nothingToHide(DocumentID)

  static func wrong(_ file: String, _ pointer: JSONPointer, expected: String, _ found: Value?) -> DocumentError {
    .wrong(file: file, pointer, expected: expected, found: found?.kind)
  }
}
