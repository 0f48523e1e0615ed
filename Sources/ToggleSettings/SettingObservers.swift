// Who observes changes, and what observers may do during a notification.
// Invariant: each event reaches each observer once at most; a change that an observer makes is an event of its own,
// after the present one, and a chain of such events comes to an end. A plugin hears nothing of a secret of others.

public import Problems
import Text

/// An observer of changes. It lasts until it is cancelled or its owner is removed.
///
///     let subscription = tree.observe("sound", by: .user) { changes, owner in ... }
///     subscription.cancel()
public final class SettingsSubscription {
  let prefix: String
  let owner: Owner
  private var observer: (([SettingChange], Owner) -> Void)?

  init(prefix: String, owner: Owner, observer: @escaping ([SettingChange], Owner) -> Void) {
    self.prefix = prefix
    self.owner = owner
    self.observer = observer
  }

  public var isCancelled: Bool { observer == nil }

  /// Ends it at once, also in the middle of an event. Doing so twice means nothing.
  public func cancel() { observer = nil }

  /// Hands over those of the changes that it asked for and may hear of.
  func notify(_ event: SettingsEvent, isHidden: (String, Owner) -> Bool) {
    guard let observer else { return }
    let meant = event.changes.filter { (prefix.isEmpty || isUnder(prefix, $0.name)) && !isHidden($0.name, owner) }
    if !meant.isEmpty { observer(meant, event.by) }
  }
}

/// Whether a name is the prefix or stands beneath it: `sound` covers `sound.right`, not `soundtrack`.
private func isUnder(_ prefix: String, _ name: String) -> Bool {
  guard name.hasPrefix(prefix) else { return false }
  return name.utf8.count == prefix.utf8.count || name.utf8.dropFirst(prefix.utf8.count).first == UInt8(ascii: ".")
}

/// The subscriptions and the events that wait.
struct SettingObservers {
  var subscriptions: [SettingsSubscription] = []
  var isNotifying = false
  /// Events of changes that observers made during the present one.
  var waiting: [SettingsEvent] = []
  /// Changes from outside that observers were notified of.
  var count = 0

  /// More events than this in answer to one from outside are a loop.
  static let most = 100
}

extension SettingsTree {
  /// Notifies `observer` of every change of `prefix` or of what stands beneath it; of all with an empty prefix. It gets
  /// the changes it asked for, by name, once for each change from outside. One made during an event is notified of the
  /// next.
  public func observe(
    _ prefix: String, by owner: Owner, _ observer: @escaping ([SettingChange], Owner) -> Void
  ) -> SettingsSubscription {
    let subscription = SettingsSubscription(prefix: prefix, owner: owner, observer: observer)
    observers.subscriptions.removeAll { $0.isCancelled }
    observers.subscriptions.append(subscription)
    return subscription
  }

  /// Ends all notifications, as when the user signs out; what waits is dropped.
  public func endObserving() {
    for subscription in observers.subscriptions { subscription.cancel() }
    observers.subscriptions = []
    observers.waiting = []
  }

  /// How many changes from outside observers were notified of; what they change in answer to one counts to it.
  public var changeCount: Int { observers.count }

  /// Notifies everybody, then of the changes that observers made meanwhile, each an event of its own.
  func notify(_ event: SettingsEvent) {
    if observers.isNotifying { return observers.waiting.append(event) }
    observers.isNotifying = true
    observers.count += 1
    defer { observers.isNotifying = false }
    deliver(event)
    var made = 0
    while !observers.waiting.isEmpty {
      made += 1
      let next = observers.waiting.removeFirst()
      if made > SettingObservers.most {
        observers.waiting = []
        report(.loopCut(next.changes.map(\.name)))
      } else {
        deliver(next)
      }
    }
  }

  private func deliver(_ event: SettingsEvent) {
    for subscription in observers.subscriptions {
      subscription.notify(event) { name, owner in
        guard let node = forest[name] else { return owner.plugin != nil }
        return node.isHidden(from: owner)
      }
    }
  }
}
