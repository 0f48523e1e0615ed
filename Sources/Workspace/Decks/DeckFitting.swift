// Fits the memory models to a user's answers: on request, and again in the background when the log has grown.
// Invariant: storing the result is one operation, one undo step; the background thread works on a copy of the answers
// and accesses neither the database nor the terminal.

public import Decks
import Files
public import Memory
import Storage

public struct DeckFitting {
  let deck: DeckHandle
  private var id: DeckID { deck.id }
  private var workspace: Workspace { deck.workspace }

  /// Fits the memory models to the answers of the deck and its subdecks, without storing the result.
  /// - Parameter progress: called from time to time with the fraction done; an error that it throws ends the fit.
  public func run(progress: @escaping (Double) throws -> Void = { _ in }) throws -> ModelFitting {
    let (history, options) = try workspace.read { db in
      (try ReviewHistory(db, decks: [id], at: workspace.moment), try DeckTable.options(db, id))
    }
    return try ModelFitting(
      history, parameters: options.parameters, modelChoice: options.modelChoice, progress: workspace.polled(progress))
  }

  /// Measures how well the models, fitted to the first four fifths of the answers, predict the last fifth.
  /// - Throws: `MemoryError.tooFewReviews`.
  public func evidence(progress: @escaping (Double) throws -> Void = { _ in }) throws -> ModelEvidence {
    let history = try workspace.read { try ReviewHistory($0, decks: [id], at: workspace.moment) }
    guard let evidence = try ModelEvidence(history, progress: workspace.polled(progress)) else {
      throw MemoryError.tooFewReviews(count: history.laterCount, needed: ModelEvidence.fewestReviews)
    }
    return evidence
  }

  /// Stores the result in the deck's preset; of FSRS-6 only parameters that are better.
  public func store(_ outcome: ModelFitting) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: id)) { db in
      var options = try DeckTable.presetOptions(db, id)
      try options.take(outcome, answers: outcome.fitted.answers)
      try DeckTable.setOptions(db, id, to: options)
      guard let preset = try DeckTable.nearestPreset(db, id) else { return }
      // The next fit depends on how much the log of all decks of the preset grows from now on.
      options.fitted?.answers = try PresetTable.answerCount(db, of: preset)
      try DeckTable.setOptions(db, id, to: options)
    }
  }

  /// Returns how well the memory model knows the user by the answers of the deck and its subdecks, and how long study
  /// takes.
  public func knowledge(working: () -> Void = {}) throws -> ModelKnowledge {
    let reading = try workspace.read { try ModelKnowledge.Reading($0, deck: id, at: workspace.moment) }
    return try reading.knowledge {
      working()
      try workspace.poll()
    }
  }
}

/// A fit that was stored in a preset.
public typealias RefitResult = (preset: String, outcome: ModelFitting)

/// Fits the memory models again in the background of a prompt.
public struct Refitting {
  let workspace: Workspace

  /// The number of new answers after which the log's growth is checked.
  private static let answersBetweenChecks = 20

  /// Starts to fit a preset's models again on a second thread when its log has grown by a tenth, and stores the
  /// result of a finished fit. Called between two lines of a prompt.
  public func advance() throws -> RefitResult? {
    guard workspace.isOpen, !workspace.rehearsal.isOn, fileExists(workspace.collectionPath),
      !workspace.database.hasOpenTransaction
    else { return nil }
    if let running = workspace.opened.fit {
      guard running.job.isOver else { return nil }
      workspace.opened.fit = nil
      return try store(running.job, of: running.preset)
    }
    let isCheckDue = try workspace.read { db in
      let seen = workspace.opened.lastCheckedAnswer
      if let seen, try !PresetTable.hasAnswers(db, Self.answersBetweenChecks, after: seen) { return false }
      workspace.opened.lastCheckedAnswer = try PresetTable.lastAnswer(db)
      return seen != nil
    }
    guard isCheckDue else { return nil }
    workspace.opened.fit = try workspace.read { db in
      guard let preset = try PresetTable.dueForFitting(db) else { return nil }
      let history = try ReviewHistory(db, decks: PresetTable.decks(db, of: preset.id), at: workspace.moment)
      let (parameters, choice) = (preset.options.parameters, preset.options.modelChoice)
      let job = try BackgroundJob { shared in
        try ModelFitting(history, parameters: parameters, modelChoice: choice) { _ in
          if shared.isStopped { throw WorkspaceError.interrupted }
        }
      }
      return (preset.id, job)
    }
    return nil
  }

  private func store(_ job: BackgroundJob<ModelFitting>, of id: PresetID) throws -> RefitResult? {
    let fitted: ModelFitting?
    do { fitted = try job.wait() } catch is MemoryError {
      // There are too few answers.
      return nil
    }
    let presets = try workspace.read { try PresetTable.list($0) }
    guard let outcome = fitted, let preset = presets.first(where: { $0.id == id }) else { return nil }
    try workspace.perform(.changePresets, on: preset.name) { db in
      var options = try PresetTable.record(db, preset.id).options
      try options.take(outcome, answers: PresetTable.answerCount(db, of: preset.id))
      try PresetTable.setOptions(db, preset.id, to: options)
    }
    return (preset.name, outcome)
  }
}

extension Workspace {
  /// Stops a running fit, whose answers no longer exist.
  func stopFitting() {
    opened.fit?.job.stop()
    (opened.fit, opened.lastCheckedAnswer) = (nil, nil)
  }
}
