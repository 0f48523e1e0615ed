// Fitting the memory models to a user's answers: when it is asked for, and again beside the prompt when the log grew.
// Invariant: what is kept is one operation, one step of undo; the second thread has a copy of the answers and reaches
// neither the database nor the terminal.

public import Decks
import Files
public import Memory
import Storage
import Synchronization

/// The memory models of a deck.
///
///     let outcome = try deck.fitting.run()
///     try deck.fitting.keep(outcome)
public struct DeckFitting {
  let deck: DeckHandle
  private var id: DeckID { deck.id }
  private var workspace: Workspace { deck.workspace }

  /// Fits the memory models to the answers of the deck and those within it, without keeping the result.
  /// - Parameter progress: called now and then with the share that is done; what it throws ends the fitting.
  public func run(progress: @escaping (Double) throws -> Void = { _ in }) throws -> ModelFitting.Outcome {
    let isInterrupted = workspace.environment.isInterrupted
    let fitting = try workspace.read { db in
      let options = try DeckTable.options(db, id)
      return ModelFitting(
        try ReviewHistory(db, decks: [id], at: workspace.moment), parameters: options.parameters, wish: options.wish)
    }
    return try fitting.run { share in
      if isInterrupted() { throw WorkspaceError.interrupted }
      try progress(share)
    }
  }

  /// How well each model, fitted to the first four fifths of the answers, predicts the last fifth.
  /// - Throws: `MemoryError.tooFewReviews`.
  public func evidence(progress: @escaping (Double) throws -> Void = { _ in }) throws -> ModelEvidence {
    let isInterrupted = workspace.environment.isInterrupted
    let history = try workspace.read { try ReviewHistory($0, decks: [id], at: workspace.moment) }
    let evidence = try ModelEvidence(history) { share in
      if isInterrupted() { throw WorkspaceError.interrupted }
      try progress(share)
    }
    guard let evidence else {
      throw MemoryError.tooFewReviews(count: history.laterCount, needed: ModelEvidence.fewestReviews)
    }
    return evidence
  }

  /// Keeps what was fitted in the deck's preset, where it is better or another model schedules by it.
  public func keep(_ outcome: ModelFitting.Outcome) throws {
    let before = try deck.scheduling.options()
    guard outcome.fsrs6.isBetter || outcome.fitted.model != nil || before.fitted != nil else { return }
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: id)) { db in
      var options = try DeckTable.presetOptions(db, id)
      try options.take(outcome, answers: outcome.fitted.answers)
      try DeckTable.setOptions(db, id, to: options)
      guard let preset = try DeckTable.nearestPreset(db, id) else { return }
      // What the log of all its decks has is what it grows from.
      options.fitted?.answers = try PresetTable.answerCount(db, of: preset)
      try DeckTable.setOptions(db, id, to: options)
    }
  }

  /// How well the memory model knows the user by the answers of the deck and those within it, and what study takes.
  public func knowledge() throws -> ModelKnowledge {
    let isInterrupted = workspace.environment.isInterrupted
    let reading = try workspace.read { try ModelKnowledge.Reading($0, deck: id, at: workspace.moment) }
    return try reading.knowledge { if isInterrupted() { throw WorkspaceError.interrupted } }
  }
}

extension DeckHandle {
  public var fitting: DeckFitting { DeckFitting(deck: self) }
}

/// What was fitted beside the prompt and is kept now.
public struct RefitNews: Equatable, Sendable {
  public let preset: String
  public let outcome: ModelFitting.Outcome
}

/// A fitting that a second thread does while the prompt is used. Every member is called by the prompt's thread.
final class BackgroundFit {
  private struct State {
    var isStopped = false
    var isOver = false
    var outcome: ModelFitting.Outcome?
    var failure: (any Error)?
  }

  /// What both threads know.
  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  let preset: PresetID
  private let lane = WorkLane(ahead: 1)
  private let shared = Shared()

  init(_ preset: PresetID, _ fitting: ModelFitting) throws {
    self.preset = preset
    let shared = shared
    try lane.add {
      defer { shared.state.withLock { $0.isOver = true } }
      do {
        let outcome = try fitting.run { _ in
          if shared.state.withLock({ $0.isStopped }) { throw WorkspaceError.interrupted }
        }
        shared.state.withLock { $0.outcome = outcome }
      } catch {
        shared.state.withLock { $0.failure = error }
      }
    }
  }

  var isOver: Bool { shared.state.withLock { $0.isOver } }

  /// Waits until it is over.
  /// - Returns: nil where there were too few answers.
  func outcome() throws -> ModelFitting.Outcome? {
    lane.waitUntilIdle()
    let (outcome, failure) = shared.state.withLock { ($0.outcome, $0.failure) }
    if let failure, !(failure is MemoryError) { throw failure }
    return outcome
  }

  /// Ends it, and keeps nothing.
  func stop() {
    shared.state.withLock { $0.isStopped = true }
    lane.waitUntilIdle()
  }
}

/// Fitting the memory models again beside a prompt.
public struct Refitting {
  let workspace: Workspace

  /// Answers after which the log is looked at for whether it grew by enough.
  private static let answersBetweenLooks = 20

  /// Begins to fit a preset's models again on a second thread when its log grew by a tenth, and keeps what such a
  /// fitting found. Called between two lines of a prompt.
  /// - Returns: what was kept just now.
  public func advance() throws -> RefitNews? {
    guard workspace.isOpen, !workspace.rehearsal.isOn, fileExists(workspace.folder + "/collection.sqlite"),
      !workspace.database.hasOpenTransaction
    else {
      return nil
    }
    if let running = workspace.opened.fit {
      guard running.isOver else { return nil }
      workspace.opened.fit = nil
      return try keep(running)
    }
    let isTimeToLook = try workspace.read { db in
      let seen = workspace.opened.answersSeen
      if let seen, try !PresetTable.hasAnswers(db, Self.answersBetweenLooks, after: seen) { return false }
      workspace.opened.answersSeen = try PresetTable.lastAnswer(db)
      return seen != nil
    }
    if isTimeToLook { try begin() }
    return nil
  }

  private func begin() throws {
    workspace.opened.fit = try workspace.read { db in
      guard let preset = try PresetTable.dueForFitting(db) else { return nil }
      let history = try ReviewHistory(db, decks: PresetTable.decks(db, of: preset.id), at: workspace.moment)
      return try BackgroundFit(
        preset.id, ModelFitting(history, parameters: preset.options.parameters, wish: preset.options.wish))
    }
  }

  private func keep(_ running: BackgroundFit) throws -> RefitNews? {
    guard let outcome = try running.outcome() else { return nil }
    let presets = try workspace.read { try PresetTable.list($0) }
    guard let preset = presets.first(where: { $0.id == running.preset }) else { return nil }
    try workspace.perform(.changePresets, on: preset.name) { db in
      var options = try PresetTable.record(db, preset.id).options
      try options.take(outcome, answers: PresetTable.answerCount(db, of: preset.id))
      try PresetTable.setOptions(db, preset.id, to: options)
    }
    return RefitNews(preset: preset.name, outcome: outcome)
  }
}

extension Workspace {
  /// What is being fitted is of answers that are not here any more.
  func stopFitting() {
    opened.fit?.stop()
    (opened.fit, opened.answersSeen) = (nil, nil)
  }

  public var refitting: Refitting { Refitting(workspace: self) }
}
