/* bench_conv.c - convolutions: the ops as they run here (oneDNN with one thread a piece of the batch), im2col, and
 * oneDNN with its own threading on the same NHWC data, by shape.
 *
 *     bench_conv [threads [seconds [divisor]]]   (default 2 threads, 1 second a row, whole batches; on a busy machine
 *                                                 smaller batches fit between other processes' time slices)
 *
 * The contenders take turns within each round; a figure is the median over the rounds, in brackets the best. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/pool.h"
#include "bench.h"
#include "kernels/cpu/conv.h"
#include "moonflow.h"
#include "ops/op_list.h"
#if MF_HAVE_ONEDNN
#include <dnnl.h>
#endif

enum { MOST_ROUNDS = 200 };

typedef struct shape {
  const char *name;
  int64_t n, h, w, c, o, k, stride;
  int same;
} shape;

static const shape shapes[] = {
    {"mnist1 64x28x28x1->32 3x3", 64, 28, 28, 1, 32, 3, 1, 0},
    {"mnist2 64x26x26x32->64 3x3", 64, 26, 26, 32, 64, 3, 1, 0},
    {"res56 16x56x56x64->64 3x3", 16, 56, 56, 64, 64, 3, 1, 1},
    {"res14 16x14x14x256->256 3x3", 16, 14, 14, 256, 256, 3, 1, 1},
    {"1x1 16x56x56x64->256", 16, 56, 56, 64, 256, 1, 1, 1},
    {"stem 4x224x224x3->64 7x7 s2", 4, 224, 224, 3, 64, 7, 2, 1},
};

static double seconds = 1;
static int64_t divisor = 1;

static void check(mf_status s) {
  if (!s) return;
  fprintf(stderr, "%s\n", mf_status_message(s));
  exit(1);
}

typedef struct bench {
  mf_ctx *ctx;
  const shape *s;
  mfi_conv_kind kind;
  mf_tensor *image, *filter, *result, *sizes;
  mf_conv2d g;
  void *scratch;
#if MF_HAVE_ONEDNN
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_t conv, reorder;
  dnnl_memory_t plain, packed, src, dst;
#endif
} bench;

static mf_tensor *filled(mf_shape s) {
  mf_tensor *t;
  check(mf_tensor_new(mf_device_cpu(), MF_FLOAT32, &s, &t));
  for (int64_t i = 0; i < mf_tensor_count(t); i++) MF_DATA(float, t)[i] = (float)(i % 17) * 0.01F - 0.08F;
  return t;
}

/* ---- contenders */

static void run_op(void *arg) {
  bench *b = arg;
  static const mf_op_def *const ops[] = {&mf_op_Conv2D, &mf_op_Conv2DBackpropInput, &mf_op_Conv2DBackpropFilter};
  int64_t strides[] = {1, b->s->stride, b->s->stride, 1};
  mf_named_attr same[] = {MF_A_INTS("strides", strides, 4), MF_A_STR("padding", "SAME")};
  mf_named_attr valid[] = {MF_A_INTS("strides", strides, 4), MF_A_STR("padding", "VALID")};
  mf_tensor *in[3] = {b->image, b->filter, NULL}, *out[1];
  if (b->kind == MFI_CONV_INPUT) in[0] = b->sizes, in[1] = b->filter, in[2] = b->result;
  if (b->kind == MFI_CONV_FILTER) in[1] = b->sizes, in[2] = b->result;
  check(mf_apply(b->ctx, ops[b->kind], in, b->kind == MFI_CONV_FORWARD ? 2 : 3, b->s->same ? same : valid, 2, out, 1,
                 NULL));
  mf_tensor_release(out[0]);
}

static void run_im2col(void *arg) {
  bench *b = arg;
  mfi_conv_work w = {.g = &b->g,
                     .kind = b->kind,
                     .type = MF_FLOAT32,
                     .image = b->image->data,
                     .filter = b->filter->data,
                     .result = b->result->data,
                     .scratch = b->scratch};
  mfi_conv_im2col(&w);
}

#if MF_HAVE_ONEDNN
static void ok(dnnl_status_t s) {
  if (s == dnnl_success) return;
  fprintf(stderr, "oneDNN status %d\n", (int)s);
  exit(1);
}

