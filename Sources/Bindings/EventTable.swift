// Who listens to which event of the shell. Invariant: an error in a listener never reaches the one that emits; it is
// reported once, with its owner. Subscribing or cancelling during an event is safe: it counts from the next event on.
// All listeners of plugins together have one budget of time an event, and one Ctrl-C ends all that are still to be
// called.

public import LuaRuntime
public import Problems
import Text
public import Workspace

/// The events of the contract.
public enum ShellEvent: String, CaseIterable, Sendable {
  case started, command
  case cardAnswered = "card_answered"
  case sessionFinished = "session_finished"
  case wordFound = "word_found"
  case gameFinished = "game_finished"
  case authenticationChanged = "authentication_changed"
  case exiting

  /// All names, for help; put together without `joined`, which has to be prepared by a search at the start of the
  /// program.
  static var names: String {
    allCases.dropFirst().reduce(into: allCases[0].rawValue) { $0 += ", " + $1.rawValue }
  }
}

/// A subscription to an event or to settings: in Lua it is an object that can be cancelled.
public final class Subscription: BoundObject {
  /// What it is to, in words.
  public let subject: String
  private let active: () -> Bool
  private let end: () -> Void

  init(_ subject: String, isActive: @escaping () -> Bool, cancel: @escaping () -> Void) {
    self.subject = subject
    active = isActive
    end = cancel
  }

  public var isActive: Bool { active() }
  public func cancel() { end() }
}

/// Loads what subscribes to an event when it is first emitted.
public protocol ListenerLoading: AnyObject {
  func loadListeners(to event: ShellEvent)
}

/// One listener of one event.
private final class Listener {
  let context: BindingContext
  let event: ShellEvent
  let function: LuaReference
  var isActive = true
  /// What was reported of it: the same error again and again is told once.
  var reported: String?
  var owner: Owner { context.owner }
  var isOfPlugin: Bool { owner.plugin != nil }

  init(_ event: ShellEvent, _ context: BindingContext, _ function: LuaReference) {
    self.event = event
    self.context = context
    self.function = function
  }

  /// - Parameter brief: the arguments for a plugin that was not granted to read whole commands.
  func call(
    _ arguments: [any LuaRepresentable], brief: [any LuaRepresentable]?, _ budget: inout CallBudget
  ) throws {
    let arguments = context.grants.allows(.commandsRead) ? arguments : brief ?? arguments
    try context.calling(.event(event), within: &budget, function) { try function.call(arguments, results: 0) { _ in } }
  }
}

public final class EventTable {
  private var listeners: [ShellEvent: [Listener]] = [:] { didSet { refreshObserved() } }
  /// Asked before an event that is awaited: what wants to observe it may subscribe now.
  public weak var loader: (any ListenerLoading)?
  /// Events that somebody who may not have subscribed yet wants to hear of: for any other nothing is asked on a hot
  /// path.
  public var awaited: Set<ShellEvent> = [] { didSet { refreshObserved() } }
  /// Whether somebody listens, or may once asked, to found words.
  public private(set) var observesWords = false { didSet { observesWordsDidChange?() } }
  public var observesWordsDidChange: (() -> Void)?
  /// Tells of an error in a listener of the subject.
  public let report: (_ owner: Owner, _ subject: String, _ error: any Error) -> Void
  /// What is left for listeners to a change of settings, and which change that is.
  private var settingsBudget = (change: -1, budget: CallBudget(seconds: 0))

  /// - Parameter report: told of an error in a listener.
  public init(report: @escaping (Owner, String, any Error) -> Void) { self.report = report }

  func add(_ event: ShellEvent, _ context: BindingContext, _ function: LuaReference) -> Subscription {
    let listener = Listener(event, context, function)
    listeners[event, default: []].append(listener)
    return Subscription(event.rawValue, isActive: { listener.isActive }) { [weak self] in
      self?.remove(listener)
    }
  }

  private func remove(_ listener: Listener) {
    listener.isActive = false
    listeners[listener.event]?.removeAll { $0 === listener }
  }

  /// Ends the subscriptions of an owner.
  public func removeAll(owner: Owner) { remove { $0 == owner } }

  /// Ends those of the user's own state, or of all.
  public func removeAll() { remove { _ in true } }

  private func remove(_ goes: (Owner) -> Bool) {
    for (event, list) in listeners {
      for listener in list where goes(listener.owner) { listener.isActive = false }
      listeners[event] = list.filter(\.isActive)
    }
  }

  private func refreshObserved() {
    observesWords = awaited.contains(.wordFound) || listeners[.wordFound]?.isEmpty == false
  }

