// Problems inside a document that still opens, with their locations. Invariant: looking for problems changes nothing,
// and `problems()` finds none in a document that was only ever changed through its methods.

public import Problems
import Text
public import Values
import Wire

/// One finding of a check.
public struct DocumentProblem: Problem, Equatable, Sendable {
  /// `unchecked` if something could not be checked, `unreadable` if the document cannot be opened at all.
  public let kind: ProblemCode.Failure
  public let pointer: JSONPointer
  public let message: String
  /// The picture file that the problem is about.
  public let path: String?

  init(_ kind: ProblemCode.Failure, _ pointer: JSONPointer, _ message: String, path: String? = nil) {
    (self.kind, self.pointer, self.message, self.path) = (kind, pointer, message, path)
  }

  /// Reports a document that cannot be opened as a finding.
  init(_ error: DocumentError) {
    let pointer: JSONPointer =
      switch error {
      case .wrong(_, let pointer, _, _), .tooMuch(_, let pointer, _, _): pointer
      default: .whole
      }
    self.init(.unreadable, pointer, error.message)
  }

  public var report: ProblemReport {
    ProblemReport(kind, Self.titles[kind] ?? "", message, ["pointer": pointer.description, "path": path])
  }

  /// What a check can find, with its titles.
  package static let titles: [ProblemCode.Failure: String] = [
    .wrongType: "Wrong type", .badColor: "Not a colour", .unknownFrame: "Unknown frame",
    .unknownKind: "Unknown kind of element", .badSize: "Size not above 0", .outOfRange: "Out of range",
    .badImage: "Not an image in the store", .missingKey: "Something is missing", .duplicateID: "Duplicate id",
    .missingImage: "Image file missing", .imageMismatch: "Image file damaged",
    .undrawableText: "No font for this text", .laterVersion: "Later version", .unchecked: "Not checked",
    .unreadable: "Cannot be opened",
  ]
}

extension CardDocument {
  /// Returns all problems that can be found without reading a file or a font, in document order.
  public func problems() -> [DocumentProblem] {
    var search = ProblemSearch()
    search.look(at: json, isReadOnly: isReadOnly)
    return search.found
  }
}

private struct ProblemSearch {
  var found: [DocumentProblem] = []

  private mutating func add(_ kind: ProblemCode.Failure, _ pointer: JSONPointer, _ message: String) {
    found.append(DocumentProblem(kind, pointer, message))
  }

  mutating func look(at json: Value.Record, isReadOnly: Bool) {
    let root = JSONPointer.whole
    if isReadOnly {
      add(.laterVersion, root.appending("version"), "version 2 expected; only a later Deckhand understands all of it")
    }
    color(json["background"], root.appending("background"))
    groups(json["groups"], root.appending("groups"))
    let place = root.appending("elements")
    var seen: Set<String> = []
    for (index, object) in (json["elements"]?.list ?? []).compactMap(\.record).enumerated() {
      let pointer = place.appending(index)
      if let id = object["id"]?.text, !seen.insert(id).inserted {
        add(.duplicateID, pointer.appending("id"), "the id \(quoted(id)) is already used by an element before it")
      }
      element(object, pointer)
    }
  }

  private mutating func element(_ json: Value.Record, _ pointer: JSONPointer) {
    let kind = json["kind"]?.text.flatMap(ElementKind.init)
    if kind == nil { unknownKind(json["kind"], pointer) }
    for key in ["x", "y"] { number(json[key], pointer.appending(key)) }
    for key in ["width", "height", "size"] { number(json[key], pointer.appending(key), isSize: true) }
    if let rotation = json["rotation"], rotation.double == nil {
      wrongType(rotation, pointer.appending("rotation"), "a number")
    }
    for key in ["alt", "font", "group", "link", "text", "imageFile"] { text(json[key], pointer.appending(key)) }
    for key in ["cropped", "grows", "locked", "wraps"] {
      if let flag = json[key], flag.boolean == nil { wrongType(flag, pointer.appending(key), "true or false") }
    }
    if let align = json["align"], align.text.flatMap({ TextAlignment(named: $0) }) == nil {
      wrongType(align, pointer.appending("align"), TextAlignment.choices)
    }
    color(json["color"], pointer.appending("color"))
    frame(json["frame"], pointer.appending("frame"))
    image(json["image"], pointer.appending("image"))
    if kind == .text, json["text"] == nil {
      add(.missingKey, pointer.appending("text"), "a text expected, nothing found")
    }
  }

