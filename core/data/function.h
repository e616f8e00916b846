/* function.h - running a dataset's traced function on one element. Internal to core/data. */
#ifndef MF_DATA_FUNCTION_H
#define MF_DATA_FUNCTION_H

#include "data/stage.h"

typedef struct mfi_function {
  mf_graph *graph;           /* counted; inputs = components of the input dataset */
  int64_t seed;
} mfi_function;

/* Runs f for element number `index` of epoch `epoch` in `ctx` (made by the caller for its thread). */
mf_status mfi_function_run(const mfi_function *f, mf_ctx *ctx, int64_t epoch, int64_t index, mf_tensor *const *in, int n_in,
                           mf_tensor **out, int n_out) MF_MUST_USE;
/* A context for running functions, and its end (moonflow.c makes full contexts; those of workers need no binding). */
mf_status mfi_worker_ctx_new(mf_ctx **out) MF_MUST_USE;
void mfi_worker_ctx_release(mf_ctx *ctx);

#endif
