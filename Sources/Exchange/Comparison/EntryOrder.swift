// Merges the order of entries that two sides moved, added and removed, by their neighbours.
// Invariant: an entry that one side moved or added follows the same neighbour as on that side; the result does not
// depend on which side is ours.

import Text

/// The number or the place of an entry, in half the memory of an `Int`, because a merge has several for each entry.
typealias EntryNumber = Int32

extension Array {
  subscript(number: EntryNumber) -> Element {
    get { self[Int(number)] }
    set { self[Int(number)] = newValue }
  }
}

/// A number for each entry of three lists: those of the base are numbered by their places.
struct EntryNumbers {
  /// The base, ours and theirs.
  private let lists: [ComparedList]
  /// The place of each number in each list; -1 where it is not.
  private let places: [[EntryNumber]]
  let count: Int
  let base: [EntryNumber]
  let ours: [EntryNumber]
  let theirs: [EntryNumber]

  init(_ base: ComparedList, _ ours: ComparedList, _ theirs: ComparedList) {
    var count = EntryNumber(base.count)
    self.base = Array(0..<count)
    func number(_ list: ComparedList, _ known: (String) -> EntryNumber?) -> [EntryNumber] {
      var next = 0
      return (0..<list.count).map { place in
        let before = base.place(of: place, in: list, next: &next)
        if let number = before.map({ EntryNumber($0) }) ?? known(list.key(at: place)) { return number }
        count += 1
        return count - 1
      }
    }
    let our = number(ours) { _ in nil }
    let their = number(theirs) { key in ours.place(of: key).map { our[$0] } }
    (self.ours, self.theirs, self.count) = (our, their, Int(count))
    lists = [base, ours, theirs]
    places = [self.base, our, their].map { EntryOrder.places($0, Int(count)) }
  }

  private func place(_ number: EntryNumber, in list: Int) -> Int { Int(places[list][number]) }

  func key(_ number: EntryNumber) -> String {
    lists.indices.first { place(number, in: $0) >= 0 }.map { lists[$0].key(at: place(number, in: $0)) } ?? ""
  }

  /// Returns the entries of the base, ours and theirs.
  func entries(_ number: EntryNumber) -> [ComparedEntry?] {
    lists.indices.map { place(number, in: $0) < 0 ? nil : lists[$0].entry(at: place(number, in: $0)) }
  }

  func side(_ side: MergeSide, of number: EntryNumber) -> (list: ComparedList, place: Int) {
    side == .ours ? (lists[1], place(number, in: 1)) : (lists[2], place(number, in: 2))
  }

  /// Returns the side whose entry is merged by taking it as it is; nil if the entries have to be read.
  func unread(_ number: EntryNumber) -> MergeSide? {
    let (base, ours, theirs) = (place(number, in: 0), place(number, in: 1), place(number, in: 2))
    if ours < 0 || theirs < 0 { return base >= 0 ? nil : ours < 0 ? .theirs : .ours }
    if base < 0 { return nil }
    if lists[1].isSame(ours, as: lists[0], base) { return .theirs }
    return lists[2].isSame(theirs, as: lists[0], base) ? .ours : nil
  }
}

struct EntryOrder {
  let numbers: EntryNumbers
  /// Whether each numbered entry is in the result.
  let survives: [Bool]
  /// Whether each numbered entry is ignored in the order of others, because one side removed it.
  let isFree: [Bool]
  /// Conflicts by entry number, for moves of one side that were dropped in favour of a different order of the other.
  private(set) var unplaced: [EntryNumber: MergeConflict] = [:]

  mutating func merged() -> [EntryNumber] {
    let ours = numbers.ours.filter { survives[$0] }
    let theirs = numbers.theirs.filter { survives[$0] }
    if ours == theirs { return ours }
    var sides = [UInt8](repeating: 0, count: numbers.count)
    for number in numbers.base { sides[number] += 1 }
    for number in ours { sides[number] += 1 }
    for number in theirs where !isFree[number] { sides[number] += 1 }
    let core = core(
      numbers.base.filter { sides[$0] == 3 }, ours.filter { sides[$0] == 3 }, theirs.filter { sides[$0] == 3 })
    // Entries that not all sides have follow the entry of the core that precedes them on their side.
    return filled(core, ours, theirs) { _ in nil }
  }

  // MARK: Entries of all three sides

  /// Merges the order of the entries that all three sides have.
  private mutating func core(
    _ base: [EntryNumber], _ ours: [EntryNumber], _ theirs: [EntryNumber]
  ) -> [EntryNumber] {
    if ours == theirs || theirs == base { return ours }
    if ours == base { return theirs }
    let merged = moved(base, ours, theirs)
    // The result must not change when it is merged with either side again. If it does, the moves depend on each other.
    if moved(base, merged, theirs) == merged, moved(base, ours, merged) == merged { return merged }
    let (lead, other) = precedes(ours, theirs) ? (ours, theirs) : (theirs, ours)
    let sides = [base, ours, theirs].map { (list: $0, places: EntryOrder.places($0, numbers.count)) }
    for number in other.outOfOrder(by: { sides[0].places[$0] }) {
      let before = sides.map { side in
        side.places[number] > 0 ? numbers.key(side.list[side.places[number] - 1]) : ""
      }
      unplaced[number] = MergeConflict(
        field: ComparedField.place, base: before[0], ours: before[1], theirs: before[2], isOrder: true)
    }
    return lead
  }

