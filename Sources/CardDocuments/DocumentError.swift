// The errors of documents: the facts, and the messages for them.
// Invariant: whenever one of these is thrown, documents and files are unchanged.

public import Files
import Glibc
public import Problems
import Text
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

  public var report: ProblemReport {
    switch self {
    case .notJSON, .notACard, .wrong, .tooMuch: readingReport
    case .symbolicLink, .notAFile, .tooLargeFile, .cannotRead, .cannotWrite, .unknownEnding: fileReport
    case .notInStore, .notSaved: fileReport
    case .laterVersion, .locked, .full, .removed: changeReport
    case .notFound(let name, let near):
      ProblemReport(
        .notFound, "Not found", "no document is called \(quoted(name))\(didYouMean(near))", ["suggestion": near])
    case .ambiguous(let name, let count):
      ProblemReport(
        .ambiguous, "Not found", "\(grouped(count)) documents begin with \(quoted(name)); type more of the id")
    case .interrupted(let error): error.report
    case .noElement(let id, let document):
      ProblemReport(.notFound, "Not found", "document \(document) has no element \(quoted(id))")
    case .noSuchField(let field, let kind):
      ProblemReport(.unknownField, "No such field", "\(article(kind)) element has no field \(quoted(field))")
    case .badValue(let field, let expected, let found, let near):
      ProblemReport(
        .badValue, "Invalid value", "\(field): \(expected) expected, \(found) found\(didYouMean(near))",
        ["suggestion": near])
    case .badWidth(let width, let range):
      ProblemReport(
        .badValue, "Invalid value",
        "a width from \(grouped(range.lowerBound)) to \(grouped(range.upperBound)) expected, \(grouped(width)) found")
    case .noPlaceholders(let id):
      ProblemReport(
        .badValue, "Not a template",
        "document \(id) has no {prompt}, {answer} or {FIELD} in its texts, nor in the alt of its images")
    case .unknownPlaceholder(let name, let near):
      ProblemReport(
        .unknownField, "No such field",
        "{\(printable(name))}: no card has such a field\(didYouMean(near)); to show a brace, write it twice: {{",
        ["suggestion": near])
    case .nothingToPrint(let kind):
      ProblemReport(
        .notFound, "Nothing to print",
        kind == .search
          ? "no card has a side of one to three words with 2 to 16 letters to hide" : "there is no card to print")
    case .nothingToHide(let id):
      ProblemReport(
        .notFound, "Nothing to hide",
        "document \(id) has no image with a frame, and no text; add one, or set a frame: `doc set DOC 1 frame=circle`")
    case .tooManyToPrint(let limit):
      ProblemReport(
        .tooLarge, "Too much for one file",
        "more than \(grouped(limit)) are too many for one call; choose fewer, for example with --query")
    case .picture(let file, let failure):
      ProblemReport(
        failure.reason.code, "This picture cannot be used", "\(printable(file)): \(failure.reason.words)",
        ["path": file])
    case .drawing(let failure): ProblemReport(failure.reason.code, "Cannot draw", failure.reason.words)
    }
  }

  private func article(_ kind: String) -> String {
    kind.isEmpty ? "this" : (kind == "image" ? "an image" : "a \(kind)")
  }
}

/// The groups of cases that `report` combines; each handles only its own cases.
extension DocumentError {
  private var readingReport: ProblemReport {
    switch self {
    case .notJSON(let file, let failure):
      .unopened(
        .notJSON, "\(printable(file)):\(failure.line):\(failure.column): \(failure.words)",
        ["path": file, "line": failure.line, "column": failure.column])
    case .notACard(let file):
      .unopened(
        .notADocument,
        "\(printable(file)): a card document expected (\"format\": \"rwcard\", or \"imageElements\" in an older one)",
        ["path": file])
    case .wrong(let file, let pointer, let expected, let found):
      .unopened(
        .wrongType, "\(printable(file)): \(pointer.shown): \(expected) expected, \(found ?? "nothing") found",
        ["path": file, "pointer": pointer.description])
    case .tooMuch(let file, let pointer, let what, let limit):
      .unopened(
        .tooLarge, "\(printable(file)): \(pointer.shown): more than \(grouped(limit)) \(what)",
        ["path": file, "pointer": pointer.description])
    default: report
    }
  }

  private var fileReport: ProblemReport {
    switch self {
    case .symbolicLink(let path): .file(.symbolicLink, path, " is a symbolic link; a regular file is expected there")
    case .notAFile(let path): .file(.notAFile, path, " is not a regular file")
    case .tooLargeFile(let path, let limit): .file(.tooLarge, path, " is larger than \(grouped(limit >> 20)) MiB")
    case .cannotRead(let path, let errno):
      .file(errno == ENOENT ? .notFound : .unreadable, path, ": \(systemWords(errno))")
    case .cannotWrite(let path, let errno):
      .file(.unwritable, path, ": \(systemWords(errno)); nothing was changed", title: "Cannot write the file")
    case .notInStore(let path):
      .file(
        .notInStore, path, " is not in the store, and files outside it are never changed", title: "Not in the store")
    case .notSaved(let path):
      .file(
        .notInStore, path,
        " is not in the store, and a card can only show what is; store a copy there first with "
          + "document:save() or `doc create --from`", title: "Not in the store")
    case .unknownEnding(let path, let expected):
      .file(.unknownFormat, path, ": a name that ends in \(expected) expected", title: "Unknown format")
    default: report
    }
  }

  private var changeReport: ProblemReport {
    switch self {
    case .laterVersion(let version):
      ProblemReport(
        .readOnly, "Read only",
        "the document has version \(version); this Deckhand writes version \(DocumentFormat.version), "
          + "so it can be shown but not changed")
    case .locked(let element):
      ProblemReport(.locked, "Locked", "element \(element) is locked; set its field \"locked\" to false first")
    case .full(let limit):
      ProblemReport(.tooLarge, "The document is full", "a document can have at most \(grouped(limit)) elements")
    case .removed(let id): ProblemReport(.removed, "Removed", "document \(id) was removed")
    default: report
    }
  }
}

extension ProblemReport {
  fileprivate static func unopened(
    _ code: ProblemCode.Failure, _ message: String, _ facts: KeyValuePairs<String, (any ProblemFact)?>
  ) -> ProblemReport { ProblemReport(code, "The document cannot be opened", message, facts) }

  fileprivate static func file(
    _ code: ProblemCode.Failure, _ path: String, _ predicate: String, title: String = "Cannot read the file"
  ) -> ProblemReport { ProblemReport(code, title, printable(path) + predicate, ["path": path]) }
}

extension JSONPointer {
  /// The pointer as it appears in a message.
  var shown: String { description.isEmpty ? "the whole" : printable(description) }
}
