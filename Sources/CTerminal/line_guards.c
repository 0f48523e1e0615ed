// Workarounds for crashes and hangs of readline 8.2. Tests/ShellTests/RandomKeyTests.swift found each of them.
// Invariant: nothing here changes what a key does, except that numeric arguments are limited.

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

// Readline leaves an aborted key (Ctrl-G, a missing macro, nothing to yank) with a longjmp. Within a macro it would
// jump to where the previous key was read, and that frame is gone: rl_callback_read_char reads several keys in one
// call, each sets the jump target, and nothing resets it. So we replace readline's abort function: ours corrects the
// target and then calls the original. The dynamic linker prefers the program's definition to a library's; if readline
// is linked statically, the linker is told to wrap it (`--wrap` in Scripts/setup).

// Exported by readline, but in none of its headers, like `_rl_saved_line_for_history`.
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

// With pending keys of a macro or pushed-back keys, readline continues after a Return within the same call, in a line
// that no longer exists. So we leave the call at the end of a line; the remaining keys are read for the next line.

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

// The undo steps are a list that grows at its head. A history line, and the line that is set aside while the user moves
// through the history, hold an old head of the list, which dangles once the list is freed. We clear these pointers
// while the line is edited: readline stores the list again when it leaves the line.

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

/// Clears the pointers of history lines to the undo list of the edited line. If no line is set aside, as after a
/// forward search that found nothing, the line below the history is edited with the list of the line above it.
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
    // Below the history, the edited line is the current one, and nothing is set aside.
    if (saved) free_history_entry(saved);
    _rl_saved_line_for_history = NULL;
    return;
  }
  entry->data = NULL;
  // Readline would create a missing one from this line, with its undo list.
  if (!saved) set_nothing_aside();
  if (saved && saved->data && (saved->data == rl_undo_list || is_in_history(saved->data))) saved->data = NULL;
}

// A zero byte ends the line for some functions and not for others, which then try forever to move past it.

static void drop_zeros(void) {
  for (int i = rl_end - 1; i >= 0; i--) {
    if (rl_line_buffer[i] != '\0') continue;
    memmove(rl_line_buffer + i, rl_line_buffer + i + 1, (size_t)(rl_end - i));
    rl_end--;
    if (rl_point > i) rl_point--;
    if (rl_mark > i) rl_mark--;
  }
}

// Moving a word a million times would block the terminal for minutes, without reacting to Ctrl-C.

enum { most_times = 1000 };

void guards_between_keys(void) {
  own_undo_list();
  drop_zeros();
  if (RL_ISSTATE(RL_STATE_NUMERICARG) && rl_numeric_arg > most_times) rl_numeric_arg = most_times;
}
