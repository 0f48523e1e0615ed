// Which card each row of a source is, when its text was edited since the last build.
// Invariant: a row with an id is always the card of that id; of the others no two are one card; the same rows after the
// same build give the same answer.

import Files
import Templates
import Text

/// A row as a build knows it.
struct RowFacts: Equatable {
  /// What the source calls it; empty where it gives no id.
  var id = ""
  /// Of the whole row, and of its prompt or first field.
  let whole: Int64
  let front: Int64
  /// The fields of its note.
  var texts: [String] = []
}

enum RowIdentity {
  /// Finds the old row that each new one is.
  ///
  /// Ids first; then rows that are the same as a whole, then those with the same front, each in the order of the
  /// source. What is left between two rows that were found is the same where it was edited a little.
  /// - Returns: for each new row the index of the old one; nil for one that is new.
  static func match(_ new: [RowFacts], _ old: [RowFacts]) -> [Int?] { match(new, old) { _ in nil } }

  /// The same with what the deck says.
  /// - Parameter edited: the fields of an old row's note as the deck has them, where it says something else; a row that
  ///   says just that is that card.
  static func match(_ new: [RowFacts], _ old: [RowFacts], edited: (Int) throws -> [String]?) rethrows -> [Int?] {
    var matching = Matching(new: new, old: old)
    matching.match { $0.id.isEmpty ? nil : AnyHashable($0.id) }
    matching.match(givingIDs: true) { AnyHashable($0.whole) }
    matching.match(givingIDs: true) { AnyHashable($0.front) }
    try matching.match(edited: edited)
    matching.matchBetween()
    return matching.found
  }

  private struct Matching {
    /// Pairs that are compared between two rows that were found.
    private static let mostPairs = 40_000

    let new: [RowFacts]
    let old: [RowFacts]
    var found: [Int?]
    private var isTaken: [Bool]

    init(new: [RowFacts], old: [RowFacts]) {
      (self.new, self.old) = (new, old)
      found = Array(repeating: nil, count: new.count)
      isTaken = Array(repeating: false, count: old.count)
    }

    /// Rows with one key, in their order.
    /// - Parameter givingIDs: an old row has no id, and may get one.
    mutating func match(givingIDs: Bool = false, _ key: (RowFacts) -> AnyHashable?) {
      var places: [AnyHashable: [Int]] = [:]
      for (index, row) in old.enumerated().reversed() where !isTaken[index] && (!givingIDs || row.id.isEmpty) {
        if let key = key(row) { places[key, default: []].append(index) }
      }
      for (index, row) in new.enumerated() where found[index] == nil {
        guard let key = key(row), let place = places[key]?.popLast() else { continue }
        take(place, for: index)
      }
    }

    /// Rows that say what a card was changed to in the deck.
    mutating func match(edited: (Int) throws -> [String]?) rethrows {
      let open = new.indices.filter { found[$0] == nil && new[$0].id.isEmpty }
      if open.isEmpty { return }
      var places: [[String]: [Int]] = [:]
      for index in old.indices.reversed() where !isTaken[index] && old[index].id.isEmpty {
        if let texts = try edited(index) { places[Self.filled(texts), default: []].append(index) }
      }
      for index in open {
        if let place = places[Self.filled(new[index].texts)]?.popLast() { take(place, for: index) }
      }
    }

    /// Fields without the empty ones behind the last that is filled.
    private static func filled(_ texts: [String]) -> [String] {
      let last = texts.lastIndex { !$0.isEmpty }
      return Array(texts.prefix((last ?? -1) + 1))
    }

    private mutating func take(_ place: Int, for index: Int) {
      found[index] = place
      isTaken[place] = true
    }

    mutating func matchBetween() {
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

    /// Each row with the first one that it may be an edit of; of a great many only those at one place are compared.
    private mutating func match(_ rows: Range<Int>, with free: [Int]) {
      let comparesAll = rows.count * free.count <= Self.mostPairs
      for (offset, row) in rows.enumerated() {
        let places = comparesAll ? free[...] : offset < free.count ? free[offset...offset] : []
        if let place = places.first(where: { !isTaken[$0] && isEdit(of: old[$0], new[row]) }) { take(place, for: row) }
      }
    }

    /// An id of the source's own is no other card than its own.
    private func isEdit(of old: RowFacts, _ new: RowFacts) -> Bool {
      (new.id.isEmpty || old.id.isEmpty) && RowEdit.isSmall(from: old.texts, to: new.texts)
    }
  }
}

/// Whether a row that changed is still the row that it was.
enum RowEdit {
  /// Longer texts are compared by their words.
  private static let mostLetters = 120

