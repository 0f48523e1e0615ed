// SQLite's own header, with the pre-update hook, which it shows only to programs that ask for it; Debian's library is
// built with it. And what takes variable arguments, which Swift cannot call.
#ifndef DECKHAND_CSQLITE_H
#define DECKHAND_CSQLITE_H

#ifndef SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#endif
#include <sqlite3.h>

// Codes that are macros of more than a number.
enum {
    deckhand_constraint_unique = SQLITE_CONSTRAINT_UNIQUE,
    deckhand_constraint_foreign_key = SQLITE_CONSTRAINT_FOREIGNKEY
};

// Keeps SQLite from counting the memory of the whole process, which takes a lock at each allocation: a third of the
// time of many inserts. Only before the first connection is opened; later it answers an error and changes nothing.
int deckhand_configure_sqlite(void);

// Turns the triggers of a connection on or off.
int deckhand_enable_triggers(sqlite3 *db, int enable);

// Makes "text" in double quotes a column's name and never a text, so that a misspelled name is an error.
int deckhand_refuse_quoted_texts(sqlite3 *db);

#endif
