-- A collection that a program made whose last step was decks.3. Never to be changed.
CREATE TABLE anki_cards (
  card INTEGER PRIMARY KEY REFERENCES cards(id) ON DELETE CASCADE,
  anki INTEGER NOT NULL,
  amod INTEGER NOT NULL,
  usn INTEGER NOT NULL DEFAULT -1,
  raw TEXT NOT NULL
) STRICT;
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
, note INTEGER REFERENCES notes(id), ord INTEGER, flag INTEGER NOT NULL DEFAULT 0, buried INTEGER NOT NULL DEFAULT 0, buried_until REAL) STRICT;
CREATE TABLE decks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  created REAL NOT NULL,
  studied REAL,
  options TEXT NOT NULL DEFAULT '{}'
, preset INTEGER REFERENCES presets(id) ON DELETE SET NULL) STRICT;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('decks.1');
INSERT INTO "grdb_migrations" VALUES('decks.2');
INSERT INTO "grdb_migrations" VALUES('decks.3');
CREATE TABLE media (
  name TEXT PRIMARY KEY,
  hash TEXT,
  size INTEGER NOT NULL,
  sha1 TEXT,
  pending INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
CREATE TABLE note_types (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  cloze INTEGER NOT NULL DEFAULT 0,
  mod INTEGER NOT NULL,
  usn INTEGER NOT NULL DEFAULT -1,
  json TEXT NOT NULL
) STRICT;
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
CREATE TABLE presets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  options TEXT NOT NULL DEFAULT '{}'
) STRICT;
CREATE TABLE "reviews" (
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
CREATE UNIQUE INDEX decks_name ON decks(name_key);
CREATE UNIQUE INDEX cards_rank ON cards(deck, rank);
CREATE UNIQUE INDEX cards_guid ON cards(deck, guid);
CREATE INDEX cards_content ON cards(deck, content);
CREATE INDEX cards_due ON cards(deck, due) WHERE state > 0;
CREATE INDEX cards_suspended ON cards(deck, state) WHERE suspended = 1;
CREATE UNIQUE INDEX note_types_name ON note_types(name_key);
CREATE INDEX notes_guid ON notes(guid);
CREATE INDEX notes_type ON notes(type);
CREATE UNIQUE INDEX cards_note ON cards(note, ord) WHERE note IS NOT NULL;
CREATE UNIQUE INDEX anki_cards_anki ON anki_cards(anki);
CREATE TRIGGER cards_last_of_note AFTER DELETE ON cards WHEN OLD.note IS NOT NULL BEGIN
  DELETE FROM notes WHERE id = OLD.note AND NOT EXISTS (SELECT 1 FROM cards WHERE note = OLD.note);
END;
CREATE INDEX reviews_card ON reviews(card, at);
CREATE UNIQUE INDEX reviews_anki ON reviews(anki) WHERE anki IS NOT NULL;
CREATE UNIQUE INDEX presets_name ON presets(name_key);
CREATE INDEX cards_buried ON cards(deck, buried_until) WHERE buried_until IS NOT NULL;
CREATE INDEX cards_flag ON cards(flag) WHERE flag > 0;
CREATE INDEX reviews_at ON reviews(at);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('reviews',0);
