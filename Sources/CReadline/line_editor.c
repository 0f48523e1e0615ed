// GNU readline through its callback interface and a poll loop of our own: keys, signals and ticks are seen in one place.
// Invariant: readline installs no signal handler, and between two calls of line_editor_read the terminal is as it was before.

#define _GNU_SOURCE
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "creadline.h"

// A list of candidates longer than this is cut, with a count.
enum { most_shown = 200 };

static int input_fd = -1;
static const struct line_editor_callbacks *callbacks;
static bool tab_is_indent;

// What the reading under way came to.
static bool is_done;
static struct line_editor_result result;

// Signals that came and are not dealt with yet.
static int ending_signal;
static bool wants_suspend, was_continued, was_resized;

// What the callback offered.
static char **offers;
static char **shown;
static size_t offer_count, offer_room;
static char *common;

static void set_character_type(void) {
  if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return;
  setlocale(LC_CTYPE, "");
  if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) setlocale(LC_CTYPE, "C.UTF-8");
}

// Signals.

/// Takes note of what came; true when it ends the reading.
static bool collect_signals(void) {
  for (int number = signal_watch_next(); number != 0; number = signal_watch_next()) {
    switch (number) {
      case SIGTSTP: wants_suspend = true; break;
      case SIGCONT: was_continued = true; break;
      case SIGWINCH: was_resized = true; break;
      // The one that ends the program wins over Ctrl-C.
      default: if (ending_signal == 0 || ending_signal == SIGINT) ending_signal = number;
    }
  }
  return ending_signal != 0;
}

static void prepare_again(void) {
  rl_deprep_terminal();
  rl_prep_terminal(1);
  rl_reset_screen_size();
  rl_forced_update_display();
}

static void suspend(void) {
  wants_suspend = false;
  callbacks->suspending(callbacks->context);
  rl_deprep_terminal();
  terminal_guard_restore();
  signal_watch_suspend();
  was_continued = false;
  rl_prep_terminal(1);
  callbacks->resumed(callbacks->context);
  rl_reset_screen_size();
  rl_forced_update_display();
}

static void answer_signals(void) {
  if (wants_suspend) suspend();
  if (was_continued) {
    was_continued = false;
    prepare_again();
  }
  if (was_resized) {
    was_resized = false;
    rl_resize_terminal();
  }
}

/// Drops the line whatever state the editor is in (Ctrl-R, a half key sequence) and gives the terminal back.
static void abandon(void) {
  rl_callback_sigcleanup();
  rl_point = rl_end;
  rl_redisplay();
  if (ending_signal == SIGINT) rl_echo_signal_char(SIGINT);
  rl_free_line_state();
  rl_replace_line("", 1);
  rl_crlf();
  fflush(rl_outstream);
  rl_callback_handler_remove();
}

// Keys. They are read one by one, so that what is typed ahead is there for whoever reads next; only inside a paste, from
// ESC [ 2 0 0 ~ to ESC [ 2 0 1 ~, more is read at once: a megabyte would take two million system calls.

static unsigned char ahead[4096];
static size_t ahead_start, ahead_end;
static bool is_paste;
/// The last six bytes.
static unsigned long long recent;

static int note(unsigned char byte) {
  recent = (recent << 8 | byte) & 0xFFFFFFFFFFFF;
  if (recent == 0x1B5B3230307E) is_paste = true;
  if (recent == 0x1B5B3230317E) is_paste = false;
  return byte;
}

static void forget_paste(void) {
  is_paste = false;
  ahead_start = ahead_end = 0;
}

