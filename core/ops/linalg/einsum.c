/* einsum.c - Einsum of one or two operands; its gradient is composed of Einsum again. */
#include "ops/linalg/einsum.h"

#include <stdio.h>
#include <string.h>

#include "ops/build.h"
#include "ops/infer.h"
#include "ops/op_list.h"

static mf_status einsum_infer(mf_infer *c) {
  mf_einsum e;
  mf_einsum_bound b;
  bool known;
  MF_TRY(mf_einsum_parse(mf_attr_text(c->attrs, "equation"), c->n_in, &e));
  const mf_shape *shapes[2] = {mf_in_shape(c, 0), c->n_in > 1 ? mf_in_shape(c, 1) : NULL};
  MF_TRY(mf_einsum_bind(&e, shapes, &b, &known));
  if (!known) return NULL;
  c->out[0] = mf_shape_unknown_dims(b.out.rank);
  for (int i = 0; i < b.out.rank; i++) c->out[0].dims[i] = b.size[b.out.label[i]];
  return NULL;
}

/* ---- the gradient: equations are put together as text */

typedef struct subscripts {
  char text[4 * MF_MAX_RANK];
} subscripts;

static bool has_ellipsis(const char *s) { return strstr(s, "...") != NULL; }
static bool has_label(const char *s, char label) { return label != '.' && strchr(s, label) != NULL; }

/* The labels of `s` that `keep` says yes to, once each or as often as they stand; ellipses stay when `ellipsis`. */
static subscripts filter(const char *s, const char *others, bool in_others, bool once, bool ellipsis) {
  subscripts r = {{0}};
  size_t n = 0;
  for (; *s && n + 4 < sizeof r.text; s++) {
    if (*s == '.') {
      if (ellipsis) r.text[n++] = '.';
    } else if (has_label(others, *s) == in_others && !(once && has_label(r.text, *s))) {
      r.text[n++] = *s;
    }
    r.text[n] = 0;
  }
  return r;
}

/* Axis of the first occurrence of `label`: from the left, or negative, from the right, when it stands behind the
 * ellipsis. */
static int axis_of(const char *s, char label) {
  const char *at = strchr(s, label), *dots = strstr(s, "...");
  if (!dots || at < dots) return (int)(at - s);
  return -(int)strlen(at);
}

static mf_tensor *einsum(mf_builder *b, const char *equation, mf_tensor *x, mf_tensor *y) {
  mf_text text = {equation, strlen(equation)};
  return mf_b_apply(b, &mf_op_Einsum, (mf_tensor *[]){x, y}, y ? 2 : 1, (mf_named_attr[]){MF_A_TEXT("equation", text)},
                    1);
}

/* Size of axis `axis` (negative: from the right) of t, as a vector of one entry. */
static mf_tensor *dim_of(mf_builder *b, mf_tensor *t, int axis) {
  int rank = t->shape.rank;
  if (rank >= 0 && axis < 0) axis += rank;
  if (rank >= 0 && t->shape.dims[axis] >= 0) return mf_b_ints(b, &t->shape.dims[axis], 1);
  if (axis < 0) {
    b->status = b->status ? b->status
                          : mf_fail(MF_UNIMPLEMENTED,
                                    "Einsum: gradient of an operand of unknown rank with a label "
                                    "after an ellipsis that is summed");
    return NULL;
  }
  mf_tensor *begin = mf_b_ints(b, (int64_t[]){axis}, 1), *size = mf_b_ints(b, (int64_t[]){1}, 1);
  return MF_B(b, Slice, mf_b_dims_of(b, t), begin, size);
}

/* Vectors a and b, one after the other. */
static mf_tensor *joined(mf_builder *b, mf_tensor *const *parts, int n) {
  mf_tensor *in[MF_MAX_RANK + 2];
  if (n == 1) return parts[0];
  for (int i = 0; i < n; i++) in[i] = parts[i];
  in[n] = mf_b_int(b, 0);
  return mf_b_apply(b, &mf_op_ConcatV2, in, n + 1, NULL, 0);
}

