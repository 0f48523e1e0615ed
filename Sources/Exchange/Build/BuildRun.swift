// Builds a folder: applies the changes in its sources to its deck, within one operation.
// Invariant: the sources, the last build and the deck are the sides of a three-way merge; two edits of one field are
// a conflict, which is reported; an unchanged source is not read; an error leaves everything as it was.

public import Decks
import Files
import Problems
public import Storage
import Templates
import Text

/// One build: created and run within one operation.
///
///     let report = try BuildRun(db, folder, into: deck, isNew: false, settings).run()
public final class BuildRun {
  private let db: Database
  private let folder: BuildFolder
  private let settings: BuildSettings
  private let isNewDeck: Bool
  private let places: ImportPlaces
  private var state = BuildState()
  private lazy var inFolder = Set(folder.media.map(\.name))

  public init(
    _ db: Database, _ folder: BuildFolder, into deck: DeckID, isNew: Bool, _ settings: BuildSettings
  ) throws {
    (self.db, self.folder, self.settings, isNewDeck) = (db, folder, settings, isNew)
    places = try ImportPlaces(
      db, try DeckTable.record(db, deck), isNew: false, now: settings.now, random: settings.random)
    places.onDuplicate = .update
  }

  /// - Parameter progress: called with the sources done and their total.
  /// - Throws: `BuildError`, `ExchangeError` for an invalid source, `FileError`.
  public func run(progress: (Int, Int) throws -> Void = { _, _ in }) throws -> BuildReport {
    let build = try BuildTable.ensure(db, folder, into: places.deck.id, isNew: isNewDeck)
    let known = try BuildTable.sources(db, of: build, expecting: folder.sources.count)
    state.build = known.isEmpty ? nil : build
    let built = folder.sources.map { known[$0.path] }
    try findMoves(known, built, gone: BuildTable.gone(db, of: build))
    state.report.findings = folder.passedOver.map { BuildFinding(kind: .passedOver, path: $0, line: 1, prompt: "") }
    if settings.choices.prunes { state.noteCount = try BuildTable.notes(db, of: build).count }
    let touched = try BuildTable.touched(db, of: build)
    for (index, source) in folder.sources.enumerated() {
      try progress(index, folder.sources.count)
      if settings.isInterrupted() { throw FileError(folder.path, .read, .interrupted) }
      try visit(source, built[index], of: build, touched)
    }
    try finish()
    // Sources that were read are left out: their refused rows keep the entries of earlier builds.
    if !state.report.hasAcceptedRows, state.report.cards.isRefused, state.report.unchanged > 0 {
      state.report.hasAcceptedRows = try BuildTable.hasRow(db, in: build, besides: state.visited.map(\.id))
    }
    if state.report.read > 0, let (name, places) = try BuildTable.repeated(db, in: build) {
      let (first, second) = (places[0], places[places.count - 1])
      throw BuildError.sameID(
        path: folder.path + "/" + second.path, line: second.line, id: name, other: "\(first.path):\(first.line)")
    }
    try places.removeEmptyDecks()
    let visited = Set(state.visited.map(\.path))
    let unread = folder.sources.lazy.filter { !visited.contains($0.path) }
    let media = BuildMedia(db: db, settings: settings)
    let files = try media.files(of: folder, named: state.media, unread: unread, of: build)
    state.report.media = try media.run(files, of: build)
    return state.report
  }

  /// Finds the sources that are gone, and the rows that may have moved to another source.
  /// - Parameter built: the state of each source of the folder in the last build; nil for a new one.
  private func findMoves(_ known: [String: BuiltSource], _ built: [BuiltSource?], gone: [Int64: [BuiltRow]]) throws {
    var others: [(source: BuiltSource, stamp: SourceStamp?)] = []
    for (source, built) in zip(folder.sources, built) {
      if let built, built.stamp != source.stamp || gone[built.id] != nil { others.append((built, source.stamp)) }
    }
    if built.count(where: { $0 != nil }) < known.count {
      let paths = Set(folder.sources.map(\.path))
      others += known.values.filter { !paths.contains($0.path) }.map { ($0, nil) }
    }
    for (source, stamp) in others.sorted(by: { $0.source.path < $1.source.path }) {
      let isGone = stamp == nil
      let rows = stamp == source.stamp ? gone[source.id] ?? [] : try BuildTable.rows(db, of: source.id)
      for row in rows {
        if !row.givenID.isEmpty { state.movedIDs[row.givenID] = row }
        if isGone || row.isGone { state.movedRows[row.whole] = row }
      }
      if isGone { state.visited.append(VisitedSource(path: source.path, id: source.id, left: rows, isGone: true)) }
    }
    state.gone = gone
  }

