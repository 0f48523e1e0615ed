// Matches each row of a source with its card after the text of the source was edited since the last build.
// Invariant: a row with an id always matches the card of that id; no two other rows match the same card; the same
// rows after the same build give the same result.

import Decks
import Files
import Storage
import Templates
import Text

struct RowIdentity {
  /// The limit on the number of pairs compared between two matched rows.
  private static let mostPairs = 40_000

  private let new: [BuiltRow]
  private let old: [BuiltRow]
  private var found: [Int?]
  private var isTaken: [Bool]

  /// Finds the old row of each new row.
  ///
  /// Rows are matched by id first, then by equality of the whole row, then by the same front, each in the order of
  /// the source. Then a row matches the one whose note in the deck was edited to exactly its fields. A remaining row
  /// between two matched rows is matched if it was edited only a little.
  /// - Parameter db: the collection with the notes; nil if none was edited.
  /// - Returns: for each new row the index of its old row; nil for a new row.
  static func match(_ new: [BuiltRow], _ old: [BuiltRow], in db: Database? = nil) throws -> [Int?] {
    var matching = RowIdentity(
      new: new, old: old, found: Array(repeating: nil, count: new.count),
      isTaken: Array(repeating: false, count: old.count))
    matching.match { $0.givenID.isEmpty ? nil : AnyHashable($0.givenID) }
    matching.match(givingIDs: true) { AnyHashable($0.whole) }
    matching.match(givingIDs: true) { AnyHashable($0.front) }
    if let db { try matching.matchEdited(db) }
    matching.matchBetween()
    return matching.found
  }

  /// Matches rows with the same key, in their order.
  /// - Parameter givingIDs: whether the old row must be one without an id; the new row may have one.
  private mutating func match(givingIDs: Bool = false, _ key: (BuiltRow) -> AnyHashable?) {
    var places: [AnyHashable: [Int]] = [:]
    for (index, row) in old.enumerated().reversed() where !isTaken[index] && !(givingIDs && row.hasGivenID) {
      if let key = key(row) { places[key, default: []].append(index) }
    }
    for (index, row) in new.enumerated() where found[index] == nil {
      guard let key = key(row), let place = places[key]?.popLast() else { continue }
      take(place, for: index)
    }
  }

  /// Matches rows that have the text to which a card was edited in the deck.
  private mutating func matchEdited(_ db: Database) throws {
    let open = new.indices.filter { found[$0] == nil && !new[$0].hasGivenID }
    if open.isEmpty { return }
    var places: [[String]: [Int]] = [:]
    for index in old.indices.reversed() where !isTaken[index] && !old[index].hasGivenID {
      guard let current = try BuildContent.of(db, old[index].note), current.content != old[index].base else { continue }
      places[Self.filled(current.note.fields), default: []].append(index)
    }
    for index in open {
      if let place = places[Self.filled(new[index].base.fields)]?.popLast() { take(place, for: index) }
    }
  }

  /// Returns the fields without trailing empty ones.
  private static func filled(_ texts: [String]) -> [String] {
    Array(texts.prefix((texts.lastIndex { !$0.isEmpty } ?? -1) + 1))
  }

  private mutating func take(_ place: Int, for index: Int) {
    found[index] = place
    isTaken[place] = true
  }

  private mutating func matchBetween() {
    var index = 0
    while index < new.count {
      if found[index] != nil {
        index += 1
        continue
      }
      let end = new[index...].indices.first { found[$0] != nil } ?? new.count
      let below = index == 0 ? -1 : found[index - 1] ?? -1
      let above = end == new.count ? old.count : found[end] ?? old.count
      if below < above { match(index..<end, with: (below + 1..<above).filter { !isTaken[$0] }) }
      index = end
    }
  }

  /// Matches each row with the first row that it may be an edit of. If there are too many pairs, only rows at the
  /// same position are compared.
  private mutating func match(_ rows: Range<Int>, with free: [Int]) {
    let comparesAll = rows.count * free.count <= Self.mostPairs
    for (offset, row) in rows.enumerated() {
      let places = comparesAll ? free[...] : offset < free.count ? free[offset...offset] : []
      if let place = places.first(where: { !isTaken[$0] && isEdit(of: old[$0], new[row]) }) { take(place, for: row) }
    }
  }

  /// Two different given ids are never the same card.
  private func isEdit(of old: BuiltRow, _ new: BuiltRow) -> Bool {
    !(new.hasGivenID && old.hasGivenID) && RowEdit.isSmall(from: old.base.fields, to: new.base.fields)
  }
}

enum RowEdit {
  /// Longer texts are compared by words instead of letters.
  private static let mostLetters = 120

