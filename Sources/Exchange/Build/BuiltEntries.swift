// Finds the note of each row of a source, as the next build would.
// Invariant: nothing is changed.

package import Decks
package import Storage

/// A row of a source that has been built.
package struct BuiltEntry {
  package let note: NoteID
  /// Whether the row has changed since it was built.
  package let isEdited: Bool
  /// Whether the deck differs from what was built.
  package let isEditedInDeck: Bool
}

/// The rows of the last build that match the rows of a source, by index.
package struct BuiltEntries {
  fileprivate let rows: [Int: BuiltRow]
}

extension SourceReading {
  /// Matches the rows with those of the last build.
  package func builtEntries(_ db: Database, _ description: BuildDescription) throws -> BuiltEntries {
    BuiltEntries(rows: try known(db, description))
  }

  /// Returns the built entry of a row; nil when it has not been built, or its note is gone.
  package func builtEntry(_ index: Int, _ built: BuiltEntries, _ db: Database) throws -> BuiltEntry? {
    guard let known = built.rows[index], let note = known.note, let row = entries[index].row,
      let content = try BuildContent.of(db, note)
    else { return nil }
    return BuiltEntry(
      note: note, isEdited: known.whole != row.facts.whole, isEditedInDeck: content.content != known.base)
  }

  /// Returns ids for rows: the id of the last build if there is one, otherwise an id that no other row has.
  package func newIDs(
    of indices: [Int], _ db: Database, _ description: BuildDescription, isTaken: (String) -> Bool
  ) throws -> [Int: String] {
    let known = try known(db, description)
    let build = try BuildTable.find(db, description)
    var ids: [Int: String] = [:]
    var new = NewIDs()
    for index in indices {
      guard let row = entries[index].row else { continue }
      if let name = known[index]?.plainName, new.take(name) {
        ids[index] = name
        continue
      }
      ids[index] = try new.next(for: row) { name in
        try isTaken(name) || build.map { try BuildTable.hasRow(db, named: name, in: $0) } ?? false
      }
    }
    return ids
  }

  /// Returns ids for the rows of a source that has not been built.
  package func newIDs(of indices: [Int], isTaken: (String) -> Bool) -> [Int: String] {
    var ids: [Int: String] = [:]
    var new = NewIDs()
    for index in indices {
      guard let row = entries[index].row else { continue }
      ids[index] = new.next(for: row, isTaken: isTaken)
    }
    return ids
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
