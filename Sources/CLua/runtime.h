// What the C files of this room share: the runtime that stands beside each Lua state.
// Invariant: `host_depth` is above zero exactly while a host function runs and no Lua code that it called does.
#ifndef DECKHAND_RUNTIME_H
#define DECKHAND_RUNTIME_H

#include <signal.h>

#include "clua.h"

#define DH_SMALL_CLASSES 32  // blocks of 16, 32, ... 512 bytes come from free lists

struct dh_runtime {
  dh_host host;
  lua_State *main;
  // Stopping: read at every return from the host, written by the signal handler.
  volatile sig_atomic_t stop;
  lua_State *volatile running;  // the coroutine whose code runs now
  int host_depth;
  int entries;         // protected calls of the host that are under way
  dh_runtime *outer;   // the runtime whose host function called into this one
  int exit_status;
  // Memory.
  size_t used, limit, external, external_since_step;
  void *free_blocks[DH_SMALL_CLASSES + 1];
  struct dh_chunk *chunks;
  size_t chunk_left;
  char *chunk_next;
  // The last error.
  int tracing;
  char position[256];
  char *trace;
  // Bound types, newest first.
  dh_type *types;
};

// The allocator of the states; `ud` is the runtime. See allocator.c.
void *dh_allocate(void *ud, void *block, size_t old_size, size_t new_size);
void dh_free_chunks(dh_runtime *rt);

// Replaces the functions of the libraries through which a stop could be caught or missed. See stop.c.
void dh_open_guards(lua_State *L);
// Raises the error that nothing in Lua catches.
int dh_raise_stop(lua_State *L);
// The message handler of the host's calls: notes position and trace, leaves the error as it is.
int dh_note_error(lua_State *L);
// Marks the runtime as the innermost one on this thread while the host calls into it; answers the one before.
dh_runtime *dh_enter_runtime(dh_runtime *rt);
void dh_leave_runtime(dh_runtime *rt, dh_runtime *before);

// Refuses to forge or take apart bound objects through the debug library. See bound.c.
void dh_open_bound(lua_State *L);

#endif
