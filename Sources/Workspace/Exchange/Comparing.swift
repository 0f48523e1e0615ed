// Compares and merges decks, packages, folders and files, and reads the state at an earlier undo step.
// Invariant: a comparison changes nothing; a merge changes one deck as one operation, or writes one file.

import CardDocuments
import Decks
public import Exchange
import Files
import Problems
import Storage
import Text

public struct MergeRequest {
  public var base: String
  public var ours: String
  public var theirs: String
  /// The path of the result; if nil, `ours` is a deck, which receives it.
  public var output: String?
  public var preferred: MergeSide?

  public init(base: String, ours: String, theirs: String) { (self.base, self.ours, self.theirs) = (base, ours, theirs) }
}

public struct MergeReport {
  public var result: MergeResult
  /// The notes of `ours`.
  public let ours: ComparedList
  /// How many objects were changed relative to `ours`.
  public var counts: MergeCounts
  /// The encoding of `ours` if the result is written in UTF-8 instead, because a character is not in that encoding.
  public var unfitEncoding: TextEncoding?
}

extension Workspace {
  /// Runs reads against the state just after an undo step was done.
  /// - Throws: `UndoError.noStep`; `WorkspaceError.lookingBack` if the body attempts a change.
  public func at<T>(step: Int, _ body: () throws -> T) throws -> T {
    if isReadingPastStep { throw WorkspaceError.lookingBack("reading at a step") }
    try games.store()
    let store = try store()
    isReadingPastStep = true
    defer { isReadingPastStep = false }
    return try LookBack(store).read(at: step, also: { try SearchLog.forget($0) }, body)
  }
}

/// Comparisons and merges of an open workspace.
public struct Comparing {
  let workspace: Workspace
  private var environment: Environment { workspace.environment }
  private var folder: String { workspace.folder }

  public func settings(keepsSchedule: Bool = false) -> ExchangeSettings {
    var settings = ExchangeSettings(
      folder: folder, moment: workspace.moment, isInterrupted: environment.isInterrupted
    ) { [mediaFolder = workspace.media.folder] in mediaFolder + "/" + $0.hash }
    settings.keepsSchedule = keepsSchedule
    return settings
  }

  /// Returns the differences between two operands.
  /// - Parameter operands: two of these: a deck's name, `DECK@STEP`, a file, a folder of `build`.
  package func difference(
    _ operands: [String], _ settings: ExchangeSettings, generator: any CardGenerator
  ) throws -> ContentDifference {
    let contents = try files(operands.map { try operand($0, settings, generator) }, settings).contentsInCommon
    return try ContentDifference(contents[0], contents[1], poll: workspace.poll)
  }

  /// Merges three operands.
  /// - Throws: `ComparisonError.needsOutput` if `ours` is not a deck and no output file is named.
  package func merge(
    _ request: MergeRequest, _ settings: ExchangeSettings, generator: any CardGenerator
  ) throws -> MergeReport {
    let operands = try [request.base, request.ours, request.theirs].map { try operand($0, settings, generator) }
    let files = try files(operands, settings)
    let contents = files.contentsToMerge
    let result = try ThreeWayMerge(
      base: contents[0], ours: contents[1], theirs: contents[2], preferred: request.preferred
    ).result(poll: workspace.poll)
    var report = MergeReport(result: result, ours: contents[1][.note], counts: MergeCounts())
    guard let output = request.output else {
      guard let deck = try workspace.decks.named(request.ours) else { throw ComparisonError.needsOutput }
      report.counts = try apply(report.result, contents[1], to: deck, media: operands[2], settings)
      return report
    }
    func difference() throws -> MergeCounts {
      try ContentDifference(contents[1], result.content, poll: workspace.poll).counts
    }
    if let merged = try files.merged(result), try CardFormat(output, settings.format).isSameFamily(as: operands[1]) {
      var encoded: [UInt8]?
      if files.encoding != .utf8 {
        var text: [UInt8] = []
        try merged { text += $0 }
        encoded = files.encoding.encoded(text)
        if encoded == nil { report.unfitEncoding = files.encoding }
      }
      let replacement = Replacement.exported(.any, isInterrupted: environment.isInterrupted)
      try AtomicFile.writeGiven(output, replacement) { sink in
        if let encoded { try sink.append(encoded) } else { try merged { try sink.append($0) } }
      }
      report.counts = try difference()
    } else {
      report.counts = try write(result, operands, files, to: output, settings) ?? difference()
    }
    return report
  }

