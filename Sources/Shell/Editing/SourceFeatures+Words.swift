// Completion of the names that a source may contain: tags, decks, note types, fields, options.

import Decks
import Exchange
import Files
import LanguageServer
import Problems
import Templates
import Text
import Workspace

extension SourceFeatures {
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
