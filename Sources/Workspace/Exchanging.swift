// Files of cards in and out of decks, whatever their format.
// Invariant: an import is one operation, all of it or nothing, whatever the number of files; an export changes nothing
// but its file.

import Decks
public import Exchange
public import Files
import Storage

extension DeckHandle {
  /// Imports files as one operation.
  /// - Parameters:
  ///   - paths: their cards come in this order; `-` is standard input where `kinds` is any.
  ///   - kinds: which files are read; others than plain ones only where the user typed the path.
  ///   - progress: bytes read and bytes in all, where that is known; what it throws ends the import.
  public func importCards(
    from paths: [String], _ kinds: FileKinds = .plain, _ options: ImportOptions,
    progress: @escaping ImportProgress = { _, _ in }
  ) throws -> ImportReport {
    try workspace.perform(.importCards, on: workspace.deckName(id), count: { $0.cards.added }) { db in
      try importCards(db, from: paths, kinds, options, isNew: false, progress: progress)
    }
  }

  fileprivate func importCards(
    _ db: Database, from paths: [String], _ kinds: FileKinds, _ options: ImportOptions, isNew: Bool,
    progress: @escaping ImportProgress
  ) throws -> ImportReport {
    let environment = workspace.environment
    let formats = try paths.map { if let given = options.format { given } else { try CardFormat(ofPath: $0) } }
    var (before, packages) = (0, AddReport())
    let work = try CardImport(
      db, into: id, options: options, isNewDeck: isNew, fileCount: paths.count, now: environment.clocks.now(),
      random: environment.random.entropy)
    for (path, format) in zip(paths, formats) {
      let start = before
      let goesOn: ImportProgress = { done, total in
        if environment.isInterrupted() { throw WorkspaceError.interrupted }
        before = start + done
        try progress(before, paths.count == 1 ? total : nil)
      }
      guard format.isText else {
        packages.add(try importPackage(db, from: path, kinds, options, progress: goesOn))
        continue
      }
      try work.run(path, kinds, isInterrupted: environment.isInterrupted, progress: goesOn)
    }
    var report = try work.finish()
    report.cards.add(packages)
    return report
  }

  /// A package has decks, notes and media of its own.
  private func importPackage(
    _ db: Database, from path: String, _ kinds: FileKinds, _ options: ImportOptions, progress: @escaping ImportProgress
  ) throws -> AddReport {
    var settings = PackageSettings(
      folder: workspace.folder, moment: workspace.moment, isInterrupted: workspace.environment.isInterrupted
    ) { [workspace] in try workspace.addMedia($0, named: $1) }
    (settings.keepsSchedule, settings.isStrict) = (options.keepsSchedule, options.isStrict)
    return try PackageImport(db, into: id, settings).run(path, kinds) { try progress($0, $1) }
  }

  /// Writes the deck's cards to a file, with those of the decks within it; the file is written whole or not at all.
  /// - Parameters:
  ///   - path: `-` is standard output where `kinds` is any.
  ///   - kinds: which files are written; others than plain ones only where the user typed the path.
  public func exportCards(
    to path: String, _ kinds: FileKinds = .plain, _ options: ExportOptions = ExportOptions()
  ) throws -> ExportReport {
    let format = if let format = options.format { format } else { try CardFormat(ofPath: path) }
    let isInterrupted = workspace.environment.isInterrupted
    return try workspace.read { db in
      guard format.isText else { return try exportPackage(db, format, to: path, kinds, options) }
      return try CardExport(db, id).run(to: path, kinds, options, isInterrupted: isInterrupted) { _, _ in
        if isInterrupted() { throw WorkspaceError.interrupted }
      }
    }
  }

  /// A collection has all decks, and how their cards stand.
  private func exportPackage(
    _ db: Database, _ format: CardFormat, to path: String, _ kinds: FileKinds, _ options: ExportOptions
  ) throws -> ExportReport {
    let isInterrupted = workspace.environment.isInterrupted
    var destination = PackageDestination(
      folder: workspace.folder, moment: workspace.moment, isInterrupted: isInterrupted
    ) { [workspace] in workspace.mediaFolder + "/" + $0.hash }
    destination.isWhole = format == .colpkg
    destination.isLegacy = format == .apkgLegacy
    destination.keepsSchedule = options.hasSchedule || destination.isWhole
    let decks = destination.isWhole ? try DeckTable.list(db).map(\.id) : [id]
    return try PackageExport(db, decks: decks, destination).run(to: path, kinds) { _, _ in
      if isInterrupted() { throw WorkspaceError.interrupted }
    }
  }
}

/// Takes back an import of which every row was refused.
private struct RefusedImport: Error {
  let report: ImportReport
}

extension Workspace {
  /// Makes a change and takes it back: what it answers says what it would have done.
  ///
  ///     try workspace.tried { try deck.importCards(from: path, options) }.added
  public func tried<T>(_ body: () throws -> T) throws -> T {
    let before = unit
    var result: T?
    do {
      return try perform(.importCards) { _ in
        result = try body()
        throw Tried.isOver
      }
    } catch Tried.isOver {
      unit = before
    }
    guard let result else { throw WorkspaceError.interrupted }
    return result
  }

  /// Imports files into the deck of a name, which is made when it is missing: one operation in all.
  public func importCards(
    intoDeck name: String, from paths: [String], _ kinds: FileKinds, _ options: ImportOptions,
    progress: @escaping ImportProgress = { _, _ in }
  ) throws -> ImportReport {
    do {
      return try perform(.importCards, on: name, count: { $0.cards.added }) { db in
        let known = try DeckTable.list(db).first { $0.name == name }
        let deck = try known ?? DeckTable.create(db, name: name, now: environment.clocks.now())
        let report = try handle(of: deck.id).importCards(
          db, from: paths, kinds, options, isNew: known == nil, progress: progress)
        // Neither a deck nor a step is made for files of which nothing could be used.
        if report.cards.isRefused { throw RefusedImport(report: report) }
        return report
      }
    } catch let refused as RefusedImport {
      return refused.report
    }
  }
}

/// Ends an operation that is only tried.
private enum Tried: Error { case isOver }
