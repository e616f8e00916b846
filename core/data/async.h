/* async.h - worker threads between a stage and its input: prefetch (one worker, no function) and parallel map. Internal. */
#ifndef MF_DATA_ASYNC_H
#define MF_DATA_ASYNC_H

#include <pthread.h>

#include "data/function.h"

typedef struct mfi_async {
  int workers;
  int64_t capacity;              /* elements ready or under way */
  const mfi_function *function;  /* NULL: elements pass as they are */
} mfi_async;

/* A dataset whose iterators are mfi_async_iterator: its own fields start with these. */
typedef struct mfi_map {
  mf_dataset base;
  mfi_async async;
  mfi_function function;
} mfi_map;

typedef struct mfi_async_slot {
  bool ready;
  bool end;
  mf_status status;
  mf_tensor **out;               /* components of the dataset */
} mfi_async_slot;

typedef struct mfi_async_iterator {
  mf_iterator base;
  pthread_mutex_t lock;          /* guards everything below */
  pthread_mutex_t input_lock;    /* one worker at a time pulls the input and takes its place in the ring */
  pthread_cond_t room, ready;
  bool locks, cancelled, input_ended;
  mfi_async_slot *ring;
  int64_t head, tail;            /* slots head .. tail-1 are given out */
  pthread_t *threads;
  int n_threads;
} mfi_async_iterator;

mf_status mfi_async_open(mf_iterator *it) MF_MUST_USE;
mf_status mfi_async_next(mf_iterator *it, mf_tensor **out, bool *end) MF_MUST_USE;
void mfi_async_close(mf_iterator *it);

#endif
