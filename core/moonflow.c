/* moonflow.c - start and end of the library and of contexts: the one file of core that sees every layer. */
#include "moonflow.h"

#include <pthread.h>

#include "autodiff/tape.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pool.h"
#include "graph/graph.h"
#include "ops/kernel.h"
#include "ops/kernel_cache.h"
#include "ops/op.h"
#include "tensor/allocator.h"
#include "tensor/device_plugin.h"

void mfi_tensor_pools_trim(void);   /* tensor/tensor.c */

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static int starts;

static mf_status start(void) {
  mf_log_init();
  mf_device_cpu()->allocator = mf_allocator_cpu();
  int64_t memory = mf_memory_available();
  if (memory > 0) mf_allocator_set_limit(mf_allocator_cpu(), memory);
  mf_gpu_set_kernel_sink(mf_kernels_add);
  mf_status status = mf_op_table_open();
  if (status) mf_op_table_close();
  return status;
}

mf_status mf_init(void) {
  pthread_mutex_lock(&start_lock);
  mf_status status = starts ? NULL : start();
  if (!status) starts++;
  pthread_mutex_unlock(&start_lock);
  return status;
}

void mf_close(void) {
  pthread_mutex_lock(&start_lock);
  if (starts && --starts == 0) {
    mf_pool_shutdown();
    mf_gpu_close();
    mf_op_table_close();
    mfi_tensor_pools_trim();
    mf_allocator_trim(mf_allocator_cpu());
  }
  pthread_mutex_unlock(&start_lock);
}

const char *mf_version(void) { return MF_VERSION; }

mf_status mf_ctx_new(mf_ctx **out) {
  *out = mf_alloc_zero(1, sizeof **out);
  return *out ? NULL : mf_fail_oom();
}

void mf_ctx_release(mf_ctx *ctx) {
  if (!ctx) return;
  while (ctx->trace) {
    mf_graph *open = ctx->trace;
    mf_trace_abandon(open);
    mf_graph_release(open);
  }
  mfi_tapes_release(ctx);
  mfi_kernel_cache_release(ctx);
  mf_free(ctx);
}

void mf_ctx_set_seed(mf_ctx *ctx, int64_t seed) {
  ctx->has_seed = true;
  ctx->seed = seed;
  mf_mt19937_seed(&ctx->seed_source, seed < 0 ? (uint64_t)-seed : (uint64_t)seed);
  mfi_slots_clear(ctx);
}
