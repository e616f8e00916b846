/* read_file.c - ReadFile: the bytes of a whole file as a string. */
#include "ops/infer.h"

static mf_status read_file_infer(mf_infer *c) {
  mf_shape name;
  MF_TRY(mf_infer_rank(c, 0, 0, &name));
  return mf_infer_scalar(c);
}

const mf_op_def mf_op_ReadFile = {
    MF_OP_NAME(ReadFile),
    .inputs = "filename: string",
    .outputs = "contents: string",
    .infer = read_file_infer,
    .grad = MF_NO_GRADIENT,
    .doc = "Reads the file named by the scalar `filename`; the contents are one string. NOT_FOUND when there is none.",
};
