// Imports and exports of the collection in memory.

import Decks
import Exchange
import Storage
import TestDecks

extension TestCollection {
  func importing(_ deck: DeckID, _ path: String, _ options: ImportOptions = ImportOptions()) throws -> AddReport {
    try store.operation("import") {
      try CardImport($0, into: deck, options: options, now: now, random: random).run(path)
    }
  }

  func exporting(_ deck: DeckID, _ path: String) throws -> ExportReport {
    try store.read { try CardExport($0, deck).run(to: path) }
  }
}
