// A deck as a web page, and the import of answers from such a page.
// Invariant: writing a page changes nothing but its file; importing answers is one operation, all of them or none.

import Decks
public import Exchange
public import Files
import Storage

extension DeckHandle {
  /// Estimates the size of the deck's page in bytes.
  public func pageWeight(_ options: PageOptions = PageOptions()) throws -> Int {
    try workspace.read { try page($0, options).weight() }
  }

  /// Writes the deck and its subdecks, as they are at one moment, as a single HTML file for studying offline.
  /// - Parameters:
  ///   - kinds: the kinds of files that may be written; other than plain files only if the user typed the path.
  ///   - progress: called with the cards done and their total; an error that it throws ends the export.
  public func writePage(
    to path: String, _ kinds: FileKinds = .plain, _ options: PageOptions = PageOptions(),
    progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> PageReport {
    let isInterrupted = workspace.isInterrupted
    return try atOneMoment { db in
      try page(db, options).write(to: path, kinds, isInterrupted: isInterrupted) { done, total in
        if isInterrupted() { throw WorkspaceError.interrupted }
        try progress(done, total)
      }
    }
  }

  private func page(_ db: Database, _ options: PageOptions) throws -> DeckPage {
    let folder = workspace.media.folder
    return try DeckPage(
      db, id, at: workspace.moment, options, media: { folder + "/" + $0.hash },
      picture: { [workspace] in try workspace.documents.picture(ofDocument: $0) })
  }

  /// Imports files of answers from pages of this deck, as if the answers had been given here at their time.
  /// - Parameters:
  ///   - kinds: the kinds of files that may be read; other than plain files only if the user typed the path.
  ///   - progress: called with the answers done and their total; an error that it throws ends the import.
  /// - Throws: `ExchangeError.badFile`, `FileError`; then nothing was changed.
  public func importAnswers(
    from paths: [String], _ kinds: FileKinds = .plain, progress: ImportProgress = { _, _ in }
  ) throws -> AnswerReport {
    let environment = workspace.environment
    return try workspace.perform(
      .importAnswers, on: workspace.decks.name(of: id), count: { $0.entered + $0.older }
    ) { db in
      let answers = try AnswerImport(db, into: id, at: workspace.moment)
      return try answers.run(paths, kinds, isInterrupted: environment.isInterrupted) { done, total in
        if environment.isInterrupted() { throw WorkspaceError.interrupted }
        try progress(done, total)
      }
    }
  }
}
