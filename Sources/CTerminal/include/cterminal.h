// The C interface for Swift: terminal modes and the signals of the process, a line editor (based on GNU readline), a
// line without echo, and no core dumps. It contains none of readline's names: readline's globals stay in line_editor.c.
// Invariant: everything is for one thread; only terminal_state.c installs handlers, and only between a begin and its
// end.

#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "standard_output.h"

// Terminal modes and signals.

/// Saves the modes of the terminal, makes sure that a crash restores them, and takes over the signals that would end,
/// stop or wake the process: their numbers go into a pipe. SIGHUP, SIGTSTP and SIGQUIT stay ignored if they were.
/// Returns 0 or an errno. Uses can be nested a few levels deep; if the terminal's modes cannot be read, only signals
/// are taken over.
int terminal_begin(int fd);
/// Sets a function that is called with the address of each SIGBUS while signals are taken over; if it returns true, the
/// thread continues.
void terminal_mend_faults(bool (*mend)(const void *));
/// Restores the modes and the previous signal handlers; unread signals that would end the process are raised again for
/// those handlers.
void terminal_end(void);
/// Switches to single keys without echo; Ctrl-C and Ctrl-Z still send signals. The text is written when a crash
/// restores the terminal. Returns 0 or an errno.
int terminal_raw(const char *restoring_text);
/// Readable while a signal is waiting; -1 outside begin and end.
int terminal_signal_fd(void);
/// Returns the next signal that has arrived, or 0.
int terminal_next_signal(void);
/// Restores the modes, stops this process as Ctrl-Z does, and returns when it continues. Signals that arrived in the
/// meantime are dropped, except those that end the process.
void terminal_suspend(void);

// The line editor.

enum line_editor_end {
  LINE_EDITOR_LINE,
  LINE_EDITOR_INTERRUPTED,
  LINE_EDITOR_END_OF_INPUT,
  LINE_EDITOR_TERMINATED,
  LINE_EDITOR_STOPPED,
  /// The line contains bytes that are not UTF-8; there is no text.
  LINE_EDITOR_NOT_UTF8,
  LINE_EDITOR_FAILED,
  /// The user wants to open the line in an editor; the text is set.
  LINE_EDITOR_WANTS_EDITOR,
};

struct line_editor_result {
  enum line_editor_end end;
  /// The signal for LINE_EDITOR_TERMINATED, the errno for LINE_EDITOR_FAILED.
  int number;
  /// The line for LINE_EDITOR_LINE and LINE_EDITOR_WANTS_EDITOR; free it with line_editor_free.
  char *text;
};

struct line_editor_callbacks {
  void *context;
  /// Requests the completions of the line before the cursor; it answers by calling line_editor_offer.
  void (*complete)(void *context, const char *line, size_t cursor);
  /// Called when nothing was typed during a tick; true ends the read with LINE_EDITOR_STOPPED.
  bool (*tick)(void *context);
  /// Called before the process stops and after it continues.
  void (*suspending)(void *context);
  void (*resumed)(void *context);
  /// Called when the terminal has been resized, or cleared by Ctrl-L.
  void (*resized)(void *context);
  /// Requests the styles of a line; it answers by calling line_editor_paint.
  void (*paint)(void *context, const char *line, size_t length, size_t cursor);
  /// Shows help for the word at the cursor, on separate lines.
  void (*help)(void *context, const char *line, size_t cursor);
  /// Whether a history line may be suggested.
  bool (*suggests)(void *context, const char *line);
  /// Shows what an empty line could become, on lines below the prompt; false leaves the listing to the editor.
  bool (*list)(void *context);
};

/// The kinds of parts of a line.
enum line_editor_style {
  LINE_PLAIN,
  /// A command or a subcommand.
  LINE_COMMAND,
  LINE_OPTION,
  LINE_STRING,
  LINE_KEYWORD,
  LINE_NUMBER,
  /// A name that is unknown.
  LINE_UNKNOWN,
  LINE_COMMENT,
  /// A name that is known.
  LINE_KNOWN,
  /// The bracket at the cursor, and its counterpart.
  LINE_BRACKET,
  LINE_WRONG_BRACKET,
};

