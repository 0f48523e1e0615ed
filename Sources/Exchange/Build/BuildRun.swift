// Building a folder: what changed in its sources is brought into its deck, inside one operation.
// Invariant: a card that was edited or removed in the deck stays so, and is reported; an unchanged source is not
// read; what throws leaves all as it was.

public import Decks
import Files
import Problems
public import Storage
import Text

/// A build under way: made and run inside one operation.
///
///     let report = try BuildRun(db, folder, into: deck, settings).run()
public final class BuildRun {
  private let db: Database
  private let folder: BuildFolder
  private let settings: BuildSettings
  private let places: ImportPlaces
  private var state = BuildState()

  public init(_ db: Database, _ folder: BuildFolder, into deck: DeckID, _ settings: BuildSettings) throws {
    (self.db, self.folder, self.settings) = (db, folder, settings)
    places = ImportPlaces(
      db, try DeckTable.record(db, deck), isNew: false, now: settings.now, random: settings.random)
    places.onDuplicate = .update
  }

  /// - Parameter progress: sources done, of how many.
  /// - Throws: `BuildError`, `ExchangeError` for a broken source, `FileError`.
  public func run(progress: (Int, Int) throws -> Void = { _, _ in }) throws -> BuildReport {
    let build = try BuildTable.ensure(db, folder)
    let known = try BuildTable.sources(db, of: build)
    try lookAround(known)
    let touched = try BuildTable.touched(db, of: build)
    for (index, source) in folder.sources.enumerated() {
      try progress(index, folder.sources.count)
      if settings.isInterrupted() { throw FileError(folder.path, .read, .interrupted) }
      try visit(source, known[source.path], of: build, touched)
    }
    for visited in state.visited {
      let left = try leave(visited.left.filter { !state.claimed.contains($0.note) }, visited.path)
      if left.isEmpty, visited.isGone {
        try BuildTable.forget(db, source: visited.id)
      } else {
        try BuildTable.setRows(db, of: visited.id, visited.rows + left)
      }
    }
    if state.report.read > 0, let (name, path, other) = try BuildTable.repeated(db, in: build) {
      throw BuildError.sameID(path: folder.path + "/" + path, id: name, other: other)
    }
    try places.removeEmptyDecks()
    state.report.media = try BuildMedia(db: db, settings: settings).run(folder.media, of: build)
    return state.report
  }

  /// Finds the sources that are gone, and the rows with ids that may have moved to another source.
  private func lookAround(_ known: [String: BuiltSource]) throws {
    let stamps = Dictionary(uniqueKeysWithValues: folder.sources.map { ($0.path, $0.stamp) })
    for (path, source) in known.sorted(by: { $0.key < $1.key }) where stamps[path] != source.stamp {
      let rows = try BuildTable.rows(db, of: source.id)
      for row in rows {
        if !row.givenID.isEmpty { state.movedIDs[row.givenID] = row }
        if stamps[path] == nil { state.movedRows[row.whole] = row }
      }
      if stamps[path] == nil {
        state.visited.append(VisitedSource(path: path, id: source.id, left: rows, isGone: true))
      }
    }
  }

  private func visit(
    _ source: BuildSource, _ known: BuiltSource?, of build: Int64, _ touched: [Int64: [BuiltRow]]
  ) throws {
    let content =
      if let known, known.stamp == source.stamp { known.content } else {
        try BuildIDs.hash(ofFile: folder.path + "/" + source.path, isInterrupted: settings.isInterrupted)
      }
    if let known, let inputs = try unchangedInputs(known), known.content == content {
      state.report.unchanged += 1
      if known.stamp != source.stamp || known.inputs != inputs {
        _ = try BuildTable.save(db, source, of: build, content: content, inputs: inputs)
      }
      return try tellEdits(source, touched[known.id] ?? [])
    }
    state.report.read += 1
    let read = try BuildRows(source, in: folder.path, settings.generator, isInterrupted: settings.isInterrupted)
    let old = try known.map { try BuildTable.rows(db, of: $0.id) } ?? []
    let inputs = try BuildInputs(read.inputs, in: folder.path, isInterrupted: settings.isInterrupted)
    let id = try BuildTable.save(db, source, of: build, content: content, inputs: inputs.text)
    for row in read.refused { refuse(row, source) }
    var visited = VisitedSource(path: source.path, id: id)
    try merge(read.rows, old, source, &visited)
    state.visited.append(visited)
  }

  /// The files that a generator read, with the stamps that they have now; nil when one has changed.
  private func unchangedInputs(_ source: BuiltSource) throws -> String? {
    if source.inputs.isEmpty { return "" }
    let before = BuildInputs(source.inputs)
    let now = try before.now(in: folder.path, isInterrupted: settings.isInterrupted)
    return now.isSame(as: before) && !now.files.isEmpty ? now.text : nil
  }

  // MARK: One source

  /// Brings the rows of a source into the deck.
  private func merge(
    _ rows: [BuildRow], _ old: [BuiltRow], _ source: BuildSource, _ visited: inout VisitedSource
  ) throws {
    let facts = old.map { RowFacts(id: $0.givenID, whole: $0.whole, front: $0.front) }
    let matches = RowIdentity.match(rows.map(\.facts), facts)
    var names = BuildNames()
    for (row, match) in zip(rows, matches) {
      let before = match.map { old[$0] } ?? moved(row)
      let name = names.name(of: row, before)
      if let next = try write(row, named: name, before, source) {
        visited.rows.append(next)
        state.claimed.insert(next.note)
      }
    }
    let matched = Set(matches.compactMap { $0 })
    visited.left = old.indices.filter { !matched.contains($0) }.map { old[$0] }
  }

