// GNU readline through its callback interface and our own poll loop, so that keys, signals and ticks are handled in one
// place.
// Invariant: readline installs no signal handlers, and between two calls of line_editor_read the terminal is in its
// original state.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/readline.h>

#include "line_completion.h"
#include "line_drawing.h"
#include "line_guards.h"
#include "line_keys.h"
#include "line_pastes.h"
#include "terminal_state.h"

static bool is_started;
static const struct line_editor_callbacks *callbacks;

// The result of the current read.
static bool is_done;
static struct line_editor_result result;

// Signals that have arrived and are not handled yet.
static int ending_signal;
static bool wants_suspend, was_continued, was_resized;

// Lines are UTF-8 in every locale. Readline takes that of the environment when it starts, and again at each line.
static void set_character_type(void) {
  if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return;
  setlocale(LC_CTYPE, "");
  if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0) setlocale(LC_CTYPE, "C.UTF-8");
}

// Signals.

/// Collects the signals that have arrived; true if one ends the read.
static bool collect_signals(void) {
  for (int number = terminal_next_signal(); number != 0; number = terminal_next_signal()) {
    switch (number) {
      case SIGTSTP: wants_suspend = true; break;
      case SIGCONT: was_continued = true; break;
      case SIGWINCH: was_resized = true; break;
      // A signal that ends the program takes precedence over Ctrl-C.
      default: if (ending_signal == 0 || ending_signal == SIGINT) ending_signal = number;
    }
  }
  return ending_signal != 0;
}

static void draw_again(void) {
  rl_reset_screen_size();
  rl_forced_update_display();
}

static void prepare_again(void) {
  rl_deprep_terminal();
  rl_prep_terminal(1);
  draw_again();
}

static void suspend(void) {
  wants_suspend = false;
  drawing_erase();
  callbacks->suspending(callbacks->context);
  rl_deprep_terminal();
  terminal_suspend();
  was_continued = false;
  rl_prep_terminal(1);
  draw_again();
  // The callback may redraw everything.
  callbacks->resumed(callbacks->context);
}

static void answer_signals(void) {
  if (wants_suspend) suspend();
  if (was_continued) {
    was_continued = false;
    prepare_again();
  }
  if (was_resized) {
    was_resized = false;
    drawing_resize();
    callbacks->resized(callbacks->context);
  }
}

/// Drops the line in any editor state (Ctrl-R, an incomplete key sequence) and restores the terminal.
static void abandon(void) {
  drawing_erase();
  // rl_callback_sigcleanup does not do this: restore the prompt that "(arg: 5)" replaces.
  if (RL_ISSTATE(RL_STATE_NUMERICARG)) {
    rl_restore_prompt();
    rl_clear_message();
    RL_UNSETSTATE(RL_STATE_NUMERICARG);
  }
  rl_callback_sigcleanup();
  rl_point = rl_end;
  rl_redisplay();
  if (ending_signal == SIGINT) rl_echo_signal_char(SIGINT);
  rl_free_line_state();
  rl_clear_pending_input();
  rl_replace_line("", 1);
  rl_crlf();
  fflush(rl_outstream);
  rl_callback_handler_remove();
}

// Keys. They are read one by one, so that typed-ahead input remains for the next reader. Only inside a paste, from ESC
// [ 2 0 0 ~ to ESC [ 2 0 1 ~, larger blocks are read: a megabyte would otherwise take two million system calls.

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

