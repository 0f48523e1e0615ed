// The tables of decks, cards and reviews, as named steps.
// Invariant: a step that was released never changes; a new one is added below it.

public import Storage

/// The tables of decks and cards.
///
///     let store = try Store(path: path, migrations: DecksSchema.migrations)
public enum DecksSchema {
  public static var migrations: [Migration] {
    [Migration("decks.1", sql: first)] + NoteSchema.migrations + [scheduling, SearchLog.migration, newCards]
  }

  /// `rank` orders the cards of a deck, the lowest on top. `content` is the 32-bit hash of the prompt above that of the
  /// answer: one index finds the same pair and the same prompt; equality is then checked. `tags` are separated by
  /// spaces with one at either end. `fields` is a JSON object in the order given. The partial indices cost a new card
  /// nothing.
  private static let first = """
    CREATE TABLE decks (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      created REAL NOT NULL,
      studied REAL,
      options TEXT NOT NULL DEFAULT '{}'
    ) STRICT;
    CREATE UNIQUE INDEX decks_name ON decks(name_key);
    CREATE TABLE cards (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      deck INTEGER NOT NULL REFERENCES decks(id) ON DELETE CASCADE,
      rank INTEGER NOT NULL,
      guid TEXT NOT NULL,
      content INTEGER NOT NULL,
      prompt TEXT NOT NULL,
      answer TEXT NOT NULL,
      tags TEXT NOT NULL DEFAULT '',
      fields TEXT,
      document TEXT,
      created REAL NOT NULL,
      modified REAL NOT NULL,
      suspended INTEGER NOT NULL DEFAULT 0,
      state INTEGER NOT NULL DEFAULT 0,
      step INTEGER NOT NULL DEFAULT 0,
      due REAL,
      stability REAL,
      difficulty REAL,
      reps INTEGER NOT NULL DEFAULT 0,
      lapses INTEGER NOT NULL DEFAULT 0,
      last_review REAL
    ) STRICT;
    CREATE UNIQUE INDEX cards_rank ON cards(deck, rank);
    CREATE UNIQUE INDEX cards_guid ON cards(deck, guid);
    CREATE INDEX cards_content ON cards(deck, content);
    CREATE INDEX cards_due ON cards(deck, due) WHERE state > 0;
    CREATE INDEX cards_suspended ON cards(deck, state) WHERE suspended = 1;
    CREATE TABLE reviews (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      card INTEGER NOT NULL REFERENCES cards(id) ON DELETE CASCADE,
      at REAL NOT NULL,
      rating INTEGER NOT NULL,
      state INTEGER NOT NULL,
      elapsed REAL,
      interval REAL NOT NULL,
      stability REAL NOT NULL,
      difficulty REAL NOT NULL,
      seconds REAL
    ) STRICT;
    CREATE INDEX reviews_card ON reviews(card, at);
    """
}
