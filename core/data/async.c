/* async.c - a ring of elements that workers fill in order of arrival and the consumer empties in the same order.
 *
 * A worker takes the input lock, waits for room, takes the next slot and pulls the input for it: so slots are in the order of
 * the input. It then runs the function without any lock. The order, and the results, do not depend on the number of workers.
 * Workers have a lower priority than the training step. Closing cancels: workers leave at the next element.
 */
#include "data/async.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

enum { NICE = 5 };

static const mfi_async *settings(const mfi_async_iterator *it) { return &((const mfi_map *)it->base.dataset)->async; }

static mfi_async_slot *slot_at(mfi_async_iterator *it, int64_t position) {
  return &it->ring[position % settings(it)->capacity];
}

/* The position of a free slot, or -1 when there is nothing more to do. Called with the input lock. */
static int64_t take_slot(mfi_async_iterator *it) {
  pthread_mutex_lock(&it->lock);
  while (!it->cancelled && !it->input_ended && it->tail - it->head >= settings(it)->capacity)
    pthread_cond_wait(&it->room, &it->lock);
  int64_t position = it->cancelled || it->input_ended ? -1 : it->tail++;
  pthread_mutex_unlock(&it->lock);
  return position;
}

static void deliver(mfi_async_iterator *it, int64_t position, mf_status status, bool end) {
  pthread_mutex_lock(&it->lock);
  mfi_async_slot *s = slot_at(it, position);
  s->status = status;
  s->end = end;
  s->ready = true;
  if (end) it->input_ended = true;
  pthread_cond_broadcast(&it->ready);
  pthread_mutex_unlock(&it->lock);
}

/* One element from the input to its slot; false when the worker is done. */
static bool work_once(mfi_async_iterator *it, mf_ctx *ctx, mf_tensor **element) {
  const mfi_async *a = settings(it);
  int n_in = it->base.dataset->inputs[0]->n;
  bool end = false;
  pthread_mutex_lock(&it->input_lock);
  int64_t position = take_slot(it);
  if (position < 0) {
    pthread_mutex_unlock(&it->input_lock);
    return false;
  }
  mf_tensor **out = slot_at(it, position)->out, **pulled = a->function ? element : out;
  mf_status status = mf_iterator_next(it->base.inputs[0], pulled, &end);
  if (end) { /* before the input lock is left: nobody may pull behind the end */
    deliver(it, position, NULL, true);
    pthread_mutex_unlock(&it->input_lock);
    return false;
  }
  pthread_mutex_unlock(&it->input_lock);
  if (!status && a->function) {
    status = mfi_function_run(a->function, ctx, it->base.epoch, position, element, n_in, out, it->base.dataset->n);
    mf_tensor_release_all(element, n_in);
  }
  deliver(it, position, status, false);
  return true;
}

static void *worker(void *user) {
  mfi_async_iterator *it = user;
  mf_ctx *ctx = NULL;
  mf_tensor **element = mf_alloc_zero((size_t)it->base.dataset->inputs[0]->n + 1, sizeof *element);
  mf_status status = element ? mfi_worker_ctx_new(&ctx) : mf_fail_oom();
  (void)setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE);
  if (status) { /* this worker's place in the ring carries the error */
    pthread_mutex_lock(&it->input_lock);
    int64_t position = take_slot(it);
    if (position >= 0) deliver(it, position, status, false);
    else mf_status_release(status);
    pthread_mutex_unlock(&it->input_lock);
  } else {
    while (work_once(it, ctx, element)) {
    }
  }
  mfi_worker_ctx_release(ctx);
  mf_free(element);
  return NULL;
}

mf_status mfi_async_open(mf_iterator *base) {
  mfi_async_iterator *it = (mfi_async_iterator *)base;
  const mfi_async *a = settings(it);
  pthread_mutex_init(&it->lock, NULL);
  pthread_mutex_init(&it->input_lock, NULL);
  pthread_cond_init(&it->room, NULL);
  pthread_cond_init(&it->ready, NULL);
  it->locks = true;
  it->ring = mf_alloc_zero((size_t)a->capacity, sizeof *it->ring);
  it->threads = mf_alloc_zero((size_t)a->workers, sizeof *it->threads);
  if (!it->ring || !it->threads) return mf_fail_oom();
  for (int64_t i = 0; i < a->capacity; i++) {
    it->ring[i].out = mf_alloc_zero((size_t)base->dataset->n + 1, sizeof(mf_tensor *));
    if (!it->ring[i].out) return mf_fail_oom();
  }
  for (; it->n_threads < a->workers; it->n_threads++)
    if (pthread_create(&it->threads[it->n_threads], NULL, worker, it)) break;
  return it->n_threads ? NULL : mf_fail(MF_RESOURCE_EXHAUSTED, "%s: no worker thread can be started", base->dataset->type->name);
}

mf_status mfi_async_next(mf_iterator *base, mf_tensor **out, bool *end) {
  mfi_async_iterator *it = (mfi_async_iterator *)base;
  pthread_mutex_lock(&it->lock);
  mfi_async_slot *s = slot_at(it, it->head);
  while (!(it->head < it->tail && s->ready)) pthread_cond_wait(&it->ready, &it->lock);
  mf_status status = s->status;
  *end = s->end;
  if (!*end) { /* the slot that carries the end stays: asking again gives the end again */
    for (int i = 0; i < base->dataset->n; i++) {
      out[i] = s->out[i];
      s->out[i] = NULL;
    }
    s->status = NULL;
    s->ready = false;
    it->head++;
    pthread_cond_signal(&it->room);
  }
  pthread_mutex_unlock(&it->lock);
  return status;
}

void mfi_async_close(mf_iterator *base) {
  mfi_async_iterator *it = (mfi_async_iterator *)base;
  if (!it->locks) return;
  pthread_mutex_lock(&it->lock);
  it->cancelled = true;
  pthread_cond_broadcast(&it->room);
  pthread_mutex_unlock(&it->lock);
  for (int i = 0; i < it->n_threads; i++) pthread_join(it->threads[i], NULL);
  for (int64_t i = 0; it->ring && i < settings(it)->capacity; i++) {
    if (it->ring[i].out) mf_tensor_release_all(it->ring[i].out, base->dataset->n);
    mf_free(it->ring[i].out);
    mf_status_release(it->ring[i].status);
  }
  mf_free(it->ring);
  mf_free(it->threads);
  pthread_cond_destroy(&it->room);
  pthread_cond_destroy(&it->ready);
  pthread_mutex_destroy(&it->lock);
  pthread_mutex_destroy(&it->input_lock);
}

/* ---- prefetch */

static const mfi_stage_type prefetch_type = {.name = "Prefetch", .dataset_size = sizeof(mfi_map),
                                             .iterator_size = sizeof(mfi_async_iterator), .open = mfi_async_open,
                                             .next = mfi_async_next, .close = mfi_async_close};

mf_status mf_dataset_prefetch(mf_dataset *input, int64_t buffer_size, mf_dataset **out) {
  MF_TRY(mfi_stage_like(&prefetch_type, input, out));
  enum { MOST = 1 << 16 }; /* places are made at once; more would never be full */
  int64_t capacity = buffer_size > 0 ? buffer_size : 2;
  ((mfi_map *)*out)->async = (mfi_async){.workers = 1, .capacity = capacity < MOST ? capacity : MOST};
  return NULL;
}
