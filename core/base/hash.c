/* hash.c - a multiply-and-fold hash, and the map from 64-bit keys (the one from texts: strmap.c): see hash.h.
 *
 * Removing shifts the cells behind the hole back instead of leaving a mark, so a map that is filled and emptied for
 * years probes no further than a fresh one.
 */
#include "base/hash.h"

#include <string.h>

#include "base/memory.h"

static uint64_t mix(uint64_t h) {
  h ^= h >> 32;
  h *= UINT64_C(0xD6E8FEB86659FD93);
  h ^= h >> 32;
  h *= UINT64_C(0xD6E8FEB86659FD93);
  return h ^ (h >> 32);
}

uint64_t mf_hash_bytes(const void *bytes, size_t size, uint64_t seed) {
  const unsigned char *p = bytes;
  uint64_t h = seed ^ (size * UINT64_C(0x9E3779B97F4A7C15)), word;
  for (; size >= 8; size -= 8, p += 8) {
    memcpy(&word, p, 8);
    h = mix(h ^ word) + UINT64_C(0x9E3779B97F4A7C15);
  }
  word = 0;
  if (size) memcpy(&word, p, size);
  return mix(h ^ word);
}

void mf_map_init(mf_map *m) { *m = (mf_map){0}; }

/* The cell of `key`, or the free cell where it belongs. There is always a free cell. */
static mf_map_cell *cell_of(mf_map_cell *cells, size_t capacity, uint64_t key) {
  size_t i = (size_t)mix(key) & (capacity - 1);
  while (cells[i].used && cells[i].key != key) i = (i + 1) & (capacity - 1);
  return &cells[i];
}

static bool grow(mf_map *m) {
  size_t capacity = m->capacity ? 2 * m->capacity : 32;
  mf_map_cell *cells = mf_alloc_zero(capacity, sizeof *cells);
  if (!cells) return false;
  for (size_t i = 0; i < m->capacity; i++)
    if (m->cells[i].used) *cell_of(cells, capacity, m->cells[i].key) = m->cells[i];
  mf_free(m->cells);
  m->cells = cells;
  m->capacity = capacity;
  return true;
}

bool mf_map_put(mf_map *m, uint64_t key, uint64_t value) {
  if (4 * (m->count + 1) > 3 * m->capacity && !grow(m)) return false;
  mf_map_cell *c = cell_of(m->cells, m->capacity, key);
  m->count += !c->used;
  *c = (mf_map_cell){key, value, true};
  return true;
}

bool mf_map_get(const mf_map *m, uint64_t key, uint64_t *value) {
  if (!m->count) return false;
  const mf_map_cell *c = cell_of(m->cells, m->capacity, key);
  if (c->used && value) *value = c->value;
  return c->used;
}

bool mf_map_remove(mf_map *m, uint64_t key, uint64_t *value) {
  if (!m->count) return false;
  size_t mask = m->capacity - 1, hole = (size_t)(cell_of(m->cells, m->capacity, key) - m->cells);
  if (!m->cells[hole].used) return false;
  if (value) *value = m->cells[hole].value;
  for (size_t i = (hole + 1) & mask; m->cells[i].used; i = (i + 1) & mask) {
    size_t home = (size_t)mix(m->cells[i].key) & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue; /* its home lies behind the hole */
    m->cells[hole] = m->cells[i];
    hole = i;
  }
  m->cells[hole].used = false;
  m->count--;
  return true;
}

void mf_map_clear(mf_map *m) {
  mf_free(m->cells);
  *m = (mf_map){0};
}