  /// Where the front or the rest stayed, at most a third of the other one may be other letters; where both changed,
  /// one letter of each, or a tenth: what distinguishes `abuelo, grandfather` from `abuela, grandmother`. Words may
  /// change places, be added or be taken away, but not both. What is not letters or digits, capitals and accents
  /// count for nothing.
  static func isSmall(from old: [String], to new: [String]) -> Bool {
    guard let first = old.first, let other = new.first else { return false }
    let (rest, otherRest) = (old.dropFirst().joined(separator: "\n"), new.dropFirst().joined(separator: "\n"))
    let areSame = (front: words(of: first) == words(of: other), rest: words(of: rest) == words(of: otherRest))
    return isClose(first, other, besideSame: areSame.rest) && isClose(rest, otherRest, besideSame: areSame.front)
  }

  private static func isClose(_ old: String, _ new: String, besideSame: Bool) -> Bool {
    if old == new { return true }
    let (before, after) = (words(of: old), words(of: new))
    // An answer may be missing at first.
    if before.isEmpty || after.isEmpty { return old.isEmpty || new.isEmpty }
    if before.sorted() == after.sorted() || isLonger(before, than: after) || isLonger(after, than: before) {
      return true
    }
    let (left, right) = (before.joined(separator: " "), after.joined(separator: " "))
    let (most, share) = (max(left.count, right.count), besideSame ? 3 : 10)
    if most > mostLetters { return share * common(before, after) >= (share - 1) * max(before.count, after.count) }
    return editDistance(left, right) <= max(besideSame || most > 3 ? 1 : 0, most / share)
  }

  /// Whether it has all words of the other one and at most twice as many again.
  private static func isLonger(_ long: [String], than short: [String]) -> Bool {
    long.count > short.count && long.count <= 3 * short.count && common(long, short) == short.count
  }

  private static func common(_ first: [String], _ second: [String]) -> Int {
    var counts: [String: Int] = [:]
    for word in first { counts[word, default: 0] += 1 }
    var common = 0
    for word in second where counts[word, default: 0] > 0 {
      counts[word, default: 0] -= 1
      common += 1
    }
    return common
  }

  /// In small letters without accents.
  private static func words(of html: String) -> [String] {
    let letters = FieldHTML.sortText(html).compatiblyFolded.decomposed.unicodeScalars.filter { !$0.isMark }
    return String(String.UnicodeScalarView(letters)).split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }
}

/// Ids and guids of rows.
enum BuildIDs {
  /// The guid of an id: the id itself without a namespace, else made of both.
  static func guid(of id: String, namespace: String) -> String {
    namespace.isEmpty ? id : short("\(namespace)\n\(id)")
  }

  /// The id of a row whose source gives none, by its front; `repeated` counts those before it with the same front.
  static func id(ofFront front: String, repeated: Int) -> String {
    let id = short(front)
    return repeated == 0 ? id : "\(id)-\(repeated + 1)"
  }

  /// 80 bits of a hash, in letters and digits.
  private static func short(_ text: String) -> String { String(hexadecimal(sha256(Array(text.utf8))).prefix(20)) }

  static func hash(_ parts: [String]) -> Int64 {
    var bytes: [UInt8] = []
    for part in parts { bytes += Array(part.utf8) + [0x1F] }
    return hash(bytes)
  }

  /// The first 64 bits of SHA-256.
  static func hash(_ bytes: [UInt8]) -> Int64 { hash(digest: sha256(bytes)) }

  /// The hash of what a file holds, read piece by piece.
  static func hash(ofFile path: String, isInterrupted: @escaping () -> Bool) throws -> Int64 {
    let file = try ByteFile(path, isInterrupted: isInterrupted)
    var hashing = HashingSHA256()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = try file.read(into: &chunk), count > 0 {
      chunk.withUnsafeBytes { hashing.add(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
    return hash(digest: hashing.digest())
  }

  private static func hash(digest: [UInt8]) -> Int64 { digest.prefix(8).reduce(0) { $0 << 8 | Int64($1) } }
}