static void open_dnnl(bench *b) {
  const mf_conv2d *g = &b->g;
  dnnl_memory_desc_t src, dst, plain, any;
  dnnl_dims_t ds = {g->batch, g->in_channels, g->in[0], g->in[1]},
              dd = {g->batch, g->out_channels, g->out[0], g->out[1]};
  dnnl_dims_t dw = {g->out_channels, g->in_channels, g->filter[0], g->filter[1]};
  dnnl_dims_t st = {g->stride[0], g->stride[1]}, l = {g->before[0], g->before[1]}, r = {g->after[0], g->after[1]};
  dnnl_convolution_desc_t d;
  dnnl_primitive_desc_t hint, pd = NULL, ro;
  ok(dnnl_engine_create(&b->engine, dnnl_cpu, 0));
  ok(dnnl_stream_create(&b->stream, b->engine, dnnl_stream_default_flags));
  ok(dnnl_memory_desc_init_by_tag(&src, 4, ds, dnnl_f32, dnnl_nhwc));
  ok(dnnl_memory_desc_init_by_tag(&dst, 4, dd, dnnl_f32, dnnl_nhwc));
  ok(dnnl_memory_desc_init_by_tag(&plain, 4, dw, dnnl_f32, dnnl_hwio));
  ok(dnnl_memory_desc_init_by_tag(&any, 4, dw, dnnl_f32, dnnl_format_tag_any));
  ok(dnnl_convolution_forward_desc_init(&d, dnnl_forward_training, dnnl_convolution_direct, &src, &any, NULL, &dst, st,
                                        l, r));
  ok(dnnl_primitive_desc_create(&hint, &d, NULL, b->engine, NULL));
  pd = hint;
  if (b->kind == MFI_CONV_INPUT)
    ok(dnnl_convolution_backward_data_desc_init(&d, dnnl_convolution_direct, &src, &any, &dst, st, l, r));
  if (b->kind == MFI_CONV_FILTER)
    ok(dnnl_convolution_backward_weights_desc_init(&d, dnnl_convolution_direct, &src, &any, NULL, &dst, st, l, r));
  if (b->kind != MFI_CONV_FORWARD) ok(dnnl_primitive_desc_create(&pd, &d, NULL, b->engine, hint));
  const dnnl_memory_desc_t *w = dnnl_primitive_desc_query_md(
      pd, b->kind == MFI_CONV_FILTER ? dnnl_query_diff_weights_md : dnnl_query_weights_md, 0);
  ok(dnnl_memory_create(&b->src, &src, b->engine, b->image->data));
  ok(dnnl_memory_create(&b->dst, &dst, b->engine, b->result->data));
  ok(dnnl_memory_create(&b->plain, &plain, b->engine, b->filter->data));
  ok(dnnl_memory_create(&b->packed, w, b->engine, DNNL_MEMORY_ALLOCATE));
  ok(dnnl_primitive_create(&b->conv, pd));
  ok(dnnl_reorder_primitive_desc_create(&ro, b->kind == MFI_CONV_FILTER ? w : &plain, b->engine,
                                        b->kind == MFI_CONV_FILTER ? &plain : w, b->engine, NULL));
  ok(dnnl_primitive_create(&b->reorder, ro));
}

static void run_dnnl(void *arg) {
  bench *b = arg;
  dnnl_exec_arg_t there[] = {{DNNL_ARG_FROM, b->plain}, {DNNL_ARG_TO, b->packed}};
  dnnl_exec_arg_t back[] = {{DNNL_ARG_FROM, b->packed}, {DNNL_ARG_TO, b->plain}};
  dnnl_exec_arg_t forward[] = {{DNNL_ARG_SRC, b->src}, {DNNL_ARG_WEIGHTS, b->packed}, {DNNL_ARG_DST, b->dst}};
  dnnl_exec_arg_t input[] = {{DNNL_ARG_DIFF_SRC, b->src}, {DNNL_ARG_WEIGHTS, b->packed}, {DNNL_ARG_DIFF_DST, b->dst}};
  dnnl_exec_arg_t filter[] = {{DNNL_ARG_SRC, b->src}, {DNNL_ARG_DIFF_WEIGHTS, b->packed}, {DNNL_ARG_DIFF_DST, b->dst}};
  dnnl_exec_arg_t *args[] = {forward, input, filter};
  if (b->kind != MFI_CONV_FILTER) ok(dnnl_primitive_execute(b->reorder, b->stream, 2, there));
  ok(dnnl_primitive_execute(b->conv, b->stream, 3, args[b->kind]));
  if (b->kind == MFI_CONV_FILTER) ok(dnnl_primitive_execute(b->reorder, b->stream, 2, back));
}
#else
static void open_dnnl(bench *b) { (void)b; }
static void run_dnnl(void *arg) { (void)arg; }
#endif

