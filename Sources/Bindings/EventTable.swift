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
  public fileprivate(set) var isActive = true
  private let table: EventTable

  init(_ event: ShellEvent, owner: String?, listener: LuaReference, in table: EventTable) {
    self.event = event
    self.owner = owner
    self.listener = listener
    self.table = table
  }

  public func cancel() { table.remove(self) }
}

public final class EventTable {
  private var subscriptions: [ShellEvent: [Subscription]] = [:]
  private let report: (_ owner: String?, _ event: ShellEvent, _ error: any Error) -> Void

  /// - Parameter report: told of an error in a listener.
  public init(report: @escaping (String?, ShellEvent, any Error) -> Void) { self.report = report }

  func add(_ event: ShellEvent, owner: String?, _ listener: LuaReference) -> Subscription {
    let subscription = Subscription(event, owner: owner, listener: listener, in: self)
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

  /// Calls the listeners in the order of their subscription.
  /// - Throws: only a stop (Ctrl-C, exit) that a listener ended with.
  public func emit(_ event: ShellEvent, _ arguments: [any LuaRepresentable] = []) throws {
    for subscription in subscriptions[event] ?? [] where subscription.isActive {
      do {
        try subscription.listener.call(arguments, results: 0) { _ in }
      } catch let error as LuaError where error.stopReason == .interrupt {
        throw error
      } catch {
        report(subscription.owner, event, error)
      }
    }
  }
}
