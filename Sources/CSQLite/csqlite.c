#include "csqlite.h"

#include <stddef.h>

int deckhand_configure_sqlite(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

int deckhand_enable_triggers(sqlite3 *db, int enable) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, enable, (int *)NULL);
}

int deckhand_refuse_quoted_texts(sqlite3 *db) {
    int code = sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)NULL);
    return code == SQLITE_OK ? sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)NULL) : code;
}
