// Creates documents from a template and the cards of a deck, one for each card. Invariant: cards and pictures are
// read before anything is written; all documents of a call are created in one undo step, or none.

import CardDocuments
import Decks
import Exchange
import Files
import Problems
import Storage
import Templates
import Text
import Values

/// Documents created from a template that have not been saved yet, and the number of template images that were removed
/// because the card has no picture for them.
public typealias FilledDocuments = (documents: [DocumentHandle], withoutPicture: Int)

extension DocumentOperations {
  /// Fills a template from the cards of a deck and its subdecks, without saving anything.
  /// - Parameter query: which cards to use; nil uses all that are not suspended.
  /// - Throws: `DocumentError.noPlaceholders`, `.unknownPlaceholder`, `.tooManyToPrint`; `DeckError.badQuery`.
  public func filled(
    _ template: DocumentHandle, from deck: DeckHandle, matching query: String? = nil,
    progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws -> FilledDocuments {
    let source = try template.document()
    let names = source.content.placeholders
    if names.isEmpty { throw DocumentError.noPlaceholders(source.id) }
    let limit = StoredDocument.mostFilled
    let cards = try deck.printed(matching: query, limit: limit)
    if cards.isEmpty { throw DocumentError.nothingToPrint(.cards) }
    guard cards.count <= limit else { throw DocumentError.tooManyToPrint(limit: limit) }
    var reader = TemplateReader(workspace: workspace, names: names)
    var values: [TemplateValues] = []
    for (index, card) in cards.enumerated() {
      try workspace.poll()
      values.append(try reader.values(of: card))
      try progress(index + 1, cards.count)
    }
    // A placeholder that these cards have no value for may be a field of any note type; otherwise it is a typing error.
    let others = names.filter { !reader.known.contains($0) }
    let fields = try others.isEmpty ? [] : workspace.noteTypes.all().flatMap { try $0.record().fields }
    if let unknown = others.first(where: { !fields.contains($0) }) {
      let known = reader.known.union(fields).union(["prompt", "answer"]).sorted()
      throw DocumentError.unknownPlaceholder(unknown, suggestion: suggestion(for: unknown, among: known))
    }
    let images = source.elements.count { $0.kind == .image }
    let documents = try values.map { values in
      try workspace.poll()
      return try source.filled(values, pictures: reader.pictures)
    }
    let missing = documents.reduce(0) { sum, document in sum + images - document.elements.count { $0.kind == .image } }
    return (documents.map { workspace.handle(of: $0) }, missing)
  }

  public func save(_ filled: FilledDocuments) throws {
    try workspace.perform(.fillDocuments, count: { _ in filled.documents.count }) { _ in
      for handle in filled.documents { try handle.document().save() }
    }
  }
}

private struct TemplateReader {
  let workspace: Workspace
  let names: [String]
  /// The placeholders for which at least one card had a value.
  private(set) var known: Set<String> = []
  /// The pictures by content, each stored once.
  private(set) var pictures: [ContentHash: [UInt8]] = [:]
  /// The picture of each media name read so far; nil if it is missing or cannot be shown.
  private var read: [String: ContentHash?] = [:]
  private var bytes = 0

  init(workspace: Workspace, names: [String]) { (self.workspace, self.names) = (workspace, names) }

  mutating func values(of card: CardHandle) throws -> TemplateValues {
    let record = try card.record()
    let media = try workspace.read { try CardMedia($0, of: record) }
    let fields = try card.fields()
    var values = TemplateValues()
    for name in names {
      let (text, shown): (String, [String])
      switch name {
      case "prompt":
        (text, shown) = (
          CardMedia.text(record.prompt, without: media.promptPictures + media.promptSounds), media.promptPictures
        )
      case "answer":
        let ofAnswer = media.ofAnswerAlone(record.answer)
        (text, shown) = (
          CardMedia.text(record.answer, without: ofAnswer), ofAnswer.filter(media.answerPictures.contains)
        )
      default:
        guard let found = try value(name, of: card, fields) else { continue }
        (text, shown) = found
      }
      known.insert(name)
      values.texts[name] = text
      if let picture = try shown.lazy.compactMap({ try picture($0) }).first { values.pictures[name] = picture }
    }
    return values
  }

  /// Returns a field of the note, or else a property that every card has: `deck`, `tags`.
  private func value(_ name: String, of card: CardHandle, _ fields: [CardField]) throws -> (String, [String])? {
    if let field = fields.first(where: { $0.name == name }) {
      let html = field.value.written
      let media = MediaNames.inOrder(html) { _ in true }
      return (CardMedia.text(FieldHTML.text(html), without: media.pictures + media.sounds), media.pictures)
    }
    guard let property = CardProperty(rawValue: name) else { return nil }
    switch try card.value(of: property) {
    case .text(let text): return (text, [])
    case .list(let list): return (list.map { $0.text ?? $0.json }.joined(separator: ", "), [])
    case .null, .record: return ("", [])
    case let other: return (other.json, [])
    }
  }

  private mutating func picture(_ name: String) throws -> ContentHash? {
    if let known = read[name] { return known }
    var hash: ContentHash?
    do {
      let picture = try workspace.media.picture(name)
      hash = ContentHash(of: picture.png)
      if let hash, pictures[hash] == nil {
        bytes += picture.png.count
        guard bytes <= StoredDocument.mostPictureBytesFilled else {
          throw DocumentError.drawing(.refused("the pictures of the cards are too large together"))
        }
        pictures[hash] = picture.png
      }
    } catch let failure as PictureFailure {
      // A picture that the program cannot show counts as missing; a missing program is reported.
      if case .drawing(let failure) = failure { throw DocumentError.drawing(failure) }
    } catch is NoteError {
      // The media file does not exist.
    }
    read[name] = .some(hash)
    return hash
  }
}
