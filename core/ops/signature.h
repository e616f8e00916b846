/* signature.h - parsing OpDef text into mf_op_rt. Internal to core/ops. */
#ifndef MF_OPS_SIGNATURE_H
#define MF_OPS_SIGNATURE_H

#include "ops/op.h"

/* Fills op->rt (inputs, outputs, attrs, simple). INTERNAL when the text is malformed: an entry's fault. */
mf_status mfi_signature_parse(const mf_op_def *op) MF_MUST_USE;
void mfi_signature_free(const mf_op_def *op);

#endif
