// What one operation changed, to be taken back by itself later: a step of the log, or a part of a unit.
// Invariant: taking it back touches the rows of the operation alone, and is refused where one of them is no longer as
// the operation left it.

/// What one operation changed.
///
///     let (result, change) = try store.recordingChange { try store.operation("answering", answer) }
///     try store.operation("taking back") { try store.takeBack(change, $0) }
public final class RecordedChange {
  enum Place {
    case nothing
    /// All that a step changed.
    case step(Int)
    case part(Part)
  }

  struct Part {
    let rows: StepRows
    let start: UndoRecorder.Mark
    let end: UndoRecorder.Mark
  }

  private(set) var place: Place

  init(_ place: Place) { self.place = place }

  public var isEmpty: Bool { if case .nothing = place { true } else { false } }

  /// The step of the log that is this and nothing else.
  public var step: Int? { if case .step(let id) = place { id } else { nil } }

  /// The unit was kept as a step.
  /// - Parameter recorder: all that the unit changed.
  func becomeStep(_ id: Int, ifAll recorder: UndoRecorder) {
    if case .part(let part) = place, part.start.isAtStart, recorder.isAt(part.end) { place = .step(id) }
  }
}

extension Store {
  /// Runs one operation and gives what it changed.
  public func recordingChange<T>(_ body: () throws -> T) throws -> (result: T, change: RecordedChange) {
    guard let recorder else { return (try body(), RecordedChange(.nothing)) }
    guard isInUnit || isInOperation else {
      lastStep = nil
      let result = try body()
      return (result, RecordedChange(lastStep.map { .step($0) } ?? .nothing))
    }
    // Opens the file: the tables are known from then on.
    try read { _ in }
    let start = recorder.mark()
    let part = UndoRecorder(partOf: recorder)
    recorder.part = part
    defer { recorder.part = nil }
    let result = try body()
    if part.isEmpty { return (result, RecordedChange(.nothing)) }
    let change = RecordedChange(.part(.init(rows: part.encoded(), start: start, end: recorder.mark())))
    if start.isAtStart { firstPart = change }
    return (result, change)
  }

  /// Takes back what an operation changed, inside another one. The part of a unit that came last leaves nothing in it.
  /// - Throws: `UndoError`; nothing was changed then.
  public func takeBack(_ change: RecordedChange, _ db: Database) throws {
    guard let recorder else { return }
    let rows: StepRows
    var start: UndoRecorder.Mark?
    switch change.place {
    case .nothing: return
    case .step(let id): rows = try UndoLog.rows(db, of: UndoLog.step(db, id, isUndone: false))
    case .part(let part):
      rows = part.rows
      if recorder.isAt(part.end) { start = part.start }
    }
    // What triggers did is among the rows, and they are whole only together.
    try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
    db.setTriggers(areOn: false)
    recorder.isRecording = start == nil
    defer {
      db.setTriggers(areOn: true)
      recorder.isRecording = true
    }
    try UndoneRows(rows).apply(db, recorder.tables, step: "the change")
    if let start { recorder.goBack(to: start) }
  }
}
