/* sequence.c - repeat, take, skip, zip: stages that only decide which elements come when. */
#include "base/memory.h"
#include "data/stage.h"

typedef struct counted {
  mf_dataset base;
  int64_t count;             /* < 0: without end (repeat), all (take, skip) */
} counted;

typedef struct counter {
  mf_iterator base;
  int64_t done;              /* rounds, or elements */
  bool any;                  /* repeat: this round gave an element */
} counter;

static mf_status counted_new(const mfi_stage_type *type, mf_dataset *input, int64_t count, mf_dataset **out) {
  MF_TRY(mfi_stage_like(type, input, out));
  ((counted *)*out)->count = count;
  return NULL;
}

/* ---- repeat: an input without elements ends even an endless repetition */

static mf_status repeat_next(mf_iterator *base, mf_tensor **out, bool *end) {
  counter *it = (counter *)base;
  int64_t count = ((const counted *)base->dataset)->count;
  while (count < 0 || it->done < count) {
    MF_TRY(mf_iterator_next(base->inputs[0], out, end));
    if (!*end) {
      it->any = true;
      return NULL;
    }
    it->done++;
    if (!it->any) break;
    it->any = false;
    if (count < 0 || it->done < count) MF_TRY(mfi_input_restart(base, 0));
  }
  *end = true;
  return NULL;
}

static int64_t repeat_cardinality(const mf_dataset *d) {
  int64_t count = ((const counted *)d)->count, n = mf_dataset_cardinality(d->inputs[0]);
  if (count == 0 || n == 0) return 0;
  if (count < 0) return n == MF_CARDINALITY_UNKNOWN ? n : MF_CARDINALITY_INFINITE;
  return n < 0 ? n : n * count;
}

static const mfi_stage_type repeat_type = {.name = "Repeat", .dataset_size = sizeof(counted), .iterator_size = sizeof(counter),
                                           .next = repeat_next, .cardinality = repeat_cardinality};

mf_status mf_dataset_repeat(mf_dataset *input, int64_t count, mf_dataset **out) {
  return counted_new(&repeat_type, input, count, out);
}

/* ---- take, skip */

static mf_status take_next(mf_iterator *base, mf_tensor **out, bool *end) {
  counter *it = (counter *)base;
  int64_t count = ((const counted *)base->dataset)->count;
  if (count >= 0 && it->done >= count) {
    *end = true;
    return NULL;
  }
  it->done++;
  return mf_iterator_next(base->inputs[0], out, end);
}

static int64_t take_cardinality(const mf_dataset *d) {
  int64_t count = ((const counted *)d)->count, n = mf_dataset_cardinality(d->inputs[0]);
  if (count < 0 || n == MF_CARDINALITY_UNKNOWN) return count == 0 ? 0 : n;
  return n < 0 || count < n ? count : n;
}

static const mfi_stage_type take_type = {.name = "Take", .dataset_size = sizeof(counted), .iterator_size = sizeof(counter),
                                         .next = take_next, .cardinality = take_cardinality};

mf_status mf_dataset_take(mf_dataset *input, int64_t count, mf_dataset **out) {
  return counted_new(&take_type, input, count, out);
}

static mf_status skip_next(mf_iterator *base, mf_tensor **out, bool *end) {
  counter *it = (counter *)base;
  int64_t count = ((const counted *)base->dataset)->count;
  for (; count < 0 || it->done < count; it->done++) {
    MF_TRY(mf_iterator_next(base->inputs[0], out, end));
    if (*end) return NULL;
    mf_tensor_release_all(out, base->dataset->n);
  }
  return mf_iterator_next(base->inputs[0], out, end);
}

static int64_t skip_cardinality(const mf_dataset *d) {
  int64_t count = ((const counted *)d)->count, n = mf_dataset_cardinality(d->inputs[0]);
  if (count < 0) return 0;
  return n < 0 ? n : n > count ? n - count : 0;
}

static const mfi_stage_type skip_type = {.name = "Skip", .dataset_size = sizeof(counted), .iterator_size = sizeof(counter),
                                         .next = skip_next, .cardinality = skip_cardinality};

mf_status mf_dataset_skip(mf_dataset *input, int64_t count, mf_dataset **out) {
  return counted_new(&skip_type, input, count, out);
}

/* ---- zip */

static mf_status zip_next(mf_iterator *base, mf_tensor **out, bool *end) {
  const mf_dataset *d = base->dataset;
  int at = 0;
  for (int i = 0; i < d->n_inputs; i++) {
    MF_TRY(mf_iterator_next(base->inputs[i], out + at, end));
    if (*end) return NULL;
    at += d->inputs[i]->n;
  }
  return NULL;
}

static int64_t zip_cardinality(const mf_dataset *d) {
  int64_t least = MF_CARDINALITY_INFINITE;
  for (int i = 0; i < d->n_inputs; i++) {
    int64_t n = mf_dataset_cardinality(d->inputs[i]);
    if (n == MF_CARDINALITY_UNKNOWN) return n;
    if (n >= 0 && (least < 0 || n < least)) least = n;
  }
  return least;
}

static const mfi_stage_type zip_type = {.name = "Zip", .dataset_size = sizeof(mf_dataset), .iterator_size = sizeof(mf_iterator),
                                        .next = zip_next, .cardinality = zip_cardinality};

mf_status mf_dataset_zip(mf_dataset *const *inputs, int n, mf_dataset **out) {
  int components = 0;
  *out = NULL;
  if (n < 1) return mf_fail(MF_INVALID_ARGUMENT, "Dataset.zip: expected at least one dataset, received none");
  for (int i = 0; i < n; i++) components += inputs[i]->n;
  MF_TRY(mfi_stage_new(&zip_type, components, inputs, n, out));
  for (int i = 0, at = 0; i < n; i++)
    for (int k = 0; k < inputs[i]->n; k++, at++) {
      (*out)->dtypes[at] = inputs[i]->dtypes[k];
      (*out)->shapes[at] = inputs[i]->shapes[k];
    }
  return NULL;
}
