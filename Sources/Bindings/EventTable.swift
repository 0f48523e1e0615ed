// Who listens to which event of the shell. Invariant: an error in a listener never reaches the one that emits; it is reported
// once, with its owner. Subscribing or cancelling during an event is safe: it counts from the next event on.

public import LuaRuntime

/// The events of the contract.
public enum ShellEvent: String, CaseIterable, Sendable {
  case started, command
  case cardAnswered = "card_answered"
  case sessionFinished = "session_finished"
  case wordFound = "word_found"
  case gameFinished = "game_finished"
  case authenticationChanged = "authentication_changed"
  case exiting
}

/// A subscription: in Lua it is an object that can be cancelled.
public final class Subscription: BoundObject {
  public let event: ShellEvent
  public let owner: String?
  let listener: LuaReference
  private let context: BindingContext
  public fileprivate(set) var isActive = true
  /// What was reported of it: the same error again and again is told once.
  fileprivate var reported: String?
  private let table: EventTable

  init(_ event: ShellEvent, _ context: BindingContext, listener: LuaReference, in table: EventTable) {
    self.event = event
    self.context = context
    owner = context.owner
    self.listener = listener
    self.table = table
  }

  fileprivate func call(_ arguments: [any LuaRepresentable]) throws {
    try context.calling(.event(event)) { try listener.call(arguments, results: 0) { _ in } }
  }

  public func cancel() { table.remove(self) }
}

public final class EventTable {
  private var subscriptions: [ShellEvent: [Subscription]] = [:]
  /// Called before each event: what wants to hear of it may subscribe now.
  public var willEmit: ((ShellEvent) -> Void)?
  private let report: (_ owner: String?, _ event: ShellEvent, _ error: any Error) -> Void

  /// - Parameter report: told of an error in a listener.
  public init(report: @escaping (String?, ShellEvent, any Error) -> Void) { self.report = report }

  func add(_ event: ShellEvent, _ context: BindingContext, _ listener: LuaReference) -> Subscription {
    let subscription = Subscription(event, context, listener: listener, in: self)
    subscriptions[event, default: []].append(subscription)
    return subscription
  }

  func remove(_ subscription: Subscription) {
    subscription.isActive = false
    subscriptions[subscription.event]?.removeAll { $0 === subscription }
  }

  /// Ends the subscriptions of a plugin.
  public func removeAll(owner: String) {
    for (event, list) in subscriptions {
      for subscription in list where subscription.owner == owner { subscription.isActive = false }
      subscriptions[event] = list.filter { $0.owner != owner }
    }
  }

  public var isEmpty: Bool { subscriptions.allSatisfy(\.value.isEmpty) }

  /// Whether anybody listens to an event, once what wants to hear of it could subscribe: asked before its arguments are made.
  func isHeard(_ event: ShellEvent) -> Bool {
    willEmit?(event)
    return subscriptions[event]?.isEmpty == false
  }

  /// Calls the listeners in the order of their subscription.
  /// - Throws: only a stop (Ctrl-C, exit) that a listener ended with.
  public func emit(_ event: ShellEvent, _ arguments: [any LuaRepresentable] = []) throws {
    willEmit?(event)
    for subscription in subscriptions[event] ?? [] where subscription.isActive {
      do {
        try subscription.call(arguments)
      } catch let error as LuaError where error.stopReason == .interrupt {
        throw error
      } catch {
        let text = String(describing: error)
        guard subscription.reported != text else { continue }
        subscription.reported = text
        report(subscription.owner, event, error)
      }
    }
  }
}
