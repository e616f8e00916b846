/* variable.h - mutable state: a locked slot that holds an immutable tensor.
 *
 * Reading gives a new handle on the variable's buffer, a snapshot. Writing happens in place only while nobody else holds the
 * buffer; otherwise the slot gets a new buffer and the snapshots keep the old one. Variables are mf_objects and travel in
 * resource tensors.
 */
#ifndef MF_TENSOR_VARIABLE_H
#define MF_TENSOR_VARIABLE_H

#include "tensor/tensor.h"

typedef struct mf_variable mf_variable;

extern const mf_object_type mf_variable_type;

/* An uninitialised variable; `shape` may be partial. `name` is copied (NULL: ""). [OUT] *out: count 1. */
mf_status mf_variable_new(mf_dtype dtype, const mf_shape *shape, const char *name, bool trainable, mf_variable **out)
    MF_MUST_USE;
static inline mf_object *mf_variable_object(mf_variable *v) { return (mf_object *)v; }
/* The variable inside a resource scalar; INVALID_ARGUMENT when it holds something else. Borrowed. */
mf_status mf_variable_from_handle(const mf_tensor *handle, const char *op, mf_variable **out) MF_MUST_USE;

/* A snapshot with its own serial. FAILED_PRECONDITION when uninitialised. */
mf_status mf_variable_read(mf_variable *v, mf_tensor **out) MF_MUST_USE;
/* The slot gets its own handle on t's buffer. dtype and shape must agree. */
mf_status mf_variable_assign(mf_variable *v, mf_tensor *t) MF_MUST_USE;

/* Updating in place: calls fn(user, data, count) under the lock on memory that nobody else sees (a copy is made first when a
 * snapshot holds the buffer). fn must not touch the variable. CPU variables. */
mf_status mf_variable_update(mf_variable *v, mf_status (*fn)(void *user, mf_tensor *own), void *user) MF_MUST_USE;

/* Several variables at once, locked in address order (a fused optimizer step): own[i] is writable memory of vars[i]. */
mf_status mf_variable_update_many(mf_variable *const *vars, int n,
                                  mf_status (*fn)(void *user, mf_tensor *const *own), void *user) MF_MUST_USE;

bool mf_variable_is_initialized(mf_variable *v);
mf_dtype mf_variable_dtype(const mf_variable *v);
mf_shape mf_variable_shape(const mf_variable *v);
const char *mf_variable_name(const mf_variable *v);
bool mf_variable_trainable(const mf_variable *v);
void mf_variable_set_trainable(mf_variable *v, bool trainable);

#endif
