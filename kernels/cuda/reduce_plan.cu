/* reduce_plan.cu - the host's part of reduce.h: sorting dimensions, choosing the kernel and the chunks. */
#include "reduce.h"

namespace {

/* Enough blocks to fill a large GPU a few times over, and the least work a thread should have before rows are cut. */
const int64_t WANTED_BLOCKS = 2048;
const int64_t LEAST_ROW_CHUNK = 16 * MFI_THREADS;
const int64_t LEAST_COLUMN_CHUNK = 16 * MFI_DEPTH;

/* Puts a dimension in front of a walk, or merges it with the one behind it. */
void walk_prepend(mfi_walk *w, int64_t dim, int64_t stride, bool merge) {
  if (merge) {
    w->dims[0] *= dim;
    return;
  }
  for (int d = w->rank; d > 0; d--) {
    w->dims[d] = w->dims[d - 1];
    w->strides[d] = w->strides[d - 1];
  }
  w->dims[0] = dim;
  w->strides[0] = stride;
  w->rank++;
}

int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

void choose_chunks(mfi_reduction *p) {
  int64_t least = p->columns ? LEAST_COLUMN_CHUNK : LEAST_ROW_CHUNK;
  int64_t blocks = p->columns ? ceil_divide(p->outputs, MFI_COLUMNS) : p->outputs;
  int64_t wanted = blocks ? WANTED_BLOCKS / blocks : 1;
  int64_t possible = ceil_divide(p->length, least);
  int64_t chunks = wanted < possible ? wanted : possible;
  if (chunks < 1) chunks = 1;
  p->chunk = ceil_divide(p->length, chunks);
  p->chunks = p->chunk ? ceil_divide(p->length, p->chunk) : 1;
}

}  // namespace

mfi_reduction mfi_reduction_make(const int64_t *dims, int rank, uint32_t axes) {
  mfi_reduction p = {};
  int64_t stride = 1;
  int before = -1;   /* kind of the dimension behind the current one: 1 reduced, 0 kept */
  p.outputs = p.length = 1;
  for (int d = rank - 1; d >= 0; d--) {
    int reduced = (int)((axes >> d) & 1);
    mfi_walk *w = reduced ? &p.reduced : &p.kept;
    *(reduced ? &p.length : &p.outputs) *= dims[d];
    if (dims[d] == 1) continue;
    walk_prepend(w, dims[d], stride, before == reduced);
    if (before < 0) p.columns = !reduced;
    before = reduced;
    stride *= dims[d];
  }
  /* A walk of no dimensions has one position. */
  if (!p.kept.rank) walk_prepend(&p.kept, 1, 0, false);
  if (!p.reduced.rank) walk_prepend(&p.reduced, 1, 0, false);
  choose_chunks(&p);
  return p;
}

size_t mfi_reduction_workspace(int64_t count, size_t acc) {
  int64_t least = LEAST_COLUMN_CHUNK < LEAST_ROW_CHUNK ? LEAST_COLUMN_CHUNK : LEAST_ROW_CHUNK;
  if (count <= least) return 0;
  /* outputs * chunks <= WANTED_BLOCKS * MFI_COLUMNS, and no more than there are elements */
  int64_t most = WANTED_BLOCKS * MFI_COLUMNS;
  return (size_t)(count < most ? count : most) * acc;
}

uint32_t mfi_reduction_axes(const mfi_cuda_call *c) {
  const mfi_cuda_tensor *axes = &c->in[1];
  uint32_t mask = 0;
  for (int64_t i = 0; i < axes->count; i++) {
    int64_t axis = axes->dtype == MF_INT32 ? ((const int32_t *)axes->data)[i] : ((const int64_t *)axes->data)[i];
    if (axis < 0) axis += c->in[0].rank;
    if (axis >= 0 && axis < c->in[0].rank) mask |= UINT32_C(1) << axis;
  }
  return mask;
}
