// The tables of notes, their types and media, and what cards and reviews have for them.
// Invariant: a step that was released never changes.

import Storage

enum NoteSchema {
  static let migrations = [Migration("decks.2", sql: second), Migration("decks.2.types", sql: stockTypes)]

  /// `note_types.id` and `notes.id` are milliseconds since 1970, as Anki's. `json` is the type as it was received,
  /// unknown keys included. `fields` has U+001F between the fields. `usn` is -1 for what was never sent to a sync
  /// server. A card without a note is plain. `anki_cards` is what a sync needs of a card, in a table of its own: six
  /// more columns and an index on `cards` made each plain card 8 % dearer to add. A review outlives its card; `anki`,
  /// `acard`, `usn` and `raw` are for a sync too. A note without cards is removed with the last of them. A media file
  /// is named by its hash in the account's folder; one whose `hash` is NULL was removed and that is not sent yet.
  private static let second = """
    CREATE TABLE note_types (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      cloze INTEGER NOT NULL DEFAULT 0,
      mod INTEGER NOT NULL,
      usn INTEGER NOT NULL DEFAULT -1,
      json TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX note_types_name ON note_types(name_key);
    CREATE TABLE notes (
      id INTEGER PRIMARY KEY,
      guid TEXT NOT NULL,
      type INTEGER NOT NULL REFERENCES note_types(id),
      mod INTEGER NOT NULL,
      usn INTEGER NOT NULL DEFAULT -1,
      tags TEXT NOT NULL DEFAULT '',
      fields TEXT NOT NULL,
      data TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE INDEX notes_guid ON notes(guid);
    CREATE INDEX notes_type ON notes(type);
    ALTER TABLE cards ADD COLUMN note INTEGER REFERENCES notes(id);
    ALTER TABLE cards ADD COLUMN ord INTEGER;
    CREATE UNIQUE INDEX cards_note ON cards(note, ord) WHERE note IS NOT NULL;
    CREATE TABLE anki_cards (
      card INTEGER PRIMARY KEY REFERENCES cards(id) ON DELETE CASCADE,
      anki INTEGER NOT NULL,
      amod INTEGER NOT NULL,
      usn INTEGER NOT NULL DEFAULT -1,
      raw TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX anki_cards_anki ON anki_cards(anki);
    CREATE TRIGGER cards_last_of_note AFTER DELETE ON cards WHEN OLD.note IS NOT NULL BEGIN
      DELETE FROM notes WHERE id = OLD.note AND NOT EXISTS (SELECT 1 FROM cards WHERE note = OLD.note);
    END;
    CREATE TABLE reviews_2 (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      card INTEGER REFERENCES cards(id) ON DELETE SET NULL,
      at REAL NOT NULL,
      rating INTEGER NOT NULL,
      state INTEGER NOT NULL,
      elapsed REAL,
      interval REAL NOT NULL,
      stability REAL,
      difficulty REAL,
      seconds REAL,
      anki INTEGER,
      acard INTEGER,
      usn INTEGER,
      raw TEXT
    ) STRICT;
    INSERT INTO reviews_2 (id, card, at, rating, state, elapsed, interval, stability, difficulty, seconds)
      SELECT id, card, at, rating, state, elapsed, interval, stability, difficulty, seconds FROM reviews;
    UPDATE sqlite_sequence SET seq = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'reviews'), seq)
      WHERE name = 'reviews_2';
    DROP TABLE reviews;
    ALTER TABLE reviews_2 RENAME TO reviews;
    CREATE INDEX reviews_card ON reviews(card, at);
    CREATE UNIQUE INDEX reviews_anki ON reviews(anki) WHERE anki IS NOT NULL;
    CREATE TABLE media (
      name TEXT PRIMARY KEY,
      hash TEXT,
      size INTEGER NOT NULL,
      sha1 TEXT,
      pending INTEGER NOT NULL DEFAULT 1
    ) STRICT, WITHOUT ROWID;
    """
}