/* g has the subscripts `left`: x's without the labels in `summed`. Those axes come back by repeating g along them: in
 * front, and then moved to their places by an Einsum. */
static mf_tensor *repeat_summed(mf_builder *b, mf_tensor *g, const char *left, const char *summed, const char *xs,
                                mf_tensor *x) {
  mf_tensor *sizes[MF_MAX_RANK + 1], *ones[MF_MAX_RANK + 1];
  char equation[3 * sizeof(subscripts)];
  int n = (int)strlen(summed);
  if (!g) return NULL;
  for (int i = 0; i < n; i++) {
    sizes[i] = dim_of(b, x, axis_of(xs, summed[i]));
    ones[i] = mf_b_ints(b, (int64_t[]){1}, 1);
  }
  sizes[n] = ones[n] = mf_b_dims_of(b, g);
  mf_tensor *wide = mf_b_broadcast_to(b, mf_b_reshape(b, g, joined(b, ones, n + 1)), joined(b, sizes, n + 1));
  snprintf(equation, sizeof equation, "%s%s->%s", summed, left, xs);
  return einsum(b, equation, wide, NULL);
}

/* d x for out = einsum("xs,ys->os", x, y): einsum("os,ys->xs", dy, y) and repetition along what only x has. y NULL:
 * one operand. */
static mf_tensor *grad_of(mf_builder *b, mf_tensor *dy, const char *os, mf_tensor *y, const char *ys, mf_tensor *x,
                          const char *xs) {
  char others[2 * sizeof(subscripts)], equation[3 * sizeof(subscripts)];
  snprintf(others, sizeof others, "%s%s", os, ys);
  subscripts left = filter(xs, others, true, false, true), summed = filter(xs, others, false, true, false);
  if (!y && *summed.text) return repeat_summed(b, dy, os, summed.text, xs, x);
  if (y) snprintf(equation, sizeof equation, "%s,%s->%s", os, ys, left.text);
  else snprintf(equation, sizeof equation, "%s->%s", os, left.text);
  mf_tensor *g = einsum(b, equation, dy, y);
  return *summed.text ? repeat_summed(b, g, left.text, summed.text, xs, x) : g;
}

/* Vector of t's sizes from axis `from` to `behind` axes before the end. */
static mf_tensor *middle_dims(mf_builder *b, mf_tensor *t, int from, int behind) {
  mf_tensor *begin = mf_b_ints(b, (int64_t[]){from}, 1),
            *size = mf_b_ints(b, (int64_t[]){t->shape.rank - from - behind}, 1);
  return MF_B(b, Slice, mf_b_dims_of(b, t), begin, size);
}

/* The axes of the ellipsis, `from` .. `behind` before the end, were broadcast: summed down to those of x. */
static mf_tensor *unbroadcast(mf_builder *b, mf_tensor *g, mf_tensor *x, const char *xs) {
  const char *dots = strstr(xs, "...");
  if (!dots || !g || b->status) return g;
  int from = (int)(dots - xs), behind = (int)strlen(dots + 3);
  if (mf_shape_is_full(&g->shape) && mf_shape_equal(&g->shape, &x->shape)) return g;
  if (g->shape.rank < 0 || x->shape.rank < 0) {
    b->status = mf_fail(MF_UNIMPLEMENTED, "Einsum: gradient of a broadcast operand of unknown rank");
    return NULL;
  }
  if (mf_shape_is_full(&g->shape) && mf_shape_is_full(&x->shape)) {
    int64_t axes[MF_MAX_RANK];
    int n = 0, lead = g->shape.rank - x->shape.rank;
    for (int i = from; i < g->shape.rank - behind; i++)
      if (i - from < lead || (x->shape.dims[i - lead] == 1 && g->shape.dims[i] != 1)) axes[n++] = i;
    return mf_b_reshape_like(b, mf_b_sum(b, g, mf_b_ints(b, axes, n), false), x);
  }
  mf_tensor *pair[] = {middle_dims(b, g, from, behind), middle_dims(b, x, from, behind)}, *axes[2];
  mf_b_apply_many(b, &mf_op_BroadcastGradientArgs, pair, 2, NULL, 0, axes, 2);
  mf_tensor *shifted = axes[1] ? mf_b_add(b, axes[1], mf_b_int(b, from)) : NULL;
  return mf_b_reshape(b, mf_b_sum(b, g, shifted, false), mf_b_dims_of(b, x));
}

