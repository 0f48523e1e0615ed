// The places at which a reader stopped in texts. Invariant: a text is identified by the hash of its words, wherever
// its file is; a place is not part of undo.

import Files
import Language
import Storage
import Text

/// The table `reading_places`.
enum ReadingPlaceTable {
  static let tables: Set<String> = ["reading_places"]

  static let schema = Schema(
    """
    CREATE TABLE reading_places (
      digest TEXT PRIMARY KEY NOT NULL,
      sentence INTEGER NOT NULL,
      read REAL NOT NULL
    ) STRICT, WITHOUT ROWID;
    """)
}

extension TextHandle {
  /// Returns the number of the sentence at which the reader stopped; 0 for a text that was not read.
  public func savedPlace() throws -> Int {
    try workspace.read { db in try db.count("SELECT sentence FROM reading_places WHERE digest = ?", [text.digest]) }
  }

  public func savePlace(_ sentence: Int) throws {
    let now = workspace.environment.clocks.now()
    try workspace.perform(.savePlace) { db in
      try db.execute(
        sql: "INSERT OR REPLACE INTO reading_places (digest, sentence, read) VALUES (?, ?, ?)",
        arguments: [text.digest, sentence, now])
    }
  }
}
