// The stand-alone interpreter: options, LUA_INIT, scripts, the interactive mode, by Lua's reference manual, section
// 7, and by lua(1). Invariant: the state is its own and is closed before this returns; each call of Lua runs under a
// message handler, and Ctrl-C ends what runs in it.

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>
#include <lua5.4/lualib.h>

#include "lua_program.h"

// The name before messages; none while lines are typed.
static const char *message_name;
static lua_program_reader read_terminal_line;
static lua_State *running;

/// What the command line asked for.
struct request {
  char **words;
  int count;
  /// Where the options begin, and the script; `count` where there is none.
  int options, script;
  bool is_interactive, shows_version, ignores_environment, runs_text;
};

// Errors.

static void say(const char *text) {
  if (message_name) fprintf(stderr, "%s: ", message_name);
  fprintf(stderr, "%s\n", text);
  fflush(stderr);
}

/// Shows the message on top where there is one; passes the status on.
static int told(lua_State *L, int status) {
  if (status == LUA_OK) return status;
  const char *text = lua_tostring(L, -1);
  if (text) say(text);
  lua_pop(L, 1);
  return status;
}

static int handle_message(lua_State *L) {
  const char *text = lua_tostring(L, 1);
  if (!text) {
    if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING) return 1;
    text = lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
  }
  luaL_traceback(L, L, text, 1);
  return 1;
}

static void raise_interrupt(lua_State *L, lua_Debug *place) {
  (void)place;
  lua_sethook(L, NULL, 0, 0);
  luaL_error(L, "interrupted!");
}

