/* shuffle.c - a buffer from which elements are drawn at random, number for number as tf.data's ShuffleDataset.
 *
 * Seeds: with reshuffling, the dataset owns a Philox stream over (seed, seed2) and each iterator draws its own pair from it;
 * without, all iterators use (seed, seed2). An iterator draws one 32-bit word an element, modulo what the buffer holds; the
 * element leaves its place to the oldest one. Source: tensorflow/core/kernels/data/shuffle_dataset_op.cc (behaviour).
 */
#include <inttypes.h>
#include <pthread.h>
#include <sys/random.h>

#include "base/memory.h"
#include "base/philox.h"
#include "data/stage.h"

/* Single words out of a Philox stream. */
typedef struct words {
  mf_philox philox;
  uint32_t block[4];
  int used;                  /* 4: the next draw makes a block */
} words;

typedef struct shuffle {
  mf_dataset base;
  int64_t buffer_size, seed, seed2;
  bool reshuffle;
  pthread_mutex_t lock;      /* guards `stream` */
  words stream;
} shuffle;

typedef struct shuffle_iterator {
  mf_iterator base;
  words stream;
  mf_tensor **buffer;        /* ring of buffer_size elements with n components each */
  int64_t capacity;          /* elements that `buffer` has room for now: it grows up to buffer_size */
  int64_t start, end;        /* elements in the ring: positions start .. end-1, modulo capacity */
  bool input_ended;
} shuffle_iterator;

static words words_make(int64_t seed, int64_t seed2) {
  return (words){.philox = mf_philox_make((uint64_t)seed, (uint64_t)seed2), .used = 4};
}

static uint32_t next_word(words *w) {
  if (w->used == 4) {
    mf_philox_next(&w->philox, w->block);
    w->used = 0;
  }
  return w->block[w->used++];
}

static mf_status shuffle_open(mf_iterator *base) {
  shuffle_iterator *it = (shuffle_iterator *)base;
  shuffle *d = (shuffle *)base->dataset;
  int64_t seed = d->seed, seed2 = d->seed2;
  if (d->reshuffle) {
    pthread_mutex_lock(&d->lock);
    seed = next_word(&d->stream);
    seed2 = next_word(&d->stream);
    pthread_mutex_unlock(&d->lock);
  }
  it->stream = words_make(seed, seed2);
  return NULL;
}

static mf_tensor **place(shuffle_iterator *it, int64_t position) {
  return it->buffer + (position % it->capacity) * it->base.dataset->n;
}

/* Nothing has left the ring while it grows (it is filled before the first draw), so positions are plain indices. */
static mf_status grow(shuffle_iterator *it, int64_t most) {
  int64_t wanted = it->capacity ? 2 * it->capacity : 64;
  size_t n = (size_t)it->base.dataset->n, bytes;
  if (wanted > most) wanted = most;
  if (__builtin_mul_overflow((size_t)wanted, n * sizeof *it->buffer, &bytes)) return mf_fail_oom();
  mf_tensor **bigger = mf_realloc(it->buffer, bytes);
  if (!bigger) return mf_fail_oom();
  for (size_t i = (size_t)it->capacity * n; i < (size_t)wanted * n; i++) bigger[i] = NULL;
  it->buffer = bigger;
  it->capacity = wanted;
  return NULL;
}

static mf_status fill(shuffle_iterator *it, int64_t buffer_size) {
  while (!it->input_ended && it->end - it->start < buffer_size) {
    if (it->end - it->start == it->capacity) MF_TRY(grow(it, buffer_size));
    MF_TRY(mf_iterator_next(it->base.inputs[0], place(it, it->end), &it->input_ended));
    if (!it->input_ended) it->end++;
  }
  return NULL;
}

static mf_status shuffle_next(mf_iterator *base, mf_tensor **out, bool *end) {
  shuffle_iterator *it = (shuffle_iterator *)base;
  MF_TRY(fill(it, ((const shuffle *)base->dataset)->buffer_size));
  if (it->start == it->end) {
    *end = true;
    return NULL;
  }
  int64_t offset = (int64_t)(next_word(&it->stream) % (uint64_t)(it->end - it->start));
  mf_tensor **drawn = place(it, it->start + offset), **oldest = place(it, it->start);
  for (int i = 0; i < base->dataset->n; i++) {
    out[i] = drawn[i];
    drawn[i] = oldest[i];
    oldest[i] = NULL;
  }
  it->start++;
  return NULL;
}

static void shuffle_close(mf_iterator *base) {
  shuffle_iterator *it = (shuffle_iterator *)base;
  for (; it->start < it->end; it->start++) mf_tensor_release_all(place(it, it->start), base->dataset->n);
  mf_free(it->buffer);
}

static void shuffle_release(mf_dataset *base) { pthread_mutex_destroy(&((shuffle *)base)->lock); }

static const mfi_stage_type shuffle_type = {.name = "Shuffle", .dataset_size = sizeof(shuffle),
                                            .iterator_size = sizeof(shuffle_iterator), .open = shuffle_open,
                                            .next = shuffle_next, .close = shuffle_close, .release = shuffle_release};

mf_status mf_dataset_shuffle(mf_dataset *input, int64_t buffer_size, int64_t seed, int64_t seed2, bool reshuffle_each_iteration,
                             mf_dataset **out) {
  *out = NULL;
  if (buffer_size < 1)
    return mf_fail(MF_INVALID_ARGUMENT, "Shuffle: buffer_size must be at least 1, received %" PRId64, buffer_size);
  MF_TRY(mfi_stage_like(&shuffle_type, input, out));
  shuffle *d = (shuffle *)*out;
  pthread_mutex_init(&d->lock, NULL);
  d->buffer_size = buffer_size;
  d->reshuffle = reshuffle_each_iteration;
  if (!seed && !seed2) {
    int64_t drawn[2];
    if (getrandom(drawn, sizeof drawn, 0) == (ssize_t)sizeof drawn) seed = drawn[0], seed2 = drawn[1];
  }
  d->seed = seed;
  d->seed2 = seed2;
  d->stream = words_make(seed, seed2);
  return NULL;
}
