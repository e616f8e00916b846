/* dataset.h - input pipelines: immutable datasets, and iterators that pull elements through them.
 *
 * An element is a flat list of tensors (components); the structure that users see is the binding's business. Datasets are
 * counted and may be shared by threads; an iterator has one consumer. Closing an iterator cancels and joins its workers.
 */
#ifndef MF_DATA_DATASET_H
#define MF_DATA_DATASET_H

#include "graph/graph.h"

typedef struct mf_dataset mf_dataset;
typedef struct mf_iterator mf_iterator;

enum { MF_CARDINALITY_INFINITE = -1, MF_CARDINALITY_UNKNOWN = -2 };

mf_dataset *mf_dataset_retain(mf_dataset *d);
void mf_dataset_release(mf_dataset *d);
const char *mf_dataset_name(const mf_dataset *d);              /* "TensorSlice", "Map" ... */
int mf_dataset_components(const mf_dataset *d);
mf_dtype mf_dataset_dtype(const mf_dataset *d, int component);
mf_shape mf_dataset_shape(const mf_dataset *d, int component);  /* of one element; may be partial */
int64_t mf_dataset_cardinality(const mf_dataset *d);            /* elements, or MF_CARDINALITY_* */

/* ---- sources. [OUT] *out: count 1; on failure NULL. */
/* Rows of n >= 1 tensors of equal first dimension. */
mf_status mf_dataset_slices(mf_tensor *const *tensors, int n, mf_dataset **out) MF_MUST_USE;
/* int64 scalars start, start+step ... before stop. step != 0. */
mf_status mf_dataset_range(int64_t start, int64_t stop, int64_t step, mf_dataset **out) MF_MUST_USE;

/* ---- transformations. They retain `input`. */
/* Applies a traced function. parallel <= 1: on the consumer's thread; more: that many workers, order kept.
 * `name` tells the transformation in errors. Stateful random ops get their seeds from (seed, epoch, element). */
mf_status mf_dataset_map(mf_dataset *input, mf_graph *function, int parallel, int64_t seed, mf_dataset **out) MF_MUST_USE;
/* Stacks `size` elements along a new first axis; a short last batch is dropped when asked. */
mf_status mf_dataset_batch(mf_dataset *input, int64_t size, bool drop_remainder, mf_dataset **out) MF_MUST_USE;
/* tf.data's shuffle, number for number: seeds as tf.compat.v1.get_seed gives them; (0, 0): drawn from the system. */
mf_status mf_dataset_shuffle(mf_dataset *input, int64_t buffer_size, int64_t seed, int64_t seed2, bool reshuffle_each_iteration,
                             mf_dataset **out) MF_MUST_USE;
mf_status mf_dataset_repeat(mf_dataset *input, int64_t count, mf_dataset **out) MF_MUST_USE;     /* < 0: for ever */
mf_status mf_dataset_take(mf_dataset *input, int64_t count, mf_dataset **out) MF_MUST_USE;       /* < 0: all */
mf_status mf_dataset_skip(mf_dataset *input, int64_t count, mf_dataset **out) MF_MUST_USE;       /* < 0: all */
/* Elements side by side; ends with the shortest. */
mf_status mf_dataset_zip(mf_dataset *const *inputs, int n, mf_dataset **out) MF_MUST_USE;
/* A worker thread keeps up to `buffer_size` elements ready. */
mf_status mf_dataset_prefetch(mf_dataset *input, int64_t buffer_size, mf_dataset **out) MF_MUST_USE;

/* ---- iterating */
mf_status mf_iterator_open(mf_dataset *d, mf_iterator **out) MF_MUST_USE;
/* [OUT] out[components]: new handles; *end: true (and no handles) after the last element. After an error the iterator may be
 * asked again: the failed element is skipped. */
mf_status mf_iterator_next(mf_iterator *it, mf_tensor **out, bool *end) MF_MUST_USE;
void mf_iterator_close(mf_iterator *it);                        /* NULL allowed */

#endif
