/* stage.c - life of datasets and iterators: see dataset.h and stage.h. */
#include "data/stage.h"

#include "base/memory.h"

mf_status mfi_stage_new(const mfi_stage_type *type, int n, mf_dataset *const *inputs, int n_inputs, mf_dataset **out) {
  *out = NULL;
  mf_dataset *d = mf_alloc_zero(1, type->dataset_size);
  if (!d) return mf_fail_oom();
  d->type = type;
  atomic_init(&d->count, 1);
  d->dtypes = mf_alloc_zero((size_t)n + 1, sizeof *d->dtypes);
  d->shapes = mf_alloc_zero((size_t)n + 1, sizeof *d->shapes);
  d->inputs = mf_alloc_zero((size_t)n_inputs + 1, sizeof *d->inputs);
  if (!d->dtypes || !d->shapes || !d->inputs) {
    mf_dataset_release(d);
    return mf_fail_oom();
  }
  d->n = n;
  for (; d->n_inputs < n_inputs; d->n_inputs++) d->inputs[d->n_inputs] = mf_dataset_retain(inputs[d->n_inputs]);
  *out = d;
  return NULL;
}

mf_status mfi_stage_like(const mfi_stage_type *type, mf_dataset *input, mf_dataset **out) {
  MF_TRY(mfi_stage_new(type, input->n, &input, 1, out));
  for (int i = 0; i < input->n; i++) {
    (*out)->dtypes[i] = input->dtypes[i];
    (*out)->shapes[i] = input->shapes[i];
  }
  return NULL;
}

mf_dataset *mf_dataset_retain(mf_dataset *d) {
  if (d) atomic_fetch_add_explicit(&d->count, 1, memory_order_relaxed);
  return d;
}

void mf_dataset_release(mf_dataset *d) {
  if (!d || atomic_fetch_sub_explicit(&d->count, 1, memory_order_acq_rel) != 1) return;
  if (d->type->release) d->type->release(d);
  for (int i = 0; i < d->n_inputs; i++) mf_dataset_release(d->inputs[i]);
  mf_free(d->inputs);
  mf_free(d->dtypes);
  mf_free(d->shapes);
  mf_free(d);
}

const char *mf_dataset_name(const mf_dataset *d) { return d->type->name; }
int mf_dataset_components(const mf_dataset *d) { return d->n; }
mf_dtype mf_dataset_dtype(const mf_dataset *d, int component) { return d->dtypes[component]; }
mf_shape mf_dataset_shape(const mf_dataset *d, int component) { return d->shapes[component]; }

int64_t mf_dataset_cardinality(const mf_dataset *d) {
  return d->type->cardinality ? d->type->cardinality(d) : mf_dataset_cardinality(d->inputs[0]);
}

/* ---- iterators */

mf_status mf_iterator_open(mf_dataset *d, mf_iterator **out) {
  *out = NULL;
  mf_iterator *it = mf_alloc_zero(1, d->type->iterator_size);
  if (!it) return mf_fail_oom();
  it->dataset = mf_dataset_retain(d);
  it->epoch = atomic_fetch_add(&d->epochs, 1);
  it->inputs = mf_alloc_zero((size_t)d->n_inputs + 1, sizeof *it->inputs);
  mf_status status = it->inputs ? NULL : mf_fail_oom();
  for (int i = 0; i < d->n_inputs && !status; i++) status = mf_iterator_open(d->inputs[i], &it->inputs[i]);
  if (!status && d->type->open) status = d->type->open(it);
  if (status) {
    mf_iterator_close(it);
    return status;
  }
  *out = it;
  return NULL;
}

mf_status mf_iterator_next(mf_iterator *it, mf_tensor **out, bool *end) {
  *end = false;
  for (int i = 0; i < it->dataset->n; i++) out[i] = NULL;
  mf_status status = it->dataset->type->next(it, out, end);
  if (status || *end) mf_tensor_release_all(out, it->dataset->n);
  return status;
}

void mf_iterator_close(mf_iterator *it) {
  if (!it) return;
  if (it->dataset->type->close) it->dataset->type->close(it);
  for (int i = 0; it->inputs && i < it->dataset->n_inputs; i++) mf_iterator_close(it->inputs[i]);
  mf_free(it->inputs);
  mf_dataset_release(it->dataset);
  mf_free(it);
}

mf_status mfi_input_restart(mf_iterator *it, int i) {
  mf_iterator_close(it->inputs[i]);
  it->inputs[i] = NULL;
  return mf_iterator_open(it->dataset->inputs[i], &it->inputs[i]);
}
