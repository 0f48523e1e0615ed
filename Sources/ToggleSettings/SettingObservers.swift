// Who observes changes, and what observers may do during a notification.
// Invariant: each event reaches each observer once at most; a change that an observer asks for is an event of its own,
// after the present one, and a chain of such changes comes to an end.

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

  func notify(_ event: SettingsEvent) {
    guard let observer else { return }
    let meant = prefix.isEmpty ? event.changes : event.changes.filter { isUnder(prefix, $0.name) }
    if !meant.isEmpty { observer(meant, event.by) }
  }
}

/// Whether a name is the prefix or stands beneath it: `sound` covers `sound.right`, not `soundtrack`.
private func isUnder(_ prefix: String, _ name: String) -> Bool {
  guard name.hasPrefix(prefix) else { return false }
  return name.utf8.count == prefix.utf8.count || name.utf8.dropFirst(prefix.utf8.count).first == UInt8(ascii: ".")
}

/// The subscriptions and the changes that wait.
struct SettingObservers {
  struct Waiting {
    let owner: Owner
    let work: Work
    /// How many events lie between the change from outside and this one.
    let depth: Int
  }

  /// A change to be made, or an event of one that is made already.
  enum Work {
    case step(SettingsTree.Step)
    case event(SettingsEvent)
  }

  var subscriptions: [SettingsSubscription] = []
  var isNotifying = false
  var waiting: [Waiting] = []
  var depth = 0
  /// Changes from outside that observers were notified of.
  var count = 0

  /// A chain of answers to answers longer than this is a loop.
  static let deepest = 16
  /// More changes than this in answer to one from outside are a flood.
  static let most = 1_000

  mutating func queue(by owner: Owner, _ work: Work) {
    waiting.append(Waiting(owner: owner, work: work, depth: depth + 1))
  }
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

  /// Notifies everybody, then makes the changes that observers asked for meanwhile, each with its own event.
  func notify(_ event: SettingsEvent) {
    observers.isNotifying = true
    observers.depth = 0
    observers.count += 1
    defer { observers.isNotifying = false }
    deliver(event)
    var made = 0
    while !observers.waiting.isEmpty {
      let waiting = observers.waiting.removeFirst()
      made += 1
      if waiting.depth > SettingObservers.deepest || made > SettingObservers.most {
        report(.loopCut(names(of: waiting)))
        observers.waiting = []
      } else {
        make(waiting)
      }
    }
  }

  /// Notifies now, or after the present event.
  func notifySoon(_ event: SettingsEvent) {
    if observers.isNotifying { observers.queue(by: event.by, .event(event)) } else { notify(event) }
  }

  private func deliver(_ event: SettingsEvent) {
    for subscription in observers.subscriptions { subscription.notify(event) }
  }

  private func make(_ waiting: SettingObservers.Waiting) {
    observers.depth = waiting.depth
    switch waiting.work {
    case .event(let event): deliver(event)
    case .step(let step):
      do {
        let (_, event) = try transact(by: waiting.owner, step)
        if let event { deliver(event) }
      } catch {
        report(.observerFailed(error.message))
      }
    }
  }

  /// What a change that waits is about.
  private func names(of waiting: SettingObservers.Waiting) -> [String] {
    switch waiting.work {
    case .event(let event): event.changes.map(\.name)
    case .step(let step): namesTouched(by: step)
    }
  }
}
