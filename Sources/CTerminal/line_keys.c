// Keys that readline does not have: accepting a suggestion, searching the history by the beginning of the line, opening
// the line in an editor, help for the word at the cursor.
// Invariant: each replaces a function of readline and falls back to it, or is bound to an unused key.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "line_drawing.h"
#include "line_keys.h"

static const struct line_editor_callbacks *callbacks;
static bool wants_editor;

/// The suggestion as it was before the key; it is no longer on the screen.
static char *offered;

void keys_note_suggestion(void) {
  // Nothing is shown within the key's escape sequence.
  if (RL_ISSTATE(RL_STATE_MULTIKEY)) return;
  const char *text = drawing_suggestion();
  free(offered);
  offered = text ? strdup(text) : NULL;
}

static bool take_suggestion(void) {
  if (!offered || rl_point != rl_end) return false;
  rl_insert_text(offered);
  return true;
}

// U+200D joins two pictures to one character; U+FE0F and the skin tones belong to the one before them.
static const char joiner[] = "\xE2\x80\x8D";

static bool is_within_character(void) {
  if (rl_point == 0 || rl_point >= rl_end) return false;
  const char *next = rl_line_buffer + rl_point;
  if (rl_point >= 3 && memcmp(next - 3, joiner, 3) == 0) return true;
  if (strncmp(next, joiner, 3) == 0 || strncmp(next, "\xEF\xB8\x8F", 3) == 0) return true;
  return strncmp(next, "\xF0\x9F\x8F", 3) == 0 && (unsigned char)next[3] >= 0xBB;
}

/// Moves by whole characters, of which readline knows only the parts.
static int move(rl_command_func_t *function, int count, int key) {
  int direction = count < 0 ? -1 : 1;
  for (int left = abs(count); left > 0; left--) {
    do function(direction, key); while (is_within_character());
  }
  return 0;
}

static int forward_or_take(int count, int key) {
  if (count == 1 && take_suggestion()) return 0;
  return move(rl_forward_char, count, key);
}

static int backward(int count, int key) { return move(rl_backward_char, count, key); }

static int end_or_take(int count, int key) {
  if (take_suggestion()) return 0;
  return rl_end_of_line(count, key);
}

// History search by the beginning of the line.

static char *beginning;

static int up_by_beginning(int count, int key);
static int down_by_beginning(int count, int key);

/// The search text is what was typed before the first of several such keys.
static void note_beginning(void) {
  if (beginning && (rl_last_func == up_by_beginning || rl_last_func == down_by_beginning)) return;
  free(beginning);
  beginning = strndup(rl_line_buffer, (size_t)rl_end);
}

/// Returns how many steps away the next history line is that has this beginning and differs from the current line; 0 if
/// there is none.
static int steps_to_match(int direction) {
  HIST_ENTRY **entries = history_list();
  if (!entries || !beginning) return 0;
  size_t length = strlen(beginning);
  int here = where_history();
  for (int i = here + direction; i >= 0 && i < history_length; i += direction) {
    const char *line = entries[i] ? entries[i]->line : NULL;
    if (line && strncmp(line, beginning, length) == 0 && strcmp(line, rl_line_buffer) != 0) return abs(i - here);
  }
  return 0;
}

static int up_by_beginning(int count, int key) {
  if (RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH) || count != 1) return rl_get_previous_history(count, key);
  note_beginning();
  int steps = steps_to_match(-1);
  if (steps == 0) return rl_ding();
  return rl_get_previous_history(steps, key);
}

static int down_by_beginning(int count, int key) {
  if (RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH) || count != 1) return rl_get_next_history(count, key);
  note_beginning();
  int steps = steps_to_match(1);
  // After the last match comes the text that was typed.
  if (steps == 0) steps = history_length - where_history();
  return steps > 0 ? rl_get_next_history(steps, key) : rl_ding();
}

/// Typed-ahead keys are handled without redrawing, so the suggestion may still be on the screen.
static int accept_line(int count, int key) {
  drawing_erase();
  return rl_newline(count, key);
}

/// Shows the game above the prompt again, too.
static int clear_screen(int count, int key) {
  int done = rl_clear_screen(count, key);
  if (callbacks) callbacks->resized(callbacks->context);
  return done;
}

