// The allocator of the Lua states: counts every byte, serves small blocks from free lists by size, and refuses what passes
// the bound, but only while Lua code runs. Invariant: `used` is the sum of the sizes that Lua believes it holds.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

#define CLASS_BYTES 16
#define SMALL_LIMIT (DH_SMALL_CLASSES * CLASS_BYTES)
#define FIRST_CHUNK 8192
#define LARGEST_CHUNK (256 * 1024)
#define LARGE_BLOCK (1 << 20)
#define STRING_HEADER 64  // bytes that Lua puts before a string, at most

struct dh_chunk {
  struct dh_chunk *next;
  size_t size;
};

static int class_of(size_t size) { return (int)((size + CLASS_BYTES - 1) / CLASS_BYTES); }

// Without memory inside a host call there is no way to go on: an error would jump over Swift frames.
static void *out_of_memory(dh_runtime *rt) {
  if (rt->host_depth == 0) return NULL;
  fputs("deckhand: the machine is out of memory\n", stderr);
  abort();
}

static int refill(dh_runtime *rt) {
  size_t size = rt->chunks ? rt->chunks->size * 2 : FIRST_CHUNK;
  if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
  struct dh_chunk *chunk = malloc(sizeof *chunk + size);
  if (!chunk) return 0;
  chunk->next = rt->chunks;
  chunk->size = size;
  rt->chunks = chunk;
  rt->chunk_next = (char *)(chunk + 1);
  rt->chunk_left = size;
  return 1;
}

static void *new_block(dh_runtime *rt, size_t size) {
  if (size > SMALL_LIMIT) return malloc(size);
  int class = class_of(size);
  void *block = rt->free_blocks[class];
  if (block) {
    memcpy(&rt->free_blocks[class], block, sizeof(void *));
    return block;
  }
  size_t bytes = (size_t)class * CLASS_BYTES;
  if (rt->chunk_left < bytes && !refill(rt)) return NULL;
  block = rt->chunk_next;
  rt->chunk_next += bytes;
  rt->chunk_left -= bytes;
  return block;
}

static void free_block(dh_runtime *rt, void *block, size_t size) {
  if (size > SMALL_LIMIT) {
    free(block);
    return;
  }
  int class = class_of(size);
  memcpy(block, &rt->free_blocks[class], sizeof(void *));
  rt->free_blocks[class] = block;
}

static void *resize_block(dh_runtime *rt, void *block, size_t old_size, size_t new_size) {
  if (old_size > SMALL_LIMIT && new_size > SMALL_LIMIT) {
    void *moved = realloc(block, new_size);
    return moved ? moved : (new_size <= old_size ? block : NULL);
  }
  if (old_size <= SMALL_LIMIT && new_size <= SMALL_LIMIT && class_of(old_size) == class_of(new_size)) return block;
  void *moved = new_block(rt, new_size);
  if (!moved) return NULL;
  memcpy(moved, block, old_size < new_size ? old_size : new_size);
  free_block(rt, block, old_size);
  return moved;
}

// What Lua code may not have: more than the limits, and large blocks once it is to stop, since a buffer may be growing in a
// loop that looks at nothing else.
static int is_refused(const dh_runtime *rt, int kind, size_t old_size, size_t new_size) {
  if (dh_weight(rt) + (new_size - old_size) > rt->bound) return 1;
  if (kind == LUA_TSTRING && rt->string_limit && new_size > rt->string_limit + STRING_HEADER) return 1;
  return new_size > LARGE_BLOCK && rt->stop;
}

void *dh_allocate(void *ud, void *block, size_t old_size, size_t new_size) {
  dh_runtime *rt = ud;
  int kind = block ? 0 : (int)old_size;  // Lua tells what a new block is for
  if (!block) old_size = 0;
  if (new_size == 0) {
    if (old_size) free_block(rt, block, old_size);
    rt->used -= old_size;
    return NULL;
  }
  int grows = new_size > old_size;
  if (grows && rt->host_depth == 0 && is_refused(rt, kind, old_size, new_size)) {
    rt->has_refused = 1;
    return NULL;
  }
  void *result = old_size ? resize_block(rt, block, old_size, new_size) : new_block(rt, new_size);
  if (!result) return grows ? out_of_memory(rt) : NULL;
  rt->used = rt->used - old_size + new_size;
  return result;
}

void dh_free_chunks(dh_runtime *rt) {
  while (rt->chunks) {
    struct dh_chunk *next = rt->chunks->next;
    free(rt->chunks);
    rt->chunks = next;
  }
}
