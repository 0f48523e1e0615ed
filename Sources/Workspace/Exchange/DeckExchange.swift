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
    try Folder.refuse(path, .write)
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
      if format.isPackage { return try exportPackage(db, format, to: path, kinds, options) }
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

  /// Exports a package. A `.colpkg` contains all decks and the schedules of their cards.
  private func exportPackage(
    _ db: Database, _ format: CardFormat, to path: String, _ kinds: FileKinds, _ options: ExportOptions
  ) throws -> ExportReport {
    var destination = PackageDestination(
      folder: workspace.folder, moment: workspace.moment, isInterrupted: workspace.isInterrupted
    ) { [workspace] in workspace.media.folder + "/" + $0.hash }
    destination.isWhole = format == .colpkg
    destination.isLegacy = format == .apkgLegacy
    destination.keepsSchedule = options.hasSchedule || destination.isWhole
    let decks = destination.isWhole ? try DeckTable.list(db).map(\.id) : [id]
    return try PackageExport(db, decks: decks, destination).run(to: path, kinds) { _, _ in try workspace.poll() }
  }
}
