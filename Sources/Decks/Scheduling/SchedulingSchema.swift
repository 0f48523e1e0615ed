// The step that gives decks presets, and cards flags and burials.
// Invariant: what was set for a deck before is what its own preset says after.

import Storage

extension DecksSchema {
  /// `preset` is null where the deck around it decides. `decks.options` holds what is good for the deck alone. `buried`
  /// says who did it: 1 a sibling, 2 the user.
  static var scheduling: Migration {
    Migration("decks.3") { db in
      try db.execute(sql: tables)
      let set = try db.rows("SELECT id, name, options FROM decks WHERE options <> '{}'") {
        (deck: $0.integer(0), name: $0.text(1), options: $0.text(2))
      }
      for (deck, name, options) in set {
        try db.execute(
          sql: "INSERT INTO presets (name, name_key, options) VALUES (?, ?, ?)",
          arguments: [name, name.lowercased(), options])
        try db.execute(
          sql: "UPDATE decks SET preset = ?, options = '{}' WHERE id = ?", arguments: [db.lastInsertedRowID, deck])
      }
    }
  }

  /// New cards in their order: a session's first ones are found however many learnt cards stand above them.
  static var newCards: Migration {
    Migration("decks.5", sql: "CREATE INDEX cards_new ON cards(deck, rank) WHERE state = 0")
  }

  private static let tables = """
    CREATE TABLE presets (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      options TEXT NOT NULL DEFAULT '{}'
    ) STRICT;
    CREATE UNIQUE INDEX presets_name ON presets(name_key);
    ALTER TABLE decks ADD COLUMN preset INTEGER REFERENCES presets(id) ON DELETE SET NULL;
    ALTER TABLE cards ADD COLUMN flag INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE cards ADD COLUMN buried INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE cards ADD COLUMN buried_until REAL;
    CREATE INDEX cards_buried ON cards(deck, buried_until) WHERE buried_until IS NOT NULL;
    CREATE INDEX cards_flag ON cards(flag) WHERE flag > 0;
    CREATE INDEX reviews_at ON reviews(at);
    """
}
