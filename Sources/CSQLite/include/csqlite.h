// SQLite's own header with the pre-update hook, which it declares only on request; Debian's library is built with it.
// Also wrappers for variadic functions, which Swift cannot call.
#ifndef DECKHAND_CSQLITE_H
#define DECKHAND_CSQLITE_H

#ifndef SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#endif
#include <sqlite3.h>

// Result codes whose macros are expressions, which Swift does not import.
enum {
    deckhand_constraint_unique = SQLITE_CONSTRAINT_UNIQUE,
    deckhand_constraint_foreign_key = SQLITE_CONSTRAINT_FOREIGNKEY
};

// Stops SQLite from counting the memory of the whole process, which takes a lock at each allocation: a third of the
// time of many inserts. Works only before the first connection is opened; later it returns an error and changes
// nothing.
int deckhand_configure_sqlite(void);

// Enables or disables the triggers of a connection.
int deckhand_enable_triggers(sqlite3 *db, int enable);

// Treats double-quoted text only as a column name, never as a string, so that a misspelled name is an error.
int deckhand_refuse_quoted_texts(sqlite3 *db);

#endif
