// The stand-alone interpreter, as the command `lua` of Debian's lua5.4 (lua(1)): a Lua state of its own with all of
// Lua's libraries, and nothing of Deckhand's.

#ifndef LUA_PROGRAM_H
#define LUA_PROGRAM_H

/// Reads a line at the terminal for the interactive mode; NULL at the end of the input. The text is freed by `free`.
typedef char *(*lua_program_reader)(const char *prompt);

/// Runs it with its arguments, the program's name first: `words[0]` to `words[first]` name the program, what follows
/// are options, a script and its arguments. Returns the exit status. `os.exit` ends the process.
int lua_program_run(int count, char **words, int first, lua_program_reader reader);

#endif
