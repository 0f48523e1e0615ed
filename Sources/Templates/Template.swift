// One side of a card as its author wrote it: text, `{{Field}}`, `{{filter:Field}}` and sections, parsed into a tree;
// and the names that it may use: the fields of its note type, Deckhand's special fields, cloze numbers.
// Invariant: in a `Template` every section is closed; parsing takes time in proportion to the length; a template that
// passed the check shows no error text when it is rendered.

import Text

public enum TemplateFault: Error, Equatable, Sendable {
  /// `{{#name}}` without `{{/name}}`.
  case unclosed(section: String)
  /// `{{/name}}` where no section is open.
  case unopened(section: String)
  /// `{{/name}}` while an inner section is still open.
  case crossed(section: String, closedBy: String)
  case unknownField(name: String, suggestion: String?)
  /// A front that shows no field, so that all its cards would be the same.
  case noField
  case noCloze, tooLong, tooManyTags, tooDeep

  /// The rest of "the front of the card "Card 1" ...".
  public var reason: String {
    switch self {
    case .unclosed(let name): "opens the section \(quoted(name)) and does not close it with {{/\(printable(name))}}"
    case .unopened(let name): "closes the section \(quoted(name)), which is not open"
    case .crossed(let name, let other): "closes the section \(quoted(other)) before \(quoted(name)), which is inside it"
    case .unknownField(let name, let suggestion):
      "names the field \(quoted(name)), which the note type does not have"
        + (suggestion.map { " (did you mean \(quoted($0))?)" } ?? "")
    case .noField: "shows no field: write at least one, as {{Front}}"
    case .noCloze: "shows no cloze: write {{cloze:FIELD}}"
    case .tooLong: "has more than \(grouped(Template.lengthLimit)) bytes"
    case .tooManyTags: "has more than \(grouped(Template.tagLimit)) tags"
    case .tooDeep: "has more than \(Template.depthLimit) nested sections"
    }
  }
}

/// A parsed side.
///
///     let front = try Template("{{#Hint}}{{hint:Hint}}{{/Hint}} {{Front}}")
public struct Template: Sendable {
  /// `{{a:b:Name}}`.
  package struct Field: Sendable {
    package let name: String
    /// In the order of application: `b`, `a`.
    let filters: [String]
  }

  struct Section: Sendable {
    let name: String
    let isNegated: Bool
    var nodes: [Node] = []
  }

  indirect enum Node: Sendable {
    /// Includes comments: nothing within them is replaced.
    case text(Bytes)
    case field(Field)
    case section(Section)
  }

  static let depthLimit = 100
  static let lengthLimit = 1_000_000
  static let tagLimit = 10_000
  let nodes: [Node]
  /// Whether it shows why its source cannot be parsed.
  var isBroken = false

  public init(_ source: String) throws(TemplateFault) {
    let bytes = Bytes(source.utf8)
    if bytes.count > Template.lengthLimit { throw .tooLong }
    var tree = Tree()
    var reader = TagReader(bytes[...])
    var tags = 0
    while let token = reader.next() {
      switch token {
      case .text(let text): tree.add(.text(Bytes(text)))
      case .tag(let tag):
        tags += 1
        if tags > Template.tagLimit { throw .tooManyTags }
        try tree.add(tag: tag)
      }
    }
    if let section = tree.open.last { throw .unclosed(section: section.name) }
    nodes = tree.root
  }

  private struct Tree {
    var root: [Node] = []
    var open: [Section] = []

    mutating func add(_ node: Node) {
      if open.isEmpty { root.append(node) } else { open[open.count - 1].nodes.append(node) }
    }

    mutating func add(tag: Tag) throws(TemplateFault) {
      switch tag {
      case .opens(let name, let isNegated):
        if open.count >= Template.depthLimit { throw .tooDeep }
        open.append(Section(name: name, isNegated: isNegated))
      case .closes(let name):
        guard let last = open.popLast() else { throw .unopened(section: name) }
        if last.name != name { throw .crossed(section: last.name, closedBy: name) }
        add(.section(last))
      case .field(let field): add(.field(field))
      }
    }
  }
}