  /// Whether anybody listens to an event, once what wants to hear of it could subscribe: asked before its arguments are
  /// made.
  func isHeard(_ event: ShellEvent) -> Bool {
    if awaited.contains(event) { loader?.loadListeners(to: event) }
    return listeners[event]?.isEmpty == false
  }

  /// Calls the listeners in the order of their subscription.
  /// - Parameter brief: what a plugin is told that was not granted `commands.read`; nil for the same.
  /// - Throws: only a stop (Ctrl-C, exit) that a listener ended with.
  public func emit(
    _ event: ShellEvent, _ arguments: [any LuaRepresentable] = [], brief: [any LuaRepresentable]? = nil
  ) throws {
    guard isHeard(event) else { return }
    // A screen that reads keys has the signals; a listener ends at Ctrl-C all the same.
    try Interrupts.holding { try call(listeners[event] ?? [], arguments, brief) }
  }

  private func call(
    _ called: [Listener], _ arguments: [any LuaRepresentable], _ brief: [any LuaRepresentable]?
  ) throws {
    var budget = CallBudget(seconds: called.compactMap(\.context.listenerSeconds).max() ?? 0)
    for (index, listener) in called.enumerated() where listener.isActive {
      if listener.isOfPlugin, budget.isSpent { continue }
      do {
        try listener.call(arguments, brief: brief, &budget)
      } catch let error as LuaError where error.stopReason == .interrupt {
        throw error
      } catch  where listener.isOfPlugin && budget.isSpent {
        remove(listener)
        let others = called[(index + 1)...].count { $0.isActive && $0.isOfPlugin }
        report(listener.owner, "the event " + listener.event.rawValue, unsubscribed(error, others: others))
      } catch {
        tell(error, of: listener)
      }
    }
  }

  /// The same error again and again is told once.
  private func tell(_ error: any Error, of listener: Listener) {
    let text = String(describing: error)
    guard listener.reported != text else { return }
    listener.reported = text
    report(listener.owner, "the event " + listener.event.rawValue, error)
  }

  private func unsubscribed(_ error: any Error, others: Int) -> PluginCallError {
    .unsubscribed(reason: "\(error)", others: others)
  }

  /// Calls a listener to a change of settings, within what the listeners to that change may use together.
  /// - Parameters:
  ///   - change: the number of the change from outside; those that listeners make in answer to it count to it.
  ///   - cancel: ends the subscription, when the listener used the time up or its state has ended.
  func observe(
    _ subject: String, change: Int, _ context: BindingContext, _ function: LuaReference, cancel: () -> Void,
    _ body: () throws -> Void
  ) {
    // A script's changes may be taken back when its state has ended.
    if function.state.isClosed { return cancel() }
    // One Ctrl-C ends all that one change has set off.
    guard !Interrupts.wereRequested else { return }
    if settingsBudget.change != change {
      settingsBudget = (change, CallBudget(seconds: PluginLimits.standard.seconds))
    }
    // A copy: a listener may bring about another change, of other settings.
    var budget = settingsBudget.budget
    defer { if settingsBudget.change == change { settingsBudget.budget = budget } }
    guard context.owner.plugin == nil || !budget.isSpent else { return }
    do {
      try Interrupts.holding {
        try context.calling(.change(subject), within: &budget, function, body)
      }
    } catch let error as LuaError where error.stopReason == .interrupt {
      // Whoever made the change is stopped too, and tells of it.
      return
    } catch  where context.owner.plugin != nil && budget.isSpent {
      cancel()
      report(context.owner, subject, unsubscribed(error, others: 0))
    } catch {
      report(context.owner, subject, error)
    }
  }
}

extension BindingContext {
  /// What the listeners of a plugin may use of an event's time; nil for the user's own, which only Ctrl-C ends.
  fileprivate var listenerSeconds: Double? { owner.plugin == nil ? nil : terms.limits.seconds }

  /// Calls a listener: one of a plugin within the budget.
  fileprivate func calling<R>(
    _ call: PluginCall, within budget: inout CallBudget, _ function: LuaReference, _ body: () throws -> R
  ) throws -> R {
    guard owner.plugin != nil else { return try body() }
    return try calling(call) { try function.state.withBudget(&budget, body) }
  }
}

/// What happens in games and sessions, as events of the shell.
extension EventTable: WorkspaceObserver {
  public func notify(_ event: WorkspaceEvent) throws {
    switch event {
    case .wordFound(let game, let word): try emit(.wordFound, [game, word])
    case .gameFinished(let game): try emit(.gameFinished, [game])
    case .cardAnswered(let card, let answer): try emit(.cardAnswered, [card, answer])
    case .sessionFinished(let right, let wrong): try emit(.sessionFinished, [right, wrong])
    }
  }
}
