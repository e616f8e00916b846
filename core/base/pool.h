/* pool.h - the one thread pool of the process, and how kernels cut their work.
 *
 * Work is cut into pieces by shape alone, never by the number of threads, and every piece computes the same thing
 * wherever it runs: so results are the same bits for 1, 2, 3 or 8 threads. Element-wise borders are multiples of 64
 * elements from the array's start (vector bodies and scalar tails round differently); partial sums are joined in piece
 * order by the caller.
 *
 * One caller at a time holds the wide permit; other callers, and calls from inside a piece, run all pieces themselves,
 * in order. Workers start at the first wide call, spin briefly for more work and then sleep. They take no signals.
 *
 * A piece must not block on anything but memory and locks held briefly, must not fork, and must not change the pool
 * (mf_pool_set_threads and mf_pool_shutdown wait for the running call to end).
 *
 *     typedef struct { const float *x; float *y; int64_t n, pieces; } job;
 *     static void piece(void *arg, int64_t p) {
 *       job *j = arg;
 *       int64_t begin, end;
 *       mf_piece_range(j->n, j->pieces, 64, p, &begin, &end);
 *       for (int64_t i = begin; i < end; i++) j->y[i] = 2 * j->x[i];
 *     }
 *     job j = {x, y, n, mf_pieces_for(n, 0.3)};
 *     mf_parallel_for(j.pieces, piece, &j);
 */
#ifndef MF_BASE_POOL_H
#define MF_BASE_POOL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*mf_parallel_fn)(void *arg, int64_t piece);

/* Calls fn(arg, 0) ... fn(arg, pieces-1), in any order and on any thread; returns when all are done. What the pieces
 * wrote is then visible to the caller. pieces <= 0 calls nothing. */
void mf_parallel_for(int64_t pieces, mf_parallel_fn fn, void *arg);

/* Threads used by a wide call, the caller included: 1 to 256. Default: MF_NUM_THREADS, else the usable cores. n < 1:
 * back to the default. */
void mf_pool_set_threads(int n);
int mf_pool_threads(void);

/* Joins the workers; the next wide call starts them again. A child of fork starts its own at its first wide call. */
void mf_pool_shutdown(void);

/* Makes the calling thread run narrow always (true), or as any other (false): for workers of input pipelines and
 * servers, so that they never take the permit from the training thread. A thread takes it back before it ends. False:
 * more than 256 threads are narrow, nothing changed. */
bool mf_pool_thread_narrow(bool on);

/* ---- cutting by shape */

/* Work below twice this many nanoseconds stays on the caller's thread; pieces are at least this long. */
enum { MF_PIECE_NS = 20000, MF_MAX_PIECES = 64 };

/* Number of pieces for `items` items of `ns_per_item` estimated nanoseconds each (an estimate fixed in the code: it
 * may not depend on the machine): 1 when the whole is short, at most MF_MAX_PIECES and never more than the items. */
int64_t mf_pieces_for(int64_t items, double ns_per_item);

/* Test hook: pieces at least this many nanoseconds long from now on, so that small work is cut, too; 0: back to MF_PIECE_NS. */
void mf_pool_set_piece_ns(int64_t ns);

/* Items [begin, end) of piece p of `pieces`: borders are multiples of `grain` (64 for element-wise arrays, 1 for
 * rows). Pieces differ by at most one grain; with more pieces than grains the last ones are empty. */
static inline void mf_piece_range(int64_t items, int64_t pieces, int64_t grain, int64_t p, int64_t *begin,
                                  int64_t *end) {
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