/// The content between `{{` and `}}`.
enum Tag {
  case opens(String, isNegated: Bool)
  case closes(String)
  case field(Template.Field)

  /// - Parameter inner: may contain the extra `{` and whitespace that people write.
  init(_ inner: ArraySlice<UInt8>) {
    let text = inner.drop { $0 == UInt8(ascii: "{") }.text.trimmed
    let rest = String(text.unicodeScalars.dropFirst()).trimmed
    switch text.unicodeScalars.first {
    case "#": self = .opens(rest, isNegated: false)
    case "^": self = .opens(rest, isNegated: true)
    case "/": self = .closes(rest)
    default:
      var parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map {
        String(decoding: $0, as: UTF8.self)
      }
      let name = parts.popLast() ?? ""
      self = .field(Template.Field(name: name, filters: parts.reversed()))
    }
  }
}

struct TagReader {
  enum Token {
    case text(ArraySlice<UInt8>)
    case tag(Tag)
  }

  private let bytes: ArraySlice<UInt8>
  private var index: Int
  /// A template that begins with this, after any white space, uses `<%Field%>`.
  private static let oldStyle: StaticString = "{{=<% %>=}}"
  private let opening: StaticString
  private let closing: StaticString
  /// No closing braces follow: the rest is text.
  private var lastTagSeen = false
  private var lastCommentSeen = false
  /// The range of the last tag's content, between its braces.
  private(set) var tagRange = 0..<0

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    let start = bytes.firstIndex { !isASCIISpace($0) } ?? bytes.endIndex
    let isOldStyle = bytes.begins(with: Self.oldStyle, at: start)
    (opening, closing) = isOldStyle ? ("<%", "%>") : ("{{", "}}")
    index = isOldStyle ? start + Self.oldStyle.utf8CodeUnitCount : bytes.startIndex
  }

  mutating func next() -> Token? {
    let start = index
    while index < bytes.endIndex {
      if !lastTagSeen, bytes.begins(with: opening, at: index) {
        guard let end = bytes.position(of: closing, from: index + 2) else {
          lastTagSeen = true
          continue
        }
        if index > start { return .text(bytes[start..<index]) }
        tagRange = index + 2..<end
        index = end + 2
        return .tag(Tag(bytes[tagRange]))
      }
      if !lastCommentSeen, bytes.begins(with: "<!--", at: index) {
        let end = bytes.position(of: "-->", from: index + 4)
        lastCommentSeen = end == nil
        index = end.map { $0 + 3 } ?? index
      } else {
        index += 1
      }
    }
    return index > start ? .text(bytes[start..<index]) : nil
  }
}

extension Template {
  /// Returns the template with fields renamed; anything that cannot be parsed is unchanged.
  package static func renaming(_ names: [String: String], in source: String) -> String {
    let bytes = Bytes(source.utf8)
    var reader = TagReader(bytes[...])
    var (result, written) = (Bytes(), 0)
    while let token = reader.next() {
      guard case .tag(let tag) = token, let name = names[tag.name], name != tag.name else { continue }
      var inner = bytes[reader.tagRange].text
      guard let range = inner.lastRange(ofText: tag.name), !range.isEmpty else { continue }
      result += bytes[written..<reader.tagRange.lowerBound]
      inner.replaceSubrange(range, with: name)
      result.add(inner)
      written = reader.tagRange.upperBound
    }
    return (result + bytes[written...]).text
  }

  /// Returns the template without the tags of some fields, as Anki does when fields are removed; the content of their
  /// sections stays.
  package static func removing(_ names: Set<String>, in source: String) -> String {
    let bytes = Bytes(source.utf8)
    var reader = TagReader(bytes[...])
    var (result, written) = (Bytes(), 0)
    while let token = reader.next() {
      guard case .tag(let tag) = token, names.contains(tag.name) else { continue }
      // Braces, and their older form, are two bytes at each end.
      result += bytes[written..<max(written, reader.tagRange.lowerBound - 2)]
      written = min(bytes.count, reader.tagRange.upperBound + 2)
    }
    return (result + bytes[written...]).text
  }
}

