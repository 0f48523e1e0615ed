// Imports and exports of the collection in memory.

import Exchange
import Files
import TestDecks

extension TestCollection {
  func importing(_ deck: DeckID, _ path: String, _ options: ImportOptions = ImportOptions()) throws -> AddReport {
    try importing(deck, [path], options).cards
  }

  func importing(
    _ deck: DeckID, _ paths: [String], _ options: ImportOptions = ImportOptions(), isNew: Bool = false
  ) throws -> ImportReport {
    try store.operation("import") {
      let work = try CardImport(
        $0, into: deck, options: options, isNewDeck: isNew, fileCount: paths.count, now: now, random: random)
      for path in paths { try work.run(path, isInterrupted: { false }) }
      return try work.finish()
    }
  }

  func exporting(_ deck: DeckID, _ path: String, _ options: ExportOptions = ExportOptions()) throws -> ExportReport {
    try store.read { try CardExport($0, deck).run(to: path, .plain, options, isInterrupted: { false }) }
  }

  func deck(named name: String) throws -> DeckID { try store.read { try DeckTable.find($0, named: name).id } }
}
