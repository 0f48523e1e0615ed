// Plain C that the benchmarks compare with: the same work, written the ordinary way against the libraries' own
// interfaces.
#ifndef DECKHAND_REFERENCES_H
#define DECKHAND_REFERENCES_H

#include <stddef.h>
#include <stdint.h>

// Runs a Lua loop of `count` calls of a method (a string in, a boolean out) on a userdata whose type is checked with
// luaL_checkudata. Answers the seconds it took, or a negative number when the code failed.
double reference_bound_method(long count);

// Inserts `count` cards into a new database at `path` with the tables and indices of the database at `like`: one
// prepared statement, one transaction, WAL. Answers the seconds it took from opening to closing, or a negative number.
double reference_insert_cards(const char *path, const char *like, long count);

// Writes `count` files of the same bytes into a folder, each by a temporary name, fsync and rename. Answers the
// seconds, or a negative number.
double reference_write_files(const char *folder, long count, const char *bytes, size_t size);

// ---- Words (of a to z). A list of texts is their bytes one after another; text i stands from ends[i] to ends[i + 1].

// Takes the words that all that follows goes by; called once.
void reference_load_words(const char *text, const size_t *ends, size_t count);
// What membership takes in memory.
double reference_bytes_a_word(void);
// How many of the texts are words: by an open-addressing table with FNV-1a, and by one with a wide hash whose slots
// keep a few of its bits.
size_t reference_contains_plain(const char *text, const size_t *ends, size_t count);
size_t reference_contains_tagged(const char *text, const size_t *ends, size_t count);
// The offsets of the words that can be laid with at most 16 letters, in no order: a hash of sorted letters with a
// bitmap before it. `found` has room.
size_t reference_formable(const char *letters, size_t length, uint32_t *found);
// The offsets of the words of a pattern of letters and `?`: every word is looked at.
size_t reference_match(const char *pattern, size_t length, uint32_t *found);

// ---- What Lua sees of words

struct lua_State;
// Sets the globals `reference_words` (can_form, normalize, and give, which does nothing) and `reference_list`, an
// object with the field count and the methods contains and take, which does nothing.
void reference_words_open(struct lua_State *L);

// ---- Guesses: a state of Lua of its own with a game written in C, judged by the four rules of the classic mode.

typedef struct reference_games reference_games;
// `code` is a chunk that is given a game, the list of texts, and a number. NULL when it does not compile.
reference_games *reference_games_open(const char *code, const char *text, const size_t *ends, size_t count);
// Puts a new game on a base word in place of the last.
void reference_games_begin(reference_games *games, const char *base);
// Runs the chunk on the game; its seconds, or a negative number when it failed.
double reference_games_run(reference_games *games, long repeats);
void reference_games_close(reference_games *games);

// ---- Rows: seconds to read every row of some statements, each column as a number; negative when it failed.
double reference_scan_rows(const char *path, const char *const *statements, int count);

// Seconds of `count` round trips of forty bytes to another process, negative when there is none.
double reference_round_trips(long count);

#endif
