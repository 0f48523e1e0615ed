// Imports and exports: files of cards in any format, the build of a folder, charts. Invariant: an import or a build is
// one operation, all of it or nothing, however many files it reads; an export changes nothing but its file, which is
// written whole or not at all. Git is only queried, and runs no program that the folder's configuration names.

public import CardDocuments
import Decks
public import Exchange
public import Files
import Glibc
import Storage
import Text

public struct ExchangeOperations {
  let workspace: Workspace

  /// Makes a change and rolls it back; returns the result that the change would have had.
  public func dryRun<T>(_ body: () throws -> T) throws -> T {
    let before = workspace.unit
    // The media files that only this change writes are removed with it.
    workspace.unit.newMedia = [:]
    defer {
      workspace.media.discardNew()
      workspace.unit = before
    }
    var result: T?
    do {
      return try workspace.perform(.importCards) { _ in
        result = try body()
        throw DryRunEnd.isOver
      }
    } catch DryRunEnd.isOver {
      guard let result else { throw WorkspaceError.interrupted }
      return result
    }
  }

  /// Imports files as one operation, into the deck with a name, which is created if it does not exist. If nothing was
  /// added or changed, neither a deck nor an undo step is made.
  /// - Parameter name: nil if the files are packages whose decks keep their names.
  /// - Parameter paths: the files, imported in this order; `-` is standard input if `kinds` is any.
  /// - Parameter progress: called with the bytes read and the total if known; an error that it throws ends the import.
  public func importCards(
    intoDeck name: String?, from paths: [String], _ kinds: FileKinds, _ options: ImportOptions,
    progress: @escaping ImportProgress = { _, _ in }
  ) throws -> ImportReport {
    do {
      return try workspace.perform(
        .importCards, on: name, count: { $0.cards.changed }, became: { $0.cards.operation }
      ) { db in
        let known = try name.flatMap { try DeckTable.named(db, $0) }
        let deck = try known ?? name.map { try DeckTable.create(db, name: $0, now: workspace.now) }
        let answers = "SELECT count(*) FROM reviews"
        let before = try db.count(answers)
        let report = try importCards(
          db, into: deck?.id, from: paths, kinds, options, isNew: known == nil, progress: progress)
        // Answers of cards that were here already may be all that is new.
        if report.cards.added + report.cards.updated == 0, !report.hasOptions, try db.count(answers) == before {
          throw EmptyImport(report: report)
        }
        return report
      }
    } catch let empty as EmptyImport {
      return empty.report
    }
  }

  private func importCards(
    _ db: Database, into deck: DeckID?, from paths: [String], _ kinds: FileKinds, _ options: ImportOptions,
    isNew: Bool, progress: @escaping ImportProgress
  ) throws -> ImportReport {
    let environment = workspace.environment
    let files = try paths.map { path -> (path: String, format: CardFormat?) in
      if let found = try CardFormat.ofAnki(path, given: options.format) { return (found.path, found.format) }
      try Folder.refuse(path, .read)
      // What standard input holds is found out when it is read.
      if options.format == nil, path == "-" { return (path, nil) }
      let format = try workspace.formats.format(of: path, given: options.format) {
        let file = try ByteFile(path, kinds, isInterrupted: environment.isInterrupted)
        return file.size == nil ? [] : try file.bytes(at: 0, count: FormatTable.headSize)
      }
      return (path, format)
    }
    var (before, packages) = (0, ImportReport())
    let work = try deck.map { deck in
      try CardImport(
        db, into: deck, options: options, isNewDeck: isNew, fileCount: paths.count, now: environment.clocks.now(),
        random: environment.random.entropy)
    }
    if let work { (work.formats, work.moment) = (workspace.formats, workspace.moment) }
    // Files beside the source are imported only if the user typed the path, or if its folder may be read.
    if kinds == .any { work?.receiveMedia = { [workspace] in try workspace.media.add(from: $0) } }
    for (path, format) in files {
      let start = before
      let goesOn: ImportProgress = { done, total in
        if environment.isInterrupted() { throw WorkspaceError.interrupted }
        before = start + done
        try progress(before, paths.count == 1 ? total : nil)
      }
      if let format, format.isPackage {
        let package = try importPackage(db, into: deck, from: path, as: format, kinds, options, progress: goesOn)
        packages.add(package, file: paths.count > 1 ? lastPart(of: path) : nil)
        continue
      }
      try work?.run(path, kinds, as: format, isInterrupted: environment.isInterrupted, progress: goesOn)
    }
    var report = try work?.finish() ?? ImportReport()
    report.cards.add(packages.cards)
    report.lines.add(packages.lines, file: nil)
    (report.decks, report.missingMedia) = (packages.decks, report.missingMedia.union(packages.missingMedia))
    return report
  }

