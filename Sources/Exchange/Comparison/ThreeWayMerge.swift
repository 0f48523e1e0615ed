// Merges two changed copies of a content: fields one by one, tags as sets, the order by neighbours.
// Invariant: a change of one side is in the result; the same change on both sides is not a conflict; two different
// changes of a field become a conflict with both texts; the result does not depend on which side is ours, except for
// the text that a field in conflict shows.

import Text

public enum MergeSide: String, CaseIterable, Sendable {
  case ours, theirs
}

public struct MergeResult {
  public var content = ComparedContent()
  /// Entries with conflicts that neither side had before, in their order.
  public var conflicts: [(kind: ComparedKind, entry: ComparedEntry)] = []
}

/// A three-way merge of contents.
///
///     let result = ThreeWayMerge(base: base, ours: ours, theirs: theirs).result {}
public struct ThreeWayMerge {
  private let base: ComparedContent
  private let ours: ComparedContent
  private let theirs: ComparedContent
  private let preferred: MergeSide?

  /// - Parameter preferred: the side that wins when both changed the same field; nil keeps both.
  public init(
    base: ComparedContent = ComparedContent(), ours: ComparedContent = ComparedContent(),
    theirs: ComparedContent = ComparedContent(), preferred: MergeSide? = nil
  ) {
    (self.base, self.ours, self.theirs, self.preferred) = (base, ours, theirs, preferred)
  }

  /// - Parameter poll: called for each entry; throws if the merge is to end.
  public func result(poll: () throws -> Void) rethrows -> MergeResult {
    var result = MergeResult(content: ComparedContent(base.records))
    for kind in ComparedKind.allCases { try merge(kind, into: &result, poll) }
    keepTypes(&result.content)
    keepConflicts(&result.content)
    return result
  }

  /// Moves conflicts of other objects to the first note that uses the object, or else to the first note, because
  /// notes can store conflicts in every kind of file.
  private func keepConflicts(_ content: inout ComparedContent) {
    guard let first = content[.note].entries.first?.key else { return }
    var moved: [String: [MergeConflict]] = [:]
    for kind in [ComparedKind.noteType, .deck, .media] {
      let entries = content[kind].entries.filter { !$0.conflicts.isEmpty }
      if entries.isEmpty { continue }
      let owners = ThreeWayMerge.owners(of: Set(entries.map(\.key)), kind, content[.note])
      for entry in entries {
        moved[owners[entry.key] ?? first, default: []] += entry.conflicts.map { $0.of(kind, entry.key) }
        content[kind].update(entry.key) { $0.conflicts = [] }
      }
    }
    for (key, conflicts) in moved { content[.note].update(key) { $0 = adding(conflicts, to: $0) } }
  }

  /// Returns the first note that uses each of some objects, by the object.
  private static func owners(
    of keys: Set<String>, _ kind: ComparedKind, _ notes: ComparedList
  ) -> [String: String] {
    var owners: [String: String] = [:]
    for note in notes.entries where owners.count < keys.count {
      let used =
        switch kind {
        case .noteType: [note[ComparedField.type], note["note_type"]]
        case .deck: [note[ComparedField.deck]]
        // The characters that stand around the names of files, and that no name of a file has.
        default: note.values.flatMap { $0.split { "\"'<>[]()|:=/\n".contains($0) }.map { String($0) } }
        }
      for key in used where keys.contains(key) && owners[key] == nil { owners[key] = note.key }
    }
    return owners
  }

