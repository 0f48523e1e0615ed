// The tables of notes, cards, reviews and what belongs to them. Invariant: every card has a note.

public import Storage
import Templates
import Text

/// The tables of decks, notes and cards.
public enum DecksSchema {
  public static var schema: Schema {
    let sql = [
      decks, notes, SyncedTable.tables, cards, cardRows, reviews, MistypeTable.schema, SearchLog.tables, stockTypes,
      NoteWords.index, "CREATE INDEX notes_guid ON notes(guid);",
    ].joined(separator: "\n")
    return Schema(sql, functions: CardTextFunctions.all + [NoteWords.function])
  }

  /// `id` is milliseconds since 1970, as in Anki, or 1 for the deck and the preset that every collection of Anki has:
  /// see `SyncedTable.newID`. `json` is the row of Anki when it was received or sent, including unknown keys, and
  /// `{}` for a row that was neither; later local changes are only in the other columns. `usn` is 0 for a row that a
  /// server has, or had: see `SyncedTable`. `preset` is NULL if the deck around it decides. `decks.options` holds
  /// what applies to the deck alone.
  private static let decks = """
    CREATE TABLE presets (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      options TEXT NOT NULL DEFAULT '{}',
      usn INTEGER NOT NULL DEFAULT -1,
      json TEXT NOT NULL DEFAULT '{}'
    ) STRICT;
    CREATE UNIQUE INDEX presets_name ON presets(name_key);
    CREATE TABLE decks (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      studied REAL,
      options TEXT NOT NULL DEFAULT '{}',
      preset INTEGER REFERENCES presets(id) ON UPDATE CASCADE ON DELETE SET NULL,
      usn INTEGER NOT NULL DEFAULT -1,
      json TEXT NOT NULL DEFAULT '{}'
    ) STRICT;
    CREATE UNIQUE INDEX decks_name ON decks(name_key);
    """

  /// `note_types.id` and `notes.id` are milliseconds since 1970, as in Anki. `json` is the type as it was received,
  /// including unknown keys; `basic` is `NoteType.isBasic`. `tags` are separated by spaces, with a space at either
  /// end. `fields` are HTML, separated by U+001F. `data` is what another program stores with the note, or the fields
  /// that have no meaning to Deckhand: see `NoteData`. `usn` is -1 if a sync server does not have the row in this
  /// form. A note is removed with the last of its cards. A media file is stored under its hash in the account's
  /// folder; one whose `hash` is NULL was removed, and the removal was not sent yet.
  private static let notes = """
    CREATE TABLE note_types (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      name_key TEXT NOT NULL,
      cloze INTEGER NOT NULL DEFAULT 0,
      basic INTEGER NOT NULL DEFAULT 0,
      mod INTEGER NOT NULL,
      usn INTEGER NOT NULL DEFAULT -1,
      json TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX note_types_name ON note_types(name_key);
    CREATE TABLE notes (
      id INTEGER PRIMARY KEY,
      guid TEXT NOT NULL,
      type INTEGER NOT NULL REFERENCES note_types(id) ON UPDATE CASCADE,
      mod INTEGER NOT NULL,
      usn INTEGER NOT NULL DEFAULT -1,
      tags TEXT NOT NULL DEFAULT '',
      fields TEXT NOT NULL,
      data TEXT NOT NULL DEFAULT ''
    ) STRICT;
    CREATE TABLE media (
      name TEXT PRIMARY KEY,
      hash TEXT,
      size INTEGER NOT NULL,
      sha1 TEXT,
      pending INTEGER NOT NULL DEFAULT 1
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX media_alike ON media(name COLLATE NOCASE);
    """

