// The remaining cards of a session of reviews, in the order in which they are shown.
// Invariant: the entries that a queue uses of its list are never changed, so that the copies for undo share the list.
// Only the newest copy appends to it.

struct ReviewQueue {
  struct Entry {
    let card: CardID
    let isNew: Bool
  }

  /// Cards that are being learnt, in no order: each is shown when its time comes.
  var learning: [(due: Double, card: CardID)] = []
  /// The cards that are shown one after the other.
  private final class List {
    var entries: [Entry]
    init(_ entries: [Entry]) { self.entries = entries }
  }

  private let list: List
  /// How many entries of the list belong to this queue, and how many of these are done.
  private var (end, done) = (0, 0)
  private(set) var dueLeft = 0
  private(set) var newLeft = 0
  /// The card that is shown; it stays the same until it is answered.
  var current: CardID?
  /// The day of study for which it was built.
  var day = 0

  init(learning: [(due: Double, card: CardID)] = [], main: [Entry] = []) {
    self.learning = learning
    (list, end) = (List(main), main.count)
    newLeft = main.count { $0.isNew }
    dueLeft = main.count - newLeft
  }

  /// How many cards of `learning` may be shown: also those that come soon, which are shown when nothing else is left.
  func learningCount(until soon: Double) -> Int { learning.count { $0.due <= soon } }

  /// The next card: one that is being learnt and due, else the next of the list; if nothing else is left, one that is
  /// being learnt and due soon.
  func upcoming(now: Double, until soon: Double) -> CardID? {
    let first = learning.min { $0.due < $1.due }
    if let first, first.due <= now { return first.card }
    if done < end { return list.entries[done].card }
    return first.flatMap { $0.due <= soon ? $0.card : nil }
  }

  /// Removes a card if it is the next of the list or being learnt.
  mutating func drop(_ id: CardID) {
    if current == id { current = nil }
    if done < end, list.entries[done].card == id {
      if list.entries[done].isNew { newLeft -= 1 } else { dueLeft -= 1 }
      done += 1
      return
    }
    if let place = learning.firstIndex(where: { $0.card == id }) { learning.remove(at: place) }
  }

  /// Removes cards that have not come yet.
  mutating func drop(all ids: Set<CardID>) {
    learning.removeAll { ids.contains($0.card) }
    let rest = list.entries[done..<end]
    guard rest.contains(where: { ids.contains($0.card) }) else { return }
    var left = ReviewQueue(learning: learning, main: rest.filter { !ids.contains($0.card) })
    (left.current, left.day) = (current, day)
    self = left
  }

  mutating func append(_ entry: Entry) {
    // Entries after the end were appended by a later queue, which was undone.
    list.entries.removeSubrange(end...)
    list.entries.append(entry)
    end += 1
    if entry.isNew { newLeft += 1 } else { dueLeft += 1 }
  }
}
