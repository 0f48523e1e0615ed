// Presets, statistics, fitting and simulating as operations of a workspace. Invariant: every change is one operation;
// what only looks changes nothing.

public import Decks
import Files
import Glibc
public import Memory
import Storage

/// Which preset a deck is to have.
public enum PresetChoice: Equatable, Sendable {
  case same
  /// That of the deck around it.
  case none
  /// It is made when it is missing.
  case named(String)
}

extension DeckHandle {
  /// Sets an option of the deck's preset; a deck without one of its own gets one with its name.
  /// - Throws: `DeckError.badOption`.
  public func setOption(_ name: DeckOptions.Name, _ value: OptionValue) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.deckName(id)) { db in
      if try setOwnLimit(db, name, value) { return }
      var options = try DeckTable.presetOptions(db, id)
      try options.set(name, value)
      try DeckTable.setOptions(db, id, to: options)
    }
  }

  /// What is set for the deck alone stands above its preset: it is what changes then.
  private func setOwnLimit(_ db: Database, _ name: DeckOptions.Name, _ value: OptionValue) throws -> Bool {
    var limits = try DeckTable.limits(db, id)
    guard limits.has(name), case .number(let number) = value else { return false }
    try limits.set(name, to: number)
    try DeckTable.setLimits(db, id, to: limits)
    return true
  }

  /// Sets several options by what was typed, and the deck's preset: all of them, or none when one is refused. A blank
  /// text gives an option its initial value again.
  public func setOptions(
    _ typed: [(name: DeckOptions.Name, text: String)], preset: PresetChoice = .same
  ) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.deckName(id)) { db in
      switch preset {
      case .same: break
      case .none: try DeckTable.setPreset(db, id, to: nil)
      case .named(let name): try DeckTable.setPreset(db, id, to: PresetTable.findOrCreate(db, named: name).id)
      }
      if typed.isEmpty { return }
      var options = try DeckTable.presetOptions(db, id)
      for (name, text) in typed {
        if text.isEmpty { options.reset(name) } else { try options.set(name, toText: text) }
      }
      try DeckTable.setOptions(db, id, to: options)
    }
  }

  /// Sets limits of the deck alone by what was typed; a blank text takes one away.
  public func setLimits(_ typed: [(name: DeckOptions.Name, text: String)]) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.deckName(id)) { db in
      var limits = try DeckTable.limits(db, id)
      for (name, text) in typed {
        var value: Double?
        if !text.isEmpty, case .number(let number) = try name.value(of: text) { value = number }
        try limits.set(name, to: value)
      }
      try DeckTable.setLimits(db, id, to: limits)
    }
  }

  /// Gives an option its initial value again.
  public func resetOption(_ name: DeckOptions.Name) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.deckName(id)) { db in
      var options = try DeckTable.presetOptions(db, id)
      options.reset(name)
      try DeckTable.setOptions(db, id, to: options)
    }
  }

  /// The preset that is good for the deck, its own or of a deck around it; nil when there is none.
  public func preset() throws -> PresetRecord? {
    try workspace.read { db in try DeckTable.nearestPreset(db, id).map { try PresetTable.record(db, $0) } }
  }

  /// Gives the deck a preset by its name, or with nil that of the deck around it.
  public func setPreset(_ name: String?) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.deckName(id)) { db in
      try DeckTable.setPreset(db, id, to: name.map { try PresetTable.find(db, named: $0).id })
    }
  }

  /// What is set for the deck alone.
  public func limits() throws -> DeckLimits { try workspace.read { try DeckTable.limits($0, id) } }

  /// Sets a limit or the retention for the deck alone, or with nil goes by its preset again.
  public func setLimit(_ name: DeckOptions.Name, to value: Double?) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.deckName(id)) { db in
      var limits = try DeckTable.limits(db, id)
      try limits.set(name, to: value)
      try DeckTable.setLimits(db, id, to: limits)
    }
  }

  /// More new or learnt cards today than the limits allow.
  public func extendToday(new: Int = 0, reviews: Int = 0) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.deckName(id)) {
      try DeckTable.extendToday($0, id, new: new, reviews: reviews, at: workspace.moment)
    }
  }

  /// Figures of the deck and those within it, or of what a query finds in them.
  public func statistics(query: String? = nil) throws -> DeckStatistics {
    var figures = try workspace.statistics(of: [self], query: query)
    if query == nil { figures.goal = try goals.standing() }
    return figures
  }

  /// Fits the memory model to the answers of the deck and those within it, without keeping the result.
  /// - Parameter progress: called now and then with the share that is done; what it throws ends the fitting.
  public func optimize(progress: @escaping (Double) throws -> Void = { _ in }) throws -> OptimizedParameters {
    let isInterrupted = workspace.environment.isInterrupted
    let (history, parameters) = try workspace.read { db in
      (try ReviewHistory(db, decks: [id], at: workspace.moment), try DeckTable.options(db, id).parameters)
    }
    var optimizer = try Optimizer(history, parameters: parameters)
    return try optimizer.run { share in
      if isInterrupted() { throw WorkspaceError.interrupted }
      try progress(share)
    }
  }

  /// Keeps fitted parameters in the deck's preset.
  public func keep(_ result: OptimizedParameters) throws {
    if result.isBetter { try setOption(.parameters, .parameters(result.parameters)) }
  }

  /// What study of the deck and those within it would come to at several retentions.
  public func simulate(
    retentions: [Double] = [0.7, 0.75, 0.8, 0.85, 0.9, 0.95], days: Int = 365,
    progress: @escaping (Double) throws -> Void = { _ in }
  ) throws -> [RetentionForecast] {
    let isInterrupted = workspace.environment.isInterrupted
    let simulation = try workspace.read { try Simulation($0, deck: id, at: workspace.moment) }
    return try simulation.run(retentions: retentions, days: days) { share in
      if isInterrupted() { throw WorkspaceError.interrupted }
      try progress(share)
    }
  }
}

