// The observers of changes, and what they may do during a notification.
// Invariant: each event reaches each observer at most once; a change that an observer makes is a separate event after
// the current one, and a chain of such events is limited. A plugin is not notified about secrets of others.

public import Problems
import Text

/// An observer of changes. It is active until it is cancelled or its owner is removed.
///
///     let subscription = tree.observe("sound", by: .user) { changes in ... }
///     subscription.cancel()
public final class SettingsSubscription {
  let prefix: String
  let owner: Owner
  private var observer: (([SettingChange]) -> Void)?

  init(prefix: String, owner: Owner, observer: @escaping ([SettingChange]) -> Void) {
    (self.prefix, self.owner, self.observer) = (prefix, owner, observer)
  }

  public var isCancelled: Bool { observer == nil }

  /// Ends the subscription at once, even during an event. Calling it again has no effect.
  public func cancel() { observer = nil }

  /// Passes on those of the changes that the observer asked for and may see.
  func notify(_ changes: [SettingChange], isHidden: (String, Owner) -> Bool) {
    guard let observer else { return }
    // `sound` means `sound.right` too, but not `soundtrack`.
    let meant = changes.filter { change in
      (prefix.isEmpty || change.name == prefix || change.name.hasPrefix(prefix + ".")) && !isHidden(change.name, owner)
    }
    if !meant.isEmpty { observer(meant) }
  }
}

struct SettingObservers {
  var subscriptions: [SettingsSubscription] = []
  var isNotifying = false
  /// Events of changes that observers made during the current event.
  var waiting: [[SettingChange]] = []
  /// The number of changes from outside that observers were notified of.
  var count = 0

  /// More events than this in response to one change from outside are a loop.
  static let most = 100
}

extension SettingsTree {
  /// Notifies `observer` of every change of `prefix` or of a setting below it, of all with an empty prefix: sorted, and
  /// once for each change from outside. One that is added during an event is notified from the next one on.
  public func observe(
    _ prefix: String, by owner: Owner, _ observer: @escaping ([SettingChange]) -> Void
  ) -> SettingsSubscription {
    let subscription = SettingsSubscription(prefix: prefix, owner: owner, observer: observer)
    observers.subscriptions.removeAll { $0.isCancelled }
    observers.subscriptions.append(subscription)
    return subscription
  }

  /// Ends all notifications, for example when the user signs out; pending events are dropped.
  public func endObserving() {
    for subscription in observers.subscriptions { subscription.cancel() }
    observers.subscriptions = []
    observers.waiting = []
  }

  /// The number of changes from outside that observers were notified of, with what they changed in response.
  public var changeCount: Int { observers.count }

  /// Notifies all observers, then of the changes that observers made meanwhile, each as a separate event.
  func notify(_ changes: [SettingChange]) {
    if changes.isEmpty { return }
    if observers.isNotifying { return observers.waiting.append(changes) }
    observers.isNotifying = true
    observers.count += 1
    defer { observers.isNotifying = false }
    deliver(changes)
    var made = 0
    while !observers.waiting.isEmpty {
      made += 1
      let next = observers.waiting.removeFirst()
      if made > SettingObservers.most {
        observers.waiting = []
        report(.loopCut(next.map(\.name)))
      } else {
        deliver(next)
      }
    }
  }

  private func deliver(_ changes: [SettingChange]) {
    for subscription in observers.subscriptions {
      subscription.notify(changes) { name, owner in
        guard let node = declared[name] else { return owner.plugin != nil }
        return node.isHidden(from: owner)
      }
    }
  }
}
