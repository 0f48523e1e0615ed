// The options, limits, preset and goal of a deck, a simulation of studying with them, and the presets that decks share.
// Invariant: every change is one operation; reading and simulating change nothing.

public import Decks
public import Memory
import Storage

public enum PresetChoice: Equatable, Sendable {
  case same
  /// The preset of the parent deck.
  case none
  /// A preset by name, created if it does not exist.
  case named(String)
}

/// The settings of a deck: the options of its preset, and those of the deck alone.
public struct DeckScheduling {
  let deck: DeckHandle
  private var id: DeckID { deck.id }
  private var workspace: Workspace { deck.workspace }

  /// Returns the options of the deck's preset, overridden by those of the deck alone.
  public func options() throws -> DeckOptions { try workspace.read { try DeckTable.options($0, id) } }

  /// Sets an option of the deck's preset, or of the deck alone if it has one, since that overrides the preset. A deck
  /// without its own preset gets one with the deck's name.
  /// - Throws: `DeckError.badOption`.
  public func set(_ name: DeckOptions.Name, _ value: OptionValue) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: id)) { db in
      var limits = try DeckTable.limits(db, id)
      if limits.has(name), case .number(let number) = value {
        try limits.set(name, to: number)
        return try DeckTable.setLimits(db, id, to: limits)
      }
      var options = try DeckTable.presetOptions(db, id)
      try options.set(name, value)
      try DeckTable.setOptions(db, id, to: options)
    }
  }

  /// Sets several options from typed text, the deck's preset, and its own exercise unless nil: all of them, or none if
  /// one is refused. A blank text resets an option to its initial value, or removes the exercise.
  public func set(
    _ typed: [(name: DeckOptions.Name, text: String)], preset: PresetChoice = .same, exercise: String? = nil
  ) throws {
    let now = workspace.now
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: id)) { db in
      switch preset {
      case .same: break
      case .none: try DeckTable.setPreset(db, id, to: nil)
      case .named(let name): try DeckTable.setPreset(db, id, to: PresetTable.findOrCreate(db, named: name, now: now).id)
      }
      if let exercise {
        var limits = try DeckTable.limits(db, id)
        limits.exercise = exercise.isEmpty ? nil : exercise
        try DeckTable.setLimits(db, id, to: limits)
      }
      if typed.isEmpty { return }
      var options = try DeckTable.presetOptions(db, id)
      for (name, text) in typed {
        if text.isEmpty { options.reset(name) } else { try options.set(name, toText: text) }
      }
      try DeckTable.setOptions(db, id, to: options)
    }
  }

  /// Sets limits of the deck alone from typed text; a blank text removes a limit.
  public func setLimits(_ typed: [(name: DeckOptions.Name, text: String)]) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: id)) { db in
      var limits = try DeckTable.limits(db, id)
      for (name, text) in typed {
        var value: Double?
        if !text.isEmpty, case .number(let number) = try name.value(of: text) { value = number }
        try limits.set(name, to: value)
      }
      try DeckTable.setLimits(db, id, to: limits)
    }
  }

  /// Returns the preset in effect for the deck, its own or that of a parent deck; nil if there is none.
  public func preset() throws -> PresetRecord? {
    try workspace.read { db in try DeckTable.nearestPreset(db, id).map { try PresetTable.record(db, $0) } }
  }

  /// Assigns a preset by name to the deck; nil uses that of the parent deck.
  public func setPreset(_ name: String?) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: id)) { db in
      try DeckTable.setPreset(db, id, to: name.map { try PresetTable.find(db, named: $0).id })
    }
  }

  /// Returns the settings of the deck alone.
  public func limits() throws -> DeckLimits { try workspace.read { try DeckTable.limits($0, id) } }

  public func extendToday(new: Int = 0, reviews: Int = 0) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: id)) {
      try DeckTable.extendToday($0, id, new: new, reviews: reviews, at: workspace.moment)
    }
  }

  /// Simulates studying the deck and its subdecks at several target retentions.
  public func simulate(
    retentions: [Double] = [0.7, 0.75, 0.8, 0.85, 0.9, 0.95], days: Int = 365,
    progress: @escaping (Double) throws -> Void = { _ in }
  ) throws -> [RetentionForecast] {
    let simulation = try workspace.read { try Simulation($0, deck: id, at: workspace.moment) }
    return try simulation.run(retentions: retentions, days: days, progress: workspace.polled(progress))
  }
}

