// Two changed copies of one thing as one: by field, tags as sets, order by neighbours.
// Invariant: a change of one side is in the result; the same change on both sides is no conflict; two different changes
// of one field are side by side in a conflict, and the result does not depend on which side is called ours but for
// the text that a field with a conflict shows.

import Text

/// A side of a merge.
public enum MergeSide: String, CaseIterable, Sendable {
  case ours, theirs
}

/// What a merge came to.
public struct MergeResult: Sendable {
  public var content = ComparedContent()
  /// Entries that have conflicts now which neither side had before, in their order.
  public var conflicts: [(kind: ComparedKind, entry: ComparedEntry)] = []
}

/// A merge of three contents.
///
///     let result = ThreeWayMerge(base: base, ours: ours, theirs: theirs).result()
public struct ThreeWayMerge {
  private let base: ComparedContent
  private let ours: ComparedContent
  private let theirs: ComparedContent
  private let preferred: MergeSide?

  /// - Parameter preferred: the side whose change is taken where both changed one thing; nil keeps both.
  public init(
    base: ComparedContent, ours: ComparedContent, theirs: ComparedContent, preferred: MergeSide? = nil
  ) {
    (self.base, self.ours, self.theirs, self.preferred) = (base, ours, theirs, preferred)
  }

  public func result() -> MergeResult {
    var result = MergeResult()
    for kind in ComparedKind.allCases { merge(kind, into: &result) }
    keepTypes(&result.content)
    keepConflicts(&result.content)
    return result
  }

  /// Conflicts of what is no note are kept with the first note that it belongs to, which has a place for them in every
  /// kind of file.
  private func keepConflicts(_ content: inout ComparedContent) {
    for kind in [ComparedKind.noteType, .deck, .media] {
      for entry in content[kind].entries where !entry.conflicts.isEmpty {
        let notes = content[.note].entries
        let owner = notes.first { ThreeWayMerge.isOf($0, kind, entry.key) } ?? notes.first
        guard let owner else { continue }
        content.update(owner.key, .note) { note in
          note = adding(entry.conflicts.map { $0.of(kind, entry.key) }, to: note)
        }
        content.update(entry.key, kind) { $0.conflicts = [] }
      }
    }
  }

  private static func isOf(_ note: ComparedEntry, _ kind: ComparedKind, _ key: String) -> Bool {
    switch kind {
    case .noteType: note[ComparedField.type] == key || note["note_type"] == key
    case .deck: note[ComparedField.deck] == key
    default: note.values.contains { $0.contains(text: key) }
    }
  }

  private func merge(_ kind: ComparedKind, into result: inout MergeResult) {
    let (before, our, their) = (base[kind], ours[kind], theirs[kind])
    let numbers = EntryNumbers(before, our, their)
    let sides = [(before, numbers.base), (our, numbers.ours), (their, numbers.theirs)].map { list, side in
      var entries = [ComparedEntry?](repeating: nil, count: numbers.keys.count)
      for (entry, number) in zip(list.entries, side) { entries[number] = entry }
      return entries
    }
    let merged = numbers.keys.indices.map { self.merged(sides[0][$0], sides[1][$0], sides[2][$0]) }
    var order = EntryOrder(
      numbers, survives: merged.map { $0 != nil },
      isFree: merged.map { $0?.conflicts.contains(where: \.isRemoval) ?? false })
    var list = ComparedList()
    list.reserve(numbers.keys.count)
    for number in order.merged() {
      guard var entry = merged[number] else { continue }
      if kind.isOrdered, preferred == nil, let conflict = order.unplaced[number] {
        entry = adding([conflict], to: entry)
      }
      list.append(entry)
      if entry.conflicts.isEmpty { continue }
      let known = (our[entry.key]?.conflicts ?? []) + (their[entry.key]?.conflicts ?? [])
      if entry.conflicts.contains(where: { !known.contains($0) }) { result.conflicts.append((kind, entry)) }
    }
    result.content[kind] = list
  }

