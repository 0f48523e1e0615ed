-- A collection that a program made whose last step was decks.2.types. Never to be changed.
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
, note INTEGER REFERENCES notes(id), ord INTEGER) STRICT;
INSERT INTO "cards" VALUES(1,2,0,'zw23EMHvik4',5547076560477285948,'ser','to be','',NULL,NULL,1.79530918659870600698e+09,1.79530918659870600698e+09,0,0,0,NULL,NULL,NULL,0,0,NULL,NULL,NULL);
INSERT INTO "cards" VALUES(2,1,0,'cat',-2360240946463687914,'el gato','the cat','',NULL,NULL,1.79530918659919762605e+09,1.79530918659919762605e+09,0,0,0,NULL,NULL,NULL,0,0,NULL,NULL,NULL);
INSERT INTO "cards" VALUES(3,1,-1048576,'iy8inCfnIWD',7167304807535293205,'el perro','the dog',' animal pet ','{"level":2}',NULL,1.79530918659937071798e+09,1.79530918659937071798e+09,0,0,0,NULL,NULL,NULL,0,0,NULL,NULL,NULL);
INSERT INTO "cards" VALUES(4,1,-3145728,'sun',-3795405361688061901,'el sol','the sun',' sky ',NULL,NULL,1.79530918659983062743e+09,1.79530918659983062743e+09,0,0,0,NULL,NULL,NULL,0,0,NULL,1795309186599,0);
INSERT INTO "cards" VALUES(5,1,-2097152,'sun/2',-5334416779142495506,'the sun','el sol',' sky ',NULL,NULL,1.79530918659983062743e+09,1.79530918659983062743e+09,0,0,0,NULL,NULL,NULL,0,0,NULL,1795309186599,1);
INSERT INTO "cards" VALUES(6,1,-5242880,'moon',6178346423628695440,'[...] luna','La luna','',NULL,NULL,1.79530918672674655919e+09,1.79530918694601774208e+09,1,2,0,1795924800.0,8.2956,1.0,1,0,1.79530918694537448884e+09,1795309186726,0);
INSERT INTO "cards" VALUES(7,1,-4194304,'moon/2',-6414781143199938672,'La [moon]','La luna','',NULL,NULL,1.79530918672674655919e+09,1.79530918672674655919e+09,0,1,0,1.79530924694578528401e+09,0.212,6.4133,1,0,1.79530918694578528406e+09,1795309186726,1);
CREATE TABLE decks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL,
  created REAL NOT NULL,
  studied REAL,
  options TEXT NOT NULL DEFAULT '{}'
) STRICT;
INSERT INTO "decks" VALUES(1,'Spanish','spanish',1.79530918644041514401e+09,1.79530918694578528406e+09,'{"new_per_day":7,"reviews_per_day":200,"desired_retention":0.9,"leech_threshold":8,"maximum_interval":36500}');
INSERT INTO "decks" VALUES(2,'Spanish::Verbs','spanish::verbs',1.79530918659838724131e+09,NULL,'{}');
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('decks.1');
INSERT INTO "grdb_migrations" VALUES('decks.2');
INSERT INTO "grdb_migrations" VALUES('decks.2.types');
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
INSERT INTO "note_types" VALUES(1600000000001,'Basic','basic',0,1600000000,-1,'{"id": 1600000000001, "name": "Basic", "type": 0, "mod": 1600000000, "usn": -1, "sortf": 0, "did": null,
   "flds": [{"name": "Front", "ord": 0, "font": "Arial", "size": 20, "sticky": false, "rtl": false},
   {"name": "Back", "ord": 1, "font": "Arial", "size": 20, "sticky": false, "rtl": false}],
   "tmpls": [{"name": "Card 1", "ord": 0, "qfmt": "{{Front}}",
    "afmt": "{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}"}],
   "css": ".card {\n    font-family: sans-serif;\n    font-size: 20px;\n    line-height: 1.5;\n    text-align: center;\n}\n.cloze {\n    font-weight: bold;\n}\n"}');
INSERT INTO "note_types" VALUES(1600000000002,'Basic (and reversed card)','basic (and reversed card)',0,1600000000,-1,'{"id": 1600000000002, "name": "Basic (and reversed card)", "type": 0, "mod": 1600000000, "usn": -1, "sortf": 0, "did": null,
   "flds": [{"name": "Front", "ord": 0, "font": "Arial", "size": 20, "sticky": false, "rtl": false},
   {"name": "Back", "ord": 1, "font": "Arial", "size": 20, "sticky": false, "rtl": false}],
   "tmpls": [{"name": "Card 1", "ord": 0, "qfmt": "{{Front}}",
    "afmt": "{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}"},
   {"name": "Card 2", "ord": 1, "qfmt": "{{Back}}",
    "afmt": "{{FrontSide}}\n\n<hr id=answer>\n\n{{Front}}"}],
   "css": ".card {\n    font-family: sans-serif;\n    font-size: 20px;\n    line-height: 1.5;\n    text-align: center;\n}\n.cloze {\n    font-weight: bold;\n}\n"}');
