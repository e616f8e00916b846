/* pool.h - the one thread pool of the process, and how kernels cut their work.
 *
 * Work is cut into pieces by shape alone, never by the number of threads, and every piece computes the same thing wherever it
 * runs: so results are the same bits for 1, 2, 3 or 8 threads. Element-wise borders are multiples of 64 elements from the
 * array's start (vector bodies and scalar tails round differently); partial sums are joined in piece order by the caller.
 *
 * One caller at a time holds the wide permit; other callers, and calls from inside a piece, run all pieces themselves, in
 * order. Workers start at the first wide call, spin briefly for more work and then sleep. Pieces must not block.
 */
#ifndef MF_BASE_POOL_H
#define MF_BASE_POOL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*mf_parallel_fn)(void *arg, int64_t piece);

/* Calls fn(arg, 0) ... fn(arg, pieces-1), in any order and on any thread; returns when all are done. */
void mf_parallel_for(int64_t pieces, mf_parallel_fn fn, void *arg);

/* Threads used by a wide call, the caller included. Default: MF_NUM_THREADS, else the usable cores. n < 1: the default. */
void mf_pool_set_threads(int n);
int mf_pool_threads(void);
/* Joins the workers; the next wide call starts them again. */
void mf_pool_shutdown(void);

/* ---- cutting by shape */

/* Work below this many nanoseconds stays on the caller's thread; pieces are at least about this long. */
enum { MF_PIECE_NS = 20000, MF_MAX_PIECES = 64 };

/* Number of pieces for `items` items of `ns_per_item` estimated nanoseconds each: 1 when the whole is short. */
int64_t mf_pieces_for(int64_t items, double ns_per_item);
/* Items [begin, end) of piece p of `pieces`: borders are multiples of `grain` (64 for element-wise arrays, 1 for rows). */
static inline void mf_piece_range(int64_t items, int64_t pieces, int64_t grain, int64_t p, int64_t *begin, int64_t *end) {
  int64_t blocks = (items + grain - 1) / grain;
  int64_t share = blocks / pieces, extra = blocks % pieces;
  int64_t b = p * share + (p < extra ? p : extra), e = b + share + (p < extra ? 1 : 0);
  *begin = b * grain < items ? b * grain : items;
  *end = e * grain < items ? e * grain : items;
}

#ifdef __cplusplus
}
#endif
#endif