  /// `id` is milliseconds since 1970, as in Anki: see `CardTable.freeID`. `ord` is the index of the card's template,
  /// from 0, or the number of its cloze less 1. `rank` orders the cards of a deck, the lowest on top. `content` has the
  /// 32-bit hash of the prompt in the upper half and that of the answer in the lower half, as the note makes them: one
  /// index finds cards with the same pair and with the same prompt, and then the texts are compared. `mod` is the time
  /// of the last change; `usn` is 0 for a card that a server has, or had: see `SyncedTable`. `raw` is its row in Anki
  /// when it was received or sent, NULL for a card that was neither: `[first day, mod, 0, type, queue, due, ivl,
  /// factor, reps, lapses, left, odue, odid, flags, data]`. `buried` is 1 for a burial by a sibling, 2 by the user.
  /// `interval` is the number of days that a card was given with its due day; NULL: see `CardSchedule.interval`.
  private static let cards = """
    CREATE TABLE cards (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      note INTEGER NOT NULL REFERENCES notes(id) ON UPDATE CASCADE,
      ord INTEGER NOT NULL,
      deck INTEGER NOT NULL REFERENCES decks(id) ON UPDATE CASCADE ON DELETE CASCADE,
      rank INTEGER NOT NULL,
      content INTEGER NOT NULL,
      document TEXT,
      created REAL NOT NULL,
      mod REAL NOT NULL,
      usn INTEGER NOT NULL DEFAULT -1,
      suspended INTEGER NOT NULL DEFAULT 0,
      state INTEGER NOT NULL DEFAULT 0,
      step INTEGER NOT NULL DEFAULT 0,
      due REAL,
      stability REAL,
      difficulty REAL,
      reps INTEGER NOT NULL DEFAULT 0,
      lapses INTEGER NOT NULL DEFAULT 0,
      last_review REAL,
      flag INTEGER NOT NULL DEFAULT 0,
      buried INTEGER NOT NULL DEFAULT 0,
      buried_until REAL,
      raw TEXT,
      interval INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX cards_note ON cards(note, ord);
    CREATE UNIQUE INDEX cards_rank ON cards(deck, rank);
    CREATE INDEX cards_new ON cards(deck, rank) WHERE state = 0;
    CREATE INDEX cards_due ON cards(deck, due, state, suspended, buried_until) WHERE state > 0;
    CREATE INDEX cards_suspended ON cards(deck, state) WHERE suspended = 1;
    CREATE INDEX cards_buried ON cards(deck, buried_until) WHERE buried_until IS NOT NULL;
    CREATE INDEX cards_flag ON cards(flag) WHERE flag > 0;
    CREATE INDEX cards_content ON cards(deck, content);
    CREATE TRIGGER cards_last_of_note AFTER DELETE ON cards
    WHEN NOT EXISTS (SELECT 1 FROM cards WHERE note = OLD.note) BEGIN
      \(SyncedTable.notes.saveRemovedSQL("OLD.note"));
      DELETE FROM notes WHERE id = OLD.note;
    END;
    """

  /// The cards with the texts that their notes make: see `ListedCard`. A deck may have any number of cards, and no
  /// text is stored twice. LEFT JOIN keeps the cards first: SQLite scans them and looks up each note.
  private static let cardRows = """
    CREATE VIEW card_rows AS SELECT cards.*,
      notes.guid || iif(cards.ord > 0, '/' || (cards.ord + 1), '') AS guid,
      \(CardTextFunctions.call(side: 0)) AS prompt,
      \(CardTextFunctions.call(side: 1)) AS answer,
      notes.tags AS tags,
      \(NoteData.fieldsSQL) AS fields,
      notes.guid AS note_guid,
      note_types.name AS note_type,
      notes.fields AS note_fields
    FROM cards LEFT JOIN notes ON notes.id = cards.note LEFT JOIN note_types ON note_types.id = notes.type;
    """

  /// A review outlives its card. `id` is the time of the answer in milliseconds since 1970, as in Anki's log, or the
  /// next free id. `usn` is -1 for a row that a sync server does not have. The columns after it are those of Anki's
  /// log, NULL in a row that was neither received nor sent: see `ForeignAnswer`; `rating` is its ease.
  private static let reviews = """
    CREATE TABLE reviews (
      id INTEGER PRIMARY KEY,
      card INTEGER NOT NULL,
      at REAL NOT NULL,
      rating INTEGER NOT NULL,
      state INTEGER NOT NULL,
      elapsed REAL,
      interval REAL NOT NULL,
      stability REAL,
      difficulty REAL,
      seconds REAL,
      usn INTEGER NOT NULL DEFAULT -1,
      ivl INTEGER,
      last_ivl INTEGER,
      factor INTEGER,
      time INTEGER,
      kind INTEGER
    ) STRICT;
    CREATE INDEX reviews_card ON reviews(card, at, id, rating, state, seconds);
    CREATE INDEX reviews_at ON reviews(at);
    """

  /// When the stock types were changed last, in seconds since 1970.
  static let stockTime = 1_600_000_000
  /// The ids of the stock types that every collection has; the others are created when they are first used.
  public static let stockIDs: ClosedRange<Int64> = 1_600_000_000_001...1_600_000_000_005

  /// Their ids are the same everywhere, so that they mean the same type in every collection.
  static var stockTypes: String {
    let rows = zip(stockIDs, StockNoteType.allCases).map { id, stock in
      let type = NoteType(stock.draft, id: NoteTypeID(rawValue: id), modified: stockTime)
      let texts = [type.name, DeckName.key(type.name), type.json].map { "'\($0.replacing(text: "'", with: "''"))'" }
      let flags = "\(type.isCloze ? 1 : 0), \(type.isBasic ? 1 : 0)"
      return "(\(id), \(texts[0]), \(texts[1]), \(flags), \(stockTime), \(texts[2]))"
    }
    let columns = "id, name, name_key, cloze, basic, mod, json"
    return "INSERT INTO note_types (\(columns)) VALUES \(rows.joined(separator: ",\n"));"
  }
}
