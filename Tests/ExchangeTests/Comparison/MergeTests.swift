// Merging two changed copies: properties that hold for any changes, tested at random, and each kind of conflict by
// example.

import Testing
import Values

@testable import Exchange

@Suite struct MergeTests {
  @Test func theSameChangeOnBothSidesIsNoConflict() {
    let merged = merge(deck([("a", "one")]), deck([("a", "two")]), deck([("a", "two")]))
    #expect(merged.conflicts.isEmpty)
    #expect(merged.content[.note]["a"]?["answer"] == "two")
  }

  @Test func changesOfTwoFieldsGoTogether() {
    let names = FieldNames(["prompt", "answer"])
    func note(_ texts: [String]) -> ComparedContent { content([ComparedEntry(key: "a", fields: names, values: texts)]) }
    let merged = merge(note(["p", "q"]), note(["P", "q"]), note(["p", "Q"]))
    #expect(merged.conflicts.isEmpty)
    #expect(merged.content[.note]["a"]?.values == ["P", "Q"])
  }

  @Test func twoChangesOfOneFieldAreKeptSideBySide() {
    let merged = merge(deck([("a", "one")]), deck([("a", "two")]), deck([("a", "three")]))
    #expect(
      merged.content[.note]["a"]?.conflicts == [
        MergeConflict(field: "answer", base: "one", ours: "two", theirs: "three")
      ])
    #expect(merged.content[.note]["a"]?["answer"] == "two")
  }

  @Test func `many tags, and many conflicts of one note, are compared and merged in linear time`() {
    let fields = FieldNames(["prompt"])
    func note(_ mark: String) -> ComparedContent {
      var entry = ComparedEntry(key: "a", fields: fields, values: ["p"], tags: (0..<100_000).map { "\(mark)\($0)" })
      entry.conflicts = (0..<50_000).map { MergeConflict(field: "f\($0)", base: nil, ours: mark, theirs: "x") }
      return content([entry])
    }
    let change = ContentDifference(note("old"), note("new")).changes.first
    #expect(change?.addedTags.count == 100_000 && change?.removedTags.count == 100_000)
    let merged = merge(deck([]), note("ours"), note("theirs"))
    #expect(merged.content[.note]["a"]?.tags.count == 200_000)
    #expect(merged.content[.note]["a"]?.conflicts.count == 100_000)
  }

  @Test func `entries are returned as they were appended, and found by any form of their keys`() {
    let texts = ["", "e\u{301}", "\u{0}", String(repeating: "x", count: 254), String(repeating: "é", count: 70_000)]
    var entries = texts.enumerated().map { number, text in
      ComparedEntry(
        key: text, title: "of \(number)", fields: FieldNames((0..<number).map { "f\($0)" }),
        values: Array(texts.prefix(number)), tags: Array(texts.suffix(number)))
    }
    entries[3].conflicts = [MergeConflict(field: "f", base: nil, ours: "o", theirs: "t")]
    var (list, copy) = (ComparedList(entries), ComparedList())
    for place in texts.indices { copy.append(place, of: list) }
    for each in [list, copy] {
      #expect(zip(each.entries, entries).allSatisfy { $0.isSame(as: $1) && $0.shownTitle == $1.shownTitle })
      #expect(each.keys.elementsEqual(texts) && each.allConflicts == entries[3].conflicts)
    }
    #expect(list["\u{e9}"]?.title == "of 1" && list["e"] == nil)
    #expect((2...300).allSatisfy { list.append(entries[1]) == "e\u{301}#\($0)" })
    copy.update("") { $0.set("new", to: "value") }
    copy.update(texts[3]) { $0.conflicts = [] }
    #expect(copy[""]?["new"] == "value" && copy.allConflicts.isEmpty)
    #expect(texts.indices.filter { !copy.isSame($0, as: list, $0) } == [0, 3])
  }

  @Test func `lists that share records have an equal entry once, and keep apart what differs`() {
    let (records, names) = (PackedRecords(), FieldNames(["f"]))
    let starts = [2_000_000, 2_000_000, 3, 0].map { records.append([UInt8](repeating: 7, count: $0)) }
    #expect(starts.map { records[$0].rest.count } == [2_000_000, 2_000_000, 3, 0])
    func list(
      _ text: String, in records: PackedRecords, keeping kept: [UInt8] = [], likely: ComparedList? = nil
    ) -> ComparedList {
      var list = ComparedList(records)
      list.append(ComparedEntry(key: "a", fields: names, values: [text]), keeping: kept, likely: likely)
      return list
    }
    let base = list("one", in: records)
    var changed = list("one", in: records, likely: base)
    let others = [
      list("two", in: records, likely: base), list("one", in: records, keeping: [1], likely: base),
      list("one", in: PackedRecords(), likely: base),
    ]
    changed.update("a") { $0.set("f", to: "three") }
    #expect(([base, changed] + others).map { $0["a"]?["f"] } == ["one", "three", "two", "one", "one"])
    #expect(others.map { Array($0.kept(at: 0)) } == [[], [1], []] && base.kept(at: 0).isEmpty)
    #expect(others.map { $0.isSame(0, as: base, 0) } == [false, true, true])
  }

  @Test func `a comparison and a merge end when they are polled`() {
    struct Stop: Error {}
    let (old, new) = (deck([("a", "one")]), deck([("a", "two")]))
    #expect(throws: Stop.self) { try ContentDifference(old, new) { throw Stop() } }
    #expect(throws: Stop.self) { try ThreeWayMerge(base: old, ours: new, theirs: old).result { throw Stop() } }
  }

  @Test(arguments: [(MergeSide.ours, "two"), (.theirs, "three")])
  func aPreferredSideDecides(_ side: MergeSide, _ text: String) {
    let merged = ThreeWayMerge(
      base: deck([("a", "one")]), ours: deck([("a", "two")]), theirs: deck([("a", "three")]), preferred: side
    ).result {}
    #expect(merged.conflicts.isEmpty)
    #expect(merged.content[.note]["a"]?["answer"] == text)
  }

  @Test func aChangeAndARemovalAreAConflictThatKeepsTheChange() {
    let merged = merge(deck([("a", "one"), ("b", "x")]), deck([("b", "x")]), deck([("a", "two"), ("b", "x")]))
    #expect(merged.content[.note]["a"]?["answer"] == "two")
    #expect(merged.conflicts.map(\.entry.key) == ["a"])
    #expect(merged.content[.note]["a"]?.conflicts.first?.isRemoval == true)
    #expect(merged.content[.note]["a"]?.conflicts.first?.ours == nil)
  }

  @Test func aRemovalOfWhatNobodyChangedHolds() {
    let merged = merge(deck([("a", "one"), ("b", "x")]), deck([("b", "x")]), deck([("a", "one"), ("b", "y")]))
    #expect(merged.conflicts.isEmpty)
    #expect(merged.content[.note].entries.map(\.key) == ["b"])
    #expect(merged.content[.note]["b"]?["answer"] == "y")
  }

  @Test func twoTypesOfOneNameAreAConflict() {
    func type(_ css: String) -> ComparedContent { content([], types: [entry("Verb", "css", css)]) }
    let merged = merge(ComparedContent(), type("a {}"), type("b {}"))
    #expect(
      merged.content[.noteType]["Verb"]?.conflicts == [
        MergeConflict(field: "css", base: nil, ours: "a {}", theirs: "b {}")
      ])
  }

  @Test func aCardThatOneSideChangedAndTheOtherRemovedIsInConflictAsAWhole() {
    func type(_ names: [String], _ texts: [String]) -> ComparedContent {
      content([], types: [ComparedEntry(key: "Verb", fields: FieldNames(names), values: texts)])
    }
    let names = ["css", "One, front", "One, back"]
    let (base, changed, removed) = (type(names, ["a", "f", "b"]), type(names, ["a", "F", "b"]), type(["css"], ["a"]))
    let merged = merge(base, changed, removed).content[.noteType]["Verb"]
    #expect(merged?.values == ["a", "F", "b"])
    #expect(merged?.conflicts.map(\.field) == ["One, front", "One, back"] && merged?.conflicts.last?.theirs == "")
    for (side, texts) in [(MergeSide.ours, ["a", "F", "b"]), (.theirs, ["a", "", ""])] {
      let decided = ThreeWayMerge(base: base, ours: changed, theirs: removed, preferred: side).result {}
      #expect(decided.conflicts.isEmpty && decided.content[.noteType]["Verb"]?.values == texts)
    }
  }

  @Test func aConflictOfATypeIsKeptWithANoteOfIt() {
    func sides(_ css: String) -> ComparedContent {
      content([entry("n", ComparedField.type, "Verb")], types: [entry("Verb", "css", css)])
    }
    let merged = merge(sides("a"), sides("b"), sides("c"))
    let conflict = merged.content[.note]["n"]?.conflicts.first
    #expect(conflict?.field == "css" && conflict?.ours == "b" && conflict?.theirs == "c")
    #expect(conflict?.owner?.kind == .noteType && conflict?.owner?.key == "Verb")
    #expect(conflict?.shownField == "note_type Verb/css")
    #expect(merge(sides("a"), merged.content, sides("c")).content[.note]["n"]?.conflicts.count == 1)
  }

  @Test(arguments: ["css", "Verb/One, front", "a/b/", "note_type Verb/css"])
  func aConflictOfATypeIsSettledWhateverItsFieldIsCalled(_ field: String) throws {
    func sides(_ text: String) -> ComparedContent {
      content([entry("n", ComparedField.type, "Ver/b")], types: [entry("Ver/b", field, text)])
    }
    var settled = merge(sides("a"), sides("b"), sides("c")).content
    let note = try #require(settled[.note]["n"])
    let conflict = try #require(note.conflicts.first)
    #expect(note.conflicts.count == 1 && conflict.shownField == "note_type Ver/b/\(field)")
    settled.settle(conflict, of: try #require(conflict.owner), by: .theirs)
    #expect(settled[.noteType]["Ver/b"]?[field] == "c")
    #expect(note.settling(conflict, by: .theirs)?.values == note.values)
  }

  @Test(arguments: SettledSide.allCases)
  func optionsThatOneSideRemovedAreSettledAsAWhole(_ side: SettledSide) throws {
    func sides(_ options: String?) -> ComparedContent {
      content([ComparedEntry(key: "n")], decks: options.map { [entry("", "new_per_day", $0)] } ?? [])
    }
    var settled = merge(sides("7"), sides("8"), sides(nil)).content
    let conflict = try #require(settled[.note]["n"]?.conflicts.first)
    #expect(conflict.shownField == "deck " && !conflict.isRemoval)
    settled.settle(conflict, of: try #require(conflict.owner), by: side)
    #expect(settled[.deck][""]?["new_per_day"] == (side == .theirs ? nil : "8"))
  }

  @Test(arguments: ["note_type Verb/css", "deck /preset", "media a/b", "place"])
  func aNotesOwnFieldIsNotTakenForAThing(_ field: String) throws {
    func note(_ text: String) -> ComparedContent { content([entry("a", field, text)]) }
    let merged = try #require(merge(note("x"), note("y"), note("z")).content[.note]["a"])
    let conflict = try #require(merged.conflicts.first)
    #expect(conflict.owner == nil && merged.settling(conflict, by: .theirs)?[field] == "z")
  }

  /// Three notes that one side reversed and the other rotated, so that no order is right.
  @Test func twoOrdersLeaveANotesOwnFieldCalledPlaceAlone() throws {
    func sides(_ keys: [String], _ text: String) -> ComparedContent {
      content(keys.map { entry($0, "place", "\($0) \(text)") })
    }
    let (base, theirs) = (sides(["a", "b", "c"], "x"), sides(["b", "c", "a"], "z"))
    let merged = merge(base, sides(["c", "b", "a"], "y"), theirs)
    let marked = merged.content[.note].entries.filter { $0.conflicts.contains { $0.isOrder } }
    let note = try #require(marked.first)
    let (orders, owns) = (note.conflicts.filter(\.isOrder), note.conflicts.filter { !$0.isOrder })
    let (order, own) = (try #require(orders.first), try #require(owns.first))
    #expect(order.field == own.field && note.conflicts.count == 2)
    #expect(note.settling(order, by: .theirs)?["place"] == "\(note.key) y")
    let settled = try #require(note.settling(own, by: .theirs))
    #expect(settled["place"] == "\(note.key) z" && settled.conflicts == [order])
    // Merging with the sides exchanged gives the same kinds of conflicts.
    let other = merge(base, theirs, sides(["c", "b", "a"], "y")).content[.note][note.key]?.conflicts ?? []
    #expect(other.count == 2 && other.filter(\.isOrder).count == 1)
  }

  @Test func aTypeThatOneSideRemovedStaysForANoteThatTheOtherAdded() {
    func sides(_ hasType: Bool, _ notes: [String]) -> ComparedContent {
      content(notes.map { entry($0, ComparedField.type, "Verb") }, types: hasType ? [entry("Verb", "css", "a")] : [])
    }
    #expect(merge(sides(true, []), sides(false, []), sides(true, ["n"])).content[.noteType]["Verb"] != nil)
  }

  @Test func tagsAreSets() {
    func note(_ tags: [String]) -> ComparedContent { content([ComparedEntry(key: "a", tags: tags)]) }
    let merged = merge(note(["x", "y"]), note(["y", "x", "z"]), note(["y", "w"]))
    #expect(Set(merged.content[.note]["a"]?.tags ?? []) == ["y", "z", "w"])
    #expect(merged.conflicts.isEmpty)
  }

  @Test(
    arguments: [
      ("abcd", "axbcd", "abcyd", "axbcyd"),
      ("abcd", "dabc", "abxcd", "dabxc"),
      ("abcd", "acd", "abxcd", "axcd"),
      ("ab", "abx", "aby", "abxy"),
      ("ab", "abxz", "abyz", "abxyz"),
      ("", "ab", "cb", "acb"),
      ("abc", "cba", "abc", "cba"),
    ])
  func orderGoesByNeighbours(_ base: String, _ ours: String, _ theirs: String, _ expected: String) {
    func keys(_ text: String) -> ComparedContent { content(text.map { ComparedEntry(key: String($0)) }) }
    #expect(merge(keys(base), keys(ours), keys(theirs)).content[.note].entries.map(\.key).joined() == expected)
  }

  /// Random pairs of edits: 20,000 in all, each checked for everything that a merge guarantees.
  @Test(arguments: 0..<20)
  func whatHoldsForAnyPairOfEdits(_ seed: UInt64) {
    var chance = SeededNumbers(seed: seed)
    for round in 0..<1_000 {
      let base = RandomDeck(&chance)
      let (ours, theirs) = (base.edited(&chance, "o").content, base.edited(&chance, "t").content)
      if let fault = fault(of: base.content, ours, theirs) {
        Issue.record("seed \(seed), round \(round): \(fault)")
        return
      }
    }
  }

  private func fault(of base: ComparedContent, _ ours: ComparedContent, _ theirs: ComparedContent) -> String? {
    let merged = merge(base, ours, theirs).content
    let mirrored = merge(base, theirs, ours).content
    if !isSame(merged, swapped(mirrored)) { return "the sides are not treated alike" }
    if !isSame(merge(base, merged, theirs).content, merged) { return "merging theirs again changes something" }
    if !isSame(merge(base, merged, ours).content, merged) { return "merging ours again changes something" }
    if !isSame(merge(base, ours, base).content, ours) { return "merging with the base is not ours" }
    if !isSame(merge(base, base, theirs).content, theirs) { return "merging with the base is not theirs" }
    return lost(base, ours, merged) ?? lost(base, theirs, merged)
  }

  /// Returns an edit of a side that is neither in the result nor in a conflict.
  private func lost(_ base: ComparedContent, _ side: ComparedContent, _ merged: ComparedContent) -> String? {
    for change in ContentDifference(base, side).changes {
      let (before, now) = (base[.note][change.key], merged[.note][change.key])
      switch change.event {
      case .removed:
        if let now, !now.conflicts.contains(where: \.isRemoval) { return "\(change.key) was removed and is there" }
        continue
      // A note that was only moved, and removed on the other side, is removed.
      case .moved where now == nil: continue
      case .added, .changed, .moved: break
      }
      guard let now else { return "\(change.key) was changed and is gone" }
      for field in change.fields where now[field.name] != field.new {
        let kept = now.conflicts.contains { conflict in
          conflict.field == field.name && (conflict.ours == field.new || conflict.theirs == field.new)
        }
        if !kept { return "\(change.key): the edit of \(field.name) is lost" }
      }
      if !change.addedTags.allSatisfy({ now.tags.contains($0) }) { return "\(change.key): a tag is lost" }
      let again = change.removedTags.filter { now.tags.contains($0) && (before?.tags.contains($0) ?? false) }
      if !again.isEmpty { return "\(change.key): a tag is back" }
    }
    return nil
  }

  private func isSame(_ first: ComparedContent, _ second: ComparedContent) -> Bool {
    ContentDifference(first, second).changes.isEmpty
  }

  /// Returns what the result would be with the names of the sides exchanged.
  private func swapped(_ content: ComparedContent) -> ComparedContent {
    var result = ComparedContent()
    for entry in content[.note].entries {
      var other = entry
      for conflict in entry.conflicts {
        if let place = entry.fields.list.firstIndex(of: conflict.field) { other.values[place] = conflict.theirs ?? "" }
      }
      other.conflicts = entry.conflicts.map {
        MergeConflict(field: $0.field, base: $0.base, ours: $0.theirs, theirs: $0.ours, isOrder: $0.isOrder)
      }
      result[.note].append(other)
    }
    return result
  }

  private func merge(_ base: ComparedContent, _ ours: ComparedContent, _ theirs: ComparedContent) -> MergeResult {
    ThreeWayMerge(base: base, ours: ours, theirs: theirs).result {}
  }

  private func content(
    _ notes: [ComparedEntry], types: [ComparedEntry] = [], decks: [ComparedEntry] = []
  ) -> ComparedContent {
    var content = ComparedContent()
    (content[.note], content[.noteType], content[.deck]) = (
      ComparedList(notes), ComparedList(types), ComparedList(decks)
    )
    return content
  }

  private func entry(_ key: String, _ field: String, _ text: String) -> ComparedEntry {
    ComparedEntry(key: key, fields: FieldNames([field]), values: [text])
  }

  private func deck(_ notes: [(key: String, answer: String)]) -> ComparedContent {
    content(notes.map { entry($0.key, "answer", $0.answer) })
  }
}

/// A few random notes, and random edits to them.
private struct RandomDeck {
  private var entries: [ComparedEntry] = []
  private static let names = FieldNames(["prompt", "answer", "hint"])
  private static let tags = ["animal", "verb", "noun"]

  init(_ chance: inout SeededNumbers) {
    for number in 0..<Int.random(in: 0...7, using: &chance) {
      entries.append(RandomDeck.entry("n\(number)", &chance))
    }
  }

  private static func entry(_ key: String, _ chance: inout SeededNumbers) -> ComparedEntry {
    ComparedEntry(
      key: key, fields: names, values: (0..<3).map { _ in ["", "a", "b", "c"].randomElement(using: &chance) ?? "" },
      tags: tags.filter { _ in Bool.random(using: &chance) })
  }

  func edited(_ chance: inout SeededNumbers, _ side: String) -> RandomDeck {
    var deck = self
    for number in 0..<Int.random(in: 0...5, using: &chance) {
      let place = Int.random(in: 0...deck.entries.count, using: &chance)
      let count = deck.entries.count
      switch Int.random(in: 0..<7, using: &chance) {
      case 0: deck.entries.insert(RandomDeck.entry("\(side)\(number)", &chance), at: place)
      // Both sides may add the same note.
      case 1 where !deck.entries.contains { $0.key == "new" }:
        deck.entries.insert(RandomDeck.entry("new", &chance), at: place)
      case 2 where count > 0: deck.entries.remove(at: place % count)
      case 3 where count > 0:
        let moved = deck.entries.remove(at: place % count)
        deck.entries.insert(moved, at: Int.random(in: 0..<count, using: &chance))
      case 4 where count > 0:
        deck.entries[place % count].tags = RandomDeck.tags.filter { _ in Bool.random(using: &chance) }
      case _ where count > 0:
        deck.entries[place % count].values[Int.random(in: 0..<3, using: &chance)] =
          ["", "x", "y", "\(side)"].randomElement(using: &chance) ?? ""
      default: continue
      }
    }
    return deck
  }

  var content: ComparedContent {
    var content = ComparedContent()
    for entry in entries { content[.note].append(entry) }
    return content
  }
}
