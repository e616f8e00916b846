/* batch.c - stacking elements along a new first axis. Plain components are copied straight into the batch as they come. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "data/stage.h"

typedef struct batch {
  mf_dataset base;
  int64_t size;
  bool drop_remainder;
} batch;

typedef struct batch_iterator {
  mf_iterator base;
  mf_tensor ***elements;     /* [component][position], only for components that are not plain */
  mf_tensor **row;           /* the element at hand */
  bool ended;
} batch_iterator;

static bool is_plain(mf_dtype t) { return MF_TYPES_PLAIN & MF_TYPE(t); }

static mf_status batch_open(mf_iterator *base) {
  batch_iterator *it = (batch_iterator *)base;
  it->row = mf_alloc_zero((size_t)base->dataset->n + 1, sizeof *it->row);
  it->elements = mf_alloc_zero((size_t)base->dataset->n + 1, sizeof *it->elements);
  return it->row && it->elements ? NULL : mf_fail_oom();
}

static void drop_elements(batch_iterator *it, int64_t have) {
  for (int i = 0; i < it->base.dataset->n; i++) {
    for (int64_t k = 0; it->elements[i] && k < have; k++) mf_tensor_release(it->elements[i][k]);
    mf_free(it->elements[i]);
    it->elements[i] = NULL;
  }
}

static void batch_close(mf_iterator *base) {
  batch_iterator *it = (batch_iterator *)base;
  if (it->elements) drop_elements(it, 0);
  mf_free(it->elements);
  mf_free(it->row);
}

static mf_status shape_differs(int component, const mf_shape *first, const mf_shape *other, int64_t position) {
  char a[MF_SHAPE_TEXT], b[MF_SHAPE_TEXT];
  return mf_fail(MF_INVALID_ARGUMENT,
                 "Batch: cannot batch tensors with different shapes in component %d. First element had shape %s and element "
                 "%" PRId64 " had shape %s",
                 component, mf_shape_text(first, a), position, mf_shape_text(other, b));
}

/* The batch tensor of a plain component, made when its first element is there; `size` rows until the batch is known short. */
static mf_status first_plain(int64_t size, const mf_tensor *t, mf_tensor **out) {
  mf_shape shape = mf_shape_1d(size);
  MF_TRY(mf_shape_concat(&shape, &t->shape, &shape));
  return mf_tensor_new(mf_device_cpu(), (mf_dtype)t->dtype, &shape, out);
}

static mf_status put(batch_iterator *it, int64_t size, int component, int64_t position, mf_tensor **out) {
  mf_tensor *t = it->row[component];
  if (!is_plain((mf_dtype)t->dtype)) {
    if (!it->elements[component] &&
        !(it->elements[component] = mf_alloc_zero((size_t)size, sizeof **it->elements)))
      return mf_fail_oom();
    mf_tensor *first = it->elements[component][0];
    if (first && !mf_shape_equal(&first->shape, &t->shape)) return shape_differs(component, &first->shape, &t->shape, position);
    it->elements[component][position] = mf_tensor_retain(t);
    return NULL;
  }
  if (position == 0) MF_TRY(first_plain(size, t, out));
  mf_shape rest = {.rank = (*out)->shape.rank - 1};
  for (int i = 0; i < rest.rank; i++) rest.dims[i] = (*out)->shape.dims[i + 1];
  if (!mf_shape_equal(&rest, &t->shape)) return shape_differs(component, &rest, &t->shape, position);
  size_t bytes = mf_tensor_bytes(t);
  if (bytes) memcpy((*out)->data + (size_t)position * bytes, t->data, bytes);
  return NULL;
}

static mf_status stack_strings(mf_tensor *const *list, int64_t n, mf_tensor **out) {
  mf_shape shape = mf_shape_1d(n);
  mf_string_builder *b;
  MF_TRY(mf_shape_concat(&shape, &list[0]->shape, &shape));
  MF_TRY(mf_string_builder_new(&shape, &b));
  for (int64_t k = 0; k < n; k++)
    for (int64_t i = 0; i < mf_tensor_count(list[k]); i++) {
      size_t size;
      const char *text = mf_string_at(list[k], i, &size);
      mf_status status = mf_string_builder_add(b, text, size);
      if (status) {
        mf_string_builder_release(b);
        return status;
      }
    }
  return mf_string_builder_take(b, out);
}

