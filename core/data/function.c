/* function.c - see function.h. */
#include "data/function.h"

#include <inttypes.h>

#include "base/hash.h"
#include "base/memory.h"
#include "ops/kernel_cache.h"

mf_status mfi_worker_ctx_new(mf_ctx **out) {
  *out = mf_alloc_zero(1, sizeof **out);
  return *out ? NULL : mf_fail_oom();
}

void mfi_worker_ctx_release(mf_ctx *ctx) {
  if (!ctx) return;
  mfi_kernel_cache_release(ctx);
  mf_free(ctx);
}

mf_status mfi_function_run(const mfi_function *f, mf_ctx *ctx, int64_t epoch, int64_t index, mf_tensor *const *in, int n_in,
                           mf_tensor **out, int n_out) {
  int64_t key[3] = {f->seed, epoch, index};
  ctx->has_element_seed = true;
  ctx->element_seed = mf_hash_bytes(key, sizeof key, 0);
  ctx->element_draws = 0;
  mf_status status = mf_graph_interpret(ctx, f->graph, in, n_in, out, n_out);
  return mf_status_prefix(status, "Map: element %" PRId64, index);
}
