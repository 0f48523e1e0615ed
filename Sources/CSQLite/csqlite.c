// The functions of the hook are SQLite's own; only their declarations are ours.
#include "csqlite.h"

#include <stddef.h>

int sqlite3_db_config(struct sqlite3 *db, int operation, ...);
int sqlite3_config(int operation, ...);

int deckhand_configure_sqlite(void) {
    const int config_memstatus = 9;        // SQLITE_CONFIG_MEMSTATUS
    const int config_stmtjrnl_spill = 26;  // SQLITE_CONFIG_STMTJRNL_SPILL
    // Bytes. SQLite writes such a piece to a file at once, and fails with "full" from 128 KiB on.
    const int most_of_a_journal = 120 << 10;
    int code = sqlite3_config(config_memstatus, 0);
    return code != 0 ? code : sqlite3_config(config_stmtjrnl_spill, most_of_a_journal);
}

int deckhand_enable_triggers(struct sqlite3 *db, int enable) {
    const int enable_trigger = 1003; // SQLITE_DBCONFIG_ENABLE_TRIGGER
    return sqlite3_db_config(db, enable_trigger, enable, (int *)NULL);
}
