// Why something about a document cannot be done: facts, and their words in one place.
// Invariant: whenever one of these is thrown the files on disk are as they were, except where the case says otherwise.

public import Files
import Glibc
public import Problems
public import Values

/// Why something about a document cannot be done.
///
///     do { _ = try store.open("6D92") } catch {
///       if case .ambiguous(_, let count) = error { print("\(count) documents begin so") }
///     }
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
  /// Another process saved the document since it was opened. Its version stands in the file; this one was kept as
  /// `copy`.
  case changedElsewhere(DocumentID, copy: DocumentID)
  /// Another process saved the document since it was opened, so it was not removed.
  case changedBeforeRemoval(DocumentID)
  /// Another process saved the document while a script ran that changes it too; nothing of the script is kept.
  case changedInScript(DocumentID)
  /// A file is not as a step of undo left it.
  case changedSince(path: String)
  case noUnit
  /// What is kept together with documents could not be kept, so they were not changed either.
  case undecided(ProblemReport)
  // Pictures and drawings
  case picture(file: String, PictureFailure)
  case drawing(DrawingFailure)
  case unknownEnding(path: String)
  case badWidth(Int, ClosedRange<Int>)

  static func wrong(
    _ file: String, _ pointer: JSONPointer, expected: String, _ found: Value?
  ) -> DocumentError {
    .wrong(file: file, pointer, expected: expected, found: found?.kind)
  }
}

extension DocumentError {
  /// The error of what is kept together with the documents.
  init(relaying error: any Error) {
    if let error = error as? DocumentError {
      self = error
    } else if let problem = error as? any Problem {
      self = .undecided(problem.report)
    } else {
      self = .undecided(ProblemReport(.storageFailed, "The data could not be changed", "\(error)"))
    }
  }
}

extension DocumentError {
  /// Whether the disk takes nothing, so that nobody else writes either.
  var isUnwritable: Bool {
    guard case .cannotWrite(let path, let number) = self else { return false }
    return FileError(path, .write, number: number).isUnwritable
  }
}
