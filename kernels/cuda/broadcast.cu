/* broadcast.cu - plans of broadcast.h, made on the host. */
#include "broadcast.h"

namespace {

/* Can dimension d be merged into d - 1? For every operand a step of d - 1 must be the whole length of d. */
bool mergeable(const mfi_broadcast *p, int d) {
  for (int k = 0; k < p->operands; k++)
    if (p->strides[k][d - 1] != p->strides[k][d] * p->dims[d]) return false;
  return true;
}

void remove_dimension(mfi_broadcast *p, int at) {
  for (int d = at; d + 1 < p->rank; d++) {
    p->dims[d] = p->dims[d + 1];
    for (int k = 0; k < p->operands; k++) p->strides[k][d] = p->strides[k][d + 1];
  }
  p->rank--;
}

void collapse(mfi_broadcast *p) {
  for (int d = p->rank - 1; d >= 0 && p->rank > 1; d--)
    if (p->dims[d] == 1) remove_dimension(p, d);
  for (int d = p->rank - 1; d > 0; d--) {
    if (!mergeable(p, d)) continue;
    p->dims[d] *= p->dims[d - 1];
    remove_dimension(p, d - 1);
  }
}

}  // namespace

mfi_broadcast mfi_broadcast_make(const mfi_cuda_tensor *out, const mfi_cuda_tensor *operands, int n) {
  mfi_broadcast p = {};
  p.rank = out->rank > 0 ? out->rank : 1;
  p.operands = n;
  p.count = out->count;
  p.dims[0] = 1;
  for (int d = 0; d < out->rank; d++) p.dims[d] = out->dims[d];
  for (int k = 0; k < n; k++) {
    int64_t stride = 1;
    for (int d = operands[k].rank - 1, o = out->rank - 1; d >= 0; d--, o--) {
      p.strides[k][o] = operands[k].dims[d] == 1 ? 0 : stride;
      stride *= operands[k].dims[d];
    }
  }
  collapse(&p);
  return p;
}

bool mfi_broadcast_is_dense(const mfi_broadcast *p, int i) {
  return p->rank == 1 && (p->strides[i][0] == 1 || p->dims[0] == 1);
}

bool mfi_broadcast_is_scalar(const mfi_broadcast *p, int i) { return p->rank == 1 && p->strides[i][0] == 0; }
