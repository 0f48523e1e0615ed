// What Swift sees of the terminal: a line editor (GNU readline behind it), signals as bytes of a pipe, and a guard that puts
// the terminal back. No name of readline's is in here: its globals stay in line_editor.c.
// Invariant: everything is for one thread and one terminal; signal handlers are installed only between a begin and its end.

#ifndef CREADLINE_H
#define CREADLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "standard_output.h"

// Signals.

/// Takes over the given signals (at most 16) and puts their numbers into a pipe. SIGHUP, SIGTSTP and SIGQUIT stay ignored where they were.
/// Returns 0, or an errno. Does not nest.
int signal_watch_begin(const int *signals, int count);
/// Gives the signals back to whoever had them before; one that asks to end and was not looked at yet is raised again for them.
void signal_watch_end(void);
/// Readable while a signal waits; -1 outside begin and end.
int signal_watch_fd(void);
/// The next signal that came, or 0.
int signal_watch_next(void);
/// Stops this process as Ctrl-Z does and returns when it goes on. What came meanwhile is dropped but for ending signals.
void signal_watch_suspend(void);

// The terminal's state.

/// Remembers how the terminal is set and sees to it that a crash puts it back. Returns 0 or an errno. Does not nest.
int terminal_guard_begin(int fd);
/// Puts the terminal back.
void terminal_guard_end(void);
/// Puts the terminal back without ending the guard: before the process is suspended.
void terminal_guard_restore(void);
/// Single keys without echo, signals by Ctrl-C and Ctrl-Z kept. The text is written when a crash puts the terminal back. Returns 0 or an errno.
int terminal_guard_raw(const char *restoring_text);
/// Columns and rows; false when the terminal does not say.
bool terminal_size(int fd, int *columns, int *rows);

// The line editor.

enum line_editor_end {
  LINE_EDITOR_LINE,
  LINE_EDITOR_INTERRUPTED,
  LINE_EDITOR_END_OF_INPUT,
  LINE_EDITOR_TERMINATED,
  LINE_EDITOR_STOPPED,
  /// The line holds bytes that are not UTF-8; there is no text.
  LINE_EDITOR_NOT_UTF8,
  LINE_EDITOR_FAILED,
};

struct line_editor_result {
  enum line_editor_end end;
  /// The signal of LINE_EDITOR_TERMINATED, the errno of LINE_EDITOR_FAILED.
  int number;
  /// The line of LINE_EDITOR_LINE, for line_editor_free.
  char *text;
};

struct line_editor_callbacks {
  void *context;
  /// Asks for what could stand in place of the line before the cursor; it answers by line_editor_offer.
  void (*complete)(void *context, const char *line, size_t cursor);
  /// Called when nothing was typed for a tick; true ends the reading with LINE_EDITOR_STOPPED.
  bool (*tick)(void *context);
  /// Called before the process stops and after it goes on.
  void (*suspending)(void *context);
  void (*resumed)(void *context);
};

/// To be called once before the first line. `name` is what ~/.inputrc may ask for with `$if`. Returns 0 or an errno.
int line_editor_start(const char *name, int input, int output);
/// Reads a line. `initial` stands in it already. `tick_ms` below 0: no tick. With `tab_indents` a Tab behind nothing but blanks is a tab.
struct line_editor_result line_editor_read(
    const char *prompt, const char *initial, bool tab_indents, int tick_ms, const struct line_editor_callbacks *callbacks);
void line_editor_free(char *text);
/// How often something was typed since the program began: it grows with each key or paste.
long line_editor_key_count(void);
/// Whether Ctrl-C came while a callback runs, which should then end soon.
bool line_editor_is_interrupted(void);

/// One candidate: the whole line up to the cursor as it would be, and how the list shows it.
void line_editor_offer(const char *line, const char *shown);
/// What all candidates have in common, as the line up to the cursor; needed when there are two or more.
void line_editor_offer_common(const char *line);

/// The lines that arrow keys and Ctrl-R find, oldest first. At most `limit` are kept.
void line_editor_history_clear(int limit);
/// Adds the newest line, without looking for an equal one.
void line_editor_history_add(const char *line);
/// Takes out the line at an index from 0, the oldest.
void line_editor_history_remove(int index);
/// Hides the history from the lines that follow, or shows it again.
void line_editor_history_hide(bool hidden);

#endif