/// Options for reading a line.
struct line_editor_options {
  /// Whether a Tab after nothing but whitespace inserts a tab.
  bool tab_indents;
  /// Whether lines get colours and a suggestion.
  bool shows_hints;
  /// Milliseconds; a negative value means no tick.
  int tick_ms;
};

/// Must be called before the first line; later calls do nothing. Lines are read from standard input. `name` is the name
/// for `$if` in ~/.inputrc. Returns 0 or an errno.
int line_editor_start(const char *name);
/// Reads a line that begins with `initial`. Must not be called while `line_editor_is_reading`.
struct line_editor_result line_editor_read(
    const char *prompt, const char *initial, struct line_editor_options options,
    const struct line_editor_callbacks *callbacks);
void line_editor_free(char *text);
/// The version of the linked readline: `8.2`.
const char *line_editor_version(void);
/// How often something was typed since the program began: each key or paste adds one.
long line_editor_key_count(void);
/// Whether a line is being read: true in a callback, which must not read anything else. Readline is not reentrant.
bool line_editor_is_reading(void);

/// Sets the style of the bytes from `start` up to `end` of the line.
void line_editor_paint(size_t start, size_t end, enum line_editor_style style);
/// Returns how many rows the cursor is below the first row of the prompt.
int line_editor_cursor_row(void);
/// Draws the prompt and the line at the cursor, which must be at the beginning of a row: after other output was drawn.
void line_editor_redraw(void);

/// Adds a candidate: the whole line up to the cursor after completion, its text in the list, and a short help text,
/// which may be empty.
void line_editor_offer(const char *line, const char *shown, const char *help);
/// Sets the common part of all candidates, as the line up to the cursor; required for two or more candidates.
void line_editor_offer_common(const char *line);

/// Clears the lines that arrow keys and Ctrl-R find. At most `limit` lines are kept from now on.
void line_editor_history_clear(int limit);
/// Adds the newest line, without checking for duplicates.
void line_editor_history_add(const char *line);
/// Removes the line at an index; index 0 is the oldest.
void line_editor_history_remove(int index);
/// Hides the history from the following reads, or shows it again.
void line_editor_history_hide(bool hidden);

// A line without echo.

/// The reasons why reading a secret line returned no line.
enum {
  SECRET_LINE_NO_TERMINAL = -1,  ///< there is no /dev/tty, or its modes cannot be set
  SECRET_LINE_INTERRUPTED = -2,  ///< a signal arrived that does not stop the process; it was sent to its usual handler
  SECRET_LINE_ENDED = -3,        ///< Ctrl-D, or the terminal is gone
  SECRET_LINE_TOO_LONG = -4      ///< the line does not fit; the rest of it was dropped
};

/// Shows `prompt` on /dev/tty and reads one line from it without echo, into `buffer` and nowhere else.
/// Returns its length without the line end, which takes a byte of the buffer too: 0 to `capacity - 1`; or one of the
/// codes above, after wiping the buffer.
/// Echo is restored afterwards, even if the process is ended, stopped, or crashes meanwhile. After a stop the prompt is
/// shown again. Not thread-safe.
long secret_line_read(const char *prompt, unsigned char *buffer, size_t capacity);

// The process.

/// Keeps this process's memory out of core dumps and hidden from other processes of the same user. Returns 0, or -1.
int process_forbid_core_dumps(void);

/// Returns the arguments that the program was started with, as `main` gets them, with the program's name first; stores
/// their number in `count`. Works without /proc.
char *const *process_arguments(int *count);
/// The path by which the program was started; NULL if the system does not provide it.
const char *process_path(void);

#endif
