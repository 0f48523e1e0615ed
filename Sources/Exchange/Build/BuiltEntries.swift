// Which note each row of a source is, as the next build would find it.
// Invariant: nothing is changed.

package import Decks
package import Storage

/// A row of a source that was built.
package struct BuiltEntry {
  package let note: NoteID
  /// Whether the row says something else than when it was built.
  package let isEdited: Bool
  /// Whether the deck says something else than the row did then.
  package let isEditedInDeck: Bool
}

/// Which rows of the last build the rows of a source are, by their index.
package struct BuiltEntries {
  fileprivate let rows: [Int: BuiltRow]
}

extension SourceReading {
  /// What is known of the rows.
  package func builtEntries(_ db: Database, _ description: BuildDescription) throws -> BuiltEntries {
    BuiltEntries(rows: try known(db, description))
  }

  /// What is known of a row; nil where it was not built, or its note is gone.
  package func builtEntry(_ index: Int, _ built: BuiltEntries, _ db: Database) throws -> BuiltEntry? {
    guard let known = built.rows[index], let note = known.note, let row = entries[index].row,
      let content = try BuildContent.of(db, note)
    else { return nil }
    return BuiltEntry(
      note: note, isEdited: known.whole != row.facts.whole, isEditedInDeck: content.content != known.base)
  }

  /// The ids that rows are to get: that by which a build knows them, else one that no other row has.
  package func newIDs(
    of indices: [Int], _ db: Database, _ description: BuildDescription, isTaken: (String) -> Bool
  ) throws -> [Int: String] {
    let known = try known(db, description)
    let build = try BuildTable.find(db, description)
    var ids: [Int: String] = [:]
    var names: Set<String> = []
    for index in indices {
      guard let row = entries[index].row else { continue }
      if let name = known[index]?.plainName, names.insert(name).inserted {
        ids[index] = name
        continue
      }
      ids[index] = try Self.freeID(row, &names) { name in
        try isTaken(name) || build.map { try BuildTable.hasRow(db, named: name, in: $0) } ?? false
      }
    }
    return ids
  }

  /// The ids of rows where nothing was built yet.
  package func newIDs(of indices: [Int], isTaken: (String) -> Bool) -> [Int: String] {
    var ids: [Int: String] = [:]
    var names: Set<String> = []
    for index in indices {
      guard let row = entries[index].row else { continue }
      ids[index] = Self.freeID(row, &names, isTaken)
    }
    return ids
  }

  /// An id of a row that no other has.
  private static func freeID(
    _ row: BuildRow, _ names: inout Set<String>, _ isTaken: (String) throws -> Bool
  ) rethrows -> String {
    var repeated = 0
    while true {
      let name = BuildIDs.id(ofFront: row.front, repeated: repeated)
      if try !isTaken(name), names.insert(name).inserted { return name }
      repeated += 1
    }
  }

  private func known(_ db: Database, _ description: BuildDescription) throws -> [Int: BuiltRow] {
    guard let build = try BuildTable.find(db, description),
      let source = try BuildTable.sources(db, of: build)[path]
    else { return [:] }
    let old = try BuildTable.rows(db, of: source.id)
    let places = entries.indices.filter { !entries[$0].isLink }.sorted { entries[$0].order < entries[$1].order }
    let rows = places.compactMap { entries[$0].row?.facts }
    var known: [Int: BuiltRow] = [:]
    for (place, match) in try zip(places, BuildContent.match(db, rows, old)) {
      if let match { known[place] = old[match] }
    }
    return known
  }
}
