// Words as a C programmer packs them: one heap, an open-addressing table of offsets, and a hash of sorted letters with
// a bitmap before it. Words consist of a to z. Invariant: the list is loaded once, before any query.

#include <stdlib.h>
#include <string.h>

#include "words.h"

static char *heap;  // each word: its length in one byte, then its letters
static uint32_t heap_bytes, *offsets, word_count;

// Membership: a plain table, and one with a wide hash that stores a few of its bits beside each offset.
static uint32_t *plain_table, *tagged_table, table_mask;
static int offset_bits;

// Words by the sum of their letters' random numbers, which represents the sorted letters.
#define BITMAP_BITS 22
typedef struct anagrams {
  uint64_t key;
  uint32_t first, count;
} anagrams;
static uint64_t letter_numbers[256], *bitmap;
static anagrams *anagram_table;
static uint32_t anagram_mask, *by_letters;

static uint32_t fnv(const char *word, size_t length) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < length; i++) hash = (hash ^ (uint8_t)word[i]) * 16777619u;
  return hash;
}

static inline uint64_t eight(const char *bytes) {
  uint64_t value;
  memcpy(&value, bytes, 8);
  return value;
}

static inline uint32_t four(const char *bytes) {
  uint32_t value;
  memcpy(&value, bytes, 4);
  return value;
}

static inline uint64_t folded(uint64_t a, uint64_t b) {
  __uint128_t product = (__uint128_t)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t reference_hash(const char *word, size_t length) {
  const uint64_t one = 0x9E3779B97F4A7C15ull, two = 0xC2B2AE3D27D4EB4Full;
  uint64_t a, b, state = length;
  if (length >= 8) {
    for (size_t i = 0; length > 16 && i + 16 <= length; i += 16)
      state = folded(eight(word + i) ^ state ^ one, eight(word + i + 8) ^ two);
    a = (length > 16 ? eight(word + length - 16) : eight(word)) ^ state;
    b = eight(word + length - 8);
  } else if (length >= 4) {
    a = four(word);
    b = four(word + length - 4);
  } else if (length > 0) {
    a = (uint64_t)(uint8_t)word[0] << 16 | (uint64_t)(uint8_t)word[length >> 1] << 8 | (uint8_t)word[length - 1];
    b = 0;
  } else {
    return 0;
  }
  return folded(a ^ one, b ^ two ^ length);
}

static inline int is_word_at(uint32_t offset, const char *word, size_t length) {
  return (uint8_t)heap[offset] == length && memcmp(heap + offset + 1, word, length) == 0;
}

static void fill_tables(void) {
  uint32_t capacity = 1;
  while (capacity < word_count * 2) capacity *= 2;
  table_mask = capacity - 1;
  plain_table = calloc(capacity, sizeof *plain_table);
  tagged_table = calloc(capacity, sizeof *tagged_table);
  for (offset_bits = 1; (1u << offset_bits) <= heap_bytes;) offset_bits++;
  for (uint32_t i = 0; i < word_count; i++) {
    const char *word = heap + offsets[i] + 1;
    size_t length = (uint8_t)heap[offsets[i]];
    uint32_t slot = fnv(word, length) & table_mask;
    while (plain_table[slot]) slot = (slot + 1) & table_mask;
    plain_table[slot] = offsets[i];
    uint64_t hash = reference_hash(word, length);
    slot = (uint32_t)(hash >> 32) & table_mask;
    while (tagged_table[slot]) slot = (slot + 1) & table_mask;
    tagged_table[slot] = (uint32_t)(hash << offset_bits) | offsets[i];
  }
}

static uint64_t key_of(uint32_t offset) {
  uint64_t key = 0;
  for (int i = 1; i <= (uint8_t)heap[offset]; i++) key += letter_numbers[(uint8_t)heap[offset + (uint32_t)i]];
  return key;
}

static int by_key(const void *a, const void *b) {
  uint64_t x = key_of(*(const uint32_t *)a), y = key_of(*(const uint32_t *)b);
  return x < y ? -1 : x > y;
}

static void fill_anagrams(void) {
  uint64_t state = 88172645463325252ull;
  for (int i = 0; i < 256; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    letter_numbers[i] = (state * 0x9E3779B97F4A7C15ull) | 1;
  }
  by_letters = malloc(word_count * sizeof *by_letters);
  memcpy(by_letters, offsets, word_count * sizeof *by_letters);
  qsort(by_letters, word_count, sizeof *by_letters, by_key);
  anagram_mask = table_mask;
  anagram_table = calloc((size_t)anagram_mask + 1, sizeof *anagram_table);
  bitmap = calloc(1 << (BITMAP_BITS - 6), sizeof *bitmap);
  for (uint32_t first = 0, end; first < word_count; first = end) {
    uint64_t key = key_of(by_letters[first]);
    for (end = first; end < word_count && key_of(by_letters[end]) == key;) end++;
    uint32_t slot = (uint32_t)(key >> 40) & anagram_mask;
    while (anagram_table[slot].count) slot = (slot + 1) & anagram_mask;
    anagram_table[slot] = (anagrams){key, first, end - first};
    bitmap[(key & ((1 << BITMAP_BITS) - 1)) >> 6] |= 1ull << (key & 63);
  }
}

void reference_load_words(const char *text, const size_t *ends, size_t count) {
  word_count = (uint32_t)count;
  heap = calloc(ends[count] + count + 1 + 64, 1);
  offsets = malloc(count * sizeof *offsets);
  heap_bytes = 1;
  for (size_t i = 0; i < count; i++) {
    size_t length = ends[i + 1] - ends[i];
    offsets[i] = heap_bytes;
    heap[heap_bytes] = (char)length;
    memcpy(heap + heap_bytes + 1, text + ends[i], length);
    heap_bytes += (uint32_t)length + 1;
  }
  fill_tables();
  fill_anagrams();
}

double reference_bytes_a_word(void) { return (heap_bytes + 4.0 * ((double)table_mask + 1)) / word_count; }

static int contains_plain(const char *word, size_t length) {
  uint32_t slot = fnv(word, length) & table_mask, offset;
  while ((offset = plain_table[slot])) {
    if (is_word_at(offset, word, length)) return 1;
    slot = (slot + 1) & table_mask;
  }
  return 0;
}

uint32_t reference_find(const char *word, size_t length, uint64_t hash) {
  uint32_t slot = (uint32_t)(hash >> 32) & table_mask, entry;
  uint32_t offset_mask = (1u << offset_bits) - 1, tag = (uint32_t)(hash << offset_bits);
  while ((entry = tagged_table[slot])) {
    if ((entry & ~offset_mask) == tag && is_word_at(entry & offset_mask, word, length)) return entry & offset_mask;
    slot = (slot + 1) & table_mask;
  }
  return 0;
}

size_t reference_contains_plain(const char *text, const size_t *ends, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) found += (size_t)contains_plain(text + ends[i], ends[i + 1] - ends[i]);
  return found;
}