  private mutating func wrongType(_ value: Value, _ pointer: JSONPointer, _ expected: String) {
    if value.isNumeric, value.double == nil {
      return add(.outOfRange, pointer, "\(expected) that can be computed with expected")
    }
    add(.wrongType, pointer, "\(expected) expected, \(value.kind) found")
  }

  private mutating func unknownKind(_ value: Value?, _ pointer: JSONPointer) {
    guard let value else {
      return add(.missingKey, pointer.appending("kind"), "\"image\" or \"text\" expected, nothing found")
    }
    guard let name = value.text else { return wrongType(value, pointer.appending("kind"), "\"image\" or \"text\"") }
    add(
      .unknownKind, pointer.appending("kind"),
      "\"image\" or \"text\" expected, \(quoted(name)) found; it is stored but not drawn")
  }

  private mutating func number(_ value: Value?, _ pointer: JSONPointer, isSize: Bool = false) {
    guard let value else { return }
    guard let number = value.double else { return wrongType(value, pointer, "a number") }
    if isSize, number <= 0 {
      return add(.badSize, pointer, "a number above 0 expected, \(ElementValue.number(number).shown) found")
    }
    guard number.magnitude > DocumentFormat.farthest else { return }
    let range = isSize ? "at most 100000" : "from -100000 to 100000"
    add(.outOfRange, pointer, "a number \(range) expected; it is drawn with the nearest such number")
  }

  private mutating func text(_ value: Value?, _ pointer: JSONPointer) {
    if let value, value.text == nil { wrongType(value, pointer, "a text") }
  }

  private mutating func color(_ value: Value?, _ pointer: JSONPointer) {
    guard let value else { return }
    guard let parts = value.list, parts.allSatisfy(\.isNumeric) else {
      return wrongType(value, pointer, "a list of numbers")
    }
    guard (3...4).contains(parts.count) else {
      return add(.badColor, pointer, "three or four numbers expected, \(parts.count) found")
    }
    for (index, part) in parts.enumerated() where !(0...1).contains(part.double ?? 2) {
      add(.badColor, pointer.appending(index), "a number from 0 to 1 expected")
    }
  }

  private mutating func frame(_ value: Value?, _ pointer: JSONPointer) {
    guard let value else { return }
    guard let name = value.text else {
      if value.double != nil { return add(.unknownFrame, pointer, "no frame has this number; the highest is 10") }
      return wrongType(value, pointer, "the name of a frame")
    }
    guard Frame(rawValue: name) == nil else { return }
    let hint = didYouMean(name, among: Frame.allCases.map(\.rawValue))
    add(.unknownFrame, pointer, "no frame is called \(quoted(name))\(hint); it is drawn without one")
  }

  private mutating func image(_ value: Value?, _ pointer: JSONPointer) {
    guard let value else { return }
    guard let name = value.text else { return wrongType(value, pointer, "the SHA-256 of an image") }
    if ContentHash(name) == nil {
      add(.badImage, pointer, "64 lowercase hexadecimal digits expected, \(quoted(name)) found")
    }
  }

  private mutating func groups(_ value: Value?, _ pointer: JSONPointer) {
    guard let value else { return }
    guard let list = value.list else { return wrongType(value, pointer, "a list") }
    for (index, entry) in list.enumerated() {
      let place = pointer.appending(index)
      guard let group = entry.record else {
        wrongType(entry, place, "an object")
        continue
      }
      for key in ["id", "name"] { text(group[key], place.appending(key)) }
      color(group["color"], place.appending("color"))
      if group["id"] == nil { add(.missingKey, place.appending("id"), "the group's id expected, nothing found") }
    }
  }
}
