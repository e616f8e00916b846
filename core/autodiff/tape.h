/* tape.h - recording eager (or traced) ops for reverse-mode differentiation.
 *
 * A tape watches values by serial number: what is computed from a watched value is recorded and watched in turn. Reading a
 * trainable variable watches its handle (unless the tape was opened with watch_variables = false). Several tapes may be open at
 * once, nested in any order; each sees the ops of its own strand (coroutine) only. The gradient computation itself runs through
 * mf_apply, so outer tapes record it: higher order needs nothing else.
 *
 * A tape keeps the inputs and outputs that gradients declared in `saves`; the rest is kept as husks.
 */
#ifndef MF_AUTODIFF_TAPE_H
#define MF_AUTODIFF_TAPE_H

#include "ops/custom_gradient.h"

typedef struct mf_tape mf_tape;

/* Opens a tape and puts it on ctx's stack. [OUT] *out: ended by mf_tape_release. */
mf_status mf_tape_open(mf_ctx *ctx, bool persistent, bool watch_variables, mf_tape **out) MF_MUST_USE;
/* Takes the tape off the stack (its own entry, wherever it stands); records stay until mf_tape_release or a gradient. */
void mf_tape_close(mf_tape *t);
void mf_tape_release(mf_tape *t);          /* closes too; NULL allowed */
bool mf_tape_is_open(const mf_tape *t);
bool mf_tape_is_persistent(const mf_tape *t);

/* Pausing: nothing is recorded between pause and resume (tape.stop_recording). Counts; calls nest. */
void mf_tape_pause(mf_tape *t);
void mf_tape_resume(mf_tape *t);
/* Forgets records and watched values. */
void mf_tape_reset(mf_tape *t);

/* Watches a value; for a resource handle: the variable behind it. Non-float values are allowed and never get gradients. */
mf_status mf_tape_watch(mf_tape *t, mf_tensor *value) MF_MUST_USE;
bool mf_tape_watches(const mf_tape *t, const mf_tensor *value);
/* Handles of the variables that were watched, in the order of first use. [OUT] borrowed array, valid until the next call. */
mf_tensor *const *mf_tape_variables(const mf_tape *t, size_t *n);

/* Gradients of sum(targets[i] * output_grads[i]) with respect to sources; output_grads NULL or entries NULL mean ones.
 * Sources: tensors, or resource handles of variables. [OUT] dx[n_sources]: NONE where target and source are not connected.
 * A tape that is not persistent is emptied by this; a second call fails with FAILED_PRECONDITION.
 * Called while the tape is open: the gradient's own ops are not recorded on it unless it is persistent (as TensorFlow). */
mf_status mf_tape_gradient(mf_tape *t, mf_tensor *const *targets, int n_targets, mf_tensor *const *output_grads,
                           mf_tensor *const *sources, int n_sources, mf_grad *dx) MF_MUST_USE;

/* Records a call with a gradient of the caller's own (tf.custom_gradient): `fn(user, ...)` gets dy of every output and sets dx
 * of every input. `user` is ended by end_user when the record goes. */
mf_status mf_tape_record_custom(mf_ctx *ctx, mf_tensor *const *in, int n_in, mf_tensor *const *out, int n_out,
                                mf_custom_grad_fn fn, void *user, void (*end_user)(void *user)) MF_MUST_USE;

void mf_grad_release(mf_grad *g);          /* releases the parts, sets NONE */

/* Closes the tapes that are left and frees the stack: end of a context. */
void mfi_tapes_release(mf_ctx *ctx);

#endif