/* ---- measuring */

static void run(mf_ctx *ctx, const shape *whole, mfi_conv_kind kind, int threads) {
  shape part = *whole, *s = &part;
  part.n = whole->n > divisor ? whole->n / divisor : 1;
  static const char *const kinds[] = {"forward", "input", "filter"};
  static const struct { const char *name; void (*fn)(void *); } list[] = {
      {"op", run_op}, {"im2col", run_im2col}, {"onednn's own threads", run_dnnl}};
  mf_shape image = mf_shape_4d(s->n, s->h, s->w, s->c), filter = mf_shape_4d(s->k, s->k, s->c, s->o);
  int64_t oh = s->same ? (s->h + s->stride - 1) / s->stride : (s->h - s->k) / s->stride + 1;
  int64_t ow = s->same ? (s->w + s->stride - 1) / s->stride : (s->w - s->k) / s->stride + 1;
  bench b = {.ctx = ctx, .s = s, .kind = kind, .image = filled(image), .filter = filled(filter),
             .result = filled(mf_shape_4d(s->n, oh, ow, s->o))};
  int64_t need = (oh - 1) * s->stride + s->k - s->h, pad = need > 0 && s->same ? need : 0;
  b.g = (mf_conv2d){.batch = s->n, .in = {s->h, s->w}, .in_channels = s->c, .filter = {s->k, s->k}, .filter_in = s->c,
                    .out_channels = s->o, .out = {oh, ow}, .stride = {s->stride, s->stride}, .dilation = {1, 1},
                    .before = {pad / 2, pad / 2}, .after = {pad - pad / 2, pad - pad / 2}, .groups = 1};
  check(mf_tensor_from_i64(MF_INT32, kind == MFI_CONV_INPUT ? image.dims : filter.dims, 4, &b.sizes));
  b.scratch = aligned_alloc(64, (mfi_conv_im2col_scratch(&b.g, kind, MF_FLOAT32) + 127) / 64 * 64);
  omp_set_num_threads(threads);
  open_dnnl(&b);
  double t[3][MOST_ROUNDS], start = bench_now(), flops = 2.0 * (double)(s->n * oh * ow * s->o * s->c * s->k * s->k);
  int rounds = 0;
  for (; rounds < MOST_ROUNDS && (rounds < 9 || bench_now() - start < seconds); rounds++)
    for (int i = 0; i < 3; i++) {
      bench_pause();
      t[i][rounds] = bench_sample(list[i].fn, &b);
    }
  printf("%-28s /%d %-7s", s->name, (int)divisor, kinds[kind]);
  for (int i = 0; i < 3; i++) {
    double middle = bench_median(t[i], rounds);
    printf(" | %s %.3f ms %.1f GF/s (%.1f)", list[i].name, middle * 1e3, flops / middle / 1e9,
           flops / t[i][0] / 1e9);
  }
  printf("\n");
  fflush(stdout);
  mf_tensor_release(b.image), mf_tensor_release(b.filter), mf_tensor_release(b.result), mf_tensor_release(b.sizes);
  free(b.scratch);
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 2;
  mf_ctx *ctx;
  if (argc > 2) seconds = atof(argv[2]);
  if (argc > 3) divisor = atoi(argv[3]);
  check(mf_init());
  check(mf_ctx_new(&ctx));
  mf_pool_set_threads(threads);
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    for (int kind = 0; kind < 3; kind++) run(ctx, &shapes[i], (mfi_conv_kind)kind, threads);
  mf_ctx_release(ctx);
  mf_close();
  return 0;
}