  /// A type that one side removed stays while a note of the other side is of it.
  private func keepTypes(_ content: inout ComparedContent) {
    var (used, last): (Set<String>, String) = ([], "")
    for note in content[.note].entries {
      let type = note[ComparedField.type]
      if type != last, !type.isEmpty { used.insert(type) }
      last = type
    }
    for name in used.sorted() where content[.noteType][name] == nil {
      if let type = ours[.noteType][name] ?? theirs[.noteType][name] { content.append(type, .noteType) }
    }
  }

  // MARK: One entry

  /// Nil where it is gone.
  private func merged(_ base: ComparedEntry?, _ ours: ComparedEntry?, _ theirs: ComparedEntry?) -> ComparedEntry? {
    guard let ours, let theirs else {
      guard let left = ours ?? theirs else { return nil }
      guard let base else { return left }
      if left.isSame(as: base) { return nil }
      if let preferred { return preferred == .ours ? ours : theirs }
      let conflict = MergeConflict(
        field: "", base: base.text, ours: ours.map(\.text), theirs: theirs.map(\.text))
      return adding([conflict], to: left)
    }
    if let base {
      if ours.isSame(as: base) { return theirs }
      if theirs.isSame(as: base) { return ours }
    }
    if ours.isSame(as: theirs) { return ours }
    return both(base, ours, theirs)
  }

  private func both(_ base: ComparedEntry?, _ ours: ComparedEntry, _ theirs: ComparedEntry) -> ComparedEntry {
    let names = ComparedEntry.names([ours, theirs, base])
    var entry = ComparedEntry(key: ours.key, title: ours.title, fields: names)
    var found: [MergeConflict] = []
    entry.values = names.list.map { name in
      let (before, our, their) = (base?[name] ?? "", ours[name], theirs[name])
      if our == their || their == before { return our }
      if our == before { return their }
      if let preferred { return preferred == .ours ? our : their }
      found.append(MergeConflict(field: name, base: base.map { _ in before }, ours: our, theirs: their))
      return our
    }
    entry.tags = ThreeWayMerge.set(base?.tags ?? [], ours.tags, theirs.tags)
    entry.conflicts = ThreeWayMerge.set(base?.conflicts ?? [], ours.conflicts, theirs.conflicts)
    return adding(found, to: entry)
  }

  /// A conflict that is there already, from whichever side it was seen, is not added again.
  private func adding(_ conflicts: [MergeConflict], to entry: ComparedEntry) -> ComparedEntry {
    var entry = entry
    for conflict in conflicts where !entry.conflicts.contains(where: { $0 == conflict || $0 == conflict.swapped }) {
      entry.conflicts.append(conflict)
    }
    return entry
  }

  /// What either side added, without what either side took away: ours in its order, then theirs.
  static func set<T: Hashable>(_ base: [T], _ ours: [T], _ theirs: [T]) -> [T] {
    if ours == theirs { return ours }
    let (before, our, their) = (Set(base), Set(ours), Set(theirs))
    return ours.filter { their.contains($0) || !before.contains($0) }
      + theirs.filter { !our.contains($0) && !before.contains($0) }
  }
}

extension ComparedEntry {
  /// All of it as one text, for a conflict about the whole.
  var text: String {
    zip(fields.list, values).filter { !$1.isEmpty }.map { "\($0): \($1)" }.joined(separator: "\n")
      + (tags.isEmpty ? "" : "\ntags: \(tags.sorted().joined(separator: " "))")
  }
}

/// Names of fields that have a meaning beside those of the notes' own fields.
public enum ComparedField {
  /// The name of the note's type.
  public static let type = "note type"
  /// The deck of the note's cards.
  public static let deck = "deck"
  public static let suspended = "suspended"
  static let flag = "flag"
  /// The SHA-1 of a media file's content, in hexadecimal digits.
  static let digest = "sha1"
  /// Of a note whose cards are not all in one deck, with the number of a card behind it.
  static let deckOfCard = "deck of card "
  /// What every note has beside its own fields.
  static let ofNotes = [type, deck, suspended, flag]
  /// What a thing comes behind, in a conflict of two orders.
  static let place = "place"
}
