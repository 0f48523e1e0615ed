// A library for LD_PRELOAD that kills the process when a thread calls SQLite on a connection that another thread is
// using.
//
// THREADS_LOG  a file that gets, when a process that called SQLite exits, the number of calls and that of the
//              connections with calls from several threads
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROOM 8192

static struct use {
  _Atomic(sqlite3 *) database;
  atomic_long owner, first;
  atomic_int depth, is_shared;
} uses[ROOM];
static atomic_long calls;

static struct use *use_of(sqlite3 *database) {
  size_t start = ((size_t)database >> 4) % ROOM;
  for (size_t i = 0; i < ROOM; i++) {
    struct use *use = &uses[(start + i) % ROOM];
    sqlite3 *found = atomic_load(&use->database);
    if (!found && atomic_compare_exchange_strong(&use->database, &found, database)) return use;
    if (found == database) return use;
  }
  abort();
}

static struct use *enter(sqlite3 *database, const char *name) {
  if (!database) return NULL;
  long me = syscall(SYS_gettid), nobody = 0;
  struct use *use = use_of(database);
  atomic_fetch_add(&calls, 1);
  if (!atomic_compare_exchange_strong(&use->owner, &nobody, me) && nobody != me) {
    fprintf(stderr, "threads: %ld calls %s while %ld is in the connection\n", me, name, nobody);
    _exit(86);
  }
  atomic_fetch_add(&use->depth, 1);
  long first = 0;
  if (!atomic_compare_exchange_strong(&use->first, &first, me) && first != me) atomic_store(&use->is_shared, 1);
  return use;
}

static void leave(struct use *use) {
  if (use && atomic_fetch_sub(&use->depth, 1) == 1) atomic_store(&use->owner, 0);
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("THREADS_LOG");
  FILE *log = path && atomic_load(&calls) ? fopen(path, "w") : NULL;
  if (!log) return;
  int shared = 0;
  for (size_t i = 0; i < ROOM; i++) shared += atomic_load(&uses[i].is_shared);
  fprintf(log, "%ld %d", atomic_load(&calls), shared);
  fclose(log);
}

#define WRAP(type, name, database, parameters, arguments) \
  type name parameters { \
    static type(*next) parameters; \
    if (!next) next = (type(*) parameters)dlsym(RTLD_NEXT, #name); \
    struct use *use = enter(database, #name); \
    type result = next arguments; \
    leave(use); \
    return result; \
  }
#define OF_STATEMENT(type, name, parameters, arguments) \
  WRAP(type, name, sqlite3_db_handle(statement), parameters, arguments)

OF_STATEMENT(int, sqlite3_step, (sqlite3_stmt *statement), (statement))
OF_STATEMENT(int, sqlite3_reset, (sqlite3_stmt *statement), (statement))
OF_STATEMENT(int, sqlite3_clear_bindings, (sqlite3_stmt *statement), (statement))
OF_STATEMENT(int, sqlite3_finalize, (sqlite3_stmt *statement), (statement))
OF_STATEMENT(int, sqlite3_bind_null, (sqlite3_stmt *statement, int place), (statement, place))
OF_STATEMENT(int, sqlite3_bind_int64, (sqlite3_stmt *statement, int place, sqlite3_int64 value), (statement, place, value))
OF_STATEMENT(int, sqlite3_bind_double, (sqlite3_stmt *statement, int place, double value), (statement, place, value))
OF_STATEMENT(
    int, sqlite3_bind_text, (sqlite3_stmt *statement, int place, const char *text, int count, void (*end)(void *)),
    (statement, place, text, count, end))
OF_STATEMENT(
    int, sqlite3_bind_text64,
    (sqlite3_stmt *statement, int place, const char *text, sqlite3_uint64 count, void (*end)(void *), unsigned char kind),
    (statement, place, text, count, end, kind))
OF_STATEMENT(
    int, sqlite3_bind_blob64,
    (sqlite3_stmt *statement, int place, const void *bytes, sqlite3_uint64 count, void (*end)(void *)),
    (statement, place, bytes, count, end))
OF_STATEMENT(int, sqlite3_column_type, (sqlite3_stmt *statement, int column), (statement, column))
OF_STATEMENT(int, sqlite3_column_bytes, (sqlite3_stmt *statement, int column), (statement, column))
OF_STATEMENT(sqlite3_int64, sqlite3_column_int64, (sqlite3_stmt *statement, int column), (statement, column))
OF_STATEMENT(double, sqlite3_column_double, (sqlite3_stmt *statement, int column), (statement, column))
OF_STATEMENT(const unsigned char *, sqlite3_column_text, (sqlite3_stmt *statement, int column), (statement, column))
OF_STATEMENT(const void *, sqlite3_column_blob, (sqlite3_stmt *statement, int column), (statement, column))
WRAP(int, sqlite3_changes, db, (sqlite3 *db), (db))
WRAP(int, sqlite3_total_changes, db, (sqlite3 *db), (db))
WRAP(int, sqlite3_get_autocommit, db, (sqlite3 *db), (db))
WRAP(sqlite3_int64, sqlite3_last_insert_rowid, db, (sqlite3 *db), (db))
WRAP(int, sqlite3_close, db, (sqlite3 *db), (db))
WRAP(int, sqlite3_close_v2, db, (sqlite3 *db), (db))
WRAP(
    int, sqlite3_prepare_v3, db,
    (sqlite3 *db, const char *sql, int count, unsigned int flags, sqlite3_stmt **made, const char **rest),
    (db, sql, count, flags, made, rest))
