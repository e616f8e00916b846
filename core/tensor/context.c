/* context.c - seeds of a context. Contexts are made and ended in core/moonflow.c, which sees all layers. */
#include "tensor/context.h"

enum { MAX_INT32 = 2147483647, DEFAULT_GRAPH_SEED = 87654321 };

/* Seeds are taken modulo 2^31 - 1; the pair (0, 0) would mean "draw one from the system", so that it becomes (0, 2^31 - 1). */
void mf_ctx_op_seeds(mf_ctx *ctx, bool has_op_seed, int64_t op_seed, int64_t *seed, int64_t *seed2) {
  *seed = *seed2 = 0;
  if (!ctx->has_seed && !has_op_seed) return;
  if (!has_op_seed) op_seed = mf_mt19937_randint(&ctx->seed_source, 0, MAX_INT32);
  int64_t global = ctx->has_seed ? ctx->seed : DEFAULT_GRAPH_SEED;
  *seed = ((global % MAX_INT32) + MAX_INT32) % MAX_INT32;
  *seed2 = ((op_seed % MAX_INT32) + MAX_INT32) % MAX_INT32;
  if (!*seed && !*seed2) *seed2 = MAX_INT32;
}
