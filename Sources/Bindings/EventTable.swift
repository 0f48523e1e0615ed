// The listeners of the shell's events. Invariant: an error in a listener never reaches the code that emits; it is
// reported once, with its owner. Subscribing or cancelling during an event is safe: a new listener is first called
// for the next event. All plugin listeners of an event share one time budget, and one Ctrl-C stops all that have not
// been called yet.

public import LuaRuntime
public import Problems
import Text
public import Workspace

/// The shell's events, as documented for scripts.
public enum ShellEvent: String, CaseIterable, Sendable {
  case started, command
  case cardAnswered = "card_answered"
  case sessionFinished = "session_finished"
  case wordFound = "word_found"
  case gameFinished = "game_finished"
  case authenticationChanged = "authentication_changed"
  case exiting

  /// All names, for help; without `joined`, which would need a search at the start of the program.
  static var names: String { allCases.dropFirst().reduce(into: allCases[0].rawValue) { $0 += ", " + $1.rawValue } }
}

/// A subscription to an event or to settings; in Lua it is an object that can be cancelled.
public final class Subscription: BoundObject {
  /// A description of what it subscribes to.
  public let subject: String
  private let active: () -> Bool
  private let end: () -> Void

  init(_ subject: String, isActive: @escaping () -> Bool, cancel: @escaping () -> Void) {
    (self.subject, active, end) = (subject, isActive, cancel)
  }

  public var isActive: Bool { active() }
  public func cancel() { end() }
}

/// Loads the plugins that subscribe to an event when it is first emitted.
public protocol ListenerLoading: AnyObject {
  func loadListeners(to event: ShellEvent)
}

private final class Listener {
  let context: BindingContext
  let event: ShellEvent
  let function: LuaReference
  var isActive = true
  /// The last error reported of it; the same error in a row is reported once.
  var reported: String?
  var owner: Owner { context.owner }
  var isOfPlugin: Bool { owner.plugin != nil }

  init(_ event: ShellEvent, _ context: BindingContext, _ function: LuaReference) {
    (self.event, self.context, self.function) = (event, context, function)
  }

  /// - Parameter brief: the arguments for a plugin that may not read whole commands.
  func call(_ arguments: [any LuaRepresentable], brief: [any LuaRepresentable]?, _ budget: inout CallBudget) throws {
    let arguments = context.grants.allows(.commandsRead) ? arguments : brief ?? arguments
    try context.calling(.event(event), within: &budget, function) { try function.call(arguments, results: 0) { _ in } }
  }
}

public final class EventTable {
  private var listeners: [ShellEvent: [Listener]] = [:] { didSet { refreshObserved() } }
  /// Called before an awaited event, so that plugins that listen to it can subscribe.
  public weak var loader: (any ListenerLoading)?
  /// Events that plugins which are not loaded yet want to observe; for others, hot paths do not call the loader.
  public var awaited: Set<ShellEvent> = [] { didSet { refreshObserved() } }
  /// Whether anything listens to found words, or would after loading.
  public private(set) var observesWords = false { didSet { observesWordsDidChange?() } }
  public var observesWordsDidChange: (() -> Void)?
  /// Reports an error in a listener of the subject.
  public let report: (_ owner: Owner, _ subject: String, _ error: any Error) -> Void
  /// The number of the current change of settings, the seconds that its listeners share, and what they have left.
  private var settingsBudget = (change: -1, seconds: 0.0, budget: CallBudget(seconds: 0))

  /// - Parameter report: receives errors in listeners.
  public init(report: @escaping (Owner, String, any Error) -> Void) { self.report = report }

  func add(_ event: ShellEvent, _ context: BindingContext, _ function: LuaReference) -> Subscription {
    let listener = Listener(event, context, function)
    listeners[event, default: []].append(listener)
    return Subscription(event.rawValue, isActive: { listener.isActive }) { [weak self] in self?.remove(listener) }
  }

  private func remove(_ listener: Listener) {
    listener.isActive = false
    listeners[listener.event]?.removeAll { $0 === listener }
  }

  public func removeAll(owner: Owner) { remove { $0 == owner } }

  public func removeAll() { remove { _ in true } }

  private func remove(_ shouldRemove: (Owner) -> Bool) {
    for (event, list) in listeners {
      for listener in list where shouldRemove(listener.owner) { listener.isActive = false }
      listeners[event] = list.filter(\.isActive)
    }
  }

  private func refreshObserved() {
    observesWords = awaited.contains(.wordFound) || listeners[.wordFound]?.isEmpty == false
  }

  /// Whether anything listens to an event, once the plugins that wait for it are loaded.
  public func hasListeners(_ event: ShellEvent) -> Bool {
    if awaited.contains(event) { loader?.loadListeners(to: event) }
    return listeners[event]?.isEmpty == false
  }

