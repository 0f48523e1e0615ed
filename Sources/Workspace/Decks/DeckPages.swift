// A deck as a web page, and the answers that come back from it.
// Invariant: writing a page changes nothing but its file; taking answers over is one operation, all of them or none.

import Decks
public import Exchange
public import Files
import Storage

extension DeckHandle {
  /// About how many bytes the page of the deck will have.
  public func pageWeight(_ options: PageOptions = PageOptions()) throws -> Int {
    try workspace.read { try page($0, options).weight() }
  }

  /// Writes the deck, and those within it, as one HTML file that studies itself without a network.
  /// - Parameters:
  ///   - kinds: which files are written; others than plain ones only where the user typed the path.
  ///   - progress: cards done and all of them; what it throws ends it.
  public func writePage(
    to path: String, _ kinds: FileKinds = .plain, _ options: PageOptions = PageOptions(),
    progress: (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
  ) throws -> PageReport {
    let isInterrupted = workspace.environment.isInterrupted
    return try workspace.read { db in
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

  /// Takes over files of answers of pages of this deck, as if they had been given here at their time.
  /// - Parameters:
  ///   - kinds: which files are read; others than plain ones only where the user typed the path.
  ///   - progress: answers done and all of them; what it throws ends it.
  /// - Throws: `ExchangeError.badFile`, `FileError`; nothing was changed then.
  public func importAnswers(
    from paths: [String], _ kinds: FileKinds = .plain, progress: ImportProgress = { _, _ in }
  ) throws -> AnswerReport {
    let environment = workspace.environment
    return try workspace.perform(
      .importAnswers, on: workspace.decks.name(of: id), count: { $0.entered + $0.older }
    ) { db in
      let answers = try AnswerImport(db, into: id, at: workspace.moment, zoneOffset: environment.clocks.zoneOffset)
      return try answers.run(paths, kinds, isInterrupted: environment.isInterrupted) { done, total in
        if environment.isInterrupted() { throw WorkspaceError.interrupted }
        try progress(done, total)
      }
    }
  }
}
