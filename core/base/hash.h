/* hash.h - hashing of bytes, a map from 64-bit keys and one from texts, both to 64-bit values.
 *
 * Both maps use open addressing with linear probing, grow at 3/4 load, and hold no memory while empty. No order is
 * promised. Pointers are stored as (uint64_t)(uintptr_t)p; the maps own no values. Not thread-safe. {0} is an empty
 * map.
 */
#ifndef MF_BASE_HASH_H
#define MF_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fast, well mixed, the same in every process; not meant against hostile keys. */
uint64_t mf_hash_bytes(const void *bytes, size_t size, uint64_t seed);

typedef struct mf_map_cell {
  uint64_t key, value;
  bool used;
} mf_map_cell;

typedef struct mf_map {
  mf_map_cell *cells;
  size_t capacity, count;    /* capacity: 0 or a power of two */
} mf_map;

void mf_map_init(mf_map *m);
/* False when memory is out: nothing has changed then. Replaces the value of a key that is there. */
bool mf_map_put(mf_map *m, uint64_t key, uint64_t value);
/* *value (may be NULL) is set only when the key is there. */
bool mf_map_get(const mf_map *m, uint64_t key, uint64_t *value);
/* False when the key is not there; else *value (may be NULL) gets what it had. */
bool mf_map_remove(mf_map *m, uint64_t key, uint64_t *value);
/* Empties the map and returns its memory; it can be used again. */
void mf_map_clear(mf_map *m);

/* ---- texts: keys are `size` bytes (NUL allowed), copied by put */

typedef struct mf_strmap_cell {
  char *key;                 /* owned; NULL: the cell is free */
  size_t size;
  uint64_t hash, value;
} mf_strmap_cell;

typedef struct mf_strmap {
  mf_strmap_cell *cells;
  size_t capacity, count;    /* capacity: 0 or a power of two */
} mf_strmap;

/* As the functions above. */
bool mf_strmap_put(mf_strmap *m, const char *key, size_t size, uint64_t value);
bool mf_strmap_get(const mf_strmap *m, const char *key, size_t size, uint64_t *value);
bool mf_strmap_remove(mf_strmap *m, const char *key, size_t size, uint64_t *value);
void mf_strmap_clear(mf_strmap *m);

#ifdef __cplusplus
}
#endif
#endif