public struct DeckGoals {
  /// The goal in effect for a deck today.
  public struct Current {
    public let deck: DeckRecord
    public let goal: DeckGoal
    public let daysLeft: Int
    /// Whether the period reserved for the goal has begun.
    public let isNear: Bool
  }

  let deck: DeckHandle
  private var workspace: Workspace { deck.workspace }

  /// Sets the deck's goal, with as many final days as are needed to reach it.
  /// - Throws: `DeckError.badOption` for a value out of range.
  @discardableResult
  public func set(
    date: String, recall: Double = DeckGoal.initialRecall, minutes: Double = DeckGoal.initialMinutes
  ) throws -> GoalProgress {
    let moment = workspace.moment
    let goal = try DeckGoal(date: date, recall: recall, minutes: minutes, at: moment)
    let simulation = try workspace.read { try GoalSimulation($0, deck.id, goal, at: moment) }
    guard let planned = simulation.planned(isInterrupted: workspace.isInterrupted) else {
      throw WorkspaceError.interrupted
    }
    return try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: deck.id)) {
      try DeckTable.setGoal($0, deck.id, to: planned)
      return try GoalSimulation($0, deck.id, planned, at: moment).progress
    }
  }

  public func remove() throws {
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: deck.id)) {
      try DeckTable.setGoal($0, deck.id, to: nil)
    }
  }

  /// Returns the goal in effect for the deck, its own or that of a parent deck; nil if there is none or its date has
  /// passed.
  public func current() throws -> Current? {
    let moment = workspace.moment
    guard let found = try workspace.read({ try DeckTable.goal($0, deck.id) }), found.goal.day > moment.today else {
      return nil
    }
    return Current(
      deck: found.deck, goal: found.goal, daysLeft: found.goal.day - moment.today,
      isNear: found.goal.isNear(at: moment))
  }

  /// Returns the forecast of the deck's own goal; nil if it has none.
  public func progress() throws -> GoalProgress? {
    try workspace.read { db in
      try DeckTable.limits(db, deck.id).goal.map { try GoalSimulation(db, deck.id, $0, at: workspace.moment).progress }
    }
  }
}

public struct PresetOperations {
  let workspace: Workspace

  public func all() throws -> [PresetRecord] { try workspace.read { try PresetTable.list($0) } }

  /// - Throws: `DeckError.presetNotFound` with the nearest name.
  public func find(_ name: String) throws -> PresetRecord {
    try workspace.read { try PresetTable.find($0, named: name) }
  }

  /// - Throws: `DeckError.presetExists`, `.badPresetName`.
  @discardableResult
  public func create(_ name: String, options: DeckOptions = DeckOptions()) throws -> PresetRecord {
    let now = workspace.now
    return try workspace.perform(.changePresets, on: name) { db in
      try PresetTable.create(db, name: name, options: options, now: now)
    }
  }

  public func rename(_ preset: PresetID, to name: String) throws {
    try workspace.perform(.changePresets, on: name) { try PresetTable.rename($0, preset, to: name) }
  }

  public func remove(_ preset: PresetID) throws {
    try workspace.perform(.changePresets) { try PresetTable.remove($0, preset) }
  }

  public func setOption(of preset: PresetID, _ name: DeckOptions.Name, _ value: OptionValue) throws {
    try workspace.perform(.changePresets) { db in
      var options = try PresetTable.record(db, preset).options
      try options.set(name, value)
      try PresetTable.setOptions(db, preset, to: options)
    }
  }
}

public final class PresetHandle: RowHandle<PresetID> {
  /// - Throws: `DeckError.gone` when it was removed.
  public func record() throws -> PresetRecord { try workspace.read(for: "preset") { try PresetTable.record($0, id) } }
}

/// The owner of the options that are read and set: a deck, whose options are its preset's, or a preset.
public enum OptionsOwner {
  case deck(DeckHandle)
  case preset(PresetHandle)

  public func options() throws -> DeckOptions {
    switch self {
    case .deck(let deck): try deck.scheduling.options()
    case .preset(let preset): try preset.record().options
    }
  }

  /// - Throws: `DeckError.badOption`.
  public func set(_ name: DeckOptions.Name, _ value: OptionValue) throws {
    switch self {
    case .deck(let deck): try deck.scheduling.set(name, value)
    case .preset(let preset): try preset.workspace.presets.setOption(of: preset.id, name, value)
    }
  }
}