extension Tag {
  package var name: String {
    switch self {
    case .opens(let name, _), .closes(let name): name
    case .field(let field): field.name
    }
  }
}

/// Special names besides the note's fields. A field of the same name takes precedence.
package enum SpecialField: String {
  case tags = "Tags", type = "Type", deck = "Deck", subdeck = "Subdeck", card = "Card", cardID = "CardID"
  case cardFlag = "CardFlag"
  /// Only on the back: what the front showed. It cannot be the condition of a section.
  case frontSide = "FrontSide"

  /// Returns 2 for `c2`.
  static func clozeNumber(_ name: String) -> Int? {
    guard name.utf8.first == UInt8(ascii: "c"), name.utf8.count > 1 else { return nil }
    return name.utf8.dropFirst().allSatisfy { (48...57).contains($0) } ? Int(name.dropFirst()) ?? .max : nil
  }
}

extension Template {
  /// All fields and sections in their order, a section before its content.
  private var tags: [Node] { Template.tags(nodes) }

  private static func tags(_ nodes: [Node]) -> [Node] {
    nodes.flatMap { node -> [Node] in
      switch node {
      case .text: []
      case .field: [node]
      case .section(let section): [node] + tags(section.nodes)
      }
    }
  }

  /// - Throws: the first name that is neither a field nor special.
  func check(fields: [String]) throws(TemplateFault) {
    let known = Set(fields)
    for tag in tags {
      let (name, isAllowed) =
        switch tag {
        case .text: ("", true)
        case .field(let field):
          (field.name, SpecialField(rawValue: field.name) != nil || field.name.isEmpty && !field.filters.isEmpty)
        case .section(let section):
          (
            section.name,
            SpecialField(rawValue: section.name).map { $0 != .frontSide }
              ?? (SpecialField.clozeNumber(section.name) != nil)
          )
        }
      if isAllowed || known.contains(name) { continue }
      throw .unknownField(name: name, suggestion: suggestion(for: name, among: fields))
    }
  }

  package func shows(_ isWanted: (Field) -> Bool) -> Bool {
    tags.contains { if case .field(let field) = $0 { isWanted(field) } else { false } }
  }

  package func names(_ field: String) -> Bool {
    tags.contains { tag in
      switch tag {
      case .text: false
      case .field(let found): found.name == field
      case .section(let section): section.name == field
      }
    }
  }

  /// Whether a card is made from it: with its section conditions applied, it shows at least one non-empty field.
  /// - Parameter fields: with the special fields.
  package func isFilled(_ fields: NoteFields) -> Bool { Template.isFilled(nodes, fields) }

  private static func isFilled(_ nodes: [Node], _ fields: NoteFields) -> Bool {
    nodes.contains { node in
      switch node {
      case .text: false
      case .field(let field): fields.isFilled(field.name)
      case .section(let section):
        fields.isFilled(section.name) != section.isNegated && isFilled(section.nodes, fields)
      }
    }
  }
}

/// Whether a field counts as non-empty: it holds more than whitespace, `<br>` and `<div>` tags.
package func isFilled(_ field: Bytes) -> Bool {
  var index = 0
  while index < field.count {
    if isASCIISpace(field[index]) {
      index += 1
    } else if let end = emptyTagEnd(field[...], index) {
      index = end
    } else {
      return true
    }
  }
  return false
}

/// Returns the end of `<br>`, `</br>`, `<br/>`, `<br />`, `<div>` or a similar tag at an index.
private func emptyTagEnd(_ bytes: ArraySlice<UInt8>, _ start: Int) -> Int? {
  guard bytes[start] == UInt8(ascii: "<") else { return nil }
  var index = start + 1
  if bytes.begins(with: "/", at: index) { index += 1 }
  if bytes.beginsIgnoringCase(with: "br", at: index) {
    index += 2
  } else if bytes.beginsIgnoringCase(with: "div", at: index) {
    index += 3
  } else {
    return nil
  }
  if bytes.begins(with: " ", at: index) { index += 1 }
  if bytes.begins(with: "/", at: index) { index += 1 }
  return bytes.begins(with: ">", at: index) ? index + 1 : nil
}
