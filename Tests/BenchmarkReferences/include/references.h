// Plain C that the benchmarks compare with: the same work, written the ordinary way against the libraries' own interfaces.
#ifndef DECKHAND_REFERENCES_H
#define DECKHAND_REFERENCES_H

#include <stddef.h>

// Runs a Lua loop of `count` calls of a method (a string in, a boolean out) on a userdata whose type is checked with
// luaL_checkudata. Answers the seconds it took, or a negative number when the code failed.
double reference_bound_method(long count);

// Inserts `count` cards into a new database at `path` with the tables and indices of the database at `like`: one prepared
// statement, one transaction, WAL. Answers the seconds it took from opening to closing, or a negative number.
double reference_insert_cards(const char *path, const char *like, long count);

// Writes `count` files of the same bytes into a folder, each by a temporary name, fsync and rename. Answers the seconds, or a
// negative number.
double reference_write_files(const char *folder, long count, const char *bytes, size_t size);

#endif
