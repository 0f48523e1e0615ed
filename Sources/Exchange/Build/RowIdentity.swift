// Which card each row of a source is, when its text was edited since the last build.
// Invariant: a row with an id is always the card of that id; of the others no two are one card; the same rows after the
// same build give the same answer.

import Files
import Text

/// A row as a build knows it.
struct RowFacts: Equatable {
  /// What the source calls it; empty where it gives no id.
  var id = ""
  /// Of the whole row, and of its prompt or first field.
  let whole: Int64
  let front: Int64
}

enum RowIdentity {
  /// Finds the old row that each new one is.
  ///
  /// Ids first; then rows that are the same as a whole, then those with the same front, each in the order of the
  /// source. What is left between two rows that were found is the same one by one, when as many were there before.
  /// - Returns: for each new row the index of the old one; nil for one that is new.
  static func match(_ new: [RowFacts], _ old: [RowFacts]) -> [Int?] {
    var matching = Matching(new: new, old: old)
    matching.match { $0.id.isEmpty ? nil : AnyHashable($0.id) }
    matching.match { $0.id.isEmpty ? AnyHashable($0.whole) : nil }
    matching.match { $0.id.isEmpty ? AnyHashable($0.front) : nil }
    matching.matchBetween()
    return matching.found
  }

  private struct Matching {
    let new: [RowFacts]
    let old: [RowFacts]
    var found: [Int?]
    private var isTaken: [Bool]

    init(new: [RowFacts], old: [RowFacts]) {
      (self.new, self.old) = (new, old)
      found = Array(repeating: nil, count: new.count)
      isTaken = Array(repeating: false, count: old.count)
    }

    /// Rows with one key, in their order. An old row without an id may get one.
    mutating func match(_ key: (RowFacts) -> AnyHashable?) {
      var places: [AnyHashable: [Int]] = [:]
      for (index, row) in old.enumerated().reversed() where !isTaken[index] {
        if let key = key(row) { places[key, default: []].append(index) }
      }
      for (index, row) in new.enumerated() where found[index] == nil {
        guard let key = key(row), let place = places[key]?.popLast() else { continue }
        take(place, for: index)
      }
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
        if below < above {
          let free = (below + 1..<above).filter { !isTaken[$0] }
          let run = index..<end
          // An id of the source's own is no other card than its own.
          if free.count == run.count, run.allSatisfy({ new[$0].id.isEmpty || old[free[$0 - index]].id.isEmpty }) {
            for (place, row) in zip(free, run) { take(place, for: row) }
          }
        }
        index = end
      }
    }
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

  /// The same of what a file holds, read piece by piece.
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
