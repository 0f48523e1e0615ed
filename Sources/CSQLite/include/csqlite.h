// What Debian's SQLite has and its sqlite3.h shows only to who defines SQLITE_ENABLE_PREUPDATE_HOOK: being told of
// each row before it changes. See "The pre-update hook" in SQLite's manual.
#ifndef DECKHAND_CSQLITE_H
#define DECKHAND_CSQLITE_H

struct sqlite3;
struct sqlite3_value;

typedef void (*deckhand_preupdate)(
    void *context, struct sqlite3 *db, int operation, const char *database, const char *table, long long before,
    long long after);

void *sqlite3_preupdate_hook(struct sqlite3 *db, deckhand_preupdate hook, void *context);
int sqlite3_preupdate_old(struct sqlite3 *db, int column, struct sqlite3_value **value);
int sqlite3_preupdate_new(struct sqlite3 *db, int column, struct sqlite3_value **value);
int sqlite3_preupdate_count(struct sqlite3 *db);

// Keeps SQLite from counting the memory of the whole process, which takes a lock at each allocation: a third of the
// time of many inserts. Only before the first connection is opened; later it answers an error and changes nothing.
int deckhand_configure_sqlite(void);

// Turns the triggers of a connection on or off: sqlite3_db_config takes variable arguments, which Swift cannot call.
int deckhand_enable_triggers(struct sqlite3 *db, int enable);

#endif
