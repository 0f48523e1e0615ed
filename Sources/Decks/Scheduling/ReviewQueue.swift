// What waits in a session of reviews, in the order it is shown. Invariant: what a queue has of its list is never
// changed, so that the copies that undo keeps share it. Only the last copy is put to the end of.

/// The queue of a session.
struct ReviewQueue {
  struct Entry {
    let card: CardID
    let isNew: Bool
  }

  /// Cards being learnt, in no order: they come when their time has come.
  var learning: [(due: Double, card: CardID)] = []
  /// Cards that are shown one after the other.
  private final class List {
    var entries: [Entry]
    init(_ entries: [Entry]) { self.entries = entries }
  }

  private let list: List
  /// How many of the list are this queue's, and how many of these are behind.
  private var (end, done) = (0, 0)
  private(set) var dueLeft = 0
  private(set) var newLeft = 0
  /// The card that is shown: it does not change until it is answered.
  var current: CardID?

  init(learning: [(due: Double, card: CardID)] = [], main: [Entry] = []) {
    self.learning = learning
    (list, end) = (List(main), main.count)
    newLeft = main.count { $0.isNew }
    dueLeft = main.count - newLeft
  }

  /// Cards of `learning` that may be shown: those whose time comes soon too, when nothing else is left.
  func learningCount(until soon: Double) -> Int { learning.count { $0.due <= soon } }

  /// What is being learnt and due, then what waits; when nothing else is left, what is being learnt and due soon.
  func upcoming(now: Double, until soon: Double) -> CardID? {
    let first = learning.min { $0.due < $1.due }
    if let first, first.due <= now { return first.card }
    if done < end { return list.entries[done].card }
    return first.flatMap { $0.due <= soon ? $0.card : nil }
  }

  /// Takes a card out, wherever it is.
  mutating func drop(_ id: CardID) {
    if current == id { current = nil }
    if done < end, list.entries[done].card == id {
      if list.entries[done].isNew { newLeft -= 1 } else { dueLeft -= 1 }
      done += 1
      return
    }
    if let place = learning.firstIndex(where: { $0.card == id }) {
      learning.remove(at: place)
    }
  }

  /// Takes cards out that come later.
  mutating func drop(all ids: Set<CardID>) {
    learning.removeAll { ids.contains($0.card) }
    let rest = list.entries[done..<end]
    guard rest.contains(where: { ids.contains($0.card) }) else { return }
    self = ReviewQueue(learning: learning, main: rest.filter { !ids.contains($0.card) }).showing(current)
  }

  /// Puts a card to the end.
  mutating func append(_ entry: Entry) {
    // What is behind the end was put there by a queue that was gone back from.
    list.entries.removeSubrange(end...)
    list.entries.append(entry)
    end += 1
    if entry.isNew { newLeft += 1 } else { dueLeft += 1 }
  }

  private func showing(_ card: CardID?) -> ReviewQueue {
    var queue = self
    queue.current = card
    return queue
  }
}
