// The allocator of the Lua states. It counts every byte, serves small blocks from free lists by size, and refuses
// allocations beyond the bound, but only while Lua code runs. Invariants: `used` is the sum of the sizes that Lua
// believes it holds; a host call that finds no memory left lives on the reserve until it looks for room.

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

#define CLASS_BYTES 16
#define SMALL_LIMIT (DH_SMALL_CLASSES * CLASS_BYTES)
#define FIRST_CHUNK 8192
#define LARGEST_CHUNK (256 * 1024)
#define LARGE_BLOCK (1 << 20)
#define IDLE_CHUNKS (4 << 20)
#define STRING_HEADER 64  // the maximum that Lua puts before a string
#define RESERVE (8 << 20)  // more than a host call takes before it looks for room again

struct dh_chunk {
  _Alignas(CLASS_BYTES) struct dh_chunk *next;  // so that a value of Lua lies in one line of the cache
  size_t size;
  size_t filled;  // bytes handed out from it, set when a newer chunk is added
};

static int class_of(size_t size) { return (int)((size + CLASS_BYTES - 1) / CLASS_BYTES); }

static int refill(dh_runtime *rt) {
  size_t size = rt->chunks ? rt->chunks->size * 2 : FIRST_CHUNK;
  if (size > LARGEST_CHUNK) size = LARGEST_CHUNK;
  struct dh_chunk *chunk = malloc(sizeof *chunk + size);
  if (!chunk) return 0;
  if (rt->chunks) rt->chunks->filled = rt->chunks->size - rt->chunk_left;
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
  size_t bytes = (size_t)class * CLASS_BYTES;
  if (block) {
    memcpy(&rt->free_blocks[class], block, sizeof(void *));
    rt->idle_bytes -= bytes;
    return block;
  }
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
  rt->idle_bytes += (size_t)class * CLASS_BYTES;
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

void dh_fill_reserve(dh_runtime *rt) {
  if (!rt->reserve) rt->reserve = malloc(RESERVE);
}

// An error inside a host call would jump over Swift frames. So the block is taken from the reserve, and the call gets
// the error at its next look for room, or at its end. Without a reserve that is fatal.
static void *out_of_memory(dh_runtime *rt, void *block, size_t old_size, size_t new_size) {
  if (rt->host_depth == 0) return NULL;
  free(rt->reserve);
  rt->reserve = NULL;
  void *result = old_size ? resize_block(rt, block, old_size, new_size) : new_block(rt, new_size);
  if (!result) {
    fputs("deckhand: the machine is out of memory\n", stderr);
    abort();
  }
  rt->is_short = 1;
  if (rt->limit && !rt->stop) dh_stop_runtime(rt, DH_STOP_MEMORY);
  return result;
}

// Whether Lua code is refused an allocation: one beyond the limits, or a large block when the code must stop, as it
// may be growing a buffer in a loop that does not check for a stop.
static int is_refused(const dh_runtime *rt, int kind, size_t old_size, size_t new_size) {
  if (dh_weight(rt) + (new_size - old_size) > rt->bound) return 1;
  if (kind == LUA_TSTRING && rt->string_limit && new_size > rt->string_limit + STRING_HEADER) return 1;
  return new_size > LARGE_BLOCK && rt->stop;
}

void *dh_allocate(void *ud, void *block, size_t old_size, size_t new_size) {
  dh_runtime *rt = ud;
  int kind = block ? 0 : (int)old_size;  // Lua passes the type of a new block here
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
  if (__builtin_expect(new_size > LARGE_BLOCK && grows, 0)) dh_return_idle_chunks(rt);
  void *result = old_size ? resize_block(rt, block, old_size, new_size) : new_block(rt, new_size);
  if (!result && grows) result = out_of_memory(rt, block, old_size, new_size);
  if (!result) return NULL;
  rt->used = rt->used - old_size + new_size;
  return result;
}

// ---- Returning chunks without blocks in use

typedef struct span {
  char *start;
  struct dh_chunk *chunk;
  size_t idle;  // its bytes in the free lists
  int goes;
} span;

static int by_start(const void *a, const void *b) {
  const span *first = a, *second = b;
  return first->start < second->start ? -1 : first->start > second->start;
}

// Finds the span that contains a block: the last one that begins before it.
static span *span_of(span *spans, size_t count, const char *block) {
  size_t low = 0, high = count;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (spans[middle].start <= block) low = middle;
    else high = middle;
  }
  return &spans[low];
}

// Returns the chunks sorted by address; NULL if out of memory.
static span *spans_of(const dh_runtime *rt, size_t *count) {
  *count = 0;
  for (struct dh_chunk *chunk = rt->chunks; chunk; chunk = chunk->next) (*count)++;
  span *spans = *count ? calloc(*count, sizeof *spans) : NULL;
  if (!spans) return NULL;
  size_t at = 0;
  for (struct dh_chunk *chunk = rt->chunks; chunk; chunk = chunk->next)
    spans[at++] = (span){.start = (char *)(chunk + 1), .chunk = chunk};
  qsort(spans, *count, sizeof *spans, by_start);
  return spans;
}

// Counts the idle bytes of each span, or (`takes`) removes the blocks of spans that will be freed from the free
// lists.
static void walk_free_blocks(dh_runtime *rt, span *spans, size_t count, int takes) {
  for (int class = 1; class <= DH_SMALL_CLASSES; class++) {
    void *kept = NULL, *block = rt->free_blocks[class], *next;
    for (; block; block = next) {
      memcpy(&next, block, sizeof next);
      span *owner = span_of(spans, count, block);
      size_t bytes = (size_t)class * CLASS_BYTES;
      if (!takes) {
        owner->idle += bytes;
      } else if (owner->goes) {
        rt->idle_bytes -= bytes;
      } else {
        memcpy(block, &kept, sizeof kept);
        kept = block;
      }
    }
    if (takes) rt->free_blocks[class] = kept;
  }
}

static size_t free_spans(dh_runtime *rt, span *spans, size_t count) {
  size_t freed = 0;
  for (struct dh_chunk **link = &rt->chunks; *link;) {
    struct dh_chunk *chunk = *link;
    if (!span_of(spans, count, (char *)(chunk + 1))->goes) {
      link = &chunk->next;
      continue;
    }
    *link = chunk->next;
    freed += chunk->size;
    free(chunk);
  }
  return freed;
}

// Frees the chunks that contain no block in use once IDLE_CHUNKS bytes are idle, and again after each further
// IDLE_CHUNKS. Otherwise small blocks that Lua has freed would stay allocated while it allocates as much in large
// blocks.
void dh_return_idle_chunks(dh_runtime *rt) {
  if (rt->idle_bytes < rt->idle_kept) rt->idle_kept = rt->idle_bytes;
  if (rt->idle_bytes < rt->idle_kept + IDLE_CHUNKS) return;
  size_t count;
  span *spans = spans_of(rt, &count);
  if (!spans) return;
  walk_free_blocks(rt, spans, count, 0);
  for (size_t i = 0; i < count; i++)
    spans[i].goes = spans[i].chunk != rt->chunks && spans[i].idle == spans[i].chunk->filled;
  walk_free_blocks(rt, spans, count, 1);
  size_t freed = free_spans(rt, spans, count);
  free(spans);
  rt->idle_kept = rt->idle_bytes;
  if (freed) malloc_trim(LARGE_BLOCK);
}

void dh_free_chunks(dh_runtime *rt) {
  while (rt->chunks) {
    struct dh_chunk *next = rt->chunks->next;
    free(rt->chunks);
    rt->chunks = next;
  }
}
