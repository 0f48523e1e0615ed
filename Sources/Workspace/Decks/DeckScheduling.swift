// Options, limits and the preset of a deck, and what study by them would come to.
// Invariant: every change is one operation; what only looks changes nothing.

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

/// What is set for a deck: the options of its preset, and what is for the deck alone.
///
///     try deck.scheduling.set(.newPerDay, .number(10))
///     try deck.scheduling.simulate(days: 30)
public struct DeckScheduling {
  let deck: DeckHandle
  private var id: DeckID { deck.id }
  private var workspace: Workspace { deck.workspace }

  /// Those of its preset, with what is set for the deck alone.
  public func options() throws -> DeckOptions { try workspace.read { try DeckTable.options($0, id) } }

  /// Sets an option of the deck's preset; a deck without one of its own gets one with its name.
  /// - Throws: `DeckError.badOption`.
  public func set(_ name: DeckOptions.Name, _ value: OptionValue) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: id)) { db in
      if try setOwnLimit(db, name, value) { return }
      var options = try DeckTable.presetOptions(db, id)
      try options.set(name, value)
      try DeckTable.setOptions(db, id, to: options)
    }
  }

  /// What is set for the deck alone counts before its preset: where it is set, it is what changes.
  private func setOwnLimit(_ db: Database, _ name: DeckOptions.Name, _ value: OptionValue) throws -> Bool {
    var limits = try DeckTable.limits(db, id)
    guard limits.has(name), case .number(let number) = value else { return false }
    try limits.set(name, to: number)
    try DeckTable.setLimits(db, id, to: limits)
    return true
  }

  /// Sets several options by what was typed, and the deck's preset: all of them, or none when one is refused. A blank
  /// text gives an option its initial value again.
  public func set(
    _ typed: [(name: DeckOptions.Name, text: String)], preset: PresetChoice = .same
  ) throws {
    let now = workspace.environment.clocks.now()
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: id)) { db in
      switch preset {
      case .same: break
      case .none: try DeckTable.setPreset(db, id, to: nil)
      case .named(let name):
        try DeckTable.setPreset(db, id, to: PresetTable.findOrCreate(db, named: name, now: now).id)
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

  /// The preset that is good for the deck, its own or of a deck around it; nil when there is none.
  public func preset() throws -> PresetRecord? {
    try workspace.read { db in try DeckTable.nearestPreset(db, id).map { try PresetTable.record(db, $0) } }
  }

  /// Gives the deck a preset by its name, or with nil that of the deck around it.
  public func setPreset(_ name: String?) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: id)) { db in
      try DeckTable.setPreset(db, id, to: name.map { try PresetTable.find(db, named: $0).id })
    }
  }

  /// What is set for the deck alone.
  public func limits() throws -> DeckLimits { try workspace.read { try DeckTable.limits($0, id) } }

  /// More new or learnt cards today than the limits allow.
  public func extendToday(new: Int = 0, reviews: Int = 0) throws {
    try workspace.perform(.changeDeckOptions, on: workspace.decks.name(of: id)) {
      try DeckTable.extendToday($0, id, new: new, reviews: reviews, at: workspace.moment)
    }
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

extension DeckHandle {
  public var scheduling: DeckScheduling { DeckScheduling(deck: self) }
}
