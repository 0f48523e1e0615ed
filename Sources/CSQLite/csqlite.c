// The functions of the hook are SQLite's own; only their declarations are ours.
#include "csqlite.h"

#include <stddef.h>

int sqlite3_db_config(struct sqlite3 *db, int operation, ...);
int sqlite3_config(int operation, ...);

int deckhand_configure_sqlite(void) {
    const int config_memstatus = 9;        // SQLITE_CONFIG_MEMSTATUS
    return sqlite3_config(config_memstatus, 0);
}

int deckhand_enable_triggers(struct sqlite3 *db, int enable) {
    const int enable_trigger = 1003; // SQLITE_DBCONFIG_ENABLE_TRIGGER
    return sqlite3_db_config(db, enable_trigger, enable, (int *)NULL);
}
