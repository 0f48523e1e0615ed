// Documents that are made from a template. Invariant: a filled document is in memory until it is saved.

public struct DocumentTemplate {
  public static let mostDocuments = 2_000
  /// The limit for the pictures of one call together.
  public static let mostPictureBytes = 256 << 20

  private let template: StoredDocument

  public init(_ template: StoredDocument) { self.template = template }

  /// Returns a new document with values in place of the template's placeholders; `save()` makes a row of it.
  /// - Parameter pictures: the PNG bytes of the pictures that the values name.
  public func filled(_ values: TemplateValues, pictures: [ContentHash: [UInt8]]) throws -> StoredDocument {
    try template.refresh()
    let store = template.store
    var content = try template.content.filled(id: store.newID(), values)
    let texts = content.elements.filter { !$0.isLocked }.map(\.id)
    for (id, field, value) in try TextRooms(store).growth(of: texts, in: content) {
      try content.set(field, of: id, to: value)
    }
    // The template's own pictures are beside its file, or in the store.
    let document = StoredDocument(.file(template.path), content, in: store)
    document.state.isChangedOutside = true
    let own = pictures.filter { content.images.contains($0.key) }
    document.state.pictures = template.state.pictures.merging(own) { $1 }
    return document
  }
}