  private func merge(
    _ kind: ComparedKind, into result: inout MergeResult, _ poll: () throws -> Void
  ) rethrows {
    let numbers = EntryNumbers(base[kind], ours[kind], theirs[kind])
    // The side whose entry is in the result as it is; and the entries that are not taken from a side.
    var sides = [MergeSide?](repeating: nil, count: numbers.count)
    var own: [EntryNumber: ComparedEntry] = [:]
    for number in 0..<EntryNumber(numbers.count) {
      try poll()
      sides[number] = numbers.unread(number)
      if sides[number] != nil { continue }
      let entries = numbers.entries(number)
      own[number] = merged(kind, entries[0], entries[1], entries[2])
    }
    func taken(_ number: EntryNumber) -> (list: ComparedList, place: Int)? {
      sides[number].map { numbers.side($0, of: number) }
    }
    var order = EntryOrder(
      numbers: numbers, survives: (0..<EntryNumber(numbers.count)).map { sides[$0] != nil || own[$0] != nil },
      isFree: (0..<EntryNumber(numbers.count)).map { number in
        let conflicts = taken(number).map { $0.list.conflicts(at: $0.place) } ?? own[number]?.conflicts ?? []
        return conflicts.contains(where: \.isRemoval)
      })
    var list = ComparedList(base.records)
    list.reserve(ours[kind])
    for number in order.merged() {
      let (taken, unplaced) = (taken(number), kind.isOrdered && preferred == nil ? order.unplaced[number] : nil)
      if let taken, unplaced == nil {
        list.append(taken.place, of: taken.list)
        continue
      }
      guard var entry = taken.map({ $0.list.entry(at: $0.place) }) ?? own[number] else { continue }
      if let unplaced { entry = adding([unplaced], to: entry) }
      list.append(entry)
      let known = Set(numbers.entries(number).dropFirst().flatMap { $0?.conflicts ?? [] })
      if entry.conflicts.contains(where: { !known.contains($0) }) { result.conflicts.append((kind, entry)) }
    }
    result.content[kind] = list
  }

  /// Keeps a note type that one side removed while a note still uses it.
  private func keepTypes(_ content: inout ComparedContent) {
    let types = content[.noteType]
    if [ours, theirs].allSatisfy({ $0[.noteType].keys.allSatisfy { types.place(of: $0) != nil } }) { return }
    var (used, last): (Set<String>, String) = ([], "")
    for note in content[.note].entries {
      let type = note[ComparedField.type]
      if type != last, !type.isEmpty { used.insert(type) }
      last = type
    }
    for name in used.sorted() where content[.noteType][name] == nil {
      if let type = ours[.noteType][name] ?? theirs[.noteType][name] { content[.noteType].append(type) }
    }
  }

  // MARK: Single entries

  /// Merges one entry; returns nil when it is gone.
  func merged(
    _ kind: ComparedKind, _ base: ComparedEntry?, _ ours: ComparedEntry?, _ theirs: ComparedEntry?
  ) -> ComparedEntry? {
    guard let ours, let theirs else {
      guard let left = ours ?? theirs else { return nil }
      guard let base else { return left }
      if left.isSame(as: base) { return nil }
      if let preferred { return preferred == .ours ? ours : theirs }
      let conflict = MergeConflict(field: "", base: base.text, ours: ours.map(\.text), theirs: theirs.map(\.text))
      return adding([conflict], to: left)
    }
    if let base {
      if ours.isSame(as: base) { return theirs }
      if theirs.isSame(as: base) { return ours }
    }
    if ours.isSame(as: theirs) { return ours }
    let whole = kind == .noteType ? base.map { ThreeWayMerge.removedCards($0, ours, theirs) } : nil
    return both(base, ours, theirs, whole: whole ?? [])
  }

  /// Returns the fields of the cards of a note type that one side removed and the other changed.
  private static func removedCards(
    _ base: ComparedEntry, _ ours: ComparedEntry, _ theirs: ComparedEntry
  ) -> Set<String> {
    var found: Set<String> = []
    for front in base.fields.list where front.hasSuffix(", front") {
      let fields = [front, String(front.dropLast(5)) + "back"]
      let texts = [base, ours, theirs].map { side in fields.map { side[$0] } }
      let isRemoved = texts.map { $0 == ["", ""] }
      if texts[0] != texts[1], texts[0] != texts[2], isRemoved[1] != isRemoved[2] { found.formUnion(fields) }
    }
    return found
  }

