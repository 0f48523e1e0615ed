// Files of cards in and out of decks, whatever their format.
// Invariant: an import is one operation, all of it or nothing; an export changes nothing but its file.

public import Decks
public import Exchange
public import Files
import GRDB

extension DeckHandle {
  /// Imports a file as one operation.
  /// - Parameters:
  ///   - kinds: which files are read; others than plain ones only where the user typed the path.
  ///   - progress: bytes read and bytes in all, where that is known; what it throws ends the import.
  public func importCards(
    from path: String, _ kinds: FileKinds = .plain, _ options: ImportOptions,
    progress: @escaping ImportProgress = { _, _ in }
  ) throws -> AddReport {
    let format = if let given = options.format { given } else { try CardFormat(ofPath: path) }
    let environment = workspace.environment
    return try workspace.perform(.importCards, on: workspace.deckName(id), count: { $0.added }) { db in
      let goesOn: ImportProgress = { done, total in
        if environment.isInterrupted() { throw WorkspaceError.interrupted }
        try progress(done, total)
      }
      guard format.isText else { return try importPackage(db, format, from: path, kinds, options, progress: goesOn) }
      let reader = CardImport(
        db, into: id, options: options, now: environment.clocks.now(), random: environment.random.entropy)
      return try reader.run(path, kinds, isInterrupted: environment.isInterrupted, progress: goesOn)
    }
  }

  /// A package has decks, notes and media of its own.
  private func importPackage(
    _ db: Database, _ format: CardFormat, from path: String, _ kinds: FileKinds, _ options: ImportOptions,
    progress: @escaping ImportProgress
  ) throws -> AddReport {
    // PACKAGES: AnkiPackage.read comes here.
    throw ExchangeError.notHere(format: format)
  }

  /// Writes the deck's cards to a file, with those of the decks within it; the file is written whole or not at all.
  /// - Parameter kinds: which files are written; others than plain ones only where the user typed the path.
  public func exportCards(
    to path: String, _ kinds: FileKinds = .plain, format: CardFormat?
  ) throws -> ExportReport {
    let format = if let format { format } else { try CardFormat(ofPath: path) }
    let isInterrupted = workspace.environment.isInterrupted
    return try workspace.read { db in
      guard format.isText else { return try exportPackage(db, format, to: path, kinds) }
      return try CardExport(db, id).run(to: path, kinds, format: format, isInterrupted: isInterrupted) { _, _ in
        if isInterrupted() { throw WorkspaceError.interrupted }
      }
    }
  }

  private func exportPackage(
    _ db: Database, _ format: CardFormat, to path: String, _ kinds: FileKinds
  ) throws -> ExportReport {
    // PACKAGES: AnkiPackage.write comes here.
    throw ExchangeError.notHere(format: format)
  }
}

extension Workspace {
  /// Imports a file into the deck of a name, which is made when it is missing: one operation in all.
  public func importCards(
    intoDeck name: String, from path: String, _ kinds: FileKinds, _ options: ImportOptions,
    progress: @escaping ImportProgress
  ) throws -> AddReport {
    try perform(.importCards, on: name, count: { $0.added }) { db in
      let known = try DeckTable.list(db).first { $0.name == name }
      let deck = try known ?? DeckTable.create(db, name: name, now: environment.clocks.now())
      let report = try handle(of: deck.id).importCards(from: path, kinds, options, progress: progress)
      // A deck is not made for a file of which nothing could be used.
      if known == nil, report.isRefused { try DeckTable.remove(db, deck.id) }
      return report
    }
  }
}
