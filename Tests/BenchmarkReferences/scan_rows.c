// Reads every row of a statement through SQLite's own interface, each column as a number.

#include "references.h"

#include <sqlite3.h>
#include <time.h>

static double moment(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

double reference_scan_rows(const char *path, const char *const *statements, int count) {
  sqlite3 *db = NULL;
  double sum = 0, start = moment();
  if (sqlite3_open(path, &db) != SQLITE_OK) return -1;
  for (int index = 0; index < count; index++) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, statements[index], -1, &statement, NULL) != SQLITE_OK) return -1;
    int columns = sqlite3_column_count(statement);
    while (sqlite3_step(statement) == SQLITE_ROW)
      for (int column = 0; column < columns; column++) sum += sqlite3_column_double(statement, column);
    sqlite3_finalize(statement);
  }
  sqlite3_close(db);
  return sum == -1 ? -1 : moment() - start;
}
