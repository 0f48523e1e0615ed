// Documents that are made from a template. Invariant: a filled document is in memory only until it is saved; the
// template stays as it is.

/// A document that others are made from.
///
///     let filled = try DocumentTemplate(document).filled(values, pictures: [:])
///     try filled.save()
public struct DocumentTemplate {
  /// Most documents of one call.
  public static let mostDocuments = 2_000
  /// Bytes of the pictures of one call together.
  public static let mostPictureBytes = 256 << 20

  private let template: StoredDocument

  public init(_ template: StoredDocument) { self.template = template }

  /// A document of its own with values in the place of the template's names; `save()` makes a row of it.
  /// - Parameter pictures: those that the values name, PNG.
  public func filled(_ values: TemplateValues, pictures: [ContentHash: [UInt8]]) throws -> StoredDocument {
    try template.refresh()
    let store = template.store
    var content = try template.content.filled(id: store.newID(), values)
    try growBoxes(of: &content)
    // The pictures that the template itself shows lie beside its file, or among those that are kept.
    let document = StoredDocument(.file(template.path ?? "/"), content, in: store)
    document.state.isChangedOutside = true
    let own = pictures.filter { content.images.contains($0.key) }
    document.state.pictures = template.state.pictures.merging(own) { $1 }
    return document
  }

  /// Makes the boxes of texts that grow as high as they must be; their upper sides stay where they are.
  private func growBoxes(of content: inout CardDocument) throws {
    let rooms = TextRooms(template.store)
    for element in content.elements where element.grows == true && !element.isLocked {
      let height = try rooms.height(of: element)
      guard height != element.height else { continue }
      try content.set(.y, of: element.id, to: .number(element.y + (height - element.height) / 2))
      try content.set(.height, of: element.id, to: .number(height))
    }
  }
}
