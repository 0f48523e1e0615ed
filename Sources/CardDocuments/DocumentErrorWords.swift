// The sentences of DocumentError, apart from its facts.

import Files
import Problems
import Text
import Values

extension DocumentError {
  public var message: String {
    switch self {
    case .notJSON(let file, let failure): "\(printable(file)):\(failure.line):\(failure.column): \(failure.words)"
    case .notACard(let file):
      "\(printable(file)): a card document expected (\"format\": \"rwcard\", or \"imageElements\" of an older one)"
    case .wrong(let file, let pointer, let expected, let found):
      "\(printable(file)): \(pointer.shown): \(expected) expected, \(found ?? "nothing") found"
    case .tooMuch(let file, let pointer, let what, let limit):
      "\(printable(file)): \(pointer.shown): more than \(grouped(limit)) \(what)"
    case .notFound(let name, let suggestion):
      "no document is called \(quoted(name))\(suggestion.map { " (did you mean \(quoted($0))?)" } ?? "")"
    case .ambiguous(let name, let count): "\(grouped(count)) documents begin with \(quoted(name)); give more of the id"
    case .badName(let name): "\(quoted(name)) is no name of a file in the folder of documents"
    default: changeMessage
    }
  }

  private var changeMessage: String {
    switch self {
    case .laterVersion(let version):
      "the document is of version \(version); this Deckhand writes version \(CardFormat.version), so it can be seen but not changed"
    case .noElement(let id, let document): "document \(document) has no element \(quoted(id))"
    case .noSuchField(let field, let kind): "\(article(kind)) element has no field \(quoted(field))"
    case .badValue(let field, let expected, let found, let suggestion):
      "\(field): \(expected) expected, \(found) found\(suggestion.map { " (did you mean \(quoted($0))?)" } ?? "")"
    case .locked(let element): "element \(element) is locked; set its field \"locked\" to false first"
    case .full(let limit): "a document holds at most \(grouped(limit)) elements"
    case .removed(let id): "document \(id) was removed"
    case .changedElsewhere(let id, let copy):
      "document \(id) was saved by another process since it was opened; its version stays, and yours is kept as \(copy)"
    case .changedBeforeRemoval(let id):
      "document \(id) was saved by another process since it was opened, so it was not removed; open it again first"
    case .changedSince(let path): "\(printable(path)) was changed since"
    case .noUnit: "no unit of work is open"
    case .undecided(_, _, let message): message
    default: fileMessage
    }
  }

  private var fileMessage: String {
    switch self {
    case .notInStore(let path): "\(printable(path)) is not in the store, and files outside it are never changed"
    case .symbolicLink(let path): "\(printable(path)) is a symbolic link; a file of its own is expected there"
    case .notAFile(let path): "\(printable(path)) is not a plain file"
    case .tooLargeFile(let path, let limit): "\(printable(path)) is larger than \(grouped(limit >> 20)) MiB"
    case .cannotRead(let path, let errno): "\(printable(path)): \(systemWords(errno))"
    case .cannotWrite(let path, let errno): "\(printable(path)): \(systemWords(errno)); nothing was changed"
    case .inUse(let error): error.message
    case .picture(let file, let failure): "\(printable(file)): \(failure.words)"
    case .drawing(let failure): failure.words
    case .unknownEnding(let path): "\(printable(path)): a name that ends in .svg, .png or .pdf expected"
    case .badWidth(let width, let range):
      "a width from \(grouped(range.lowerBound)) to \(grouped(range.upperBound)) expected, \(grouped(width)) found"
    default: title
    }
  }

  private func article(_ kind: String) -> String {
    kind.isEmpty ? "this" : (kind == "image" ? "an image" : "a \(kind)")
  }
}

extension JSONPointer {
  /// As it stands in a message.
  var shown: String { description.isEmpty ? "the whole" : printable(description) }
}
