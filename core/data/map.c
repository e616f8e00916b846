/* map.c - a traced function over every element, on the consumer's thread; and the making of parallel maps (async.c runs them). */
#include "base/memory.h"
#include "data/async.h"
#include "data/function.h"

typedef struct map_iterator {
  mf_iterator base;
  mf_ctx *ctx;
  mf_tensor **element;       /* components of the input */
  int64_t index;
} map_iterator;

static mf_status map_open(mf_iterator *base) {
  map_iterator *it = (map_iterator *)base;
  it->element = mf_alloc_zero((size_t)base->dataset->inputs[0]->n + 1, sizeof *it->element);
  return it->element ? mfi_worker_ctx_new(&it->ctx) : mf_fail_oom();
}

static mf_status map_next(mf_iterator *base, mf_tensor **out, bool *end) {
  map_iterator *it = (map_iterator *)base;
  int n_in = base->dataset->inputs[0]->n;
  MF_TRY(mf_iterator_next(base->inputs[0], it->element, end));
  if (*end) return NULL;
  const mfi_function *f = &((const mfi_map *)base->dataset)->function;
  mf_status status = mfi_function_run(f, it->ctx, base->epoch, it->index++, it->element, n_in, out, base->dataset->n);
  mf_tensor_release_all(it->element, n_in);
  return status;
}

static void map_close(mf_iterator *base) {
  map_iterator *it = (map_iterator *)base;
  mfi_worker_ctx_release(it->ctx);
  mf_free(it->element);
}

static void map_release(mf_dataset *d) { mf_graph_release(((mfi_map *)d)->function.graph); }

static const mfi_stage_type map_type = {.name = "Map", .dataset_size = sizeof(mfi_map), .iterator_size = sizeof(map_iterator),
                                        .open = map_open, .next = map_next, .close = map_close, .release = map_release};

static const mfi_stage_type parallel_map_type = {
    .name = "ParallelMap", .dataset_size = sizeof(mfi_map), .iterator_size = sizeof(mfi_async_iterator),
    .open = mfi_async_open, .next = mfi_async_next, .close = mfi_async_close, .release = map_release};

mf_status mf_dataset_map(mf_dataset *input, mf_graph *function, int parallel, int64_t seed, mf_dataset **out) {
  *out = NULL;
  if (mf_graph_input_count(function) != input->n)
    return mf_fail(MF_INVALID_ARGUMENT, "Map: the function takes %d tensors, an element has %d components",
                   mf_graph_input_count(function), input->n);
  int n = mf_graph_output_count(function);
  if (n < 1) return mf_fail(MF_INVALID_ARGUMENT, "Map: the function must return at least one tensor");
  MF_TRY(mfi_stage_new(parallel > 1 ? &parallel_map_type : &map_type, n, &input, 1, out));
  mfi_map *d = (mfi_map *)*out;
  d->function = (mfi_function){mf_graph_retain(function), seed};
  d->async = (mfi_async){.workers = parallel, .capacity = 2 * (int64_t)parallel, .function = &d->function};
  for (int i = 0; i < n; i++) {
    (*out)->dtypes[i] = mf_graph_output_dtype(function, i);
    (*out)->shapes[i] = mf_graph_output_shape(function, i);
  }
  return NULL;
}