/// The next byte, waiting for it; a signal that ends the reading ends the wait.
static int next_byte(FILE *stream) {
  (void)stream;
  for (;;) {
    if (ahead_start < ahead_end) return note(ahead[ahead_start++]);
    struct pollfd waits[2] = {{input_fd, POLLIN, 0}, {signal_watch_fd(), POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return EOF;
    if (collect_signals()) return READERR;
    if (waits[0].revents == 0) continue;
    ssize_t count = read(input_fd, ahead, is_paste ? sizeof ahead : 1);
    ahead_start = 0;
    ahead_end = count > 0 ? (size_t)count : 0;
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) return EOF;
  }
}

static void take_line(char *line) {
  rl_callback_handler_remove();
  is_done = true;
  result.end = line ? LINE_EDITOR_LINE : LINE_EDITOR_END_OF_INPUT;
  result.text = line;
}

static bool is_behind_blanks(void) {
  for (int i = rl_point - 1; i >= 0 && rl_line_buffer[i] != '\n'; i--) {
    if (rl_line_buffer[i] != ' ' && rl_line_buffer[i] != '\t') return false;
  }
  return true;
}

static int complete_or_indent(int count, int key) {
  if (tab_is_indent && is_behind_blanks()) return rl_insert(count, key);
  // Readline lists the candidates at the second Tab in a row: it looks for itself there.
  if (rl_last_func == complete_or_indent) rl_last_func = rl_complete;
  return rl_complete(count, key);
}

// Completion. Readline is told that the word is the whole line, so that where a word begins is for the callback to say.

static char *no_word_breaks(void) {
  static char none[] = "";
  return none;
}

static void drop_offers(void) {
  for (size_t i = 0; i < offer_count; i++) {
    free(offers[i]);
    free(shown[i]);
  }
  offer_count = 0;
  free(common);
  common = NULL;
}

static bool make_room(void) {
  if (offer_count < offer_room) return true;
  size_t room = offer_room == 0 ? 64 : offer_room * 2;
  char **more_offers = realloc(offers, room * sizeof *offers);
  if (more_offers) offers = more_offers;
  char **more_shown = realloc(shown, room * sizeof *shown);
  if (more_shown) shown = more_shown;
  if (!more_offers || !more_shown) return false;
  offer_room = room;
  return true;
}

void line_editor_offer(const char *line, const char *text) {
  if (!make_room()) return;
  char *offer = strdup(line);
  char *name = strdup(text);
  if (!offer || !name) {
    free(offer);
    free(name);
    return;
  }
  offers[offer_count] = offer;
  shown[offer_count] = name;
  offer_count++;
}

void line_editor_offer_common(const char *line) {
  free(common);
  common = strdup(line);
}

/// Readline frees what it is given: the first is what replaces the line, the rest are all candidates.
static char **candidates(const char *text, int start, int end) {
  (void)text;
  (void)start;
  rl_attempted_completion_over = 1;
  rl_completion_suppress_append = 1;
  rl_completion_append_character = '\0';
  rl_filename_quoting_desired = 0;
  rl_sort_completion_matches = 0;
  drop_offers();
  callbacks->complete(callbacks->context, rl_line_buffer, (size_t)end);
  if (offer_count == 0) return NULL;
  char **matches = calloc(offer_count + 2, sizeof *matches);
  if (!matches) return NULL;
  matches[0] = strdup(offer_count > 1 && common ? common : offers[0]);
  // M-* puts all candidates into the line, and each of ours is the whole line: it gets what they have in common.
  if (rl_completion_type == '*') return matches;
  for (size_t i = 0; i < offer_count && offer_count > 1; i++) matches[i + 1] = strdup(offers[i]);
  return matches;
}

static int columns_of(const char *text) {
  wchar_t wide[256];
  const char *rest = text;
  mbstate_t state;
  memset(&state, 0, sizeof state);
  size_t length = mbsrtowcs(wide, &rest, 256, &state);
  int width = length == (size_t)-1 ? -1 : wcswidth(wide, length);
  return width < 0 ? (int)strlen(text) : width;
}

static void show_candidates(char **matches, int count, int longest) {
  (void)matches;
  (void)count;
  (void)longest;
  size_t cut = offer_count > most_shown ? most_shown : offer_count;
  char **list = calloc(cut + 2, sizeof *list);
  if (!list) return;
  int widest = 0;
  for (size_t i = 0; i < cut; i++) {
    list[i + 1] = shown[i];
    int width = columns_of(shown[i]);
    if (width > widest) widest = width;
  }
  list[0] = shown[0];
  rl_display_match_list(list, (int)cut, widest);
  free(list);
  if (cut < offer_count) fprintf(rl_outstream, "… %zu more\n", offer_count - cut);
  rl_forced_update_display();
}

// Reading.

static void bind_tab(Keymap map) {
  if (rl_function_of_keyseq("\t", map, NULL) == rl_complete) rl_bind_key_in_map('\t', complete_or_indent, map);
}

static int open_streams(int input, int output) {
  int in = dup(input);
  int out = dup(output);
  rl_instream = in < 0 ? NULL : fdopen(in, "r");
  rl_outstream = out < 0 ? NULL : fdopen(out, "w");
  return rl_instream && rl_outstream ? 0 : errno;
}

int line_editor_start(const char *name, int input, int output) {
  if (input_fd >= 0) return EBUSY;
  int failure = open_streams(input, output);
  if (failure != 0) return failure;
  input_fd = input;
  set_character_type();
  rl_readline_name = strdup(name);
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
  rl_change_environment = 0;
  rl_getc_function = next_byte;
  rl_attempted_completion_function = candidates;
  rl_completion_word_break_hook = no_word_breaks;
  rl_completion_display_matches_hook = show_candidates;
  rl_ignore_completion_duplicates = 0;
  rl_initialize();
  bind_tab(emacs_standard_keymap);
  bind_tab(vi_insertion_keymap);
  if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
    // A locale of single bytes by wish: let all bytes through as they are.
    rl_variable_bind("input-meta", "on");
    rl_variable_bind("output-meta", "on");
    rl_variable_bind("convert-meta", "off");
  }
  using_history();
  return 0;
}