  /// Calls the listeners in the order of their subscription.
  /// - Parameter brief: the arguments for a plugin that was not granted `commands.read`; nil for the same ones.
  /// - Throws: only a stop (Ctrl-C, exit) that ended a listener.
  public func emit(
    _ event: ShellEvent, _ arguments: [any LuaRepresentable] = [], brief: [any LuaRepresentable]? = nil
  ) throws {
    guard hasListeners(event) else { return }
    // A screen that reads keys handles the signals; this lets Ctrl-C end a listener nevertheless.
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
      } catch let error as LuaError where error.isRequestedStop {
        throw error
      } catch let error as LuaError
        where listener.event == .authenticationChanged && listener.isOfPlugin && error.isSignInMissing
      {
        // When the user has signed out, a plugin can still use its own state only; that is not a fault of its code.
        continue
      } catch  where listener.isOfPlugin && budget.isSpent {
        remove(listener)
        let others = called[(index + 1)...].count { $0.isActive && $0.isOfPlugin }
        report(listener.owner, "the event " + listener.event.rawValue, unsubscribed(error, others: others))
      } catch {
        // The same error in a row is reported once.
        let text = String(describing: error)
        if listener.reported == text { continue }
        listener.reported = text
        report(listener.owner, "the event " + listener.event.rawValue, error)
      }
    }
  }

  private func unsubscribed(_ error: any Error, others: Int) -> PluginCallError {
    .unsubscribed(reason: "\(error)", others: others)
  }

  /// Calls a listener to a change of settings, within the time budget that the listeners to that change share.
  /// - Parameters:
  ///   - change: the number of the change from outside; changes that listeners make in response have the same number.
  ///   - cancel: cancels the subscription, if the listener used up the time or its state was closed.
  func observe(
    _ subject: String, change: Int, _ context: BindingContext, _ function: LuaReference, cancel: () -> Void,
    _ body: () throws -> Void
  ) {
    // A script's changes may be rolled back after its state was closed.
    if function.state.isClosed { return cancel() }
    // One Ctrl-C stops everything that one change triggered.
    guard !Interrupts.wereRequested else { return }
    // As for an event, they share the longest limit of any of them; all of them are not known beforehand.
    let seconds = context.listenerSeconds ?? 0
    if settingsBudget.change != change { settingsBudget = (change, seconds, CallBudget(seconds: seconds)) }
    if seconds > settingsBudget.seconds {
      settingsBudget.budget.add(seconds: seconds - settingsBudget.seconds)
      settingsBudget.seconds = seconds
    }
    // A copy, as a listener may cause another change, of other settings.
    var shared = settingsBudget
    defer { if settingsBudget.change == change { settingsBudget = shared } }
    guard context.owner.plugin == nil || !shared.budget.isSpent else { return }
    do {
      try Interrupts.holding { try context.calling(.change(subject), within: &shared.budget, function, body) }
    } catch let error as LuaError where error.isRequestedStop {
      // The code that made the change is stopped too, and reports it.
      return
    } catch  where context.owner.plugin != nil && shared.budget.isSpent {
      cancel()
      report(context.owner, subject, unsubscribed(error, others: 0))
    } catch {
      report(context.owner, subject, error)
    }
  }
}

extension BindingContext {
  /// The time limit of a plugin's listeners for one event; nil for the user's own, which only Ctrl-C ends.
  fileprivate var listenerSeconds: Double? { owner.plugin == nil ? nil : terms.limits.seconds }

  /// Calls a listener; a plugin's listener within the budget.
  fileprivate func calling<R>(
    _ call: PluginCall, within budget: inout CallBudget, _ function: LuaReference, _ body: () throws -> R
  ) throws -> R {
    guard owner.plugin != nil else { return try body() }
    return try calling(call) { try function.state.withBudget(&budget, body) }
  }
}

/// Emits what happens in games and sessions as events of the shell.
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

extension ShellEvent {
  /// When the event occurs.
  public var meaning: String {
    switch self {
    case .started: "The shell has started and is about to show its first prompt."
    case .command: "A command was run and did not fail."
    case .cardAnswered: "A card was answered, in a review or a sprint."
    case .sessionFinished: "A study session ended."
    case .wordFound: "A guess was accepted in a game."
    case .gameFinished: "A game is over."
    case .authenticationChanged: "Somebody signed in or out, or a sign-in began or ended."
    case .exiting: "The program is about to end: the last moment at which anything can be stored."
    }
  }

  /// The arguments of a listener: names and types.
  public var parameters: [(name: String, type: String)] {
    switch self {
    case .started, .exiting: []
    case .command: [("line", "string; the command's name alone without the permission `commands.read`")]
    case .cardAnswered: [("card", "card"), ("answer", "string")]
    case .sessionFinished: [("right", "integer"), ("wrong", "integer")]
    case .wordFound: [("game", "game"), ("word", "string")]
    case .gameFinished: [("game", "game")]
    case .authenticationChanged: [("needs_authentication", "boolean"), ("is_authenticating", "boolean")]
    }
  }
}
