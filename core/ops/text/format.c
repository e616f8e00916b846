/* format.c - numbers and tensors as text, and back: AsString, StringFormat, StringToNumber, PrintV2, Assert. */
#include <string.h>

#include "ops/array/dims.h"
#include "ops/op_list.h"

/* ---- AsString */

static mf_status as_string_infer(mf_infer *c) {
  bool scientific = mf_attr_bool(c->attrs, "scientific"), shortest = mf_attr_bool(c->attrs, "shortest");
  mf_text fill = mf_attr_text(c->attrs, "fill");
  mf_dtype type = mf_in_type(c, 0);
  uint8_t kind = mf_dtype_const(type)->kind;
  if (fill.size > 1) return mf_infer_fail(c, "Fill string must be one or fewer characters");
  if (fill.size == 1 && !memchr(" +-0#", fill.bytes[0], 5))
    return mf_infer_fail(c, "Fill argument not supported: \"%c\"", fill.bytes[0]);
  if (kind != MF_KIND_FLOAT && kind != MF_KIND_COMPLEX && kind != MF_KIND_STRING) {
    if (scientific || shortest)
      return mf_infer_fail(c, "scientific and shortest format not supported for datatype %s", mf_dtype_name(type));
    if (mf_attr_int(c->attrs, "precision") >= 0)
      return mf_infer_fail(c, "precision not supported for datatype %s", mf_dtype_name(type));
  }
  if (scientific && shortest) return mf_infer_fail(c, "Cannot select both scientific and shortest notation");
  return mf_infer_same(c);
}

const mf_op_def mf_op_AsString = {
    MF_OP_NAME(AsString),
    .inputs = "input: T",
    .outputs = "output: string",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, complex64, "
        "complex128, "
        "bool, variant, string}; precision: int = -1; scientific: bool = false; shortest: bool = false; width: int = "
        "-1; "
        "fill: string = ''",
    .infer = as_string_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Each element as text, as printf would write it.",
};

/* ---- StringFormat */

const mf_op_def mf_op_StringFormat = {
    MF_OP_NAME(StringFormat),
    .inputs = "inputs: T",
    .outputs = "output: string",
    .attrs = "T: list(type) >= 0; template: string = '%s'; placeholder: string = '%s'; summarize: int = 3",
    .infer = mf_infer_scalar,
    .grad = MF_NO_GRADIENT,
    .doc = "The template with each placeholder replaced by the summary of a tensor.",
};

/* ---- StringToNumber */

const mf_op_def mf_op_StringToNumber = {
    MF_OP_NAME(StringToNumber),
    .inputs = "string_tensor: string",
    .outputs = "output: out_type",
    .attrs = "out_type: {float, double, int32, int64, uint32, uint64} = DT_FLOAT",
    .infer = mf_infer_same,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "The number that each string writes.",
};

/* ---- PrintV2 */

static mf_status print_infer(mf_infer *c) {
  mf_shape scalar;
  return mf_infer_rank(c, 0, 0, &scalar);
}

const mf_op_def mf_op_PrintV2 = {
    MF_OP_NAME(PrintV2),
    .inputs = "input: string",
    .attrs = "output_stream: string = 'stderr'; end: string = '\n'",
    .flags = MF_OP_STATEFUL,
    .infer = print_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Writes input to a stream: stdout, stderr, log(info), log(warning), log(error), or file:// and a path.",
};

/* ---- Assert */

static mf_status assert_infer(mf_infer *c) {
  mf_shape scalar;
  return mf_infer_rank(c, 0, 0, &scalar);
}

const mf_op_def mf_op_Assert = {
    MF_OP_NAME(Assert),
    .inputs = "condition: bool; data: T",
    .attrs = "T: list(type) >= 1; summarize: int = 3",
    .flags = MF_OP_STATEFUL,
    .infer = assert_infer,
    .grad = MF_NOT_DIFFERENTIABLE,
    .doc = "Fails with summaries of data unless condition is true.",
};
