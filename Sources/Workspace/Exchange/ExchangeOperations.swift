// Files in and out that are of no single deck: an import that makes its deck, the build of a folder, charts.
// Invariant: an import or a build is one operation, all of it or nothing; a file is written whole or not at all.

public import CardDocuments
public import Decks
public import Exchange
public import Files
import Storage
import Text

/// What a build does about differences between the sources and the deck.
public struct BuildChoices {
  /// Cards that left the sources leave the deck.
  public var prunes = false
  /// Cards that were removed in the deck come back.
  public var restores = false
  /// Cards that were edited in the deck are written to their sources first.
  public var writesBack = false
  /// Sources are written to only where git has all of them.
  public var asksGit = false

  public init() {}
}

/// Files of a workspace, in and out.
///
///     try workspace.exchange.importCards(intoDeck: "Spanish", from: ["words.csv"], .plain, ImportOptions())
public struct ExchangeOperations {
  let workspace: Workspace

  /// Makes a change and takes it back: what it answers says what it would have done.
  ///
  ///     try workspace.exchange.tried { try deck.importCards(from: path, options) }.added
  public func tried<T>(_ body: () throws -> T) throws -> T {
    let before = workspace.unit
    var result: T?
    do {
      return try workspace.perform(.importCards) { _ in
        result = try body()
        throw Tried.isOver
      }
    } catch Tried.isOver {
      workspace.unit = before
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
      return try workspace.perform(
        .importCards, on: name, count: { $0.cards.changed }, became: { $0.cards.operation }
      ) { db in
        let known = try DeckTable.named(db, name)
        let deck = try known ?? DeckTable.create(db, name: name, now: workspace.environment.clocks.now())
        let report = try workspace.handle(of: deck.id).importCards(
          db, from: paths, kinds, options, isNew: known == nil, progress: progress)
        // Neither a deck nor a step is made for files of which nothing could be used.
        if report.cards.isRefused { throw RefusedImport(report: report) }
        return report
      }
    } catch let refused as RefusedImport {
      return refused.report
    }
  }

  /// Imports a package of Anki: its decks have the names they come with.
  /// - Throws: `PackageError`, `FileError`.
  @discardableResult
  public func importPackage(from path: String) throws -> AddReport {
    try workspace.perform(.importCards, count: { $0.changed }, became: { $0.operation }) { db in
      let settings = PackageSettings(
        folder: workspace.folder, moment: workspace.moment, isInterrupted: workspace.environment.isInterrupted
      ) { [workspace] in try workspace.media.add($0, named: $1) }
      return try PackageImport(db, whole: settings).run(path)
    }
  }

  /// Brings what changed in a folder into its deck, which is made when it is missing.
  /// - Parameters:
  ///   - choices: what is done about differences between the sources and the deck.
  ///   - progress: sources done, of how many.
  /// - Throws: `RefusedBuild`, `BuildError`, `ExchangeError` for a broken source, `FileError`.
  package func build(
    _ path: String, _ choices: BuildChoices = BuildChoices(), generator: any CardGenerator,
    progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws -> (deck: DeckHandle, report: BuildReport) {
    var folder = try BuildFolder(path, isInterrupted: workspace.environment.isInterrupted)
    var written = 0
    if choices.writesBack, !workspace.rehearsal.isOn {
      written = try workspace.read {
        try BuildWriteBack($0, folder, isInterrupted: workspace.environment.isInterrupted).run { paths in
          if !choices.asksGit { return }
          let files = try GitFiles(folder: folder.path, workspace: workspace).uncommitted(paths)
          if !files.isEmpty { throw BuildError.uncommitted(folder: folder.path, files: files) }
        }
      }
      if written > 0 { folder = try BuildFolder(path, isInterrupted: workspace.environment.isInterrupted) }
    }
    let built = folder
    return try workspace.perform(
      .buildDeck, on: built.name,
      count: { $0.report.cards.added + $0.report.cards.updated + $0.report.removed }, details: { $0.report.inWords }
    ) { db in
      let known = try BuildTable.deck(db, of: built) ?? DeckTable.named(db, built.name)
      let deck = try known ?? DeckTable.create(db, name: built.name, now: workspace.environment.clocks.now())
      try setOptions(db, deck.id, built)
      var settings = BuildSettings(
        generator, now: workspace.environment.clocks.now(), random: workspace.environment.random.entropy,
        mediaLimit: MediaOperations.limit,
        isInterrupted: workspace.environment.isInterrupted
      ) { try workspace.media.add($0, hash: $1, named: $2) }
      (settings.prunes, settings.restores) = (choices.prunes, choices.restores)
      var report = try BuildRun(db, built, into: deck.id, isNew: known == nil, settings).run(progress: progress)
      report.writtenBack = written
      if report.isRefused { throw RefusedBuild(deck: built.name, report: report) }
      return (workspace.handle(of: deck.id), report)
    }
  }

  /// Gives a deck the options that a folder says.
  func setOptions(_ db: Database, _ deck: DeckID, _ folder: BuildFolder) throws {
    if folder.options.isEmpty { return }
    let known = try DeckTable.presetOptions(db, deck)
    var options = known
    for (name, text) in folder.options { try options.set(name, toText: text) }
    if options != known { try DeckTable.setOptions(db, deck, to: options) }
  }

  /// Writes charts to a file, as SVG or PNG.
  /// - Throws: `DocumentError.drawing`, a `FileError`.
  public func writeCharts(_ picture: ChartPicture, to path: String, asPNG: Bool) throws {
    _ = try workspace.store(for: "charts")
    do {
      let bytes = try workspace.drawing.charts(picture, asPNG: asPNG)
      try AtomicFile.write(path, bytes, .exported())
    } catch let failure as DrawingFailure {
      throw DocumentError.drawing(failure)
    }
  }
}

extension Workspace {
  public var exchange: ExchangeOperations { ExchangeOperations(workspace: self) }
}

extension AddReport {
  /// What the step of an import counts: the new cards, or those that it updated where none is new.
  var changed: Int { added > 0 ? added : updated }

  /// What an import was that only updated cards; nil for any other.
  var operation: Operation? { added == 0 && updated > 0 ? .updateCards : nil }
}

/// Takes back an import of which every row was refused.
private struct RefusedImport: Error {
  let report: ImportReport
}

/// No row that a build read could be used, and it did nothing else: nothing was changed.
package struct RefusedBuild: Error {
  package let deck: String
  package let report: BuildReport
}

/// Ends an operation that is only tried.
private enum Tried: Error { case isOver }