static bool is_complex(const mf_tensor *t) { return mf_dtype_const(mf_tensor_dtype(t))->kind == MF_KIND_COMPLEX; }

static mf_tensor *conjugate(mf_builder *b, mf_tensor *t) { return t && is_complex(t) ? MF_B(b, Conj, t) : t; }

/* Cut to what fits; callers have checked the length. */
static void set_text(subscripts *s, const char *text) {
  size_t n = strlen(text);
  if (n >= sizeof s->text) n = sizeof s->text - 1;
  memcpy(s->text, text, n);
  s->text[n] = 0;
}

/* "ab,bc->ac" into its parts; operands without an ellipsis get one (of no axes) when the result has one, so that every
 * equation of the gradient may broadcast. */
static bool split_equation(mf_text eq, subscripts *x, subscripts *y, subscripts *o) {
  char text[3 * sizeof(subscripts)];
  if (eq.size >= sizeof(subscripts) - 8) return false;
  memcpy(text, eq.bytes, eq.size);
  text[eq.size] = 0;
  char *arrow = strstr(text, "->"), *comma = strchr(text, ',');
  if (!arrow) return false;
  *arrow = 0;
  set_text(o, arrow + 2);
  y->text[0] = 0;
  if (comma && comma < arrow) {
    *comma = 0;
    set_text(y, comma + 1);
  }
  set_text(x, text);
  if (!has_ellipsis(o->text) || !comma) return true;
  if (!has_ellipsis(x->text)) strcat(x->text, "...");
  if (!has_ellipsis(y->text)) strcat(y->text, "...");
  return true;
}

static mf_status einsum_grad(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx) {
  subscripts x, y, o;
  if (!a->dy[0]) return NULL;
  if (!split_equation(mf_attr_text(a->attrs, "equation"), &x, &y, &o))
    return mf_fail(MF_UNIMPLEMENTED, "Einsum: gradient of an equation of more than %d characters",
                   (int)sizeof(subscripts) - 9);
  mf_builder b = mf_builder_open(ctx);
  mf_tensor *dy = a->dy[0];
  if (a->n_in == 1) {
    mf_b_give(&b, &dx[0], grad_of(&b, dy, o.text, NULL, "", a->in[0], x.text));
  } else {
    if (a->need[0]) {
      mf_tensor *g = grad_of(&b, dy, o.text, conjugate(&b, a->in[1]), y.text, a->in[0], x.text);
      mf_b_give(&b, &dx[0], unbroadcast(&b, g, a->in[0], x.text));
    }
    if (a->need[1]) {
      mf_tensor *g = grad_of(&b, dy, o.text, conjugate(&b, a->in[0]), x.text, a->in[1], y.text);
      mf_b_give(&b, &dx[1], unbroadcast(&b, g, a->in[1], y.text));
    }
  }
  return mf_builder_close(&b);
}

const mf_op_def mf_op_Einsum = {
    MF_OP_NAME(Einsum),
    .inputs = "inputs: N * T",
    .outputs = "output: T",
    .attrs = "equation: string; N: int >= 1; T: type",
    .infer = einsum_infer,
    .grad = einsum_grad,
    .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
    .doc = "Sum of products over labelled axes: \"ij,jk->ik\" is the matrix product.",
};