extension Workspace {
  /// Figures of some decks and those within them, of everything with nil.
  public func statistics(of decks: [DeckHandle]? = nil, query: String? = nil) throws -> DeckStatistics {
    let query = try query.map { try CardQuery($0, isInterrupted: environment.isInterrupted) }
    return try read { try DeckStatistics($0, decks: decks?.map(\.id), query: query, at: moment) }
  }

  /// What waits to be studied, and for how many days in a row there were answers; nil while there are no decks. A
  /// database that is not there yet is not made for it.
  public func studySummary() throws -> (counts: StudyCounts, streak: Int)? {
    guard Glibc.access(folder + "/collection.sqlite", F_OK) == 0 else { return nil }
    let limit = try preferences().studyLimit
    return try read { db in
      if try DeckTable.list(db).isEmpty { return nil }
      return (try StudyCounts.total(db, limit: limit, at: moment), try DeckStatistics.streak(db, at: moment))
    }
  }

  /// How many cards were answered while the clock was in the future: they come due then.
  public func futureAnswerCount() throws -> Int {
    guard Glibc.access(folder + "/collection.sqlite", F_OK) == 0 else { return 0 }
    return try read { try FutureAnswers.cards($0, now: moment.now).count }
  }

  /// What there is to study in some decks and those within them when nothing is due.
  public func outlook(of decks: [DeckHandle]) throws -> StudyOutlook {
    try read { try StudyOutlook($0, decks.map(\.id), at: moment) }
  }

  // MARK: Presets

  public func presets() throws -> [PresetRecord] { try read { try PresetTable.list($0) } }

  /// - Throws: `DeckError.presetNotFound` with the nearest name.
  public func preset(_ name: String) throws -> PresetRecord { try read { try PresetTable.find($0, named: name) } }

  /// What Lua holds of a preset.
  public func handle(of preset: PresetRecord) -> PresetHandle {
    handles.presets[preset.id] { PresetHandle(preset.id, in: self) }
  }

  func forget(_ preset: PresetID) { handles.presets.forget(preset) }

  /// - Throws: `DeckError.presetExists`, `.badName`.
  @discardableResult
  public func createPreset(_ name: String, options: DeckOptions = DeckOptions()) throws -> PresetRecord {
    try perform(.changePresets, on: name) { try PresetTable.create($0, name: name, options: options) }
  }

  public func renamePreset(_ preset: PresetID, to name: String) throws {
    try perform(.changePresets, on: name) { try PresetTable.rename($0, preset, to: name) }
  }

  public func removePreset(_ preset: PresetID) throws {
    try perform(.changePresets) { try PresetTable.remove($0, preset) }
  }

  /// Sets an option for every deck that has the preset.
  public func setOption(of preset: PresetID, _ name: DeckOptions.Name, _ value: OptionValue) throws {
    try perform(.changePresets) { db in
      var options = try PresetTable.record(db, preset).options
      try options.set(name, value)
      try PresetTable.setOptions(db, preset, to: options)
    }
  }

  // MARK: Cards

  /// Keeps cards from being shown until tomorrow; answers how many were there.
  @discardableResult
  public func bury(_ cards: [CardHandle]) throws -> Int {
    try perform(.editCard, on: stepName(of: cards), count: { $0 }) {
      try CardTable.bury($0, cards.map(\.id), at: moment)
    }
  }

  /// Whether a card waits for the next day.
  public func isBuried(_ card: CardHandle) throws -> Bool { try card.record().isBuried(at: moment) }

  /// Shows buried cards again; answers how many were buried.
  @discardableResult
  public func unbury(_ cards: [CardHandle]) throws -> Int {
    try perform(.editCard, on: stepName(of: cards), count: { $0 }) { try CardTable.unbury($0, cards.map(\.id)) }
  }

  /// Gives cards a flag from 1 to 7, or none with 0.
  public func setFlag(_ cards: [CardHandle], to flag: Int) throws {
    try perform(.editCard, on: stepName(of: cards), count: { _ in cards.count }) { db in
      for card in cards { try CardTable.setFlag(db, card.id, to: flag, now: environment.clocks.now()) }
    }
  }
}
