// What one operation changed, so that it can be undone alone later: an undo step, or a part of a unit.
// Invariant: undoing it touches only the rows of the operation, and is refused if one of them has changed since.

public final class RecordedChange {
  enum Place {
    case nothing
    /// Everything that an undo step changed.
    case step(Int)
    case part(StepRows, start: UndoRecorder.Mark, end: UndoRecorder.Mark)
  }

  private(set) var place: Place
  /// The undo steps that were written as a consequence of this change, in their order.
  public internal(set) var laterSteps: [Int] = []
  /// What the unit of this change changed as a consequence of it, in its order.
  private(set) var laterParts: [RecordedChange] = []

  init(_ place: Place) { self.place = place }

  /// Creates a change that changed nothing.
  public convenience init() { self.init(.nothing) }

  public var isEmpty: Bool { if case .nothing = place { laterParts.allSatisfy(\.isEmpty) } else { false } }

  /// The undo step that consists of exactly this change.
  public var step: Int? { if case .step(let id) = place { id } else { nil } }

  /// Turns this part into an undo step when its unit is stored as that step, if it is all that the unit changed.
  func setStep(_ id: Int, ifAll recorder: UndoRecorder) {
    if case .part(_, let start, let end) = place, start.isAtStart, recorder.isAt(end) { place = .step(id) }
  }

  /// Runs what follows from the change; the undo steps that it writes become later steps of the change, and what it
  /// changes in a unit becomes a later part.
  public func takeAlong(in store: Store, _ body: () throws -> Void) throws {
    if store.isInUnit { return laterParts.append(try store.recordingChange(body).change) }
    let outer = store.extendedChange
    store.extendedChange = self
    defer { store.extendedChange = outer }
    try body()
  }
}

extension Store {
  public func recordingChange<T>(_ body: () throws -> T) throws -> (result: T, change: RecordedChange) {
    guard let recorder else { return (try body(), RecordedChange(.nothing)) }
    guard isInUnit || isInOperation else {
      lastStep = nil
      let result = try body()
      return (result, RecordedChange(lastStep.map { .step($0) } ?? .nothing))
    }
    // Opens the file, so that the tables are known.
    try read { _ in }
    let start = recorder.mark()
    let part = UndoRecorder(partOf: recorder)
    part.part = recorder.part
    recorder.part = part
    defer {
      // Waits until no other thread writes rows: they are recorded.
      _ = changeCount
      recorder.part = part.part
    }
    let result = try body()
    // Writes the rows that wait.
    try read { _ in }
    if part.isEmpty { return (result, RecordedChange(.nothing)) }
    let change = RecordedChange(.part(part.encoded(), start: start, end: recorder.mark()))
    if start.isAtStart { firstPart = change }
    return (result, change)
  }

  /// Undoes a recorded change inside another operation; the latest part of the current unit leaves no trace in it.
  /// - Throws: `UndoError`; the operation must then be rolled back.
  public func takeBack(_ change: RecordedChange, _ db: Database) throws {
    guard let recorder else { return }
    for part in change.laterParts.reversed() { try takeBack(part, db) }
    let rows: StepRows
    var start: UndoRecorder.Mark?
    switch change.place {
    case .nothing: return
    case .step(let id): rows = try UndoLog.rows(db, of: UndoLog.step(db, id, isUndone: false))
    case .part(let changed, let from, let end):
      rows = changed
      if recorder.isAt(end) { start = from }
    }
    // The recorded rows include what triggers did. Foreign keys hold again only once all rows are restored.
    try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
    db.setTriggers(areOn: false)
    recorder.isRecording = start == nil
    defer {
      db.setTriggers(areOn: true)
      recorder.isRecording = true
    }
    try UndoneRows(rows, recorder.tables).apply(db, step: "the change")
    if let start { recorder.rewind(to: start) }
  }
}
