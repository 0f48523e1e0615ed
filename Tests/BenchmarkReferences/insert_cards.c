// Inserts the rows of a deck into SQLite through its own interface: one transaction, a prepared statement for the
// notes and one for their cards.

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "references.h"

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static const char insert_note[] =
    "INSERT INTO notes (id, guid, type, mod, fields) "
    "VALUES (?1, ?2, (SELECT min(id) FROM note_types), 1700000000, ?3 || char(31) || ?4)";
static const char insert_card[] =
    "INSERT INTO cards (deck, rank, content, created, mod, note, ord) VALUES (1, ?, ?, ?, ?, ?, 0)";

static int fill(sqlite3 *db, long count) {
  sqlite3_stmt *note, *statement;
  if (sqlite3_prepare_v2(db, insert_note, -1, &note, NULL) != SQLITE_OK) return -1;
  if (sqlite3_prepare_v2(db, insert_card, -1, &statement, NULL) != SQLITE_OK) return -1;
  int result = 0;
  for (long i = 1; i <= count && result == 0; i++) {
    char guid[32], prompt[32], answer[32];
    int guid_length = snprintf(guid, sizeof guid, "bench:%ld", i);
    int prompt_length = snprintf(prompt, sizeof prompt, "prompt %ld", i);
    int answer_length = snprintf(answer, sizeof answer, "answer %ld", i);
    sqlite3_bind_int64(note, 1, i);
    sqlite3_bind_text(note, 2, guid, guid_length, SQLITE_STATIC);
    sqlite3_bind_text(note, 3, prompt, prompt_length, SQLITE_STATIC);
    sqlite3_bind_text(note, 4, answer, answer_length, SQLITE_STATIC);
    if (sqlite3_step(note) != SQLITE_DONE) result = -1;
    sqlite3_reset(note);
    sqlite3_bind_int64(statement, 1, i << 20);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)((unsigned long long)i * 0x9E3779B97F4A7C15ull >> 1));
    sqlite3_bind_double(statement, 3, 1.7e9);
    sqlite3_bind_double(statement, 4, 1.7e9);
    sqlite3_bind_int64(statement, 5, i);
    if (result == 0 && sqlite3_step(statement) != SQLITE_DONE) result = -1;
    sqlite3_reset(statement);
  }
  sqlite3_finalize(note);
  sqlite3_finalize(statement);
  return result;
}

// Copies the note types of another database.
static int copy_types(sqlite3 *db, const char *from) {
  char *sql = sqlite3_mprintf(
      "ATTACH %Q AS other; INSERT INTO note_types SELECT * FROM other.note_types; DETACH other", from);
  int result = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
  sqlite3_free(sql);
  return result;
}

// Returns the statements that created the tables and indices of a database, in order, but for the index that calls a
// function of Deckhand; the caller frees the text.
static char *schema_of(const char *path) {
  sqlite3 *db;
  sqlite3_stmt *statement;
  char *text = NULL;
  if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
      sqlite3_prepare_v2(db,
                         "SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND "
                         "name NOT LIKE 'sqlite%' AND name <> 'notes_word' ORDER BY rowid)",
                         -1, &statement, NULL) == SQLITE_OK) {
    if (sqlite3_step(statement) == SQLITE_ROW) text = strdup((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
  }
  sqlite3_close(db);
  return text;
}

double reference_insert_cards(const char *path, const char *like, long count) {
  char *schema = schema_of(like);
  if (!schema) return -1;
  double start = now();
  sqlite3 *db;
  if (sqlite3_open(path, &db) != SQLITE_OK) return -1;
  int failed = sqlite3_exec(db, "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON", NULL, NULL, NULL) ||
               sqlite3_exec(db, schema, NULL, NULL, NULL) || copy_types(db, like) ||
               sqlite3_exec(db, "INSERT INTO decks (id, name, name_key) VALUES (1, 'Bench', 'bench')", NULL, NULL,
                            NULL) ||
               sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) || fill(db, count) ||
               sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
  if (failed) fprintf(stderr, "reference: %s\n", sqlite3_errmsg(db));
  sqlite3_close(db);
  free(schema);
  return failed ? -1 : now() - start;
}
