// Imports files of cards into decks and exports decks, in any format. Invariant: an import is one operation, all of it
// or nothing, however many files it reads; an export changes nothing but its file.

import Decks
public import Exchange
public import Files
import Storage
import Text

extension DeckHandle {
  /// Imports files as one operation.
  /// - Parameter paths: the files, imported in this order; `-` is standard input if `kinds` is any.
  /// - Parameter progress: called with the bytes read and the total if known; an error that it throws ends the import.
  public func importCards(
    from paths: [String], _ kinds: FileKinds = .plain, _ options: ImportOptions,
    progress: @escaping ImportProgress = { _, _ in }
  ) throws -> ImportReport {
    try workspace.perform(
      .importCards, on: workspace.decks.name(of: id), count: { $0.cards.changed }, became: { $0.cards.operation }
    ) { db in try workspace.exchange.importCards(db, into: id, from: paths, kinds, options, progress: progress) }
  }

  /// Checks the path and the format of an export, before any card is read.
  @discardableResult
  public func checkExport(to path: String, _ options: ExportOptions) throws -> CardFormat {
    if options.format != .crowdanki { try Folder.refuse(path, .write) }
    let format = try workspace.formats.format(of: path, given: options.format)
    if CardFormat.readOnly.contains(format) { throw ExchangeError.readOnly(format: format) }
    return format
  }

  /// Writes the cards of the deck and its subdecks, as they are at one moment, to a file; the file is written whole or
  /// not at all.
  /// - Parameter path: `-` is standard output if `kinds` is any.
  public func exportCards(
    to path: String, _ kinds: FileKinds = .plain, _ options: ExportOptions = ExportOptions()
  ) throws -> ExportReport {
    var options = options
    let format = try checkExport(to: path, options)
    options.format = format
    return try atOneMoment { db in
      if format.isPackage {
        let isScheduled = format == .colpkg || options.hasSchedule && format.holds.contains(.schedule)
        var settings = workspace.comparing.settings(keepsSchedule: isScheduled)
        settings.format = format
        return try PackageExport(db, decks: [id], settings).run(to: path, kinds) { _, _ in try workspace.poll() }
      }
      var export = try CardExport(db, id)
      export.formats = workspace.formats
      return try export.run(to: path, kinds, options, isInterrupted: workspace.isInterrupted) { _, _ in
        try workspace.poll()
      }
    }
  }

  /// Reads the deck as it is at one moment. Nothing can be removed meanwhile: what a card refers to and does not exist
  /// was lost by damage.
  func atOneMoment<T>(_ body: (Database) throws -> T) throws -> T {
    try workspace.read { db in
      try db.snapshot {
        _ = try DeckTable.record(db, id)
        do { return try body(db) } catch DeckError.gone(let what) {
          throw StorageError.damaged(path: db.path, detail: "\(what) of a card does not exist")
        }
      }
    }
  }
}