  /// Imports a package into a deck, or, if nil, under the names of its own decks.
  /// - Throws: `ExchangeError.nothingRead`, `.leftLines` for notes that cannot be imported.
  private func importPackage(
    _ db: Database, into deck: DeckID?, from path: String, as format: CardFormat, _ kinds: FileKinds,
    _ options: ImportOptions, progress: @escaping ImportProgress
  ) throws -> PackageImport {
    var settings = PackageSettings(
      folder: workspace.folder, moment: workspace.moment, isInterrupted: workspace.isInterrupted
    ) { [workspace] in try workspace.media.add($0, named: $1) }
    (settings.keepsSchedule, settings.isStrict) = (options.keepsSchedule, options.isStrict)
    (settings.onDuplicate, settings.keptFields) = (options.onDuplicate, options.keptFields)
    let work = try PackageImport(db, into: deck, settings)
    _ = try work.run(path, as: format, kinds, progress: progress)
    if let part = work.lines.parts.first {
      if options.isStrict { throw ExchangeError.leftLines(path: path, part) }
      if work.lines.rows == 0 { throw ExchangeError.nothingRead(file: lastPart(of: path), first: part, format: format) }
    }
    return work
  }

  /// Applies the changes in a folder to its deck, which is created if it does not exist.
  /// - Throws: `RefusedBuild`, `BuildError`, `ExchangeError` for a broken source, `FileError`.
  package func build(
    _ path: String, _ choices: BuildChoices = BuildChoices(), generator: any CardGenerator,
    progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws -> (deck: DeckHandle, report: BuildReport) {
    var folder = try BuildFolder(path, formats: workspace.formats, isInterrupted: workspace.isInterrupted)
    var written = 0
    if choices.writesBack {
      written = try workspace.read {
        try BuildWriteBack($0, folder, isInterrupted: workspace.isInterrupted).run { paths in
          let git = GitFiles(folder: folder.path, workspace: workspace)
          let files = try choices.requiresCommitted ? git.uncommitted(paths) : []
          if !files.isEmpty { throw BuildError.uncommitted(folder: folder.path, files: files) }
          return workspace.rehearsal.mayActOutside("write edits back to \(counted(paths.count, "source"))")
        }
      }
      if written > 0 {
        folder = try BuildFolder(path, formats: workspace.formats, isInterrupted: workspace.isInterrupted)
      }
    }
    let built = folder
    return try workspace.perform(
      .buildDeck, on: built.name,
      count: { $0.report.cards.added + $0.report.cards.updated + $0.report.removed }, details: { $0.report.inWords }
    ) { db in
      let known = try BuildTable.deck(db, of: built) ?? DeckTable.named(db, built.name)
      let deck = try known ?? DeckTable.create(db, name: built.name, now: workspace.now)
      try setOptions(db, deck.id, built)
      var settings = BuildSettings(
        generator, now: workspace.now, random: workspace.environment.random.entropy,
        mediaLimit: MediaOperations.limit, isInterrupted: workspace.isInterrupted
      ) { try workspace.media.add($0, hash: $1, named: $2) }
      settings.choices = choices
      var report = try BuildRun(db, built, into: deck.id, isNew: known == nil, settings).run(progress: progress)
      report.writtenBack = written
      if report.isRefused { throw RefusedBuild(deck: built.name, report: report) }
      return (workspace.handle(of: deck.id), report)
    }
  }

  func setOptions(_ db: Database, _ deck: DeckID, _ folder: BuildFolder) throws {
    if folder.options.isEmpty { return }
    let known = try DeckTable.presetOptions(db, deck)
    var options = known
    for (name, text) in folder.options { try options.set(name, toText: text) }
    if options != known { try DeckTable.setOptions(db, deck, to: options) }
  }

  /// Returns the folder for what other programs export, created if it does not exist.
  public func ensureExports() throws -> String {
    _ = try workspace.store(for: "exports")
    let folder = workspace.folder + "/" + exportsFolderName
    try makePrivateFolder(folder)
    return folder
  }

  /// Writes charts to a file, as SVG or PNG.
  /// - Throws: `DocumentError.drawing`, a `FileError`.
  public func writeCharts(_ picture: ChartPicture, to path: String, asPNG: Bool) throws {
    _ = try workspace.store(for: "charts")
    do {
      let bytes = try workspace.drawing.charts(picture, asPNG: asPNG)
      try AtomicFile.write(path, bytes, .exported())
    } catch let failure as ProgramFailure {
      throw DocumentError.drawing(failure)
    }
  }
}

extension AddReport {
  /// The count in the undo step: the new cards, or the updated ones if there are no new cards.
  var changed: Int { added > 0 ? added : updated }

