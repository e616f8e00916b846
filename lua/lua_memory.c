/* lua_memory.c - small blocks for Lua states: see lua_memory.h. */
#include "lua_memory.h"

#include <string.h>

#include "base/memory.h"

enum { FIRST_CHUNK = 16 << 10, LARGEST_CHUNK = 256 << 10 };

#if defined(MF_HOSTILE) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

void *mfl_memory_alloc(void *memory, void *block, size_t old_size, size_t new_size) {
  (void)memory;
  (void)old_size;
  if (new_size) return block ? mf_realloc(block, new_size) : mf_alloc(new_size);
  mf_free(block);
  return NULL;
}

#else

static size_t class_of(size_t size) { return (size + LUA_MEMORY_GRAIN - 1) / LUA_MEMORY_GRAIN; }

/* A new chunk; what the old one had left is given up: less than one small block of the size asked for. */
static void *take_from_new_chunk(mfl_memory *m, size_t bytes) {
  size_t size = m->chunk_size ? m->chunk_size : FIRST_CHUNK;
  char *chunk = mf_alloc(size);
  if (!chunk) return NULL;
  memcpy(chunk, &m->chunks, sizeof(void *));
  m->chunks = chunk;
  m->chunk_size = size < LARGEST_CHUNK ? 2 * size : size;
  m->next = chunk + LUA_MEMORY_GRAIN + bytes;
  m->left = size - LUA_MEMORY_GRAIN - bytes;
  return chunk + LUA_MEMORY_GRAIN;
}

static void *take_small(mfl_memory *m, size_t size) {
  size_t c = class_of(size), bytes = c * LUA_MEMORY_GRAIN;
  void *block = m->free_blocks[c];
  if (block) {
    memcpy(&m->free_blocks[c], block, sizeof(void *));
    return block;
  }
  if (m->left < bytes) return take_from_new_chunk(m, bytes);
  block = m->next;
  m->next += bytes;
  m->left -= bytes;
  return block;
}

static void give_small(mfl_memory *m, void *block, size_t size) {
  size_t c = class_of(size);
  memcpy(block, &m->free_blocks[c], sizeof(void *));
  m->free_blocks[c] = block;
}

static void *take(mfl_memory *m, size_t size) { return size <= LUA_MEMORY_SMALL ? take_small(m, size) : mf_alloc(size); }

static void give(mfl_memory *m, void *block, size_t size) {
  if (size <= LUA_MEMORY_SMALL) give_small(m, block, size);
  else mf_free(block);
}

/* Lua relies on shrinking never to fail; the old block serves then. */
static void *resize(mfl_memory *m, void *block, size_t old_size, size_t new_size) {
  bool was_small = old_size <= LUA_MEMORY_SMALL, is_small = new_size <= LUA_MEMORY_SMALL;
  if (!was_small && !is_small) return mf_realloc(block, new_size);
  if (was_small && is_small && class_of(old_size) == class_of(new_size)) return block;
  void *fresh = take(m, new_size);
  if (!fresh) return new_size < old_size ? block : NULL;
  memcpy(fresh, block, old_size < new_size ? old_size : new_size);
  give(m, block, old_size);
  return fresh;
}

void *mfl_memory_alloc(void *memory, void *block, size_t old_size, size_t new_size) {
  mfl_memory *m = memory;
  if (!block) return new_size ? take(m, new_size) : NULL; /* old_size is a kind of object then */
  if (new_size) return resize(m, block, old_size, new_size);
  give(m, block, old_size);
  return NULL;
}

#endif

void mfl_memory_release(mfl_memory *m) {
  while (m->chunks) {
    void *chunk = m->chunks;
    memcpy(&m->chunks, chunk, sizeof(void *));
    mf_free(chunk);
  }
}
