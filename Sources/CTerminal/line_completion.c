// Tab completion: the candidates that the callback offers are inserted into the line and listed.
// Invariant: readline treats the whole line as one word, so that only the callback decides where a word begins.

#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <readline/readline.h>

#include "cterminal.h"
#include "line_completion.h"
#include "line_drawing.h"

// A longer list of candidates is truncated, and the number of the rest is shown.
enum { most_shown = 200 };

static const struct line_editor_callbacks *callbacks;
static bool tab_is_indent;

// The candidates that the callback offered.
static char **offers;
static char **shown;
static char **helps;
static size_t offer_count, offer_room;
static char *common;

static char *no_word_breaks(void) {
  static char none[] = "";
  return none;
}

static void drop_offers(void) {
  for (size_t i = 0; i < offer_count; i++) {
    free(offers[i]);
    free(shown[i]);
    free(helps[i]);
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
  char **more_helps = realloc(helps, room * sizeof *helps);
  if (more_helps) helps = more_helps;
  if (!more_offers || !more_shown || !more_helps) return false;
  offer_room = room;
  return true;
}

void line_editor_offer(const char *line, const char *text, const char *help) {
  if (!make_room()) return;
  char *offer = strdup(line);
  char *name = strdup(text);
  char *words = strdup(help);
  if (!offer || !name || !words) {
    free(offer);
    free(name);
    free(words);
    return;
  }
  offers[offer_count] = offer;
  shown[offer_count] = name;
  helps[offer_count] = words;
  offer_count++;
}

void line_editor_offer_common(const char *line) {
  free(common);
  common = strdup(line);
}

/// Returns the matches for readline, which frees them: the first replaces the line, the rest are the candidates.
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
  // M-* inserts all candidates, and each of ours is a whole line: it gets only the part they have in common.
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

// If there are more candidates than this, they are listed in columns, without help.
enum { most_with_help = 100 };

/// Whether each candidate is listed on its own line with its help.
static bool has_helps(void) {
  if (offer_count > most_with_help) return false;
  for (size_t i = 0; i < offer_count; i++) {
    if (helps[i][0] != '\0') return true;
  }
  return false;
}

/// Returns how many bytes of the text fit into that many columns.
static int fitting(const char *text, int columns) {
  mbstate_t state;
  memset(&state, 0, sizeof state);
  const char *end = text;
  while (*end != '\0') {
    wchar_t wide;
    size_t length = mbrtowc(&wide, end, MB_CUR_MAX, &state);
    if (length == 0 || length > MB_CUR_MAX) break;
    int width = wcwidth(wide);
    columns -= width < 0 ? 1 : width;
    if (columns < 0) break;
    end += length;
  }
  return (int)(end - text);
}

static void show_with_helps(int width) {
  int widest = 0;
  for (size_t i = 0; i < offer_count; i++) {
    int columns = columns_of(shown[i]);
    if (columns > widest) widest = columns;
  }
  if (widest > width / 2) widest = width / 2;
  rl_crlf();
  for (size_t i = 0; i < offer_count; i++) {
    int columns = columns_of(shown[i]);
    int name = columns > widest ? fitting(shown[i], widest) : (int)strlen(shown[i]);
    int pad = columns > widest ? 0 : widest - columns;
    if (helps[i][0] == '\0') pad = 0;
    int room = width - widest - 3;
    bool is_cut = columns_of(helps[i]) > room;
    int help = fitting(helps[i], is_cut ? room - 1 : room);
    fprintf(rl_outstream, "%.*s%*s%s%.*s%s", name, shown[i], pad, "", help > 0 ? "  " : "", help, helps[i],
            is_cut && help > 0 ? (MB_CUR_MAX > 1 ? "…" : "~") : "");
    rl_crlf();
  }
  fflush(rl_outstream);
  rl_on_new_line();
}

static void show_candidates(char **matches, int count, int longest) {
  (void)matches;
  (void)count;
  (void)longest;
  int rows;
  int width;
  rl_get_screen_size(&rows, &width);
  fflush(rl_outstream);
  if (rl_end == 0 && callbacks->list(callbacks->context)) {
    rl_on_new_line();
    return;
  }
  if (has_helps()) {
    show_with_helps(width);
    return;
  }
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

static bool is_behind_blanks(void) {
  for (int i = rl_point - 1; i >= 0 && rl_line_buffer[i] != '\n'; i--) {
    if (rl_line_buffer[i] != ' ' && rl_line_buffer[i] != '\t') return false;
  }
  return true;
}

static int complete_or_indent(int count, int key) {
  drawing_erase();
  if (tab_is_indent && is_behind_blanks()) return rl_insert(count, key);
  // Readline lists the candidates at the second Tab in a row, which it detects by this variable.
  if (rl_last_func == complete_or_indent) rl_last_func = rl_complete;
  return rl_complete(count, key);
}

static void bind_tab(Keymap map) {
  if (rl_function_of_keyseq("\t", map, NULL) == rl_complete) rl_bind_key_in_map('\t', complete_or_indent, map);
}

void completion_install(void) {
  rl_attempted_completion_function = candidates;
  rl_completion_word_break_hook = no_word_breaks;
  rl_completion_display_matches_hook = show_candidates;
  rl_ignore_completion_duplicates = 0;
  bind_tab(emacs_standard_keymap);
  bind_tab(vi_insertion_keymap);
}

void completion_begin(const struct line_editor_callbacks *asked, bool tab_indents) {
  callbacks = asked;
  tab_is_indent = tab_indents;
}

void completion_end(void) {
  drop_offers();
  callbacks = NULL;
}
