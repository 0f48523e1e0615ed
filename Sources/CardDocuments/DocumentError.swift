// Why something about a document cannot be done: facts, and their words in one place.
// Invariant: whenever one of these is thrown the files on disk are as they were, except where the case says otherwise.

public import Files
import Glibc
public import Problems
public import Values

public enum DocumentError: Problem, Equatable, Sendable {
  // Reading
  case notJSON(file: String, JSONFailure)
  case notACard(file: String)
  case wrong(file: String, JSONPointer, expected: String, found: String?)
  case tooMuch(file: String, JSONPointer, String, limit: Int)
  // Names and files
  case notFound(String, suggestion: String?)
  case ambiguous(String, count: Int)
  case badName(String)
  case symbolicLink(path: String)
  case notAFile(path: String)
  case tooLargeFile(path: String, limit: Int)
  case cannotRead(path: String, errno: Int32)
  /// The file that was there is untouched.
  case cannotWrite(path: String, errno: Int32)
  /// Another process held the folder's lock for as long as was waited, or the user asked to stop meanwhile.
  case inUse(FileError)
  case notInStore(path: String)
  // Changing
  case laterVersion(Int)
  case noElement(String, document: DocumentID)
  case noSuchField(field: String, kind: String)
  case badValue(field: String, expected: String, found: String, suggestion: String?)
  case locked(element: String)
  case full(limit: Int)
  case removed(DocumentID)
  /// Another process saved the document since it was opened. Its version stands in the file; this one was kept as `copy`.
  case changedElsewhere(DocumentID, copy: DocumentID)
  /// Another process saved the document since it was opened, so it was not removed.
  case changedBeforeRemoval(DocumentID)
  /// A file is not as a step of undo left it.
  case changedSince(path: String)
  case noUnit
  /// What is kept together with documents could not be kept, so they were not changed either.
  case undecided(code: String, title: String, message: String)
  // Pictures and drawings
  case picture(file: String, PictureFailure)
  case drawing(DrawingFailure)
  case unknownEnding(path: String)
  case badWidth(Int, ClosedRange<Int>)

  static func wrong(
    _ file: String, _ pointer: JSONPointer, expected: String, _ found: JSONValue?
  ) -> DocumentError {
    .wrong(file: file, pointer, expected: expected, found: found?.kind)
  }

  public var code: String {
    switch self {
    case .notJSON: "not_json"
    case .notACard: "not_a_document"
    case .wrong: "wrong_type"
    case .tooMuch, .tooLargeFile, .full: "too_large"
    case .notFound: "not_found"
    case .ambiguous: "ambiguous"
    case .badName: "bad_name"
    case .symbolicLink: "symbolic_link"
    case .notAFile: "not_a_file"
    case .cannotRead(_, let errno): errno == ENOENT ? "not_found" : "unreadable"
    case .cannotWrite: "unwritable"
    case .inUse(let error): error.code
    case .notInStore: "not_in_store"
    case .laterVersion: "read_only"
    case .noElement: "not_found"
    case .noSuchField: "unknown_field"
    case .badValue: "bad_value"
    case .locked: "locked"
    case .removed: "removed"
    case .changedElsewhere, .changedBeforeRemoval: "changed_elsewhere"
    case .changedSince: "changed_elsewhere"
    case .noUnit: "no_unit"
    case .undecided(let code, _, _): code
    case .picture(_, let failure): failure.code
    case .drawing(let failure): failure.code
    case .unknownEnding: "unknown_format"
    case .badWidth: "bad_value"
    }
  }

  public var title: String {
    switch self {
    case .notJSON, .notACard, .wrong, .tooMuch: "This document does not open"
    case .notFound, .noElement, .ambiguous: "Not found"
    case .badName: "Bad name"
    case .symbolicLink, .notAFile, .tooLargeFile, .cannotRead: "Cannot read the file"
    case .cannotWrite: "Cannot write the file"
    case .inUse(let error): error.title
    case .notInStore: "Not in the store"
    case .laterVersion: "Read only"
    case .noSuchField: "No such field"
    case .badValue, .badWidth: "Not a value for it"
    case .locked: "Locked"
    case .full: "The document is full"
    case .removed: "Removed"
    case .changedElsewhere, .changedBeforeRemoval, .changedSince: "Changed elsewhere"
    case .undecided(_, let title, _): title
    case .noUnit: "Nothing to end"
    case .picture: "This picture cannot be used"
    case .drawing: "Cannot draw"
    case .unknownEnding: "Unknown format"
    }
  }

  public var details: [(name: String, value: ProblemDetail)] {
    switch self {
    case .notJSON(let file, let failure):
      [("path", .text(file)), ("line", .integer(failure.line)), ("column", .integer(failure.column))]
    case .notACard(let file), .picture(let file, _): [("path", .text(file))]
    case .wrong(let file, let pointer, _, _), .tooMuch(let file, let pointer, _, _):
      [("path", .text(file)), ("pointer", .text(pointer.description))]
    case .notInStore(let path), .symbolicLink(let path), .notAFile(let path), .tooLargeFile(let path, _),
      .cannotRead(let path, _),
      .cannotWrite(let path, _), .unknownEnding(let path):
      [("path", .text(path))]
    case .notFound(_, let suggestion?), .badValue(_, _, _, let suggestion?): [("suggestion", .text(suggestion))]
    case .changedElsewhere(_, let copy): [("copy", .text(copy.description))]
    case .inUse(let error): error.details
    default: []
    }
  }
}

extension DocumentError {
  /// The error of what is kept together with the documents.
  init(relaying error: any Error) {
    if let error = error as? DocumentError {
      self = error
    } else if let problem = error as? any Problem {
      self = .undecided(code: problem.code, title: problem.title, message: problem.message)
    } else {
      self = .undecided(code: "storage_failed", title: "The data could not be changed", message: "\(error)")
    }
  }
}
