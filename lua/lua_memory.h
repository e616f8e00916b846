/* lua_memory.h - where an interpreter of ours takes its memory from: free lists of small blocks, one set a state.
 *
 * Lua tells the size of what it frees, so small blocks need no header; and a collection frees boxes by the thousand, more than
 * the C library's thread caches hold. Blocks above LUA_MEMORY_SMALL bytes go to base/memory.h. Instrumented and hostile builds
 * send everything there, so that every block is watched.
 */
#ifndef MF_LUA_MEMORY_H
#define MF_LUA_MEMORY_H

#include <stddef.h>

enum { LUA_MEMORY_SMALL = 256, LUA_MEMORY_GRAIN = 16 };

typedef struct mfl_memory {
  void *free_blocks[LUA_MEMORY_SMALL / LUA_MEMORY_GRAIN + 1];   /* by size in grains; linked through their first word */
  void *chunks;                                                 /* linked through their first word */
  char *next;                                                   /* what is left of the newest chunk */
  size_t left, chunk_size;
} mfl_memory;

/* A lua_Alloc; `memory` starts zeroed. */
void *mfl_memory_alloc(void *memory, void *block, size_t old_size, size_t new_size);
/* Ends all chunks, once the state is closed. */
void mfl_memory_release(mfl_memory *memory);

#endif
