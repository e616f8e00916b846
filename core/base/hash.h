/* hash.h - hashing of bytes, and a map from 64-bit keys to 64-bit values.
 *
 * The map is open addressing with linear probing, grows at 3/4 load, and holds no memory while empty. Keys are any value; no
 * order is promised. Not thread-safe.
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
/* Empties the map and returns its memory; it can be used again. */
void mf_map_clear(mf_map *m);

#ifdef __cplusplus
}
#endif
#endif