/// Waits for the next byte and returns it; a signal that ends the read ends the wait.
static int raw_byte(void) {
  for (;;) {
    if (ahead_start < ahead_end) return note(ahead[ahead_start++]);
    struct pollfd waits[2] = {{STDIN_FILENO, POLLIN, 0}, {terminal_signal_fd(), POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return EOF;
    if (collect_signals()) return READERR;
    if (waits[0].revents == 0) continue;
    ssize_t count = read(STDIN_FILENO, ahead, is_paste ? sizeof ahead : 1);
    ahead_start = 0;
    ahead_end = count > 0 ? (size_t)count : 0;
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) return EOF;
  }
}

// Bytes of a validated character. Readline can loop forever when it draws bytes that are not UTF-8, so it gets U+FFFD
// instead, and a line that still contains one is rejected.

static unsigned char checked[8];
static size_t checked_start, checked_end;
static bool is_utf8, had_invalid;

static void check(const unsigned char *bytes, size_t count) {
  memcpy(checked + checked_end, bytes, count);
  checked_end += count;
}

static void check_invalid(void) {
  static const unsigned char replacement[] = {0xEF, 0xBF, 0xBD};
  had_invalid = true;
  check(replacement, sizeof replacement);
}

/// Returns the length of the sequence that begins with this byte, and the range of its second byte (Unicode Standard,
/// table 3-7); 0 for a byte that begins none.
static size_t sequence_length(unsigned char first, unsigned char *low, unsigned char *high) {
  *low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  *high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (first < 0xC2 || first > 0xF4) return 0;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/// Adds the character that begins with this byte to the validated ones. False if the read ends.
static bool check_character(unsigned char first, int *end) {
  unsigned char bytes[4] = {first};
  unsigned char low;
  unsigned char high;
  size_t length = sequence_length(first, &low, &high);
  for (size_t i = 1; i < length; i++) {
    int byte = raw_byte();
    if (byte < 0) {
      *end = byte;
      return false;
    }
    bytes[i] = (unsigned char)byte;
    if (bytes[i] < low || bytes[i] > high) {
      check_invalid();
      // The byte may begin a key or another character, so it is read again.
      ahead_start--;
      return true;
    }
    low = 0x80;
    high = 0xBF;
  }
  if (length == 0) check_invalid(); else check(bytes, length);
  return true;
}

static bool has_bytes(void) { return ahead_start < ahead_end || checked_start < checked_end; }

static void forget_bytes(void) {
  is_paste = false;
  ahead_start = ahead_end = checked_start = checked_end = 0;
}

static int next_byte(FILE *stream) {
  (void)stream;
  pastes_look(!RL_ISSTATE(RL_STATE_ISEARCH));
  if (checked_start == checked_end) {
    checked_start = checked_end = 0;
    int byte = raw_byte();
    if (byte < 0x80 || !is_utf8) return byte;
    int end = EOF;
    if (!check_character((unsigned char)byte, &end)) return end;
  }
  return checked[checked_start++];
}

/// Ends the read with the text typed so far.
static void end_with_line(enum line_editor_end end) {
  result.end = end;
  result.text = strdup(rl_line_buffer);
  if (!result.text) result.end = LINE_EDITOR_STOPPED;
}

/// Handles the next key.
static void read_key(void) {
  keys_note_suggestion();
  drawing_erase();
  guards_read_key();
  if (!is_done && keys_take_editor_wish()) end_with_line(LINE_EDITOR_WANTS_EDITOR);
}

static void take_line(char *line) {
  rl_callback_handler_remove();
  is_done = true;
  result.end = line ? LINE_EDITOR_LINE : LINE_EDITOR_END_OF_INPUT;
  result.text = line;
  guards_line_taken();
}

// Reading.

static int open_streams(void) {
  int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  rl_instream = in < 0 ? NULL : fdopen(in, "r");
  rl_outstream = out < 0 ? NULL : fdopen(out, "w");
  return rl_instream && rl_outstream ? 0 : errno;
}

int line_editor_start(const char *name) {
  if (is_started) return 0;
  int failure = open_streams();
  if (failure != 0) return failure;
  is_started = true;
  set_character_type();
  rl_readline_name = strdup(name);
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
  rl_change_environment = 0;
  rl_getc_function = next_byte;
  // List the candidates at the first Tab, unless ~/.inputrc says otherwise.
  rl_variable_bind("show-all-if-ambiguous", "on");
  rl_initialize();
  completion_install();
  keys_install();
  drawing_install();
  set_character_type();
  rl_variable_bind("input-meta", "on");
  rl_variable_bind("output-meta", "on");
  rl_variable_bind("convert-meta", "off");
  pastes_install();
  return 0;
}

static long keys_read;

long line_editor_key_count(void) { return keys_read; }

const char *line_editor_version(void) { return rl_library_version; }

static void read_until_done(int tick_ms) {
  while (!is_done) {
    if (collect_signals()) return;
    answer_signals();
    bool has_keys = has_bytes() || guards_has_input();
    struct pollfd waits[2] = {{STDIN_FILENO, POLLIN, 0}, {terminal_signal_fd(), POLLIN, 0}};
    int ready = poll(waits, 2, has_keys ? 0 : tick_ms);
    if (ready < 0 && errno != EINTR) {
      result.end = LINE_EDITOR_FAILED;
      result.number = errno;
      return;
    }
    if (has_keys) {
      read_key();
      if (result.end == LINE_EDITOR_WANTS_EDITOR) return;
      continue;
    }
    if (ready == 0 && callbacks->tick(callbacks->context)) {
      result.end = LINE_EDITOR_STOPPED;
      return;
    }
    // Signals first, including one whose handler ran as poll returned: what was typed after a Ctrl-C does not belong to
    // the line before it.
    if (ready > 0 && waits[0].revents != 0 && !collect_signals()) {
      keys_read++;
      read_key();
      if (result.end == LINE_EDITOR_WANTS_EDITOR) return;
    }
  }
}

static void settle(void) {
  if (ending_signal != 0) {
    rl_clear_pending_input();
    forget_bytes();
    line_editor_free(result.text);
    result.text = NULL;
    result.end = ending_signal == SIGINT ? LINE_EDITOR_INTERRUPTED : LINE_EDITOR_TERMINATED;
    result.number = ending_signal;
  }
  if (result.text && had_invalid && strstr(result.text, "\xEF\xBF\xBD")) {
    line_editor_free(result.text);
    result.text = NULL;
    result.end = LINE_EDITOR_NOT_UTF8;
  }
  if (!is_done) abandon();
  // A signal arrived in the middle of a paste: readline has already given up the line.
  if (is_done && ending_signal != 0) {
    rl_crlf();
    fflush(rl_outstream);
  }
  // With bracketed paste enabled, readline ends the line itself.
  if (is_done && result.end == LINE_EDITOR_END_OF_INPUT && !pastes_are_bracketed()) {
    rl_crlf();
    fflush(rl_outstream);
  }
}

struct line_editor_result line_editor_read(
    const char *prompt, const char *initial, struct line_editor_options options,
    const struct line_editor_callbacks *asked) {
  memset(&result, 0, sizeof result);
  result.end = LINE_EDITOR_FAILED;
  // A terminal that is gone is still read to its end.
  int failure = terminal_begin(STDIN_FILENO);
  if (failure != 0) {
    result.number = failure;
    return result;
  }
  callbacks = asked;
  completion_begin(asked, options.tab_indents);
  keys_begin(asked);
  drawing_begin(asked, options.shows_hints);
  is_done = wants_suspend = was_continued = was_resized = false;
  is_paste = had_invalid = false;
  ending_signal = 0;
  set_character_type();
  is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  rl_reset_screen_size();
  pastes_look(true);
  // Readline resets this only in readline() itself; otherwise every line after a Ctrl-D would end with an empty one.
  rl_eof_found = 0;
  RL_UNSETSTATE(RL_STATE_EOF);
  // What the last line printed comes before the prompt, even if standard output is a pipe.
  fflush(stdout);
  rl_callback_handler_install(prompt, take_line);
  set_character_type();
  if (initial[0] != '\0') {
    rl_insert_text(initial);
    rl_redisplay();
  }
  read_until_done(options.tick_ms);
  settle();
  completion_end();
  keys_end();
  drawing_end();
  callbacks = NULL;
  terminal_end();
  return result;
}

void line_editor_free(char *text) { free(text); }

bool line_editor_is_reading(void) { return callbacks != NULL; }