// Editor and help.

static int open_editor(int count, int key) {
  (void)count;
  (void)key;
  if (RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG)) return rl_ding();
  wants_editor = true;
  return 0;
}

bool keys_take_editor_wish(void) {
  bool wished = wants_editor;
  wants_editor = false;
  return wished;
}

static int show_help(int count, int key) {
  (void)count;
  (void)key;
  if (!callbacks || RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG)) return rl_ding();
  int point = rl_point;
  drawing_erase();
  rl_point = rl_end;
  rl_redisplay();
  rl_crlf();
  fflush(rl_outstream);
  callbacks->help(callbacks->context, rl_line_buffer, (size_t)point);
  rl_point = point;
  rl_on_new_line();
  return 0;
}

// Readline 8.2 can crash when a numeric argument begins within a search, so the keys for one do nothing there.

static int digit_argument(int count, int key) {
  return RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH) ? rl_ding() : rl_digit_argument(count, key);
}

static int universal_argument(int count, int key) {
  return RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH) ? rl_ding() : rl_universal_argument(count, key);
}

// Bindings.

/// Rebinds the keys of one function to another. `arrows_only` limits this to keys that send an escape sequence.
static void replace(Keymap map, rl_command_func_t *old, rl_command_func_t *new, bool arrows_only) {
  char **sequences = rl_invoking_keyseqs_in_map(old, map);
  for (char **sequence = sequences; sequence && *sequence; sequence++) {
    // An Escape is written `\e` or, if it is a Meta prefix, `\M-`.
    bool is_arrow = strncmp(*sequence, "\\e[", 3) == 0 || strncmp(*sequence, "\\eO", 3) == 0 ||
                    strncmp(*sequence, "\\M-[", 4) == 0 || strncmp(*sequence, "\\M-O", 4) == 0;
    if (is_arrow || !arrows_only) rl_bind_keyseq_in_map(*sequence, new, map);
    free(*sequence);
  }
  free(sequences);
}

static void bind_free(const char *sequence, rl_command_func_t *function, Keymap map) {
  rl_bind_keyseq_if_unbound_in_map(sequence, function, map);
}

void keys_install(void) {
  rl_add_defun("deckhand-take-or-forward", forward_or_take, -1);
  rl_add_defun("deckhand-take-or-end", end_or_take, -1);
  rl_add_defun("deckhand-up-by-beginning", up_by_beginning, -1);
  rl_add_defun("deckhand-down-by-beginning", down_by_beginning, -1);
  rl_add_defun("deckhand-edit-line", open_editor, -1);
  rl_add_defun("deckhand-help-at-cursor", show_help, -1);
  Keymap maps[] = {emacs_standard_keymap, vi_insertion_keymap};
  for (int i = 0; i < 2; i++) {
    replace(maps[i], rl_newline, accept_line, false);
    replace(maps[i], rl_forward_char, forward_or_take, false);
    replace(maps[i], rl_backward_char, backward, false);
    replace(maps[i], rl_end_of_line, end_or_take, false);
    replace(maps[i], rl_get_previous_history, up_by_beginning, true);
    replace(maps[i], rl_get_next_history, down_by_beginning, true);
    replace(maps[i], rl_clear_screen, clear_screen, false);
    replace(maps[i], rl_digit_argument, digit_argument, false);
    replace(maps[i], rl_universal_argument, universal_argument, false);
    bind_free("\\C-x\\C-e", open_editor, maps[i]);
  }
  bind_free("\\eh", show_help, emacs_standard_keymap);
  bind_free("\\C-x?", show_help, emacs_standard_keymap);
  replace(vi_movement_keymap, rl_newline, accept_line, false);
  replace(vi_movement_keymap, rl_digit_argument, digit_argument, false);
  bind_free("v", open_editor, vi_movement_keymap);
}

void keys_begin(const struct line_editor_callbacks *asked) {
  callbacks = asked;
  wants_editor = false;
  free(beginning);
  beginning = NULL;
}

void keys_end(void) {
  callbacks = NULL;
  free(offered);
  offered = NULL;
}
