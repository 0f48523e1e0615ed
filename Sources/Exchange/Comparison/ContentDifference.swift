// Computes the differences between two contents.
// Invariant: changes are in the order of the second content, each followed by the removals after it; two equal
// contents have no changes.

import Text
public import Values

public struct ComparedChange: Sendable {
  public enum Event: String, Sendable {
    case added, removed, changed, moved
  }

  public struct Field: Equatable, Sendable {
    public let name: String
    public let old: String
    public let new: String
  }

  public let kind: ComparedKind
  public let event: Event
  public let key: String
  public let title: String
  /// The fields that differ; all fields of an object that was added or removed.
  public var fields: [Field] = []
  public var addedTags: [String] = []
  public var removedTags: [String] = []
  /// The title of the preceding entry if the object was moved, empty at the beginning; otherwise nil.
  public var predecessor: String?
}

public struct MergeCounts: Equatable, Sendable {
  public var added = 0
  public var changed = 0
  public var removed = 0
  public var moved = 0
  /// The number of other objects that were added, changed or removed, by kind.
  public var others: [ComparedKind: Int] = [:]
  /// The guids of notes that are in other decks, and stay there unchanged.
  public var elsewhere: [String] = []
  /// The guids of notes that theirs removed and that stay, because cards of them were studied.
  public var kept: [String] = []

  public init() {}

  public var total: Int { added + changed + removed }
}

/// The changes from one content to another.
///
///     ContentDifference(old, new).changes.isEmpty   // whether they are the same
public struct ContentDifference: Sendable {
  public private(set) var changes: [ComparedChange] = []

  public init(_ old: ComparedContent, _ new: ComparedContent) { self.init(old, new) {} }

  /// - Parameter poll: called for each entry; throws if the comparison is to end.
  public init(_ old: ComparedContent, _ new: ComparedContent, poll: () throws -> Void) rethrows {
    for kind in ComparedKind.allCases { try compare(kind, old[kind], new[kind], poll) }
  }

  public var counts: MergeCounts {
    var counts = MergeCounts()
    for change in changes {
      switch (change.kind, change.event) {
      case (.note, .moved): counts.moved += 1
      case (_, .moved): continue
      case (.note, .added): counts.added += 1
      case (.note, .removed): counts.removed += 1
      case (.note, .changed): counts.changed += 1
      default: counts.others[change.kind, default: 0] += 1
      }
    }
    return counts
  }

  private mutating func compare(
    _ kind: ComparedKind, _ old: ComparedList, _ new: ComparedList, _ poll: () throws -> Void
  ) rethrows {
    // The old place of each new entry; of one that was added, the place after the last.
    var next = 0
    let before = (0..<new.count).map { EntryNumber(old.place(of: $0, in: new, next: &next) ?? old.count) }
    let moved = kind.isOrdered ? Set(before.filter { $0 < old.count }.outOfOrder(by: \.self)) : []
    // The places of the removed entries by the place of the preceding entry that still exists; -1 at the beginning.
    var (removed, last) = ([Int: [Int]](), -1)
    let after = EntryOrder.places(before, old.count + 1)
    for place in 0..<old.count {
      if after[place] >= 0 { last = Int(after[place]) } else { removed[last, default: []].append(place) }
    }
    func addRemoved(after place: Int) {
      for gone in removed[place] ?? [] { changes.append(ComparedChange(kind, .removed, old.entry(at: gone), nil)) }
    }
    addRemoved(after: -1)
    for place in 0..<new.count {
      try poll()
      let known = Int(before[place])
      if known < old.count {
        let (isMoved, isChanged) = (moved.contains(before[place]), !new.isSame(place, as: old, known))
        if isMoved || isChanged {
          var change = ComparedChange(
            kind, isChanged ? .changed : .moved, old.entry(at: known), new.entry(at: place))
          if isMoved { change.predecessor = place > 0 ? new.entry(at: place - 1).shownTitle : "" }
          changes.append(change)
        }
      } else {
        changes.append(ComparedChange(kind, .added, nil, new.entry(at: place)))
      }
      addRemoved(after: place)
    }
  }
}

extension ComparedChange {
  /// A note with other fields; nil if they are the same.
  public init?(ofNote key: String, fields names: [String], from old: [String], to new: [String]) {
    (kind, event, self.key, title) = (.note, .changed, key, old.first ?? "")
    fields = zip(names, zip(old, new)).map { Field(name: $0, old: $1.0, new: $1.1) }.filter { $0.old != $0.new }
    if fields.isEmpty { return nil }
  }

  /// Compares one entry; returns nil when both are the same.
  public init?(of kind: ComparedKind, from old: ComparedEntry?, to new: ComparedEntry?) {
    switch (old, new) {
    case (nil, nil): return nil
    case (let old?, let new?) where old.isSame(as: new): return nil
    case (nil, _): self.init(kind, .added, nil, new)
    case (_, nil): self.init(kind, .removed, old, nil)
    default: self.init(kind, .changed, old, new)
    }
  }

  fileprivate init(_ kind: ComparedKind, _ event: Event, _ old: ComparedEntry?, _ new: ComparedEntry?) {
    (self.kind, self.event) = (kind, event)
    (key, title) = ((new ?? old)?.key ?? "", (new ?? old)?.shownTitle ?? "")
    fields = ComparedEntry.names([new, old]).list.compactMap { name in
      let (before, after) = (old?[name] ?? "", new?[name] ?? "")
      return before == after ? nil : Field(name: name, old: before, new: after)
    }
    if let conflicts = new?.conflicts, !conflicts.isEmpty, conflicts != old?.conflicts {
      fields.append(Field(name: MergeConflict.name, old: "", new: MergeConflict.json(conflicts)))
    }
    let (before, after) = (old?.tags ?? [], new?.tags ?? [])
    let (had, has) = (Set(before), Set(after))
    addedTags = after.filter { !had.contains($0) }
    removedTags = before.filter { !has.contains($0) }
  }

  public var value: Value {
    let fields = self.fields.map { Value.record(["name": $0.name, "old": $0.old, "new": $0.new]) }
    var record: Value.Record = [
      "kind": .text(kind.rawValue), "event": .text(event.rawValue), "key": .text(key), "title": .text(title),
      "fields": .list(fields), "added_tags": .list(addedTags.map { .text($0) }),
      "removed_tags": .list(removedTags.map { .text($0) }),
    ]
    if let predecessor { record["behind"] = .text(predecessor) }
    return .record(record)
  }
}