  /// Applies the moves of both sides: each moved entry follows the same entry as on the side that moved it.
  private func moved(_ base: [EntryNumber], _ ours: [EntryNumber], _ theirs: [EntryNumber]) -> [EntryNumber] {
    let rank = EntryOrder.places(base, numbers.count)
    let movedByUs = Set(ours.outOfOrder { rank[$0] })
    let movedByThem = Set(theirs.outOfOrder { rank[$0] })
    let spine = base.filter { !movedByUs.contains($0) && !movedByThem.contains($0) }
    return filled(spine, ours, theirs) { number in
      let (byUs, byThem) = (movedByUs.contains(number), movedByThem.contains(number))
      return byUs == byThem ? nil : byUs ? .ours : .theirs
    }
  }

  // MARK: Other entries

  /// Inserts what each side has between the entries of a spine.
  /// - Parameter decider: the side whose position counts for an entry that both have; nil for the earlier position.
  private func filled(
    _ spine: [EntryNumber], _ ours: [EntryNumber], _ theirs: [EntryNumber], decider: (EntryNumber) -> MergeSide?
  ) -> [EntryNumber] {
    let (ourGaps, theirGaps) = (gaps(ours, in: spine), gaps(theirs, in: spine))
    var (first, second): ([EntryNumber: [EntryNumber]], [EntryNumber: [EntryNumber]]) = ([:], [:])
    func decides(_ side: MergeSide, _ gap: EntryNumber, _ other: EntryNumber, _ number: EntryNumber) -> Bool {
      if gap < 0 { return false }
      if other < 0 { return true }
      return decider(number).map { $0 == side } ?? (gap <= other)
    }
    for number in ours where decides(.ours, ourGaps[number], theirGaps[number], number) {
      first[ourGaps[number], default: []].append(number)
    }
    for number in theirs where decides(.theirs, theirGaps[number], ourGaps[number], number) {
      second[theirGaps[number], default: []].append(number)
    }
    var result: [EntryNumber] = []
    result.reserveCapacity(numbers.count)
    for gap in 0...EntryNumber(spine.count) {
      if gap > 0 { result.append(spine[gap - 1]) }
      if first[gap] != nil || second[gap] != nil { result += joined(first[gap] ?? [], second[gap] ?? []) }
    }
    return result
  }

  /// Returns, for each entry of a side that is not in the spine, the number of spine entries up to its predecessor;
  /// -1 for other entries.
  private func gaps(_ side: [EntryNumber], in spine: [EntryNumber]) -> [EntryNumber] {
    let places = EntryOrder.places(spine, numbers.count)
    var gaps = [EntryNumber](repeating: -1, count: numbers.count)
    var gap: EntryNumber = 0
    for number in side {
      if places[number] >= 0 { gap = places[number] + 1 } else { gaps[number] = gap }
    }
    return gaps
  }

  /// Returns the place of each number in a list; -1 for a number that is not there.
  static func places(_ list: [EntryNumber], _ count: Int) -> [EntryNumber] {
    var places = [EntryNumber](repeating: -1, count: count)
    for (place, number) in list.enumerated() { places[number] = EntryNumber(place) }
    return places
  }

  /// Merges two runs between the same neighbours: they are aligned at their common entries; between these, the run
  /// with the smaller keys comes first.
  private func joined(_ first: [EntryNumber], _ second: [EntryNumber]) -> [EntryNumber] {
    if first.isEmpty || first == second { return second }
    if second.isEmpty { return first }
    let (inFirst, inSecond) = (Set(first), Set(second))
    let common = first.filter(inSecond.contains)
    guard common == second.filter(inFirst.contains) else {
      let (lead, rest) = precedes(first, second) ? (first, second) : (second, first)
      let known = Set(lead)
      return lead + rest.filter { !known.contains($0) }
    }
    var result: [EntryNumber] = []
    var (left, right) = (first[...], second[...])
    for number in common + [-1] {
      let ours = left.prefix { $0 != number }
      let theirs = right.prefix { $0 != number }
      result += precedes(Array(ours), Array(theirs)) ? ours + theirs : theirs + ours
      if number >= 0 { result.append(number) }
      (left, right) = (left.dropFirst(ours.count + 1), right.dropFirst(theirs.count + 1))
    }
    return result
  }

  private func precedes(_ first: [EntryNumber], _ second: [EntryNumber]) -> Bool {
    first.lazy.map(numbers.key).lexicographicallyPrecedes(second.lazy.map(numbers.key))
  }
}
