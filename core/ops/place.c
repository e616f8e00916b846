/* place.c - placement of eager calls: see place.h. */
#include "ops/place.h"

#include "base/memory.h"

mf_status mfi_place(mf_ctx *ctx, mf_call *c, mfi_placement *p) {
  (void)p;
  mf_device *device = ctx->device;
  for (int i = 0; !device && i < c->n_in; i++)
    if (c->in[i]->buffer && c->in[i]->buffer->device->type != MF_CPU) device = c->in[i]->buffer->device;
  if (!device || !c->attrs.op->rt->kernels[device->type]) device = mf_device_cpu();
  c->device = device;
  c->stream = device->stream;
  return NULL;
}

static mf_device *wanted(const mf_call *c, const mf_kernel_def *k, int i) {
  int bit = i < 31 ? i : 31;
  return (k->host_in >> bit) & 1u ? mf_device_cpu() : c->device;
}

mf_status mfi_place_inputs(mf_call *c, const mf_kernel_def *kernel, mfi_placement *p) {
  bool move = false;
  for (int i = 0; i < c->n_in; i++) {
    mf_buffer *b = c->in[i]->buffer;
    move = move || (b && b->device != wanted(c, kernel, i));
  }
  if (!move) return NULL;
  p->moved = mf_alloc_zero((size_t)c->n_in, sizeof *p->moved);
  if (!p->moved) return mf_fail_oom();
  p->n = c->n_in;
  for (int i = 0; i < c->n_in; i++) MF_TRY(mf_tensor_to_device(c->in[i], wanted(c, kernel, i), &p->moved[i]));
  c->in = p->moved;
  return NULL;
}

void mfi_placement_release(mfi_placement *p) {
  if (p->moved) mf_tensor_release_all(p->moved, p->n);
  mf_free(p->moved);
  p->moved = NULL;
}