  private func visit(
    _ source: BuildSource, _ known: BuiltSource?, of build: Int64, _ touched: [Int64: [BuiltRow]]
  ) throws {
    let content =
      if let known, known.stamp == source.stamp { known.content } else {
        try BuildIDs.hash(ofFile: folder.path + "/" + source.path, isInterrupted: settings.isInterrupted)
          ^ source.formatHash
      }
    if let known, let inputs = try unchangedInputs(known), known.content == content,
      try !settings.choices.restores || !hasRemoved(touched[known.id] ?? [])
    {
      state.report.unchanged += 1
      if known.stamp != source.stamp || known.inputs != inputs {
        try BuildTable.save(db, source, known.id, of: build, content: content, inputs: inputs)
      }
      if let gone = state.gone[known.id] { state.unread.append((source.path, known.id, gone)) }
      for row in touched[known.id] ?? [] { _ = try compare(row, BuildContent.of(db, row.note), source) }
      return
    }
    state.report.read += 1
    let refused = state.report.cards.rejectedCount
    let read = try BuildRows(source, in: folder, settings)
    let old = try known.map { try BuildTable.rows(db, of: $0.id) } ?? []
    let inputs = try BuildInputs(read.inputs, in: folder.path, isInterrupted: settings.isInterrupted)
    let id = try BuildTable.save(db, source, known?.id, of: build, content: content, inputs: inputs.stored)
    for row in read.refused { if let refusal = try row.refusal() { refuse(row, source, refusal) } }
    try recordMedia(read, source)
    if case .cards(let format) = source.kind { places.drafts = format.types }
    var visited = VisitedSource(path: source.path, id: id)
    try merge(read.rows, old, source, &visited)
    state.visited.append(visited)
    // Clear the stamp and the hash, so that the next build reads the source again and reports the refused rows again.
    if state.report.cards.rejectedCount > refused {
      let unknown = BuildSource(path: source.path, kind: source.kind, stamp: SourceStamp())
      try BuildTable.save(db, unknown, id, of: build, content: 0, inputs: "")
    }
  }

  /// Returns the present state of the files that a generator read; nil when one has changed.
  private func unchangedInputs(_ source: BuiltSource) throws -> String? {
    if source.inputs.isEmpty { return "" }
    let before = BuildInputs(stored: source.inputs)
    let now = try BuildInputs(
      before.paths, since: before, in: folder.path, isInterrupted: settings.isInterrupted)
    return now.isSame(as: before) && !now.paths.isEmpty ? now.stored : nil
  }

  private func hasRemoved(_ rows: [BuiltRow]) throws -> Bool {
    try rows.contains { row in try row.note.map { try !NoteTable.exists(db, $0) } ?? true }
  }

  /// Writes the rows of the sources. This has to wait until all sources are read, because rows may move between them.
  private func finish() throws {
    for visited in state.visited {
      let left = try handleGone(visited.left.filter { !state.claimed.contains($0.note) }, visited.path)
      if left.isEmpty, visited.isGone {
        try BuildTable.forget(db, source: visited.id)
      } else {
        try BuildTable.setRows(db, of: visited.id, visited.rows + left)
      }
    }
    // The cards of a first build are already in the order of their sources.
    if let build = state.build {
      for visited in state.visited { try BuildTable.place(db, visited.new, of: visited.id, in: build) }
    }
    for (path, id, gone) in state.unread {
      let left = try handleGone(gone.filter { !state.claimed.contains($0.note) }, path)
      if left.count != gone.count { try BuildTable.setGone(db, of: id, to: left) }
    }
    let removed = state.report.removed
    // So much is rarely gone on purpose: the folder may be the wrong one, or not be there.
    if !settings.choices.prunesMost, removed > state.noteCount - removed {
      throw BuildError.prunesMost(folder: folder.path, removed: removed, of: state.noteCount)
    }
  }