static void take_interrupt(int number) {
  // A second one ends the process.
  signal(number, SIG_DFL);
  lua_sethook(running, raise_interrupt, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

/// Calls the function below its arguments.
static int call(lua_State *L, int arguments, int results) {
  int base = lua_gettop(L) - arguments;
  struct sigaction before;
  struct sigaction action;
  lua_pushcfunction(L, handle_message);
  lua_insert(L, base);
  running = L;
  memset(&action, 0, sizeof action);
  action.sa_handler = take_interrupt;
  sigaction(SIGINT, &action, &before);
  int status = lua_pcall(L, arguments, results, base);
  sigaction(SIGINT, &before, NULL);
  lua_remove(L, base);
  return status;
}

// Texts and files.

static int run_text(lua_State *L, const char *text, const char *name) {
  int status = luaL_loadbuffer(L, text, strlen(text), name);
  return told(L, status == LUA_OK ? call(L, 0, 0) : status);
}

static int run_file(lua_State *L, const char *path) {
  int status = luaL_loadfile(L, path);
  return told(L, status == LUA_OK ? call(L, 0, 0) : status);
}

/// `-l mod` and `-l global=mod`.
static int load_library(lua_State *L, const char *text) {
  const char *equals = strchr(text, '=');
  const char *module = equals ? equals + 1 : text;
  lua_getglobal(L, "require");
  lua_pushstring(L, module);
  int status = call(L, 1, 1);
  if (status == LUA_OK) {
    lua_pushlstring(L, text, equals ? (size_t)(equals - text) : strlen(text));
    lua_insert(L, -2);
    lua_pushglobaltable(L);
    lua_insert(L, -3);
    lua_settable(L, -3);
    lua_pop(L, 1);
  }
  return told(L, status);
}

static int run_initial_text(lua_State *L) {
  const char *name = "=LUA_INIT_5_4";
  const char *text = getenv(name + 1);
  if (!text) text = getenv((name = "=LUA_INIT") + 1);
  if (!text) return LUA_OK;
  return text[0] == '@' ? run_file(L, text + 1) : run_text(L, text, name);
}

// The command line.

static bool usage(const char *wrong) {
  if (wrong[1] == 'e' || wrong[1] == 'l') {
    fprintf(stderr, "%s: '%s' needs argument\n", message_name, wrong);
  } else {
    fprintf(stderr, "%s: unrecognized option '%s'\n", message_name, wrong);
  }
  fprintf(stderr,
          "usage: %s [options] [script [args]]\n"
          "Available options are:\n"
          "  -e stat   execute string 'stat'\n"
          "  -i        enter interactive mode after executing 'script'\n"
          "  -l mod    require library 'mod' into global 'mod'\n"
          "  -l g=mod  require library 'mod' into global 'g'\n"
          "  -v        show version information\n"
          "  -E        ignore environment variables\n"
          "  -W        turn warnings on\n"
          "  --        stop handling options\n"
          "  -         stop handling options and execute stdin\n",
          message_name);
  return false;
}

/// Reads one option. Says which word is wrong, or NULL.
static const char *read_option(struct request *request, int *index) {
  const char *word = request->words[*index];
  bool is_alone = word[2] == '\0';
  switch (word[1]) {
    case 'E': request->ignores_environment = true; return is_alone ? NULL : word;
    case 'i': request->is_interactive = request->shows_version = true; return is_alone ? NULL : word;
    case 'v': request->shows_version = true; return is_alone ? NULL : word;
    case 'W': return is_alone ? NULL : word;
    case 'e':
    case 'l':
      if (word[1] == 'e') request->runs_text = true;
      if (!is_alone) return NULL;
      *index += 1;
      return *index < request->count && request->words[*index][0] != '-' ? NULL : word;
    default: return word;
  }
}

static bool read_options(struct request *request) {
  int index = request->options;
  for (; index < request->count; index++) {
    const char *word = request->words[index];
    if (word[0] != '-' || strcmp(word, "-") == 0) break;
    if (strcmp(word, "--") == 0) {
      index++;
      break;
    }
    const char *wrong = read_option(request, &index);
    if (wrong) return usage(wrong);
  }
  request->script = index;
  return true;
}

/// -e, -l and -W, in their order.
static bool run_options(lua_State *L, const struct request *request) {
  for (int i = request->options; i < request->script; i++) {
    const char *word = request->words[i];
    char option = word[0] == '-' ? word[1] : '\0';
    if (option == 'W') lua_warning(L, "@on", 0);
    if (option != 'e' && option != 'l') continue;
    const char *text = word[2] != '\0' ? word + 2 : request->words[++i];
    int status = option == 'e' ? run_text(L, text, "=(command line)") : load_library(L, text);
    if (status != LUA_OK) return false;
  }
  return true;
}

/// The global `arg`: the script at 0, its arguments behind, what names the program and its options before it.
static void set_arguments(lua_State *L, const struct request *request) {
  int zero = request->script < request->count ? request->script : 0;
  lua_createtable(L, request->count - zero, zero + 1);
  for (int i = 0; i < request->count; i++) {
    lua_pushstring(L, request->words[i]);
    lua_rawseti(L, -2, i - zero);
  }
  lua_setglobal(L, "arg");
}

/// Puts what `arg` holds on the stack.
static int push_arguments(lua_State *L) {
  if (lua_getglobal(L, "arg") != LUA_TTABLE) luaL_error(L, "'arg' is not a table");
  int count = (int)luaL_len(L, -1);
  luaL_checkstack(L, count + 3, "too many arguments to script");
  for (int i = 1; i <= count; i++) lua_rawgeti(L, -i, i);
  lua_remove(L, -count - 1);
  return count;
}

static bool run_script(lua_State *L, const struct request *request) {
  const char *path = request->words[request->script];
  // `-` is the standard input, unless `--` stands before it.
  if (strcmp(path, "-") == 0 && strcmp(request->words[request->script - 1], "--") != 0) path = NULL;
  int status = luaL_loadfile(L, path);
  if (status == LUA_OK) status = call(L, push_arguments(L), LUA_MULTRET);
  return told(L, status) == LUA_OK;
}

static void print_version(void) {
  puts(LUA_COPYRIGHT);
  fflush(stdout);
}

// The interactive mode.

static const char *prompt(lua_State *L, bool is_first) {
  if (lua_getglobal(L, is_first ? "_PROMPT" : "_PROMPT2") == LUA_TNIL) return is_first ? "> " : ">> ";
  return luaL_tolstring(L, -1, NULL);
}

/// A line of what is no terminal, shown as it would be there: so does the line editor of lua(1).
static char *read_plain_line(const char *shown) {
  char *line = NULL;
  size_t room = 0;
  fputs(shown, stdout);
  ssize_t length = getline(&line, &room, stdin);
  if (length > 0) {
    fputs(line, stdout);
    if (line[length - 1] != '\n') putchar('\n');
  }
  fflush(stdout);
  if (length >= 0) return line;
  free(line);
  return NULL;
}

/// Pushes the next line; false at the end of the input.
static bool push_line(lua_State *L, bool is_first) {
  int top = lua_gettop(L);
  const char *shown = prompt(L, is_first);
  char *line = read_terminal_line ? read_terminal_line(shown) : read_plain_line(shown);
  lua_settop(L, top);
  if (!line) return false;
  size_t length = strlen(line);
  if (length > 0 && line[length - 1] == '\n') line[length - 1] = '\0';
  if (is_first && line[0] == '=') lua_pushfstring(L, "return %s", line + 1); else lua_pushstring(L, line);
  free(line);
  return true;
}

static bool is_incomplete(lua_State *L, int status) {
  static const char mark[] = "<eof>";
  if (status != LUA_ERRSYNTAX) return false;
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  if (length < sizeof mark - 1 || strcmp(text + length - (sizeof mark - 1), mark) != 0) return false;
  lua_pop(L, 1);
  return true;
}

/// Leaves a function of what is typed, or a message, alone on the stack; -1 at the end of the input.
static int load_line(lua_State *L) {
  lua_settop(L, 0);
  if (!push_line(L, true)) return -1;
  const char *expression = lua_pushfstring(L, "return %s", lua_tostring(L, 1));
  int status = luaL_loadbuffer(L, expression, strlen(expression), "=stdin");
  if (status != LUA_OK) {
    lua_settop(L, 1);
    for (;;) {
      size_t length;
      const char *text = lua_tolstring(L, 1, &length);
      status = luaL_loadbuffer(L, text, length, "=stdin");
      if (!is_incomplete(L, status)) break;
      // The end of the input within a chunk is told as what it is.
      if (!push_line(L, false)) {
        luaL_loadbuffer(L, text, length, "=stdin");
        break;
      }
      lua_pushliteral(L, "\n");
      lua_insert(L, -2);
      lua_concat(L, 3);
    }
  }
  lua_replace(L, 1);
  lua_settop(L, 1);
  return status;
}

static void print_results(lua_State *L) {
  int count = lua_gettop(L);
  if (count == 0) return;
  luaL_checkstack(L, LUA_MINSTACK, "too many results to print");
  lua_getglobal(L, "print");
  lua_insert(L, 1);
  if (lua_pcall(L, count, 0, 0) != LUA_OK) {
    say(lua_pushfstring(L, "error calling 'print' (%s)", lua_tostring(L, -1)));
  }
}

static void run_lines(lua_State *L) {
  const char *name = message_name;
  message_name = NULL;
  for (int status = load_line(L); status != -1; status = load_line(L)) {
    if (status == LUA_OK) status = call(L, 0, LUA_MULTRET);
    if (status == LUA_OK) print_results(L); else told(L, status);
  }
  lua_settop(L, 0);
  puts("");
  fflush(stdout);
  message_name = name;
}

// The whole.

static bool run_request(lua_State *L, const struct request *request) {
  if (request->ignores_environment) {
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
  }
  luaL_openlibs(L);
  set_arguments(L, request);
  lua_gc(L, LUA_GCGEN, 0, 0);
  if (!request->ignores_environment && run_initial_text(L) != LUA_OK) return false;
  if (!run_options(L, request)) return false;
  bool has_script = request->script < request->count;
  if (has_script && !run_script(L, request)) return false;
  if (request->is_interactive) {
    run_lines(L);
  } else if (!has_script && !request->runs_text && !request->shows_version) {
    if (!isatty(0)) {
      run_file(L, NULL);
      return true;
    }
    print_version();
    run_lines(L);
  }
  return true;
}

static int run_protected(lua_State *L) {
  struct request *request = lua_touserdata(L, 1);
  luaL_checkversion(L);
  if (!read_options(request)) return 0;
  if (request->shows_version) print_version();
  lua_settop(L, 0);
  lua_pushboolean(L, run_request(L, request));
  return 1;
}

int lua_program_run(int count, char **words, int first, lua_program_reader reader) {
  message_name = count > 0 ? words[first - 1] : "lua";
  lua_State *L = luaL_newstate();
  if (!L) {
    say("cannot create state: not enough memory");
    return EXIT_FAILURE;
  }
  struct request request = {.words = words, .count = count, .options = first};
  read_terminal_line = isatty(0) ? reader : NULL;
  lua_pushcfunction(L, run_protected);
  lua_pushlightuserdata(L, &request);
  int status = lua_pcall(L, 1, 1, 0);
  bool is_done = lua_toboolean(L, -1);
  told(L, status);
  lua_close(L);
  return is_done && status == LUA_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