  /// - Parameter whole: the fields that are all of one side, even if only some of them are changed on both.
  private func both(
    _ base: ComparedEntry?, _ ours: ComparedEntry, _ theirs: ComparedEntry, whole: Set<String>
  ) -> ComparedEntry {
    let names = ComparedEntry.names([ours, theirs, base])
    var entry = ComparedEntry(key: ours.key, title: ours.title, fields: names)
    var found: [MergeConflict] = []
    entry.values = names.list.map { name in
      let (before, our, their) = (base?[name] ?? "", ours[name], theirs[name])
      if our == their || their == before && !whole.contains(name) { return our }
      if our == before, !whole.contains(name) { return their }
      if let preferred { return preferred == .ours ? our : their }
      found.append(MergeConflict(field: name, base: base.map { _ in before }, ours: our, theirs: their))
      return our
    }
    entry.tags = ThreeWayMerge.set(base?.tags ?? [], ours.tags, theirs.tags)
    entry.conflicts = ThreeWayMerge.set(base?.conflicts ?? [], ours.conflicts, theirs.conflicts)
    return adding(found, to: entry)
  }

  /// Adds conflicts to an entry, except those that it has already, seen from either side.
  private func adding(_ conflicts: [MergeConflict], to entry: ComparedEntry) -> ComparedEntry {
    var entry = entry
    var known = Set(entry.conflicts)
    for conflict in conflicts where !known.contains(conflict) && !known.contains(conflict.swapped) {
      known.insert(conflict)
      entry.conflicts.append(conflict)
    }
    return entry
  }

  /// Merges sets: keeps what either side added, without what either side removed; ours first, in its order.
  static func set<T: Hashable>(_ base: [T], _ ours: [T], _ theirs: [T]) -> [T] {
    if ours == theirs { return ours }
    let (before, our, their) = (Set(base), Set(ours), Set(theirs))
    return ours.filter { their.contains($0) || !before.contains($0) }
      + theirs.filter { !our.contains($0) && !before.contains($0) }
  }
}

extension ComparedEntry {
  /// The whole entry as one text, for a conflict about the entry itself.
  var text: String {
    zip(fields.list, values).filter { !$1.isEmpty }.map { "\($0): \($1)" }.joined(separator: "\n")
      + (tags.isEmpty ? "" : "\ntags: \(tags.sorted().joined(separator: " "))")
  }
}

public enum ComparedField {
  public static let type = "note type"
  public static let deck = "deck"
  public static let suspended = "suspended"
  static let flag = "flag"
  /// The SHA-1 of a media file's content in hexadecimal digits.
  static let digest = "sha1"
  /// The prefix, followed by a card number, of fields of notes whose cards are in different decks.
  static let deckOfCard = "deck of card "
  static let ofNotes = [type, deck, suspended, flag]
  /// The preceding entry, in a conflict of two orders.
  static let place = "place"
  /// The prefix that distinguishes a note's own field from one with a special meaning.
  private static let ownPrefix = "field "

  static func isSpecial(_ name: Substring) -> Bool {
    ofNotes.contains(String(name))
      || ["card ", deckOfCard].contains { name.hasPrefix($0) && Int(name.dropFirst($0.count)) != nil }
  }

  /// Returns the name that an own field of a note has in an entry.
  static func escaped(_ name: String) -> String { mayBeEscaped(name) ? ownPrefix + name : name }

  /// Returns the name of an own field of a note from its name in an entry.
  static func unescaped(_ name: String) -> String {
    name.hasPrefix(ownPrefix) && mayBeEscaped(name) ? String(name.dropFirst(ownPrefix.count)) : name
  }

  private static func mayBeEscaped(_ name: String) -> Bool {
    var rest = name[...]
    while rest.hasPrefix(ownPrefix) { rest = rest.dropFirst(ownPrefix.count) }
    return isSpecial(rest)
  }
}
