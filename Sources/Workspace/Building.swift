// Building a folder into its deck, and into a package.
// Invariant: a build is one operation, all of it or nothing; sources are written to only where that was asked for, and
// before the operation.

import Decks
public import Exchange
import Files
import Storage
import Text

extension Workspace {
  /// Brings what changed in a folder into its deck, which is made when it is missing.
  /// - Parameters:
  ///   - prunes: cards that left the sources leave the deck.
  ///   - writesBack: cards that were edited in the deck are written to their sources first.
  ///   - progress: sources done, of how many.
  /// - Throws: `BuildError`, `ExchangeError` for a broken source, `FileError`.
  public func build(
    _ path: String, prunes: Bool = false, writesBack: Bool = false, generator: any CardGenerator,
    progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws -> (deck: DeckHandle, report: BuildReport) {
    var folder = try BuildFolder(path, isInterrupted: environment.isInterrupted)
    var written = 0
    if writesBack, !rehearsal.isOn {
      written = try read { try BuildWriteBack($0, folder, isInterrupted: environment.isInterrupted).run() }
      if written > 0 { folder = try BuildFolder(path, isInterrupted: environment.isInterrupted) }
    }
    let built = folder
    return try perform(.buildDeck, on: folder.name, count: { $0.report.cards.added + $0.report.cards.updated }) { db in
      let known = try DeckTable.list(db).first { $0.name == built.name }
      let deck = try known ?? DeckTable.create(db, name: built.name, now: environment.clocks.now())
      try setOptions(db, deck.id, built)
      var settings = BuildSettings(
        generator, now: environment.clocks.now(), random: environment.random.entropy, mediaLimit: Workspace.mediaLimit,
        isInterrupted: environment.isInterrupted
      ) { try self.addMedia($0, hash: $1, named: $2) }
      settings.prunes = prunes
      var report = try BuildRun(db, built, into: deck.id, settings).run(progress: progress)
      report.writtenBack = written
      return (handle(of: deck.id), report)
    }
  }

  func setOptions(_ db: Database, _ deck: DeckID, _ folder: BuildFolder) throws {
    if folder.options.isEmpty { return }
    let known = try DeckTable.presetOptions(db, deck)
    var options = known
    for (name, text) in folder.options { try options.set(name, toText: text) }
    if options != known { try DeckTable.setOptions(db, deck, to: options) }
  }
}
