/* context.h - mf_ctx: all ambient state. One per Lua state or host thread; the first argument of mf_apply and friends.
 *
 * A context is used by one thread at a time. Process-wide are only the op table, the devices, their allocators and the pool.
 * What belongs to layers above (tapes, traces, prepared kernels) hangs here behind opaque pointers with their own end function,
 * and is reached through hooks: `ops` calls `record` without knowing autodiff, `trace` without knowing graphs.
 */
#ifndef MF_TENSOR_CONTEXT_H
#define MF_TENSOR_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mt19937.h"
#include "base/status.h"
#include "tensor/device.h"

typedef struct mf_ctx mf_ctx;
struct mf_tensor;
struct mf_op_def;
struct mf_attr;
struct mf_node;

/* Called by mf_apply after an eager op ran (tapes look whether an input is watched) and after a node was added while tracing
 * (node != NULL). Must not fail for lack of memory after state changed: it may return an error, which apply reports. */
typedef mf_status (*mf_record_fn)(mf_ctx *ctx, const struct mf_op_def *op, const struct mf_attr *attrs,
                                  struct mf_tensor *const *in, int n_in, struct mf_tensor *const *out, int n_out,
                                  struct mf_node *node);
/* Called by mf_apply instead of running while ctx->trace is set. */
typedef mf_status (*mf_trace_fn)(mf_ctx *ctx, const struct mf_op_def *op, const struct mf_attr *attrs,
                                 struct mf_tensor *const *in, int n_in, struct mf_tensor **out, int n_out,
                                 struct mf_node **node);
/* "file:line" of the user's call into `text`; set by the binding. */
typedef void (*mf_position_fn)(mf_ctx *ctx, char *text, int size);

/* Called when an eager op got no memory, before it is tried once more: ends what nobody uses (a binding collects its garbage).
 * May run anybody's code. */
typedef void (*mf_reclaim_fn)(mf_ctx *ctx);

struct mf_ctx {
  void *strand;                /* the coroutine that is calling; compared only. Hosts leave it NULL */

  mf_device *device;           /* from tf.device; NULL: automatic */

  bool has_seed;               /* tf.random.set_seed was called */
  int64_t seed;
  mf_mt19937 seed_source;      /* Python's random.Random(seed): eager op seeds */

  /* Inside a dataset's function: stateful random kernels make their generator from this seed and the number of the draw, and keep
   * no state between calls, so that their numbers depend on (pipeline seed, epoch, element) alone. */
  bool has_element_seed;
  uint64_t element_seed, element_draws;

  mf_record_fn record;         /* NULL while no tape is open */
  struct mf_tape_stack *tapes; /* autodiff */
  mf_trace_fn trace_add;       /* graph: adds a node */
  struct mf_graph *trace;      /* the graph under construction; NULL: eager */
  mf_reclaim_fn reclaim;       /* NULL: none */
  mf_position_fn position;
  void *position_user;

  struct mf_kernel_cache *kernels;   /* ops: prepared kernels, at most 4,096, least recently used out */
  struct mf_slots *slots;            /* ops: state of stateful eager kernels */
  void *binding;                     /* the language binding's own state */
};

/* [OUT] *out: a context for one thread. mf_init must have been called. */
mf_status mf_ctx_new(mf_ctx **out) MF_MUST_USE;
/* Ends tapes, traces, caches and slots that are left. */
void mf_ctx_release(mf_ctx *ctx);

/* tf.random.set_seed: global seed, restart of the op seed source, slots of stateful kernels dropped. */
void mf_ctx_set_seed(mf_ctx *ctx, int64_t seed);
/* The two seeds of a stateful random op as tf.compat.v1.get_seed gives them: `op_seed` may be absent. */
void mf_ctx_op_seeds(mf_ctx *ctx, bool has_op_seed, int64_t op_seed, int64_t *seed, int64_t *seed2);

#endif