  /// Reads operands. As nothing is to be imported, an error of a file does not say that nothing was.
  private func files(_ operands: [ComparedOperand], _ settings: ExchangeSettings) throws -> ComparedFiles {
    do { return try ComparedFiles(operands, settings) } catch let error as any Problem
      where !error.report.outcome.isEmpty
    { throw error.reworded(error.report.fault) }
  }

  /// Whether an operand is a deck, current or at an undo step, so that no file is read for it.
  public func isOfCollection(_ operand: String) throws -> Bool {
    try workspace.decks.named(operand) != nil || deckAtStep(operand) != nil
  }

  /// Returns the name and the step in `DECK@STEP`; nil for any other operand, such as an existing file of that name.
  private func deckAtStep(_ operand: String) -> (name: String, step: Int)? {
    guard let place = operand.lastIndex(of: "@"), let step = Int(operand[operand.index(after: place)...]),
      !fileExists(path(of: operand))
    else { return nil }
    return (String(operand[..<place]), step)
  }

  /// Returns the path of an operand that is not in the collection.
  public func path(of operand: String) -> String { environment.folders.expanded(operand) }

  private func operand(
    _ text: String, _ settings: ExchangeSettings, _ generator: any CardGenerator
  ) throws -> ComparedOperand {
    if text == "/dev/null" { return .nothing }
    if let deck = try workspace.decks.named(text) {
      return .notes(try workspace.read { try ComparedNotes.of(deck.id, in: $0, settings) })
    }
    if let (name, step) = deckAtStep(text) {
      return try workspace.at(step: step) {
        let deck = try workspace.decks.open(name)
        return .notes(try workspace.read { try ComparedNotes.of(deck.id, in: $0, settings) })
      }
    }
    let path = self.path(of: text)
    if let (file, format) = try CardFormat.ofAnki(path, given: settings.format) { return .file(file, format) }
    if Folder.isFolder(path) { return .notes(try built(path, settings, generator)) }
    guard fileExists(path) || path == "-" else {
      let names = try workspace.decks.all().map { try $0.record().name }
      throw ComparisonError.noOperand(text, suggestion: suggestion(for: text, among: names))
    }
    return .file(path, try CardFormat(path, settings.format))
  }

  /// Builds a folder in a temporary collection and returns the resulting notes.
  private func built(
    _ path: String, _ settings: ExchangeSettings, _ generator: any CardGenerator
  ) throws -> ComparedNotes {
    let folder = try BuildFolder(path, formats: workspace.formats, isInterrupted: environment.isInterrupted)
    let store = scratchStore()
    var media: [String: [UInt8]] = [:]
    let notes = try store.operation("building") { db in
      let deck = try DeckTable.create(db, name: folder.name, now: workspace.now)
      try workspace.exchange.setOptions(db, deck.id, folder)
      let building = BuildSettings(
        generator, now: workspace.now, random: environment.random.entropy, mediaLimit: MediaOperations.limit,
        isInterrupted: environment.isInterrupted
      ) { bytes, hash, name in
        media[name] = bytes
        _ = try MediaTable.add(db, name: name, hash: hash, size: bytes.count)
      }
      _ = try BuildRun(db, folder, into: deck.id, isNew: true, building).run()
      var notes = try ComparedNotes.of(deck.id, in: db, settings)
      notes.addMedia(media)
      return notes
    }
    try store.close()
    return notes
  }

  private func scratchStore() -> Store {
    Store(path: nil, schema: Workspace.schema, isInterrupted: environment.isInterrupted)
  }

