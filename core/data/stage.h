/* stage.h - what one transformation is made of. Internal to core/data.
 *
 * A stage embeds mf_dataset first, its iterator embeds mf_iterator first. stage_new allocates both kinds of memory zeroed.
 */
#ifndef MF_DATA_STAGE_H
#define MF_DATA_STAGE_H

#include <stdatomic.h>

#include "data/dataset.h"

typedef struct mfi_stage_type {
  const char *name;
  size_t dataset_size, iterator_size;
  /* The iterator is zeroed, knows its dataset, and has iterators of the inputs in it->inputs. NULL: nothing to do. */
  mf_status (*open)(mf_iterator *it);
  mf_status (*next)(mf_iterator *it, mf_tensor **out, bool *end);
  void (*close)(mf_iterator *it);              /* before the inputs are closed; NULL: nothing to do */
  int64_t (*cardinality)(const mf_dataset *d); /* NULL: that of input 0 */
  void (*release)(mf_dataset *d);              /* own fields only; NULL: nothing to do */
} mfi_stage_type;

struct mf_dataset {
  const mfi_stage_type *type;
  atomic_int count;
  atomic_int_fast64_t epochs;                  /* iterators opened so far */
  int n;                                       /* components */
  mf_dtype *dtypes;
  mf_shape *shapes;
  mf_dataset **inputs;                         /* counted */
  int n_inputs;
};

struct mf_iterator {
  mf_dataset *dataset;                         /* counted */
  mf_iterator **inputs;
  int64_t epoch;                               /* which iterator of its dataset this is, from 0 */
};

/* A dataset with n components (dtypes and shapes to be set by the caller) over retained inputs. */
mf_status mfi_stage_new(const mfi_stage_type *type, int n, mf_dataset *const *inputs, int n_inputs, mf_dataset **out) MF_MUST_USE;
/* The same with the components of inputs[0]. */
mf_status mfi_stage_like(const mfi_stage_type *type, mf_dataset *input, mf_dataset **out) MF_MUST_USE;
/* Closes iterator `i` of the inputs and opens a fresh one. */
mf_status mfi_input_restart(mf_iterator *it, int i) MF_MUST_USE;

#endif
