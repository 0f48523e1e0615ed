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

  /// Imports a file of this content into a deck, which is made if it is missing; returns the deck's cards, too.
  func importing(
    _ content: [UInt8], as name: String, in folder: TemporaryFolder, into deck: String = "d", isNew: Bool = false,
    _ set: (inout ImportOptions) throws -> Void = { _ in }
  ) throws -> (report: ImportReport, cards: [CardRecord]) {
    let id = try store.operation("deck") { try DeckTable.findOrMake($0, named: deck, now: now).deck.id }
    var options = ImportOptions()
    try set(&options)
    let report = try importing(id, [folder.write(content, to: name)], options, isNew: isNew)
    return (report, try cards(id))
  }

  func exporting(_ deck: DeckID, _ path: String, _ options: ExportOptions = ExportOptions()) throws -> ExportReport {
    try store.read { try CardExport($0, deck).run(to: path, .plain, options, isInterrupted: { false }) }
  }

  func deck(named name: String) throws -> DeckID { try store.read { try DeckTable.find($0, named: name).id } }
}
