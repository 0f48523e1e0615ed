// The lines that arrow keys and Ctrl-R find: readline's own list, filled from outside.
// Invariant: readline never reads or writes a history file; a hidden history is restored unchanged.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/history.h>

#include "cterminal.h"

static HISTORY_STATE *hidden_history;

void line_editor_history_clear(int limit) {
  clear_history();
  stifle_history(limit);
}

void line_editor_history_add(const char *line) { add_history(line); }

void line_editor_history_remove(int index) {
  HIST_ENTRY *entry = remove_history(index);
  if (entry) free_history_entry(entry);
}

void line_editor_history_hide(bool hidden) {
  if (hidden == (hidden_history != NULL)) return;
  if (hidden) {
    HISTORY_STATE empty;
    memset(&empty, 0, sizeof empty);
    hidden_history = history_get_history_state();
    if (hidden_history) history_set_history_state(&empty);
  } else {
    clear_history();
    history_set_history_state(hidden_history);
    free(hidden_history);
    hidden_history = NULL;
  }
  using_history();
}
