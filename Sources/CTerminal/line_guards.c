// Where readline 8.2 crashes or hangs, and what keeps it from that. Tests/ShellTests/RandomKeyTests.swift found each.
// Invariant: nothing here changes what a key does, a count beyond any use aside.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "line_guards.h"

// A key that is given up (Ctrl-G, a macro that is none, nothing to yank) is left by a jump. Within a macro readline
// would jump to where the key before was read, whose frame is gone: rl_callback_read_char reads several keys in one
// call, each sets the place, and nobody sets it back. So its function for giving up is found here first; it sets the
// place right and goes on with readline's own. The dynamic linker finds the program's before a library's; where
// readline is linked in, the linker is told to (`--wrap` in Scripts/setup).

// Exported by readline, but in none of its headers, as `_rl_saved_line_for_history`.
extern sigjmp_buf _rl_top_level;

static sigjmp_buf place;
static bool is_reading;

static int give_up(int (*readlines_own)(void)) {
  if (!readlines_own) return 0;
  if (is_reading) memcpy(_rl_top_level, place, sizeof place);
  return readlines_own();
}

__attribute__((weak)) int _rl_abort_internal(void) {
  return give_up((int (*)(void))dlsym(RTLD_NEXT, "_rl_abort_internal"));
}

__attribute__((weak)) int __real__rl_abort_internal(void);
int __wrap__rl_abort_internal(void) { return give_up(__real__rl_abort_internal); }

// With keys of its own at hand, of a macro or pushed back, readline goes on within the same call behind a Return, in a
// line that is no more. The end of a line leaves the call; what is left is read for the next one.

extern int _rl_pushed_input_available(void);

enum { line_taken = 2 };

void guards_read_key(void) {
  int jump = sigsetjmp(place, 0);
  if (jump == 0) {
    is_reading = true;
    rl_callback_read_char();
  } else if (jump != line_taken) {
    rl_redisplay_function();
    rl_clear_signals();
  }
  is_reading = false;
}

void guards_line_taken(void) {
  if (is_reading) siglongjmp(place, line_taken);
}

bool guards_has_input(void) {
  return RL_ISSTATE(RL_STATE_MACROINPUT) || rl_pending_input != 0 || _rl_pushed_input_available();
}

// The steps of undo are a list that grows at its head. A line of the history, and the line that is set aside while one
// goes through the history, hold the head of before; once the list is freed they hold what is gone. They give it up
// while the line is edited: readline puts the list back when it leaves the line.

extern HIST_ENTRY *_rl_saved_line_for_history;

static void set_nothing_aside(void) {
  HIST_ENTRY *saved = calloc(1, sizeof *saved);
  if (!saved) return;
  saved->line = strdup("");
  if (saved->line) _rl_saved_line_for_history = saved; else free(saved);
}

static bool is_in_history(const histdata_t data) {
  HIST_ENTRY **entries = history_list();
  for (int i = 0; entries && i < history_length; i++) {
    if (entries[i]->data == data) return true;
  }
  return false;
}

/// Takes the list of the line that is edited from the lines of the history. Where nothing is set aside, as after a
/// search forward for nothing, the line below the history is edited with the list of the one above it.
static void disown(const UNDO_LIST *list) {
  HIST_ENTRY **entries = history_list();
  for (int i = 0; list && entries && i < history_length; i++) {
    if (entries[i]->data == list) entries[i]->data = NULL;
  }
}

static void own_undo_list(void) {
  if (RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH)) return;
  disown(rl_undo_list);
  HIST_ENTRY *entry = current_history();
  HIST_ENTRY *saved = _rl_saved_line_for_history;
  if (!entry) {
    // Below the history the line itself is there, and nothing is set aside.
    if (saved) free_history_entry(saved);
    _rl_saved_line_for_history = NULL;
    return;
  }
  entry->data = NULL;
  // What is missing would be made of this line, with its list.
  if (!saved) set_nothing_aside();
  if (saved && saved->data && (saved->data == rl_undo_list || is_in_history(saved->data))) saved->data = NULL;
}

// A byte of 0 ends the line for some functions and not for others, which then wait for ever to get past it.

static void drop_zeros(void) {
  for (int i = rl_end - 1; i >= 0; i--) {
    if (rl_line_buffer[i] != '\0') continue;
    memmove(rl_line_buffer + i, rl_line_buffer + i + 1, (size_t)(rl_end - i));
    rl_end--;
    if (rl_point > i) rl_point--;
    if (rl_mark > i) rl_mark--;
  }
}

// A word that is moved a million times keeps the terminal for minutes, and hears no Ctrl-C.

enum { most_times = 1000 };

void guards_between_keys(void) {
  own_undo_list();
  drop_zeros();
  if (RL_ISSTATE(RL_STATE_NUMERICARG) && rl_numeric_arg > most_times) rl_numeric_arg = most_times;
}
