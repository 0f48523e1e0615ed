// Bracketed paste as the user configured it, except within a search: readline 8.2 crashes when it looks for a paste
// after an Escape in a search and finds other keys.
// Invariant: the variables have the user's values whenever readline looks for pastes.

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include <readline/readline.h>

#include "line_pastes.h"

static bool is_bracketed, shows_region, is_off;

static bool is_on(const char *variable) {
  const char *value = rl_variable_value(variable);
  return value && strcmp(value, "on") == 0;
}

void pastes_install(void) {
  is_bracketed = is_on("enable-bracketed-paste");
  shows_region = is_on("enable-active-region");
}

bool pastes_are_bracketed(void) { return is_bracketed; }

void pastes_look(bool wanted) {
  if (!is_bracketed || wanted != is_off) return;
  rl_variable_bind("enable-bracketed-paste", wanted ? "on" : "off");
  rl_variable_bind("enable-active-region", shows_region ? "on" : "off");
  is_off = !wanted;
}