INSERT INTO "note_types" VALUES(1600000000003,'Basic (optional reversed card)','basic (optional reversed card)',0,1600000000,-1,'{"id": 1600000000003, "name": "Basic (optional reversed card)", "type": 0, "mod": 1600000000, "usn": -1, "sortf": 0, "did": null,
   "flds": [{"name": "Front", "ord": 0, "font": "Arial", "size": 20, "sticky": false, "rtl": false},
   {"name": "Back", "ord": 1, "font": "Arial", "size": 20, "sticky": false, "rtl": false},
   {"name": "Add Reverse", "ord": 2, "font": "Arial", "size": 20, "sticky": false, "rtl": false}],
   "tmpls": [{"name": "Card 1", "ord": 0, "qfmt": "{{Front}}",
    "afmt": "{{FrontSide}}\n\n<hr id=answer>\n\n{{Back}}"},
   {"name": "Card 2", "ord": 1, "qfmt": "{{#Add Reverse}}{{Back}}{{/Add Reverse}}",
    "afmt": "{{FrontSide}}\n\n<hr id=answer>\n\n{{Front}}"}],
   "css": ".card {\n    font-family: sans-serif;\n    font-size: 20px;\n    line-height: 1.5;\n    text-align: center;\n}\n.cloze {\n    font-weight: bold;\n}\n"}');
INSERT INTO "note_types" VALUES(1600000000004,'Basic (type in the answer)','basic (type in the answer)',0,1600000000,-1,'{"id": 1600000000004, "name": "Basic (type in the answer)", "type": 0, "mod": 1600000000, "usn": -1, "sortf": 0, "did": null,
   "flds": [{"name": "Front", "ord": 0, "font": "Arial", "size": 20, "sticky": false, "rtl": false},
   {"name": "Back", "ord": 1, "font": "Arial", "size": 20, "sticky": false, "rtl": false}],
   "tmpls": [{"name": "Card 1", "ord": 0, "qfmt": "{{Front}}\n\n{{type:Back}}",
    "afmt": "{{Front}}\n\n<hr id=answer>\n\n{{type:Back}}"}],
   "css": ".card {\n    font-family: sans-serif;\n    font-size: 20px;\n    line-height: 1.5;\n    text-align: center;\n}\n.cloze {\n    font-weight: bold;\n}\n"}');
INSERT INTO "note_types" VALUES(1600000000005,'Cloze','cloze',1,1600000000,-1,'{"id": 1600000000005, "name": "Cloze", "type": 1, "mod": 1600000000, "usn": -1, "sortf": 0, "did": null,
   "flds": [{"name": "Text", "ord": 0, "font": "Arial", "size": 20, "sticky": false, "rtl": false},
   {"name": "Back Extra", "ord": 1, "font": "Arial", "size": 20, "sticky": false, "rtl": false}],
   "tmpls": [{"name": "Cloze", "ord": 0, "qfmt": "{{cloze:Text}}",
    "afmt": "{{cloze:Text}}<br>\n{{Back Extra}}"}],
   "css": ".card {\n    font-family: sans-serif;\n    font-size: 20px;\n    line-height: 1.5;\n    text-align: center;\n}\n.cloze {\n    font-weight: bold;\n}\n"}');
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
INSERT INTO "notes" VALUES(1795309186599,'sun',1600000000002,1795309186,-1,' sky ','el solthe sun','');
INSERT INTO "notes" VALUES(1795309186726,'moon',1600000000005,1795309186,-1,'','{{c1::La}} {{c2::luna::moon}}','');
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
INSERT INTO "reviews" VALUES(1,6,1.79530918694537448884e+09,4,0,NULL,691200.0,8.2956,1.0,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "reviews" VALUES(2,7,1.79530918694578528406e+09,1,0,NULL,60.0,0.212,6.4133,NULL,NULL,NULL,NULL,NULL);
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
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('reviews',2);
INSERT INTO "sqlite_sequence" VALUES('decks',2);
INSERT INTO "sqlite_sequence" VALUES('cards',7);