size_t reference_contains_tagged(const char *text, const size_t *ends, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) {
    const char *word = text + ends[i];
    size_t length = ends[i + 1] - ends[i];
    found += reference_find(word, length, reference_hash(word, length)) != 0;
  }
  return found;
}

// The sums of all subsets of the letters.
static size_t fill_subsets(const char *letters, size_t length, uint64_t *sums) {
  uint8_t counts[256] = {0};
  for (size_t i = 0; i < length; i++) counts[(uint8_t)letters[i]]++;
  size_t filled = 1;
  sums[0] = 0;
  for (int letter = 'a'; letter <= 'z'; letter++)
    for (size_t before = filled, k = 0; k < counts[letter]; k++)
      for (size_t i = 0; i < before; i++, filled++) sums[filled] = sums[filled - before] + letter_numbers[letter];
  return filled;
}

size_t reference_formable(const char *letters, size_t length, uint32_t *found) {
  static uint64_t sums[1 << 16];
  size_t filled = fill_subsets(letters, length, sums), count = 0;
  for (size_t i = 1; i < filled; i++) {
    uint64_t key = sums[i];
    if (!(bitmap[(key & ((1 << BITMAP_BITS) - 1)) >> 6] >> (key & 63) & 1)) continue;
    for (uint32_t slot = (uint32_t)(key >> 40) & anagram_mask; anagram_table[slot].count; slot = (slot + 1) & anagram_mask) {
      const anagrams *entry = &anagram_table[slot];
      if (entry->key != key) continue;
      for (uint32_t j = 0; j < entry->count; j++) found[count++] = by_letters[entry->first + j];
      break;
    }
  }
  return count;
}

size_t reference_match(const char *pattern, size_t length, uint32_t *found) {
  size_t count = 0;
  for (uint32_t i = 0; i < word_count; i++) {
    if ((uint8_t)heap[offsets[i]] != length) continue;
    const char *word = heap + offsets[i] + 1;
    size_t same = 0;
    while (same < length && (pattern[same] == '?' || pattern[same] == word[same])) same++;
    if (same == length) found[count++] = offsets[i];
  }
  return count;
}