  // MARK: One source

  /// Records the pictures and sounds that the rows name, and reports missing ones and clozes in answers.
  private func recordMedia(_ read: BuildRows, _ source: BuildSource) throws {
    let named = read.rows.flatMap { row in row.media.map { ($0.name, $0.path, row.start.line) } }
    for (name, path, line) in named where state.media[name] == nil || !inFolder.contains(name) {
      if let file = try MarkdownMedia.file(path, from: source.folder, in: folder.path) {
        if let other = state.media[name], other != file {
          throw BuildError.sameMedia(path: folder.path + "/" + file, other: folder.path + "/" + other)
        }
        state.media[name] = file
      } else if try !inFolder.contains(name) && MediaTable.named(db, name) == nil {
        state.report.findings.append(BuildFinding(kind: .missingMedia, path: source.path, line: line, prompt: path))
      }
    }
    state.report.findings += read.hints(in: source.path)
  }

  private func merge(
    _ rows: [CardRow], _ old: [BuiltRow], _ source: BuildSource, _ visited: inout VisitedSource
  ) throws {
    let new = rows.map { BuiltRow($0) }
    let matches = try RowIdentity.match(new, old, in: db)
    for (place, var next) in new.enumerated() {
      let refused = state.report.cards.rejectedCount
      var before = matches[place].map { old[$0] }
      var isMoved = false
      if before == nil {
        let moved = next.hasGivenID ? state.movedIDs[next.givenID] : state.movedRows[next.whole]
        if let moved, !state.claimed.contains(moved.note) { (before, isMoved) = (moved, true) }
      }
      if next.name.isEmpty { next.name = try before?.plainName ?? newID(for: rows[place], next.front) }
      (next.note, next.base) = (before?.note, before?.base ?? BuiltContent())
      if let written = try write(rows[place], next, before, source, isMoved: isMoved) {
        visited.rows.append(written)
        state.claimed.insert(written.note)
        if state.report.cards.rejectedCount == refused { state.report.hasAcceptedRows = true }
        if let note = written.note, note != before?.note || isMoved || places.moved.contains(note) {
          visited.new.insert(note)
        }
      }
    }
    let matched = Set(matches.compactMap { $0 })
    visited.left = old.indices.filter { !matched.contains($0) }.map { old[$0] }
  }

  /// Returns an id that no other row of the folder has, for a row to which the source gives none.
  private func newID(for row: CardRow, _ front: Int64) throws -> String {
    let build = state.build
    return try state.ids.next(for: row, front) { id in
      try build.map { try BuildTable.hasRow(db, named: id, in: $0) } ?? false
    }
  }

  /// Writes a row to its note, or makes the note.
  /// - Parameter known: the row as it will be stored, with what the last build stored of its note.
  /// - Returns: what is stored of the row. A refused row keeps its old state; nil if it has none.
  private func write(
    _ row: CardRow, _ known: BuiltRow, _ before: BuiltRow?, _ source: BuildSource, isMoved: Bool
  ) throws -> BuiltRow? {
    var (row, next) = (row, known)
    let current = try before.flatMap { try BuildContent.of(db, $0.note) }
    if let before, before.whole == next.whole, current != nil || !settings.choices.restores {
      if isMoved { report(.moved, source.path, next) }
      next.isEdited = try compare(next, current, source)
      return next
    }
    if let before, let current, current.content != next.base {
      return try merge(row, next, before, current, source, isMoved: isMoved)
    }
    let guid = current?.note.guid ?? BuildIDs.guid(of: next.plainName, namespace: folder.namespace)
    row.guid = Array(guid.utf8)
    let written: ImportPlaces.Written
    do {
      written = try current.map { try places.write(row, over: $0) } ?? places.write(row, needsCard: true)
      next.note =
        if let current { current.note.id } else if case .texts = row.content {
          try places.note(guid: guid, within: row.subdeck)
        } else { try places.note(guid: guid) }
    } catch let refusal as RowRefusal {
      refuse(row, source, refusal)
      return before
    }
    next.base = try BuildContent.of(db, next.note)?.content ?? BuiltContent()
    state.report.cards.added += written.added
    state.report.cards.count(written.outcome)
    if written.outcome == .added, before != nil || state.build != nil {
      report(before == nil ? .new : .restored, source.path, next)
    }
    if written.outcome == .updated { report(isMoved ? .moved : .changed, source.path, next) }
    return next
  }

