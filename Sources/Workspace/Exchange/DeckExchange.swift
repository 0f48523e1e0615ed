// Exports decks in any format. Invariant: an export changes nothing but its file.

import Decks
public import Exchange
public import Files
import Storage
import Text

extension DeckHandle {
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
