// Plain C for the benchmarks to compare with: the same work, written the ordinary way against the libraries' own
// interfaces.
#ifndef DECKHAND_REFERENCES_H
#define DECKHAND_REFERENCES_H

#include <stddef.h>
#include <stdint.h>

// Runs a Lua loop of `count` calls of a method (a string in, a boolean out) on a userdata whose type is checked with
// luaL_checkudata. Returns the seconds it took, or a negative number if the code failed.
double reference_bound_method(long count);

// Inserts `count` cards into a new database at `path` with the tables and indices of the database at `like`: one
// prepared statement, one transaction, WAL. Returns the seconds from opening to closing, or a negative number.
double reference_insert_cards(const char *path, const char *like, long count);

// Writes `count` files of the same bytes into a folder, each with a temporary name, fsync and rename. Returns the
// seconds, or a negative number.
double reference_write_files(const char *folder, long count, const char *bytes, size_t size);

// ---- Words (of a to z). A list of texts is their bytes one after another; text i is from ends[i] to ends[i + 1].

// Sets the words that all functions below use; called once.
void reference_load_words(const char *text, const size_t *ends, size_t count);
// The bytes of memory that the membership tables use.
double reference_bytes_a_word(void);
// Returns how many of the texts are words: with an open-addressing table and FNV-1a, and with a wide hash whose slots
// store a few of its bits.
size_t reference_contains_plain(const char *text, const size_t *ends, size_t count);
size_t reference_contains_tagged(const char *text, const size_t *ends, size_t count);
// Finds the offsets of the words that can be formed from at most 16 letters, in no order: a hash of sorted letters
// with a bitmap before it. `found` must be large enough.
size_t reference_formable(const char *letters, size_t length, uint32_t *found);
// Finds the offsets of the words that match a pattern of letters and `?`, by testing every word.
size_t reference_match(const char *pattern, size_t length, uint32_t *found);

// ---- Word functions for Lua

struct lua_State;
// Sets the globals `reference_words` (can_form, normalize) and `reference_list`, an object with the field count and the
// method contains.
void reference_words_open(struct lua_State *L);

// ---- Guesses: a separate Lua state with a game written in C, judged by the four rules of the classic mode.

typedef struct reference_games reference_games;
// `code` is a chunk that gets a game, the list of texts, and a number. Returns NULL if it does not compile.
reference_games *reference_games_open(const char *code, const char *text, const size_t *ends, size_t count);
// Replaces the game by a new one with the base word.
void reference_games_begin(reference_games *games, const char *base);
// Runs the chunk on the game; returns the seconds, or a negative number if it failed.
double reference_games_run(reference_games *games, long repeats);
void reference_games_close(reference_games *games);

// ---- Rows: the seconds for reading every row of some statements, each column as a number; negative on failure.
double reference_scan_rows(const char *path, const char *const *statements, int count);

// Returns the seconds of `count` round trips of forty bytes to another process; negative if it cannot be started.
double reference_round_trips(long count);

#endif
