// Documents as templates: names in braces in their texts and in what their images are said to show, and what stands for
// them. Invariant: pure; what is no name in braces stays as it is, and a filled document is one of its own.

import Text
import Values

/// What a template is filled with.
public struct TemplateValues: Equatable, Sendable {
  /// By name, for texts.
  public var texts: [String: String] = [:]
  /// By name, for images.
  public var pictures: [String: ContentHash] = [:]

  public init() {}
}

extension CardDocument {
  /// The names in braces, in the order of its elements: of texts, and of the alternative texts of images.
  public var placeholders: [String] {
    var names: [String] = []
    for element in elements {
      for name in TemplateText(element.text ?? element.alt ?? "").names where !names.contains(name) {
        names.append(name)
      }
    }
    return names
  }

  /// A document of its own with values in the place of the names. An image whose alternative text has names becomes the
  /// first picture that there is for one of them, and goes where there is none.
  func filled(id: DocumentID, _ values: TemplateValues) throws(DocumentError) -> CardDocument {
    var document = try duplicate(id: id)
    // From the last on, as one that goes moves those behind it.
    for (place, element) in elements.enumerated().reversed() {
      let template = TemplateText(element.text ?? element.alt ?? "")
      if template.names.isEmpty { continue }
      let text = template.filled(values.texts)
      if element.kind == .image {
        let picture = template.names.lazy.compactMap { values.pictures[$0] }.first
        document.fillImage(at: place, picture, alt: text)
      } else {
        guard text.utf8.count <= CardFormat.maximumText else {
          throw .badValue(
            field: ElementField.text.rawValue, expected: "at most \(grouped(CardFormat.maximumText)) bytes",
            found: counted(text.utf8.count, "byte"), suggestion: nil)
        }
        document.fillText(at: place, text)
      }
    }
    return document
  }
}

/// A text with names in braces: `{prompt}`. Doubled braces mean one of them.
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
      } else if character == "{", let end = rest.firstIndex(where: { "{}\n".contains($0) }), rest[end] == "}",
        Self.isName(rest[..<end])
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

  /// Without white space at its ends, as fields are named.
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
