/* handle.h - variables behind resource handles, as shape rules see them. Internal to core/ops. */
#ifndef MF_OPS_STATE_HANDLE_H
#define MF_OPS_STATE_HANDLE_H

#include "ops/infer.h"
#include "tensor/variable.h"

/* The variable behind a concrete handle; NULL while the handle is symbolic, or when it is something else. Borrowed. */
mf_variable *mfi_handle_variable(mf_tensor *handle);
/* Input 0 must be a scalar handle whose variable has the dtype in attribute "dtype". *shape: the variable's, as far as
 * known. */
mf_status mfi_handle_check(const mf_infer *c, mf_shape *shape) MF_MUST_USE;
/* The same, of the value: eager calls see the full shape of a variable whose declared one is partial. */
mf_status mfi_handle_value_shape(const mf_infer *c, mf_shape *shape) MF_MUST_USE;

#endif