static long keys_read;

long line_editor_key_count(void) { return keys_read; }

static void read_until_done(int tick_ms) {
  while (!is_done) {
    if (collect_signals()) return;
    answer_signals();
    struct pollfd waits[2] = {{input_fd, POLLIN, 0}, {signal_watch_fd(), POLLIN, 0}};
    int ready = poll(waits, 2, ahead_start < ahead_end ? 0 : tick_ms);
    if (ready < 0 && errno != EINTR) {
      result.end = LINE_EDITOR_FAILED;
      result.number = errno;
      return;
    }
    if (ahead_start < ahead_end) {
      rl_callback_read_char();
      continue;
    }
    if (ready == 0 && callbacks->tick(callbacks->context)) {
      result.end = LINE_EDITOR_STOPPED;
      return;
    }
    // Signals first, also one whose handler ran as poll returned: what was typed behind a Ctrl-C is not for the line before it.
    if (ready > 0 && !collect_signals() && waits[0].revents != 0) {
      keys_read++;
      rl_callback_read_char();
    }
  }
}

static void settle(void) {
  if (ending_signal != 0) {
    forget_paste();
    line_editor_free(result.text);
    result.text = NULL;
    result.end = ending_signal == SIGINT ? LINE_EDITOR_INTERRUPTED : LINE_EDITOR_TERMINATED;
    result.number = ending_signal;
  }
  if (!is_done) abandon();
  // A signal in the middle of a paste: readline has given up the line by itself.
  if (is_done && ending_signal != 0) {
    rl_crlf();
    fflush(rl_outstream);
  }
  // Where pastes are bracketed readline ends the line itself.
  const char *bracketed = rl_variable_value("enable-bracketed-paste");
  if (is_done && result.end == LINE_EDITOR_END_OF_INPUT && !(bracketed && strcmp(bracketed, "on") == 0)) {
    rl_crlf();
    fflush(rl_outstream);
  }
}

struct line_editor_result line_editor_read(
    const char *prompt, const char *initial, bool tab_indents, int tick_ms, const struct line_editor_callbacks *asked) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH};
  memset(&result, 0, sizeof result);
  result.end = LINE_EDITOR_FAILED;
  int failure = signal_watch_begin(signals, sizeof signals / sizeof signals[0]);
  if (failure != 0) {
    result.number = failure;
    return result;
  }
  // A terminal that has gone is read to its end all the same.
  terminal_guard_begin(input_fd);
  callbacks = asked;
  tab_is_indent = tab_indents;
  is_done = wants_suspend = was_continued = was_resized = false;
  is_paste = false;
  ending_signal = 0;
  set_character_type();
  rl_reset_screen_size();
  rl_callback_handler_install(prompt, take_line);
  if (initial[0] != '\0') {
    rl_insert_text(initial);
    rl_redisplay();
  }
  read_until_done(tick_ms);
  settle();
  drop_offers();
  callbacks = NULL;
  terminal_guard_end();
  signal_watch_end();
  return result;
}

void line_editor_free(char *text) { free(text); }

bool line_editor_is_interrupted(void) { return callbacks && collect_signals(); }

// History.

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
