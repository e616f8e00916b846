/* einsum_equation.c - parsing and binding of equations: see einsum.h. */
#include <inttypes.h>
#include <string.h>

#include "ops/linalg/einsum.h"

static mf_status fail_equation(mf_text eq, const char *what) {
  return mf_fail(MF_INVALID_ARGUMENT, "Einsum: %s in equation '%.*s'", what, (int)eq.size, eq.bytes);
}

static int find_label(const mf_einsum *e, char letter) {
  for (int i = 0; i < e->n_named; i++)
    if (e->letter[i] == letter) return i;
  return -1;
}

/* The labels of bytes [p, end); new ones are added unless this is the result. */
static mf_status parse_term(mf_text eq, const char *p, const char *end, mf_einsum *e, mf_einsum_term *t) {
  bool is_result = t == &e->out;
  for (; p < end; p++) {
    if (t->n > MF_MAX_RANK) return fail_equation(eq, "an operand has too many labels");
    if (*p == '.') {
      if (end - p < 3 || memcmp(p, "...", 3))
        return fail_equation(eq, "found a '.' that is not part of an ellipsis (...)");
      if (t->ellipsis) return fail_equation(eq, "an operand has more than one ellipsis (...)");
      t->ellipsis = true;
      t->label[t->n++] = MF_EINSUM_ELLIPSIS;
      p += 2;
      continue;
    }
    int label = find_label(e, *p);
    if (label < 0 && is_result)
      return mf_fail(MF_INVALID_ARGUMENT, "Einsum: output label '%c' does not occur in any input of equation '%.*s'",
                     *p, (int)eq.size, eq.bytes);
    if (label < 0) {
      if (e->n_named >= 2 * MF_MAX_RANK) return fail_equation(eq, "there are too many labels");
      label = e->n_named++;
      e->letter[label] = *p;
    }
    t->label[t->n++] = (int8_t)label;
  }
  return t->n - (t->ellipsis ? 1 : 0) > MF_MAX_RANK ? fail_equation(eq, "an operand has too many labels") : NULL;
}

static const char *find_text(const char *p, const char *end, const char *text, size_t n) {
  for (; p + n <= end; p++)
    if (!memcmp(p, text, n)) return p;
  return NULL;
}

mf_status mf_einsum_parse(mf_text eq, int n_in, mf_einsum *e) {
  const char *end = eq.bytes + eq.size, *arrow = find_text(eq.bytes, end, "->", 2);
  memset(e, 0, sizeof *e);
  if (!arrow || find_text(arrow + 2, end, "->", 2)) return fail_equation(eq, "expecting exactly one '->'");
  const char *comma = find_text(eq.bytes, arrow, ",", 1);
  e->n_in = comma ? 2 : 1;
  if ((comma && find_text(comma + 1, arrow, ",", 1)) || n_in > 2)
    return fail_equation(eq, "expecting 1 or 2 input subscripts, received more,");
  if (e->n_in != n_in)
    return mf_fail(MF_INVALID_ARGUMENT, "Einsum: expected %d inputs for equation '%.*s' but got: %d", e->n_in,
                   (int)eq.size, eq.bytes, n_in);
  MF_TRY(parse_term(eq, eq.bytes, comma ? comma : arrow, e, &e->in[0]));
  if (comma) MF_TRY(parse_term(eq, comma + 1, arrow, e, &e->in[1]));
  return parse_term(eq, arrow + 2, end, e, &e->out);
}

/* ---- binding */

enum { NOT_MET = -2 };

/* Puts a label on every axis; `wide` axes belong to the ellipsis. */
static void spread_labels(const mf_einsum *e, const mf_einsum_term *t, int wide, mf_einsum_axes *axes) {
  axes->rank = 0;
  for (int i = 0; i < t->n; i++) {
    if (t->label[i] != MF_EINSUM_ELLIPSIS) axes->label[axes->rank++] = t->label[i];
    else
      for (int k = wide; k > 0; k--) axes->label[axes->rank++] = (int8_t)(e->n_named + k - 1);
  }
}

static mf_status check_axis(const mf_einsum *e, const mf_shape *s, int axis, int label, mf_einsum_bound *b) {
  int64_t dim = s->dims[axis], *size = &b->size[label];
  char text[MF_SHAPE_TEXT];
  bool broadcasts = label >= e->n_named;
  bool open = *size == NOT_MET || (broadcasts && *size == 1) || (*size == MF_UNKNOWN_DIM && !(broadcasts && dim == 1));
  if (dim < 0 && !open) return NULL;
  if (open) {
    *size = dim;
    return NULL;
  }
  if (*size == MF_UNKNOWN_DIM) return NULL;
  if (dim == *size || (broadcasts && dim == 1)) return NULL;
  return mf_fail(MF_INVALID_ARGUMENT,
                 "Einsum: Expected dimension %" PRId64 " at axis %d of the input shaped %s but got dimension %" PRId64,
                 *size, axis, mf_shape_text(s, text), dim);
}

static mf_status bind_operand(const mf_einsum *e, int i, const mf_shape *s, mf_einsum_bound *b, int *most) {
  const mf_einsum_term *t = &e->in[i];
  int named = t->n - (t->ellipsis ? 1 : 0), wide = s->rank < 0 ? 0 : s->rank - named;
  if (s->rank >= 0 && (wide < 0 || (wide > 0 && !t->ellipsis)))
    return mf_fail(MF_INVALID_ARGUMENT, "Einsum: Expected input %d to have rank %s%d but got: %d", i,
                   t->ellipsis ? "at least " : "", named, s->rank);
  if (wide > *most) *most = wide;
  spread_labels(e, t, wide, &b->in[i]);
  for (int a = 0; a < b->in[i].rank && s->rank >= 0; a++) MF_TRY(check_axis(e, s, a, b->in[i].label[a], b));
  return NULL;
}

mf_status mf_einsum_bind(const mf_einsum *e, const mf_shape *const *shapes, mf_einsum_bound *b, bool *known) {
  int most = 0;
  memset(b, 0, sizeof *b);
  *known = true;
  for (int i = 0; i < MF_EINSUM_LABELS; i++) b->size[i] = NOT_MET;
  for (int i = 0; i < e->n_in; i++) {
    if (shapes[i]->rank < 0 && e->in[i].ellipsis) *known = false;
    MF_TRY(bind_operand(e, i, shapes[i], b, &most));
  }
  if (most > 0 && !e->out.ellipsis)
    return mf_fail(
        MF_INVALID_ARGUMENT,
        "Einsum: Output contains %d broadcasting dimension(s) but no ellipsis (...) was found in the output "
        "subscripts.",
        most);
  b->n_labels = e->n_named + most;
  for (int i = 0; i < MF_EINSUM_LABELS; i++)
    if (b->size[i] == NOT_MET) b->size[i] = MF_UNKNOWN_DIM;
  if (e->out.n + most > MF_MAX_RANK + 1)
    return mf_fail(MF_INVALID_ARGUMENT, "Einsum: the output would have more than %d dimensions", MF_MAX_RANK);
  spread_labels(e, &e->out, most, &b->out);
  return NULL;
}
