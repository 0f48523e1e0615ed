-- A collection that a program made whose last step was decks.1. Never to be changed.
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
INSERT INTO "cards" VALUES(1,1,0,'cat',-2360240946463687914,'el gato','the cat','',NULL,NULL,1700000000.0,1700000000.0,0,2,0,1700625600.0,8.2956,1.0,1,0,1700000100.0);
INSERT INTO "cards" VALUES(2,1,-1048576,'plbPwCHg2SC',7167304807535293205,'el perro','the dog',' animal pet ','{"level":1.50,"note":"x\"y"}','DOC',1700000000.0,1700000005.0,1,0,0,NULL,NULL,NULL,0,0,NULL);
INSERT INTO "cards" VALUES(3,2,0,'NCKdnkOKGOG',5547076560477285948,'ser','to be','',NULL,NULL,1700000000.0,1700000000.0,0,0,0,NULL,NULL,NULL,0,0,NULL);
CREATE TABLE decks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  created REAL NOT NULL,
  studied REAL,
  options TEXT NOT NULL DEFAULT '{}'
) STRICT;
INSERT INTO "decks" VALUES(1,'Spanish','spanish',1700000000.0,1700000100.0,'{"new_per_day":7,"reviews_per_day":200,"desired_retention":0.9,"leech_threshold":8,"maximum_interval":36500}');
INSERT INTO "decks" VALUES(2,'Spanish::Verbs','spanish::verbs',1700000000.0,NULL,'{}');
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('decks.1');
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
INSERT INTO "reviews" VALUES(1,1,1700000100.0,4,0,NULL,691200.0,8.2956,1.0,4.0);
CREATE UNIQUE INDEX decks_name ON decks(name_key);
CREATE UNIQUE INDEX cards_rank ON cards(deck, rank);
CREATE UNIQUE INDEX cards_guid ON cards(deck, guid);
CREATE INDEX cards_content ON cards(deck, content);
CREATE INDEX cards_due ON cards(deck, due) WHERE state > 0;
CREATE INDEX cards_suspended ON cards(deck, state) WHERE suspended = 1;
CREATE INDEX reviews_card ON reviews(card, at);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('decks',2);
INSERT INTO "sqlite_sequence" VALUES('cards',3);
INSERT INTO "sqlite_sequence" VALUES('reviews',1);
