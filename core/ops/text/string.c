/* string.c - strings to strings: StringJoin, StringLength, StringUpper, StringLower, StringSplitV2, Substr. */
#include "ops/array/dims.h"
#include "ops/op_list.h"

/* ---- StringJoin */

static mf_status join_infer(mf_infer *c) {
  mf_shape out = mf_shape_scalar();
  bool unknown = false;
  for (int i = 0; i < c->n_in; i++) {
    const mf_shape *s = mf_in_shape(c, i);
    char a[MF_SHAPE_TEXT], b[MF_SHAPE_TEXT];
    if (s->rank == 0) continue;
    if (s->rank < 0) {
      unknown = true;
      continue;
    }
    if (out.rank > 0 && !mf_shape_compatible(&out, s))
      return mf_infer_fail(c, "Input shapes do not match: %s vs. %s", mf_shape_text(&out, a), mf_shape_text(s, b));
    if (out.rank > 0) MF_TRY(mf_shape_merge(&out, s, "StringJoin", &out));
    else out = *s;
  }
  c->out[0] = unknown && out.rank == 0 ? mf_shape_unknown() : out;
  return NULL;
}

const mf_op_def mf_op_StringJoin = {
    MF_OP_NAME(StringJoin),
    .inputs = "inputs: N * string",
    .outputs = "output: string",
    .attrs = "N: int >= 0; separator: string = ''",
    .infer = join_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "The strings of all inputs one behind the other, with a separator between; scalars are repeated.",
};

/* ---- StringLength */

const mf_op_def mf_op_StringLength = {
    MF_OP_NAME(StringLength),
    .inputs = "input: string",
    .outputs = "output: int32",
    .attrs = "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
    .infer = mf_infer_same,
    .grad = MF_NO_GRADIENT,
    .doc = "Length of each string in bytes or in characters of UTF-8.",
};

/* ---- StringUpper, StringLower */

static mf_status case_infer(mf_infer *c) {
  mf_text encoding = mf_attr_text(c->attrs, "encoding");
  if (encoding.size && !mf_attr_is(c->attrs, "encoding", "utf-8"))
    return mf_infer_fail(c, "only utf-8 or '' (no encoding) is supported, received %.*s", (int)encoding.size,
                         encoding.bytes);
  return mf_infer_same(c);
}

const mf_op_def mf_op_StringUpper = {
    MF_OP_NAME(StringUpper),
    .inputs = "input: string",
    .outputs = "output: string",
    .attrs = "encoding: string = ''",
    .infer = case_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Upper case: of ASCII letters, or of all letters when encoding is utf-8.",
};

const mf_op_def mf_op_StringLower = {
    MF_OP_NAME(StringLower),
    .inputs = "input: string",
    .outputs = "output: string",
    .attrs = "encoding: string = ''",
    .infer = case_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Lower case: of ASCII letters, or of all letters when encoding is utf-8.",
};

/* ---- StringSplitV2 */

static mf_status split_infer(mf_infer *c) {
  mf_shape vector, scalar;
  MF_TRY(mf_infer_rank(c, 0, 1, &vector));
  MF_TRY(mf_infer_rank(c, 1, 0, &scalar));
  c->out[0] = mf_shape_2d(MF_UNKNOWN_DIM, 2);
  c->out[1] = mf_shape_1d(MF_UNKNOWN_DIM);
  c->out[2] = mf_shape_1d(2);
  return NULL;
}

const mf_op_def mf_op_StringSplitV2 = {
    MF_OP_NAME(StringSplitV2),
    .inputs = "input: string; sep: string",
    .outputs = "indices: int64; values: string; shape: int64",
    .attrs = "maxsplit: int = -1",
    .flags = MF_OP_DYNAMIC,
    .infer = split_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "The parts of each string between separators (sep '': runs of white space), as a sparse matrix.",
};

/* ---- Substr */

static mf_status substr_infer(mf_infer *c) {
  const mf_shape *pos = mf_in_shape(c, 1), *len = mf_in_shape(c, 2);
  char a[MF_SHAPE_TEXT], b[MF_SHAPE_TEXT];
  if (!mf_shape_compatible(pos, len))
    return mf_infer_fail(c, "pos and len should have the same shape, got: %s vs. %s", mf_shape_text(pos, a),
                         mf_shape_text(len, b));
  return mf_status_prefix(mf_shape_broadcast(mf_in_shape(c, 0), pos, &c->out[0]), "Substr");
}

const mf_op_def mf_op_Substr = {
    MF_OP_NAME(Substr),
    .inputs = "input: string; pos: T; len: T",
    .outputs = "output: string",
    .attrs = "T: {int32, int64}; unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
    .infer = substr_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "At most len bytes or characters from pos on (negative: from the end) of each string, with broadcasting.",
};
