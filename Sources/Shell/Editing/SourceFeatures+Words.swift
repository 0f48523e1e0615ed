// Editor features for a row of a source: the schedule of its cards on hover, and completion of names.

import Decks
import Exchange
import Files
import LanguageServer
import Problems
import Templates
import Text
import Workspace

extension SourceFeatures {
  // MARK: Hover

  func hover(_ document: TextDocument, at offset: Int) throws -> Hover? {
    guard let source = source(document), let reading = source.reading, let index = reading.entry(at: offset),
      !reading.entries[index].isLink
    else { return nil }
    let found = try source.folder.cards(of: index, reading)
    let lines = reading.lines(of: index)
    let start = document.offset(line: lines.lowerBound, column: reading.entries[index].column ?? 1)
    let end = document.content(ofLine: document.line(at: document.offset(line: lines.upperBound - 1))).upperBound
    var parts = try found.cards.map { try words(on: $0) }
    if !found.isBuilt {
      parts = ["Not built yet: `deckhand build \(printable(lastPart(of: source.folder.path)))` creates its card."]
    }
    if found.isEdited { parts.append("Edited since the last build.") }
    if found.isEditedInDeck { parts.append("Edited in the deck; `build --write-back` writes the edit to this file.") }
    return Hover(parts.joined(separator: "\n\n"), document.range(of: start..<max(start, end)))
  }

  /// The schedule of a card as Markdown.
  private func words(on card: CardHandle) throws -> String {
    let prompt = Self.escaped(printable(try card.record().prompt, limit: 60))
    let facts = try [
      CardProperty.state, .due, .interval, .stability, .difficulty, .reps, .lapses,
    ].compactMap { property -> String? in
      let text = try property.text(of: card, session)
      return text.isEmpty ? nil : "- \(property.rawValue.replacing(text: "_", with: " ")): \(Self.escaped(text))"
    }
    return (["**\(prompt)** in \(Self.escaped(try card.deck().record().name))", ""] + facts).joined(separator: "\n")
  }

  /// Escapes Markdown's special characters.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if "\\`*_{}[]<>#|~".contains(character) { result.append("\\") }
      result.append(character)
    }
    return result
  }

  // MARK: Completion

  /// The most names that are offered at once; typing on narrows them down.
  private static let mostOffered = 1000

  func completions(_ document: TextDocument, at offset: Int) throws -> [CompletionItem] {
    guard let source = source(document) else { return [] }
    let context =
      source.name == BuildDescription.fileName
      ? SourceContext.ofDescription(document.bytes, at: offset)
      : source.reading.flatMap { SourceContext.of($0, at: offset) }
    guard let context else { return [] }
    let begun = String(decoding: document.bytes[context.range], as: UTF8.self).lowercased()
    let range = document.range(of: context.range)
    return try names(for: context.slot, source.folder).filter { $0.name.lowercased().hasPrefix(begun) }
      .prefix(Self.mostOffered).map { name, kind, detail in
        CompletionItem(name.trimmed, kind, detail: detail, TextEdit(range, context.before + name + context.after))
      }
  }

  private typealias Name = (name: String, kind: CompletionItem.Kind, detail: String)

  private func names(for slot: SourceSlot, _ folder: SourceFolder) throws -> [Name] {
    switch slot {
    case .tag: try folder.tags().map { ($0, .text, "tag") }
    case .deck: try folder.decks().map { ($0, .folder, "deck") }
    case .noteType: try types(folder).map { ($0.name, .type, "note type") }
    case .field(let type):
      try types(folder).first { $0.name.lowercased() == type.trimmed.lowercased() }?.fields
        .map { ($0, .field, "field of \(type)") } ?? []
    case .words(let words): words.map { ($0, .property, "") }
    case .option: DeckOptions.Name.allCases.map { ($0.rawValue, .property, "option") }
    }
  }

  /// The existing note types, and the stock types that a build creates when a source names them.
  private func types(_ folder: SourceFolder) throws -> [NoteTypeDraft] {
    let known = try folder.noteTypes().map(\.draft)
    let names = Set(known.map { $0.name.lowercased() })
    return known + StockNoteType.allCases.map(\.draft).filter { !names.contains($0.name.lowercased()) }
  }
}