  /// What a row was in another source.
  private func moved(_ row: BuildRow) -> BuiltRow? {
    let found = row.facts.id.isEmpty ? state.movedRows[row.facts.whole] : state.movedIDs[row.facts.id]
    return found.flatMap { state.claimed.contains($0.note) ? nil : $0 }
  }

  private func write(
    _ row: BuildRow, named name: String, _ before: BuiltRow?, _ source: BuildSource
  ) throws -> BuiltRow? {
    var next = BuiltRow(
      name: (row.facts.id.isEmpty ? "" : BuiltRow.given) + name, whole: row.facts.whole, front: row.facts.front,
      note: before?.note, built: before?.built ?? 0, line: row.row.start.line)
    let current = try before.flatMap { try BuildContent.of(db, $0.note) }
    if let before, before.whole == row.facts.whole {
      if let current, current.hash != before.built { tell(.edited, source.path, next, current.prompt) }
      if current == nil { tell(.removed, source.path, next, row.front) }
      return next
    }
    if let before, let current, current.hash != before.built {
      // Made the same by hand on both sides, or written back.
      if current.isSame(as: row.row) {
        next.built = current.hash
        return next
      }
      tell(.both, source.path, next, current.prompt)
      // The row is as it was to the next build, which reports this again.
      return BuiltRow(
        name: next.name, whole: before.whole, front: before.front, note: before.note, built: before.built,
        line: next.line)
    }
    guard let note = try put(row.row, guid: BuildIDs.guid(of: name, namespace: folder.namespace), current, source)
    else { return nil }
    next.note = note
    next.built = try BuildContent.of(db, note)?.hash ?? 0
    return next
  }

  /// Writes a row to its note, or makes it; nil where it is refused.
  private func put(
    _ row: CardRow, guid: String, _ current: BuildContent?, _ source: BuildSource
  ) throws -> NoteID? {
    var row = row
    row.guid = Array((current?.note.guid ?? guid).utf8)
    do {
      if let current, !current.canBecome(row) { _ = try NoteTable.remove(db, [current.note.id]) }
      let written = try places.write(row, isLookedAt: true)
      state.report.cards.added += written.added
      state.report.cards.count(written.outcome)
    } catch let refusal as RowRefusal {
      refuse(row, source, refusal)
      return nil
    }
    let guid = String(decoding: row.guid, as: UTF8.self)
    if case .texts = row.content { return try places.note(guid: guid, within: row.subdeck) }
    return try NoteTable.id(db, guid: guid)
  }

  private func refuse(_ row: CardRow, _ source: BuildSource, _ refusal: RowRefusal? = nil) {
    let place = RowPlace(line: row.start.line, column: row.start.column, element: nil, file: source.path)
    let reason = row.start.invalidReason
    state.report.cards.reject(
      Rejection(
        index: row.start.line, place: place, code: refusal?.code ?? reason?.code ?? .failure(.badRow),
        message: refusal?.message ?? reason?.message ?? ""))
  }

  // MARK: What the sources and the deck differ in

  /// Rows that left a source. Pruned they are gone; else they are reported, and known for the next time.
  private func leave(_ rows: [BuiltRow], _ path: String) throws -> [BuiltRow] {
    try rows.filter { row in
      guard let current = try BuildContent.of(db, row.note) else { return false }
      if settings.prunes, current.hash == row.built {
        _ = try NoteTable.remove(db, [current.note.id])
        state.report.removed += 1
        return false
      }
      tell(settings.prunes ? .both : .gone, path, row, current.prompt)
      return true
    }
  }

  /// Of a source that was not read: which of its cards were edited or removed since.
  private func tellEdits(_ source: BuildSource, _ touched: [BuiltRow]) throws {
    for row in touched {
      guard let current = try BuildContent.of(db, row.note) else {
        tell(.removed, source.path, row, row.plainName)
        continue
      }
      if current.hash != row.built { tell(.edited, source.path, row, current.prompt) }
    }
  }

  private func tell(_ kind: BuildConflict.Kind, _ path: String, _ row: BuiltRow, _ prompt: String) {
    state.report.conflicts.append(BuildConflict(kind: kind, path: path, line: row.line, prompt: prompt))
  }
}

/// What a build has done until now.
private struct BuildState {
  var report = BuildReport()
  /// The sources that were read, and those that are gone.
  var visited: [VisitedSource] = []
  /// Rows of sources that changed, by the ids that these gave; rows of sources that are gone, by what they say.
  var (movedIDs, movedRows): ([String: BuiltRow], [Int64: BuiltRow]) = ([:], [:])
  /// What rows of this build are.
  var claimed: Set<NoteID?> = []
}

/// A source whose rows are written when all sources were read: until then a row may have moved.
private struct VisitedSource {
  let path: String
  let id: Int64
  var rows: [BuiltRow] = []
  /// Those of the last build that it has no more.
  var left: [BuiltRow] = []
  var isGone = false
}

/// The ids that rows of a source have, where it gives none.
private struct BuildNames {
  private var counts: [String: Int] = [:]

  mutating func name(of row: BuildRow, _ before: BuiltRow?) -> String {
    if !row.facts.id.isEmpty { return row.facts.id }
    if let before { return before.plainName }
    let repeated = counts[row.front, default: 0]
    counts[row.front] = repeated + 1
    return BuildIDs.id(ofFront: row.front, repeated: repeated)
  }
}

extension BuiltRow {
  /// Stands before an id that the source gives.
  static let given = "="

  var givenID: String { name.hasPrefix(Self.given) ? String(name.dropFirst()) : "" }
  var plainName: String { name.hasPrefix(Self.given) ? String(name.dropFirst()) : name }
}
