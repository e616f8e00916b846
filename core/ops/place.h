/* place.h - on which device a call runs, and getting its inputs there. Internal to core/ops. */
#ifndef MF_OPS_PLACE_H
#define MF_OPS_PLACE_H

#include "ops/kernel.h"

typedef struct mfi_placement {
  mf_tensor **moved;       /* owned handles of inputs on the call's device; NULL while nothing had to move */
  int n;
} mfi_placement;

/* Sets c->device and c->stream: the requested device, else a GPU that holds an input, else the CPU. An op without a kernel on
 * that device goes to the CPU (soft placement); its inputs follow. */
mf_status mfi_place(mf_ctx *ctx, mf_call *c, mfi_placement *p) MF_MUST_USE;
/* Moves inputs to the call's device, except those that the kernel wants in host memory. c->in is exchanged. */
mf_status mfi_place_inputs(mf_call *c, const mf_kernel_def *kernel, mfi_placement *p) MF_MUST_USE;
void mfi_placement_release(mfi_placement *p);

#endif
