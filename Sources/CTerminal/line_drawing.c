// Syntax colours in the edited line and a suggestion after it, drawn over readline's output.
// Invariant: the cursor returns to where readline left it, and nothing is written to a row that readline has not
// created, so that readline's picture of the screen stays correct. If the layout is uncertain, readline's output is
// left as it is.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "line_drawing.h"
#include "line_guards.h"

// Exported by readline, but in none of its headers: the number of visible bytes of the prompt.
extern int rl_visible_prompt_length;

// A longer line is not coloured, because it is a paste.
enum { longest = 8000, longest_suggestion = 4000 };

static const struct line_editor_callbacks *callbacks;
static bool is_wanted;

/// The style of each byte of the line.
static unsigned char styles[longest];

/// The text that the suggestion adds, and whether any of it is on the screen.
static char suggestion[longest_suggestion];
static bool is_shown;
/// Whether the last drawing left colours on the screen.
static bool is_painted;

/// The parameters of "select graphic rendition" (ECMA-48, 8.3.117) for each style.
static const char *const renditions[] = {
    [LINE_PLAIN] = "0",      [LINE_COMMAND] = "0;1;36", [LINE_OPTION] = "0;36", [LINE_STRING] = "0;33",
    [LINE_KEYWORD] = "0;34", [LINE_NUMBER] = "0;35",    [LINE_UNKNOWN] = "0;31", [LINE_COMMENT] = "0;2",
    [LINE_KNOWN] = "0;32",   [LINE_BRACKET] = "0;1;4",  [LINE_WRONG_BRACKET] = "0;1;31",
};
enum { style_count = sizeof renditions / sizeof *renditions };

void line_editor_paint(size_t start, size_t end, enum line_editor_style style) {
  if (end > longest) end = longest;
  for (size_t i = start; i < end; i++) styles[i] = (unsigned char)style;
}

// Layout: where text is on the screen.

struct place {
  int row, column;
};

/// Moves past the next character of the text; false if its width is uncertain.
static bool advance(const char **text, struct place *place, int width, mbstate_t *state) {
  if (**text == '\n') {
    *text += 1;
    place->row++;
    place->column = 0;
    return true;
  }
  wchar_t wide;
  size_t length = mbrtowc(&wide, *text, MB_CUR_MAX, state);
  if (length == 0 || length > MB_CUR_MAX) return false;
  int columns = wcwidth(wide);
  // Readline decides how to draw tabs and control characters, and the terminal how to draw combining marks.
  if (columns <= 0) return false;
  if (place->column + columns > width) {
    place->row++;
    place->column = 0;
  }
  place->column += columns;
  *text += length;
  return true;
}

/// Returns where the next character begins, which is on a new row if this one is full.
static struct place wrapped(struct place place, int width) {
  if (place.column >= width) {
    place.row++;
    place.column = 0;
  }
  return place;
}

/// Finds how many more bytes than columns the prompt has; false if a width is uncertain.
static bool find_bytes_too_many(int *surplus) {
  mbstate_t state;
  memset(&state, 0, sizeof state);
  *surplus = 0;
  for (const char *text = rl_prompt ? rl_prompt : ""; *text != '\0';) {
    struct place place = {0, 0};
    const char *next = text;
    // Wide enough for any character.
    if (!advance(&next, &place, 16, &state)) return false;
    *surplus += (int)(next - text) - place.column;
    text = next;
  }
  return true;
}

/// Finds the screen position of the byte at an offset of the line; false if it is uncertain.
static bool find_place(const char *line, int offset, int width, struct place *place) {
  int surplus;
  if (!find_bytes_too_many(&surplus)) return false;
  mbstate_t state;
  memset(&state, 0, sizeof state);
  place->row = (rl_visible_prompt_length - surplus) / width;
  place->column = (rl_visible_prompt_length - surplus) % width;
  const char *text = line;
  while (text < line + offset) {
    if (!advance(&text, place, width, &state)) return false;
  }
  return true;
}

int line_editor_cursor_row(void) {
  int rows;
  int width;
  struct place place;
  rl_get_screen_size(&rows, &width);
  if (width < 2 || !rl_line_buffer || !find_place(rl_line_buffer, rl_point, width, &place)) return 0;
  return wrapped(place, width).row;
}

// The suggestion.

/// Returns the rest of the newest history line that begins with this line and is longer.
static const char *newest_beginning_with(const char *line, size_t length) {
  HIST_ENTRY **entries = history_list();
  if (!entries) return NULL;
  for (int i = history_length - 1; i >= 0; i--) {
    const char *old = entries[i] ? entries[i]->line : NULL;
    bool goes_on = old && strncmp(old, line, length) == 0 && old[length] != '\0' && !strchr(old, '\n');
    if (goes_on && callbacks->suggests(callbacks->context, old)) return old + length;
  }
  return NULL;
}

static void find_suggestion(void) {
  suggestion[0] = '\0';
  if (rl_point != rl_end || rl_end == 0 || strchr(rl_line_buffer, '\n')) return;
  const char *rest = newest_beginning_with(rl_line_buffer, (size_t)rl_end);
  if (rest && strlen(rest) < sizeof suggestion) strcpy(suggestion, rest);
}

const char *drawing_suggestion(void) { return is_shown && suggestion[0] != '\0' ? suggestion : NULL; }