  /// `updateCards` if cards were only updated; nil otherwise.
  var operation: Operation? { added == 0 && updated > 0 ? .updateCards : nil }
}

/// Rolls back an import that added and changed nothing.
private struct EmptyImport: Error {
  let report: ImportReport
}

/// The error of a build in which no row could be used and nothing else was done: nothing was changed.
package struct RefusedBuild: Error {
  package let deck: String
  package let report: BuildReport
}

struct GitFiles {
  let folder: String
  let workspace: Workspace

  /// Returns those of the files whose bytes differ from the last commit, or that it does not contain.
  /// - Parameter paths: relative to the folder.
  /// - Throws: `BuildError.noGit` if git cannot be run or fails.
  func uncommitted(_ paths: [String]) throws -> [String] {
    if paths.isEmpty { return [] }
    guard try !output(["rev-parse", "--verify", "--quiet", "HEAD"], empty: 1).isEmpty else { return paths }
    var committed: [Substring: Substring] = [:]
    for line in try output(["--literal-pathspecs", "ls-tree", "-z", "HEAD", "--"] + paths).split(separator: "\0") {
      guard let tab = line.firstIndex(of: "\t"), let hash = line[..<tab].split(separator: " ").last else { continue }
      committed[line[tab...].dropFirst()] = hash
    }
    let hashes = try output(["hash-object", "--no-filters", "--"] + paths).split(separator: "\n")
    guard hashes.count == paths.count else { throw BuildError.noGit(path: folder, reason: "git failed") }
    return zip(paths, hashes).filter { committed[$0[...]] != $1 }.map(\.0)
  }

  /// - Parameter empty: the exit status for an empty answer.
  private func output(_ words: [String], empty: CInt = 0) throws -> String {
    guard let program = workspace.media.executable("git") else {
      throw BuildError.noGit(path: folder, reason: "git is not installed")
    }
    let home = workspace.environment.variables.entries(of: ["HOME", "PATH"])
    let rules = ["LC_ALL=C", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1"]
    let (process, socket): (pid_t, CInt)
    do throws(ProgramFailure) {
      (process, socket) = try startTalkingProgram([program, "-C", folder] + words, environment: home + rules)
    } catch {
      throw BuildError.noGit(path: folder, reason: "git could not be started")
    }
    defer { close(socket) }
    var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 14))
    while true {
      let count = read(socket, &chunk, chunk.count)
      if count > 0 { bytes += chunk[..<count] }
      if count == 0 || count < 0 && errno != EINTR { break }
    }
    let status = waitForExit(of: process)
    // Git exits with 128 outside a repository, and in one that it refuses, such as one of another user.
    if status == 128 {
      throw BuildError.noGit(path: folder, reason: "git accepts no repository there; `git status` says why")
    }
    if status != 0 && status != empty { throw BuildError.noGit(path: folder, reason: "git failed") }
    return String(decoding: bytes, as: UTF8.self)
  }
}

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
      // Outside a transaction, a savepoint begins one that takes no write lock before it writes.
      try db.savepoint {
        _ = try DeckTable.record(db, id)
        do { return try body(db) } catch DeckError.gone(let what) {
          throw StorageError.damaged(path: db.path, detail: "\(what) of a card does not exist")
        }
      }
    }
  }
}
