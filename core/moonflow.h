/* moonflow.h - the C library, for host programs: start and end, contexts, and the way to everything else.
 *
 * All calls return mf_status (base/status.h) where they can fail; nothing aborts, prints or jumps. Handles are opaque to hosts
 * and atomically counted. For running Lua scripts from C see moonflow_lua.h.
 *
 *     mf_status s = mf_init();
 *     mf_ctx *ctx; s = mf_ctx_new(&ctx);
 *     ... mf_apply(ctx, mf_op_find("AddV2"), ...) ...
 *     mf_ctx_release(ctx); mf_close();
 */
#ifndef MF_MOONFLOW_H
#define MF_MOONFLOW_H

#include "base/status.h"
#include "tensor/context.h"
#include "tensor/tensor.h"
#include "ops/apply.h"

/* Starts the library: op table, CPU device, allocator. Counted: each call needs its mf_close. Thread-safe. */
mf_status mf_init(void) MF_MUST_USE;
/* The last mf_close ends worker threads and returns all memory that is not held by handles. */
void mf_close(void);

const char *mf_version(void);   /* "0.1.0" */

#endif