  private func refuse(_ row: CardRow, _ source: BuildSource, _ refusal: RowRefusal) {
    let place = RowPlace(line: row.start.line, column: row.start.column, part: row.start.part, file: source.path)
    state.report.cards.reject(
      Rejection(index: row.start.line, place: place, code: refusal.code, message: refusal.message))
  }

  // MARK: Merging

  /// Merges a changed row with its card, which was edited in the deck, field by field.
  private func merge(
    _ row: CardRow, _ known: BuiltRow, _ before: BuiltRow, _ current: BuildContent, _ source: BuildSource,
    isMoved: Bool
  ) throws -> BuiltRow? {
    var next = known
    guard current.isOfType(of: row) else {
      report(.both, source.path, next)
      // Keep the row's old hashes, so that the next build reports this again.
      (next.whole, next.front, next.isEdited) = (before.whole, before.front, true)
      return next
    }
    let theirs = BuiltContent(row, current.type, before: before.base)
    let (content, conflicts) = current.merged(before.base, theirs)
    next.base = theirs
    do {
      try places.place(current.note.id, within: row.subdeck)
      try current.write(content, conflicts, to: db, settings)
    } catch {
      guard let refusal = error as? RowRefusal ?? (error as? NoteError).map({ RowRefusal($0) }) else { throw error }
      refuse(row, source, refusal)
      return before
    }
    // The note may store the text in another normal form.
    let stored = try BuildContent.of(db, current.note.id)?.content.fields ?? []
    for place in 0..<min(stored.count, content.fields.count, theirs.fields.count)
    where content.fields[place] == theirs.fields[place] {
      next.base.fields[place] = stored[place]
    }
    if content != current.content || places.moved.contains(current.note.id) {
      state.report.cards.count(.updated)
      report(isMoved ? .moved : .changed, source.path, next)
    }
    next.isEdited = try compare(next, BuildContent.of(db, next.note), source)
    return next
  }

  /// Reports how a card and its row differ.
  /// - Parameter current: the note of the card; nil if it is gone.
  /// - Returns: whether they differ.
  private func compare(_ row: BuiltRow, _ current: BuildContent?, _ source: BuildSource) throws -> Bool {
    guard let current else {
      report(.removed, source.path, row)
      return true
    }
    let conflictingFields = current.conflictingFields(beside: row.base)
    if !conflictingFields.isEmpty {
      report(.both, source.path, row, current.prompt, conflictingFields)
    } else if current.content != row.base {
      report(.edited, source.path, row, current.prompt)
    } else {
      if !current.conflicts.isEmpty { try current.write(current.content, [], to: db, settings) }
      return false
    }
    return true
  }

  /// Handles rows that are gone from a source: removes their notes when pruning, unless they were studied; otherwise
  /// reports them and keeps them for the next build. If any row was refused, nothing is pruned, because it may be one
  /// of these rows.
  private func handleGone(_ rows: [BuiltRow], _ path: String) throws -> [BuiltRow] {
    try rows.compactMap { row in
      guard let current = try BuildContent.of(db, row.note) else { return nil }
      var row = row
      row.isGone = true
      guard current.content == row.base else {
        report(.goneEdited, path, row, current.prompt)
        return row
      }
      if !settings.choices.prunes || state.report.cards.rejectedCount > 0 {
        report(.gone, path, row)
        return row
      }
      if try !settings.choices.prunesStudied && NoteOrdinals.isStudied(db, current.note.id) {
        report(.goneStudied, path, row)
        return row
      }
      _ = try NoteTable.remove(db, [current.note.id])
      state.report.removed += 1
      report(.pruned, path, row)
      return nil
    }
  }

  private func report(
    _ kind: BuildFinding.Kind, _ path: String, _ row: BuiltRow, _ prompt: String? = nil, _ fields: [String] = []
  ) {
    state.report.findings.append(
      BuildFinding(kind: kind, path: path, line: row.line, prompt: prompt ?? row.base.prompt, fields: fields))
  }
}