  private func apply(
    _ result: MergeResult, _ ours: ComparedContent, to deck: DeckHandle, media: ComparedOperand,
    _ settings: ExchangeSettings
  ) throws -> MergeCounts {
    let media = ComparedMedia([media], settings)
    return try workspace.perform(.mergeDeck, on: workspace.decks.name(of: deck.id), count: \.total) { db in
      try MergeIntoDeck(
        db, deck.id, now: workspace.now, random: environment.random.entropy,
        isInterrupted: environment.isInterrupted
      ) { name, digest in
        let bytes = try media.content(of: name, digest: digest)
        return try bytes.map { try workspace.media.add($0, named: name) }
      }.run(from: ours, to: result.content)
    }
  }

  /// Writes a merge of notes as a file: imports `ours` into a temporary collection, changes it and exports it.
  /// - Returns: what was changed relative to `ours`; nil if `ours` was not a package, so that everything was added.
  private func write(
    _ result: MergeResult, _ operands: [ComparedOperand], _ files: ComparedFiles, to output: String,
    _ settings: ExchangeSettings
  ) throws -> MergeCounts? {
    let format = try CardFormat(output, settings.format)
    let scratch = try Scratch(.package, in: folder)
    let store = scratchStore()
    defer { withExtendedLifetime(scratch) {} }
    let (random, isInterrupted) = (environment.random.entropy, environment.isInterrupted)
    let counts = try store.operation("merging") { db -> MergeCounts? in
      func keep(_ bytes: [UInt8], _ name: String) throws -> String {
        let hash = ContentHash(of: bytes).description
        try AtomicFile.write(scratch.path(hash), bytes)
        return try MediaTable.add(db, name: name, hash: hash, size: bytes.count)
      }
      let deck = try DeckTable.create(db, name: files.root.isEmpty ? "Merged" : files.root, now: workspace.now)
      var (known, isPackage) = (ComparedContent(), false)
      if case .file(let path, let given) = operands[1], given.isPackage {
        let package = PackageSettings(
          folder: folder, moment: workspace.moment, isInterrupted: isInterrupted, receiveMedia: keep)
        let work = try PackageImport(db, into: deck.id, package)
        _ = try work.run(path, as: given, settings.kinds)
        // A note that is left would be missing in the result.
        let left = given == .crowdanki ? work.lines.parts.first : nil
        if let left { throw ExchangeError.leftLines(path: path, left) }
        (known, isPackage) = (files.contents[1], true)
      }
      let media = ComparedMedia([operands[2], operands[1]], settings)
      let counts = try MergeIntoDeck(
        db, deck.id, now: workspace.now, random: random, isInterrupted: isInterrupted
      ) { name, digest in
        let bytes = try media.content(of: name, digest: digest)
        return try bytes.map { try keep($0, name) }
      }.run(from: known, to: result.content)
      if format.isPackage {
        var settings = self.settings(keepsSchedule: format.holds.contains(.schedule))
        (settings.format, settings.mediaPath) = (format, { scratch.path($0.hash) })
        _ = try PackageExport(db, decks: [deck.id], settings).run(to: output, .any)
      } else {
        var options = ExportOptions()
        (options.format, options.hasSchedule, options.isComplete) = (format, true, true)
        _ = try CardExport(db, deck.id).run(to: output, .any, options, isInterrupted: isInterrupted)
      }
      return isPackage ? counts : nil
    }
    try store.close()
    return counts
  }
}

extension CardFormat {
  /// Returns the given format, or else that of a folder of CrowdAnki or of the path's extension.
  fileprivate init(_ path: String, _ given: CardFormat?) throws {
    if let known = try given ?? CardFormat.ofAnki(path)?.format { self = known } else { try self.init(ofPath: path) }
  }

  /// Whether text in the operand's format can be written as this format.
  fileprivate func isSameFamily(as operand: ComparedOperand) -> Bool {
    guard case .file(_, let format) = operand else { return !isPackage }
    return format == self || [format, self].allSatisfy { $0 == .csv || $0 == .tsv }
  }
}
