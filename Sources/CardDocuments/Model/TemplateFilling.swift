// Documents as templates: placeholders in braces in texts and in the alternative texts of images, and the values for
// them. Invariant: anything that is not a name in braces stays as it is; filling makes a separate document, which is in
// memory until it is saved.

import Text
import Values

public struct TemplateValues: Equatable, Sendable {
  /// The texts by placeholder name.
  public var texts: [String: String] = [:]
  /// The images by placeholder name.
  public var pictures: [String: ContentHash] = [:]

  public init() {}
}

extension CardDocument {
  /// The placeholder names in texts and in the alternative texts of images, in the order of the elements, each once.
  public var placeholders: [String] {
    elements.flatMap { TemplateText($0.text ?? $0.alt ?? "").names }.distinct(by: \.self)
  }

  /// Returns a new document with values in place of the placeholders. An image whose alternative text has placeholders
  /// shows the first picture that is given for one of them; without one, the image is removed.
  func filled(id: DocumentID, _ values: TemplateValues) throws(DocumentError) -> CardDocument {
    var document = try duplicate(id: id)
    // Backwards, because removing an element moves those behind it.
    for (place, element) in elements.enumerated().reversed() {
      let template = TemplateText(element.text ?? element.alt ?? "")
      if template.names.isEmpty { continue }
      let text = template.filled(values.texts)
      let picture = template.names.lazy.compactMap { values.pictures[$0] }.first
      let isRemoved = element.kind == .image && picture == nil
      guard isRemoved || text.utf8.count <= DocumentFormat.maximumText else {
        let field: ElementField = element.kind == .image ? .alt : .text
        throw .badValue(
          field: field.rawValue, expected: "at most \(grouped(DocumentFormat.maximumText)) bytes",
          found: counted(text.utf8.count, "byte"), suggestion: nil)
      }
      if element.kind == .image {
        document.fillImage(at: place, picture, alt: text)
      } else {
        document.fillText(at: place, text)
      }
    }
    return document
  }
}

/// A text with names in braces, such as `{prompt}`. A doubled brace is a literal one.
struct TemplateText {
  private enum Part {
    case plain(String)
    case name(String)
  }

  private var parts: [Part] = []
  private static let longestName = 100

  init(_ text: String) {
    var plain = ""
    var rest = text[...]
    while let character = rest.first {
      rest = rest.dropFirst()
      if character == "{" || character == "}", rest.first == character {
        plain.append(character)
        rest = rest.dropFirst()
      } else if character == "{", let end = rest.firstIndex(where: { "{}".contains($0) || $0.isNewline }),
        rest[end] == "}", Self.isName(rest[..<end])
      {
        if !plain.isEmpty { parts.append(.plain(plain)) }
        plain = ""
        parts.append(.name(String(rest[..<end])))
        rest = rest[rest.index(after: end)...]
      } else {
        plain.append(character)
      }
    }
    if !plain.isEmpty { parts.append(.plain(plain)) }
  }

  /// Names have no whitespace at their ends, like the names of fields.
  private static func isName(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.count <= longestName && String(text).trimmed == text
  }

  var names: [String] { parts.compactMap { if case .name(let name) = $0 { name } else { nil } } }

  func filled(_ values: [String: String]) -> String {
    parts.map { part in
      switch part {
      case .plain(let text): text
      case .name(let name): values[name] ?? ""
      }
    }.joined()
  }
}

extension StoredDocument {
  public static let mostFilled = 2_000
  /// The limit for the pictures of documents that are filled together.
  public static let mostPictureBytesFilled = 256 << 20

  /// Returns a new document with values in place of this template's placeholders; `save()` makes a row of it.
  /// - Parameter pictures: the PNG bytes of the pictures that the values name.
  public func filled(_ values: TemplateValues, pictures: [ContentHash: [UInt8]]) throws -> StoredDocument {
    try refresh()
    var filled = try content.filled(id: store.newID(), values)
    let texts = filled.elements.filter { !$0.isLocked }.map(\.id)
    for (id, field, value) in try store.growth(of: texts, in: filled) {
      try filled.set(field, of: id, to: value)
    }
    // The template's own pictures are beside its file, or in the store.
    let document = StoredDocument(.file(path), filled, in: store)
    document.state.isChangedOutside = true
    let own = pictures.filter { filled.images.contains($0.key) }
    document.state.pictures = state.pictures.merging(own) { $1 }
    return document
  }
}