static mf_status stack_objects(mf_tensor *const *list, int64_t n, mf_tensor **out) {
  mf_shape shape = mf_shape_1d(n);
  MF_TRY(mf_shape_concat(&shape, &list[0]->shape, &shape));
  MF_TRY(mf_tensor_new(mf_device_cpu(), (mf_dtype)list[0]->dtype, &shape, out));
  int64_t per = mf_tensor_count(list[0]);
  for (int64_t k = 0; k < n; k++)
    for (int64_t i = 0; i < per; i++) MF_DATA(mf_object *, *out)[k * per + i] = mf_object_retain(mf_object_at(list[k], i));
  return NULL;
}

/* Turns what has been collected into the outputs: short batches become views of the first rows. */
static mf_status finish(batch_iterator *it, int64_t have, int64_t size, mf_tensor **out) {
  for (int i = 0; i < it->base.dataset->n; i++) {
    if (it->elements[i]) {
      bool text = it->elements[i][0]->dtype == MF_STRING;
      MF_TRY(text ? stack_strings(it->elements[i], have, &out[i]) : stack_objects(it->elements[i], have, &out[i]));
    } else if (have < size) {
      mf_tensor *part;
      MF_TRY(mf_tensor_rows(out[i], 0, have, &part));
      mf_tensor_release(out[i]);
      out[i] = part;
    }
  }
  return NULL;
}

static mf_status batch_next(mf_iterator *base, mf_tensor **out, bool *end) {
  batch_iterator *it = (batch_iterator *)base;
  const batch *d = (const batch *)base->dataset;
  mf_status status = NULL;
  int64_t have = 0;
  while (have < d->size && !it->ended && !status) {
    status = mf_iterator_next(base->inputs[0], it->row, &it->ended);
    if (status || it->ended) break;
    for (int i = 0; i < base->dataset->n && !status; i++) status = put(it, d->size, i, have, &out[i]);
    mf_tensor_release_all(it->row, base->dataset->n);
    have++;
  }
  if (!status && (have == 0 || (have < d->size && d->drop_remainder))) *end = true;
  if (!status && !*end) status = finish(it, have, d->size, out);
  drop_elements(it, have);
  return status;
}

static int64_t batch_cardinality(const mf_dataset *base) {
  const batch *d = (const batch *)base;
  int64_t n = mf_dataset_cardinality(base->inputs[0]);
  if (n < 0) return n;
  return d->drop_remainder ? n / d->size : n / d->size + (n % d->size != 0);
}

static const mfi_stage_type batch_type = {.name = "Batch", .dataset_size = sizeof(batch),
                                          .iterator_size = sizeof(batch_iterator), .open = batch_open, .next = batch_next,
                                          .close = batch_close, .cardinality = batch_cardinality};

mf_status mf_dataset_batch(mf_dataset *input, int64_t size, bool drop_remainder, mf_dataset **out) {
  *out = NULL;
  if (size < 1) return mf_fail(MF_INVALID_ARGUMENT, "Batch: batch_size must be at least 1, received %" PRId64, size);
  MF_TRY(mfi_stage_like(&batch_type, input, out));
  batch *d = (batch *)*out;
  d->size = size;
  d->drop_remainder = drop_remainder;
  int64_t n = mf_dataset_cardinality(input);
  bool whole = drop_remainder || n == MF_CARDINALITY_INFINITE;
  mf_status status = NULL;
  for (int i = 0; i < input->n && !status; i++) {
    mf_shape lead = mf_shape_1d(whole ? size : MF_UNKNOWN_DIM);
    status = mf_shape_concat(&lead, &input->shapes[i], &d->base.shapes[i]);
  }
  if (status) {
    mf_dataset_release(*out);
    *out = NULL;
  }
  return status;
}
