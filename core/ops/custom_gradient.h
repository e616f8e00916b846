/* custom_gradient.h - a record whose gradient is a function of the caller (tf.custom_gradient).
 *
 * The entry MfCustomGradient is never applied: tapes record it between the inputs and the outputs of the user's call. Its
 * `gradient` attribute is a variant scalar that holds the function as an object.
 */
#ifndef MF_OPS_CUSTOM_GRADIENT_H
#define MF_OPS_CUSTOM_GRADIENT_H

#include "ops/op.h"

/* Gets dy of every output (NULL = zero) and sets dx of every input (preset NONE). */
typedef mf_status (*mf_custom_grad_fn)(mf_ctx *ctx, void *user, mf_tensor *const *dy, int n_out, mf_grad *dx, int n_in);

/* The attribute's value. Takes `user`: end_user(user) is called when the last record goes, and on failure. */
mf_status mf_custom_gradient_new(mf_custom_grad_fn fn, void *user, void (*end_user)(void *user), mf_tensor **out) MF_MUST_USE;

#endif