void drawing_erase(void) {
  if (!is_shown) return;
  is_shown = false;
  fputs("\033[K", rl_outstream);
  fflush(rl_outstream);
}

// Drawing.

/// Whether readline shows the whole line and nothing else.
static bool is_plain_line(int rows, int width) {
  if (!callbacks || !is_wanted || rl_end >= longest || rl_display_prompt != rl_prompt) return false;
  if (RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG | RL_STATE_COMPLETING | RL_STATE_DONE)) {
    return false;
  }
  // Readline itself draws an active region, in reverse video.
  if (rl_mark_active_p()) return false;
  const char *scrolls = rl_variable_value("horizontal-scroll-mode");
  return rows > 1 && width > 10 && !(scrolls && strcmp(scrolls, "on") == 0);
}

static void move_down_to(struct place *at, struct place to) {
  for (; at->row < to.row; at->row++) fputs("\r\n", rl_outstream);
}

/// Writes the line again, in its styles. The cursor is at the beginning of the line.
static void write_styled(struct place start, int width) {
  mbstate_t state;
  memset(&state, 0, sizeof state);
  int style = LINE_PLAIN;
  struct place place = start;
  struct place at = wrapped(start, width);
  for (const char *text = rl_line_buffer; text < rl_line_buffer + rl_end;) {
    const char *next = text;
    struct place before = place;
    if (!advance(&next, &place, width, &state)) break;
    int wanted = styles[text - rl_line_buffer];
    if (wanted >= style_count) wanted = LINE_PLAIN;
    if (wanted != style) fprintf(rl_outstream, "\033[%sm", renditions[style = wanted]);
    if (*text == '\n') {
      before.row++;
      move_down_to(&at, before);
    } else {
      move_down_to(&at, place);
      fwrite(text, 1, (size_t)(next - text), rl_outstream);
    }
    text = next;
  }
  if (style != LINE_PLAIN) fputs("\033[0m", rl_outstream);
}

/// Writes as much of the suggestion as fits after the cursor, which is in the given column.
static void write_suggestion(int column, int width) {
  mbstate_t state;
  memset(&state, 0, sizeof state);
  struct place place = {0, column};
  const char *end = suggestion;
  while (*end != '\0') {
    const char *next = end;
    if (!advance(&next, &place, width - 1, &state) || place.row > 0) break;
    end = next;
  }
  if (end == suggestion) return;
  fprintf(rl_outstream, "\033[2m%.*s\033[0m", (int)(end - suggestion), suggestion);
  is_shown = true;
}

static bool has_styles(void) {
  for (int i = 0; i < rl_end; i++) {
    if (styles[i] != LINE_PLAIN) return true;
  }
  return false;
}

static void draw_over(void) {
  int rows;
  int width;
  struct place start;
  struct place cursor;
  struct place end;
  rl_get_screen_size(&rows, &width);
  if (!is_plain_line(rows, width)) return;
  if (!find_place(rl_line_buffer, 0, width, &start) || !find_place(rl_line_buffer, rl_point, width, &cursor) ||
      !find_place(rl_line_buffer, rl_end, width, &end)) {
    return;
  }
  start = wrapped(start, width);
  cursor = wrapped(cursor, width);
  end = wrapped(end, width);
  if (end.row >= rows) return;
  memset(styles, LINE_PLAIN, (size_t)rl_end);
  callbacks->paint(callbacks->context, rl_line_buffer, (size_t)rl_end, (size_t)rl_point);
  find_suggestion();
  bool colours = has_styles();
  if (!colours && !is_painted && suggestion[0] == '\0') return;
  fputs("\0337", rl_outstream);
  if (colours || is_painted) {
    if (cursor.row > start.row) fprintf(rl_outstream, "\033[%dA", cursor.row - start.row);
    fputs("\r", rl_outstream);
    if (start.column > 0) fprintf(rl_outstream, "\033[%dC", start.column);
    fputs("\033[0m", rl_outstream);
    write_styled(start, width);
  }
  fputs("\0338", rl_outstream);
  if (suggestion[0] != '\0') {
    write_suggestion(end.column, width);
    fputs("\0338", rl_outstream);
  }
  is_painted = colours;
  fflush(rl_outstream);
}

static void redisplay(void) {
  guards_between_keys();
  drawing_erase();
  rl_redisplay();
  draw_over();
}

/// Redraws the line in place after a resize. Terminals rewrap rows when their width changes, so the rows above the
/// cursor are those that the line takes in the new width. Without this, readline would draw the prompt again after the
/// old one.
void drawing_resize(void) {
  drawing_erase();
  rl_reset_screen_size();
  if (rl_get_termcap("ce")) {
    int above = line_editor_cursor_row();
    if (above > 0) fprintf(rl_outstream, "\033[%dA", above);
    fputs("\r\033[J", rl_outstream);
  } else {
    rl_crlf();
  }
  rl_forced_update_display();
}

void drawing_install(void) { rl_redisplay_function = redisplay; }

void drawing_begin(const struct line_editor_callbacks *asked, bool wanted) {
  callbacks = asked;
  is_wanted = wanted;
  is_shown = is_painted = false;
  suggestion[0] = '\0';
}

void drawing_end(void) {
  callbacks = NULL;
  is_shown = false;
}

void line_editor_redraw(void) {
  if (!callbacks) return;
  is_shown = false;
  rl_on_new_line();
  rl_forced_update_display();
}
