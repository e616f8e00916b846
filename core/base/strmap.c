/* strmap.c - the map from texts of hash.h. As mf_map, with owned keys; the full hash is kept so that texts are
 * compared, and moved when the map grows, only when they must. */
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/* The cell of the text, or the free cell where it belongs. There is always a free cell. */
static mf_strmap_cell *cell_of(mf_strmap_cell *cells, size_t capacity, const char *key, size_t size, uint64_t hash) {
  size_t i = (size_t)hash & (capacity - 1);
  while (cells[i].key && !(cells[i].hash == hash && cells[i].size == size && memcmp(cells[i].key, key, size) == 0))
    i = (i + 1) & (capacity - 1);
  return &cells[i];
}

static bool grow(mf_strmap *m) {
  size_t capacity = m->capacity ? 2 * m->capacity : 16;
  mf_strmap_cell *cells = mf_alloc_zero(capacity, sizeof *cells);
  if (!cells) return false;
  for (size_t i = 0; i < m->capacity; i++) {
    mf_strmap_cell *c = &m->cells[i];
    if (c->key) *cell_of(cells, capacity, c->key, c->size, c->hash) = *c;
  }
  mf_free(m->cells);
  m->cells = cells;
  m->capacity = capacity;
  return true;
}

bool mf_strmap_put(mf_strmap *m, const char *key, size_t size, uint64_t value) {
  if (4 * (m->count + 1) > 3 * m->capacity && !grow(m)) return false;
  uint64_t hash = mf_hash_bytes(key, size, 0);
  mf_strmap_cell *c = cell_of(m->cells, m->capacity, key, size, hash);
  if (c->key) {
    c->value = value;
    return true;
  }
  char *copy = mf_strndup(key, size);
  if (!copy) return false;
  *c = (mf_strmap_cell){copy, size, hash, value};
  m->count++;
  return true;
}

bool mf_strmap_get(const mf_strmap *m, const char *key, size_t size, uint64_t *value) {
  if (!m->count) return false;
  const mf_strmap_cell *c = cell_of(m->cells, m->capacity, key, size, mf_hash_bytes(key, size, 0));
  if (c->key && value) *value = c->value;
  return c->key != NULL;
}

bool mf_strmap_remove(mf_strmap *m, const char *key, size_t size, uint64_t *value) {
  if (!m->count) return false;
  size_t mask = m->capacity - 1;
  size_t hole = (size_t)(cell_of(m->cells, m->capacity, key, size, mf_hash_bytes(key, size, 0)) - m->cells);
  if (!m->cells[hole].key) return false;
  if (value) *value = m->cells[hole].value;
  mf_free(m->cells[hole].key);
  for (size_t i = (hole + 1) & mask; m->cells[i].key; i = (i + 1) & mask) {
    size_t home = (size_t)m->cells[i].hash & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue; /* its home lies behind the hole */
    m->cells[hole] = m->cells[i];
    hole = i;
  }
  m->cells[hole].key = NULL;
  m->count--;
  return true;
}

void mf_strmap_clear(mf_strmap *m) {
  for (size_t i = 0; i < m->capacity; i++) mf_free(m->cells[i].key);
  mf_free(m->cells);
  *m = (mf_strmap){0};
}
