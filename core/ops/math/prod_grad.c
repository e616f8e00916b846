/* prod_grad.c - gradient of Prod.
 *
 * The reduced axes are moved to the front and made one (P): x becomes [P, rest]. The product of everything but element
 * i is (running product before i) * (running product after i). Works with shapes and axes that are known only at run
 * time: the permutation is then made by ops from the mask of reduced dimensions.
 */
#include "ops/math/gradient.h"
#include "ops/math/reduce_shape.h"
#include "ops/op_list.h"

/* How x is turned: perm brings the reduced axes to the front, back undoes that, flat is [P, rest]. */
typedef struct turn {
  mf_tensor *perm, *back, *flat;
} turn;

static bool turn_known(mf_builder *b, const mf_grad_args *a, turn *out) {
  const mf_shape *s = &a->in[0]->shape;
  const mf_tensor *axes = a->in[1];
  if (!mf_shape_is_full(s) || !axes->buffer || axes->buffer->device->type != MF_CPU) return false;
  bool reduced[MF_MAX_RANK] = {false};
  int64_t perm[MF_MAX_RANK] = {0}, back[MF_MAX_RANK] = {0}, flat[2] = {1, 1};
  for (int64_t i = 0, n = mf_tensor_count(axes); i < n; i++) {
    int64_t axis = mf_tensor_get_i64(axes, i);
    reduced[axis < 0 ? axis + s->rank : axis] = true;
  }
  int n = 0;
  for (int rest = 0; rest < 2; rest++) {
    for (int i = 0; i < s->rank; i++) {
      if (reduced[i] == (rest != 0)) continue;
      back[i] = n;
      perm[n++] = i;
      flat[rest] *= s->dims[i];
    }
  }
  *out = (turn){mf_b_ints(b, perm, n), mf_b_ints(b, back, n), mf_b_ints(b, flat, 2)};
  return true;
}

/* back[i] = how many dimensions stand before i: sort keys are the positions, with the rank added to kept ones.
 * perm[j] = the i with back[i] = j. */
static turn turn_ops(mf_builder *b, const mf_grad_args *a) {
  mf_tensor *mask = mfi_b_reduced_mask(b, a->in[0], a->in[1]), *dims = mf_b_dims_of(b, a->in[0]);
  mf_tensor *ones = mf_b_ones_like(b, dims), *one = mf_b_int(b, 1), *zero = mf_b_int(b, 0);
  mf_tensor *first = mf_b_ints(b, (int64_t[]){0}, 1), *second = mf_b_ints(b, (int64_t[]){1}, 1);
  mf_tensor *column = mf_b_ints(b, (int64_t[]){-1, 1}, 2), *rank = mf_b_sum(b, ones, first, false);
  mf_tensor *at = MF_BA(b, Cumsum, MF_INS(ones, zero), MF_A_BOOL("exclusive", true));
  mf_tensor *key = mfi_b_where(b, mask, at, mf_b_add(b, at, rank));
  mf_tensor *before = MF_B(b, Less, key, mf_b_reshape(b, key, column));
  mf_tensor *back = mf_b_sum(b, mf_b_cast(b, before, MF_INT32), second, false);
  mf_tensor *same = MF_B(b, Equal, back, mf_b_reshape(b, at, column));
  mf_tensor *perm = mf_b_sum(b, mfi_b_where(b, same, at, zero), second, false);
  mf_tensor *front = MF_B(b, Prod, mfi_b_where(b, mask, dims, one), first);
  mf_tensor *rest = MF_B(b, Prod, mfi_b_where(b, mask, one, dims), first);
  mf_tensor *is_front = MF_B(b, Equal, mf_b_ints(b, (int64_t[]){1, 0}, 2), one);
  return (turn){perm, back, mfi_b_where(b, is_front, front, rest)};
}

mf_status mfi_prod_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  mf_builder b = mf_builder_open(ctx);
  turn t = {NULL, NULL, NULL};
  if (!turn_known(&b, a, &t)) t = turn_ops(&b, a);
  mf_tensor *dims = mf_b_dims_of(&b, a->in[0]);
  mf_tensor *kept = mfi_b_keep_reduced(&b, a->dy[0], a->in[0], a->in[1], mf_attr_bool(a->attrs, "keep_dims"));
  mf_tensor *dy = mf_b_broadcast_to(&b, kept, dims);
  mf_tensor *turned = mf_b_transpose(&b, a->in[0], t.perm);
  mf_tensor *flat = mf_b_reshape(&b, turned, t.flat), *zero = mf_b_int(&b, 0);
  mf_tensor *left = MF_BA(&b, Cumprod, MF_INS(flat, zero), MF_A_BOOL("exclusive", true));
  mf_tensor *right = MF_BA(&b, Cumprod, MF_INS(flat, zero), MF_A_BOOL("exclusive", true), MF_A_BOOL("reverse", true));
  mf_tensor *others = mf_b_mul(&b, mfi_b_conj(&b, left), mfi_b_conj(&b, right));
  others = mf_b_transpose(&b, mf_b_reshape_like(&b, others, turned), t.back);
  mf_b_give(&b, &dx[0], mf_b_mul(&b, dy, others));
  return mf_builder_close(&b);
}
