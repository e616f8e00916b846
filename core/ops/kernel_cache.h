/* kernel_cache.h - prepared kernels and state of stateful kernels, per context. Internal to core/ops. */
#ifndef MF_OPS_KERNEL_CACHE_H
#define MF_OPS_KERNEL_CACHE_H

#include "ops/kernel.h"

enum { MF_PREPARED_LIMIT = 4096 };

/* What def->prepare made for this (kernel, attributes, input shapes and dtypes); made now when it is not cached. Stays valid
 * until the next call of this function on the same context. */
mf_status mfi_prepared_get(mf_ctx *ctx, const mf_kernel_def *def, const mf_call *call, void **prepared) MF_MUST_USE;
/* The slot of a stateful kernel, keyed by (op, attributes, device). */
mf_status mfi_slot_get(mf_ctx *ctx, const mf_kernel_def *def, const mf_call *call, void ***slot) MF_MUST_USE;
/* Ends all slots (tf.random.set_seed) / everything (end of the context). */
void mfi_slots_clear(mf_ctx *ctx);
void mfi_kernel_cache_release(mf_ctx *ctx);
int mfi_prepared_count(const mf_ctx *ctx);

#endif