  /// Whether the change is small. If the front or the rest is unchanged, up to a third of the letters of the other
  /// may differ; if both changed, one letter of each, or a tenth. This distinguishes `abuelo, grandfather` from
  /// `abuela, grandmother`. Words may be reordered, added or removed, but not a combination of these. Everything
  /// except letters and digits is ignored, as are case and diacritics.
  static func isSmall(from old: [String], to new: [String]) -> Bool {
    guard let first = old.first, let other = new.first else { return false }
    let (rest, otherRest) = (old.dropFirst().joined(separator: "\n"), new.dropFirst().joined(separator: "\n"))
    let areSame = (front: words(of: first) == words(of: other), rest: words(of: rest) == words(of: otherRest))
    return isClose(first, other, besideSame: areSame.rest) && isClose(rest, otherRest, besideSame: areSame.front)
  }

  private static func isClose(_ old: String, _ new: String, besideSame: Bool) -> Bool {
    if old == new { return true }
    let (before, after) = (words(of: old), words(of: new))
    // The answer may have been empty at first.
    if before.isEmpty || after.isEmpty { return old.isEmpty || new.isEmpty }
    if before.sorted() == after.sorted() || isLonger(before, than: after) || isLonger(after, than: before) {
      return true
    }
    let (left, right) = (before.joined(separator: " "), after.joined(separator: " "))
    let (most, share) = (max(left.count, right.count), besideSame ? 3 : 10)
    if most > mostLetters { return share * common(before, after) >= (share - 1) * max(before.count, after.count) }
    return editDistance(left, right) <= max(besideSame || most > 3 ? 1 : 0, most / share)
  }

  /// Whether one text has all words of the other and at most twice as many in addition.
  private static func isLonger(_ long: [String], than short: [String]) -> Bool {
    long.count > short.count && long.count <= 3 * short.count && common(long, short) == short.count
  }

  private static func common(_ first: [String], _ second: [String]) -> Int {
    var counts: [String: Int] = [:]
    for word in first { counts[word, default: 0] += 1 }
    var common = 0
    for word in second where counts[word, default: 0] > 0 {
      counts[word]? -= 1
      common += 1
    }
    return common
  }

  /// Returns the words, case-folded and without diacritics.
  private static func words(of html: String) -> [String] {
    let letters = FieldHTML.sortText(html).compatiblyFolded.decomposed.unicodeScalars.filter { !$0.isMark }
    return String(String.UnicodeScalarView(letters)).split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }
}

/// Assigns ids to rows whose source gives none, to each one that no other row has.
struct NewIDs {
  private var ids: Set<String> = []
  /// How many ids have been tried for the rows with a front, by its hash: those are not tried again.
  private var tried: [Int64: Int] = [:]

  mutating func take(_ id: String) -> Bool { ids.insert(id).inserted }

  /// Assigns the next free id for a row.
  /// - Parameters:
  ///   - hash: that of its front.
  ///   - isTaken: whether a row that gets no id here has an id.
  mutating func next(for row: CardRow, _ hash: Int64, isTaken: (String) throws -> Bool) rethrows -> String {
    var id: String
    repeat {
      id = BuildIDs.id(ofFront: row.front, repeated: tried[hash, default: 0])
      tried[hash, default: 0] += 1
    } while try isTaken(id) || !take(id)
    return id
  }
}

enum BuildIDs {
  /// Returns the guid of an id: the id itself without a namespace, otherwise a hash of both.
  static func guid(of id: String, namespace: String) -> String { namespace.isEmpty ? id : short("\(namespace)\n\(id)") }

  /// Returns the id of a row whose source gives none, derived from its front. `repeated` counts the earlier rows with
  /// the same front.
  static func id(ofFront front: String, repeated: Int) -> String {
    let id = short(front)
    return repeated == 0 ? id : "\(id)-\(repeated + 1)"
  }

  /// Returns 80 bits of a hash in hexadecimal digits.
  private static func short(_ text: String) -> String { String(hexadecimal(sha256(Array(text.utf8))).prefix(20)) }

  static func hash(_ parts: [String]) -> Int64 {
    hash(digest: sha256(parts.flatMap { (part) -> [UInt8] in Array(part.utf8) + [0x1F] }))
  }

  static func hash(ofFile path: String, isInterrupted: @escaping () -> Bool) throws -> Int64 {
    var hashing = HashingSHA256()
    try ByteFile(path, isInterrupted: isInterrupted).forEachPiece { hashing.add($0) }
    return hash(digest: hashing.digest())
  }

  private static func hash(digest: [UInt8]) -> Int64 { digest.prefix(8).reduce(0) { $0 << 8 | Int64($1) } }
}
