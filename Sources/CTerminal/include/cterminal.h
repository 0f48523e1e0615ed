// What Swift sees of the terminal: its modes and the signals of the process, a line editor (GNU readline behind it), a
// line without echo, and no core dumps. No name of readline's is in here: its globals stay in line_editor.c.
// Invariant: everything is for one thread; handlers are installed only between a begin and its end, by terminal_state.c
// alone.

#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "standard_output.h"

// The terminal's modes, and signals.

/// Remembers the modes of the terminal, sees to it that a crash puts them back, and takes over the signals that would
/// end, stop or wake the process: their numbers go into a pipe. SIGHUP, SIGTSTP and SIGQUIT stay ignored where they
/// were. Returns 0 or an errno. May be begun again before its end, a few times; where the terminal does not say its
/// modes only signals are taken.
int terminal_begin(int fd);
/// While the signals are taken: asked about the address of each SIGBUS; where it answers true the thread goes on.
void terminal_mend_faults(bool (*mend)(const void *));
/// Puts the modes back, and gives the signals to whoever had them before; one that asks to end and was not looked at
/// yet is raised again for them.
void terminal_end(void);
/// Single keys without echo, signals by Ctrl-C and Ctrl-Z kept. The text is written when a crash puts the terminal
/// back. Returns 0 or an errno.
int terminal_raw(const char *restoring_text);
/// Readable while a signal waits; -1 outside begin and end.
int terminal_signal_fd(void);
/// The next signal that came, or 0.
int terminal_next_signal(void);
/// Puts the modes back, stops this process as Ctrl-Z does and returns when it goes on. What came meanwhile is dropped
/// but for signals that end the process.
void terminal_suspend(void);

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
  /// The line, whose text is there, is to be opened in the user's editor.
  LINE_EDITOR_WANTS_EDITOR,
  /// Another program asked for something; the text is what was typed so far.
  LINE_EDITOR_REQUESTED,
};

struct line_editor_result {
  enum line_editor_end end;
  /// The signal of LINE_EDITOR_TERMINATED, the errno of LINE_EDITOR_FAILED.
  int number;
  /// The line of LINE_EDITOR_LINE, LINE_EDITOR_WANTS_EDITOR and LINE_EDITOR_REQUESTED, for line_editor_free.
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
  /// Called when the terminal has another size.
  void (*resized)(void *context);
  /// Asks for the styles of a line; it answers by line_editor_paint.
  void (*paint)(void *context, const char *line, size_t length, size_t cursor);
  /// Shows help for the word at the cursor, on lines of its own.
  void (*help)(void *context, const char *line, size_t cursor);
  /// Whether a line of the history is suggested.
  bool (*suggests)(void *context, const char *line);
  /// Shows what an empty line could be, on lines below the prompt; false leaves it to the editor.
  bool (*list)(void *context);
  /// Puts the descriptors that are waited for beside the keyboard into a list, and answers how many there are.
  size_t (*watched)(void *context, int *descriptors, size_t room);
  /// Called when one of them is readable; true ends the reading with LINE_EDITOR_REQUESTED.
  bool (*requested)(void *context);
};

/// What a part of a line is.
enum line_editor_style {
  LINE_PLAIN,
  /// A command, a subcommand.
  LINE_COMMAND,
  LINE_OPTION,
  LINE_STRING,
  LINE_KEYWORD,
  LINE_NUMBER,
  /// A name that leads to nothing.
  LINE_UNKNOWN,
  LINE_COMMENT,
  /// A name that leads to something.
  LINE_KNOWN,
  /// The bracket at the cursor, and the one that belongs to it.
  LINE_BRACKET,
  LINE_WRONG_BRACKET,
};

/// How a line is read.
struct line_editor_options {
  /// A Tab behind nothing but blanks is a tab.
  bool tab_indents;
  /// Lines are coloured and go on with a suggestion.
  bool shows_hints;
  /// Milliseconds; below 0: no tick.
  int tick_ms;
};

/// To be called once before the first line. `name` is what ~/.inputrc may ask for with `$if`. Returns 0 or an errno.
int line_editor_start(const char *name, int input, int output);
/// Reads a line that begins with `initial`. Not to be called while `line_editor_is_reading`.
struct line_editor_result line_editor_read(
    const char *prompt, const char *initial, struct line_editor_options options,
    const struct line_editor_callbacks *callbacks);
void line_editor_free(char *text);
/// The version of readline that is linked: `8.2`.
const char *line_editor_version(void);
/// How often something was typed since the program began: it grows with each key or paste.
long line_editor_key_count(void);
/// Whether a line is being read: true in a callback, from which nothing else may be read. Readline is not reentrant.
bool line_editor_is_reading(void);

/// The style of the bytes from `start` up to `end` of the line.
void line_editor_paint(size_t start, size_t end, enum line_editor_style style);
/// How many rows of the screen the cursor is below the first row of the prompt.
int line_editor_cursor_row(void);
/// Draws the prompt and the line from where the cursor is, at the beginning of a row: after something else was drawn.
void line_editor_redraw(void);

/// One candidate: the whole line up to the cursor as it would be, how the list shows it, and a few words of help, which
/// may be empty.
void line_editor_offer(const char *line, const char *shown, const char *help);
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

// A line without echo.

/// How reading a secret line ended without a line.
enum {
  SECRET_LINE_NO_TERMINAL = -1,  ///< there is no /dev/tty, or it can't be set
  SECRET_LINE_INTERRUPTED = -2,  ///< a signal came that does not stop the process; it was sent on to its usual handler
  SECRET_LINE_ENDED = -3,        ///< Ctrl-D, or the terminal is gone
  SECRET_LINE_TOO_LONG = -4      ///< it does not fit; the rest of the line was dropped
};

/// Shows `prompt` on /dev/tty and reads one line from it without echo, into `buffer` and nowhere else.
/// Returns its length without the line end, which needs a byte of the buffer too: 0 to `capacity - 1`; or one of the
/// codes above; the buffer is then wiped.
/// Echo is on again after it, also when the process is ended, stopped, or crashes meanwhile. After a stop the prompt is
/// shown again. Not for two threads at once.
long secret_line_read(const char *prompt, unsigned char *buffer, size_t capacity);

// The process.

/// Keeps this process's memory out of core dumps and away from other processes of the same user. Returns 0, or -1.
int process_forbid_core_dumps(void);

/// The arguments that the program was started with, the program's own name first, as `main` gets them; their count is
/// put where `count` points. They need no /proc.
char *const *process_arguments(int *count);
/// The path by which the program was started; NULL where the system does not say.
const char *process_path(void);

#endif
