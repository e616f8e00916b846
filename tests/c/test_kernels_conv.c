/* test_kernels_conv.c - convolutions of random geometry against sums in double: the three ops of each family, float32
 * and float64, every padding, strides, dilations, groups, depthwise, NHWC and NCHW. Batches that do not divide evenly.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "moonflow.h"
#include "ops/op_list.h"

static mf_ctx *ctx;
static unsigned state = 7;

static int below(int n) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (unsigned)n);
}

static void check(mf_status s) {
  if (s) ck_abort_msg("%s", mf_status_message(s));
}

typedef struct geometry {
  bool nchw, depthwise, valid;
  int n, in[2], c, k[2], o, groups, stride[2], dilation[2], padding, before[2], after[2], out[2];   /* padding 0 1 2 */
} geometry;

/* TensorFlow's arithmetic, written down a second time. */
static geometry random_geometry(bool big) {
  geometry g = {.nchw = below(3) == 0, .depthwise = below(4) == 0, .valid = true};
  g.n = big ? 5 + below(6) : 1 + below(4);
  g.groups = below(3) == 0 ? 1 + below(3) : 1;
  g.c = g.groups * (1 + below(big ? 20 : 5));
  g.o = g.groups * (1 + below(big ? 20 : 5));
  if (g.depthwise) g.groups = g.c, g.o = g.c * (1 + below(2));
  g.padding = below(3);
  for (int i = 0; i < 2; i++) {
    g.in[i] = 1 + below(big ? 24 : 9);
    g.k[i] = 1 + below(4);
    g.stride[i] = 1 + below(3);
    g.dilation[i] = below(3) == 0 ? 2 : 1;
    int reach = (g.k[i] - 1) * g.dilation[i] + 1;
    if (g.padding == 1) {
      g.out[i] = (g.in[i] + g.stride[i] - 1) / g.stride[i];
      int need = (g.out[i] - 1) * g.stride[i] + reach - g.in[i];
      if (need < 0) need = 0;
      g.before[i] = need / 2, g.after[i] = need - need / 2;
    } else {
      if (g.padding == 2) g.before[i] = below(3), g.after[i] = below(3);
      int room = g.in[i] + g.before[i] + g.after[i] - reach;
      g.out[i] = room < 0 ? 0 : room / g.stride[i] + 1;
      if (room < 0) g.valid = false;
    }
  }
  return g;
}

static mf_shape image_shape(const geometry *g, int c, const int size[2]) {
  return g->nchw ? mf_shape_4d(g->n, c, size[0], size[1]) : mf_shape_4d(g->n, size[0], size[1], c);
}

static mf_shape filter_shape(const geometry *g) {
  return g->depthwise ? mf_shape_4d(g->k[0], g->k[1], g->c, g->o / g->c)
                      : mf_shape_4d(g->k[0], g->k[1], g->c / g->groups, g->o);
}

static mf_tensor *filled(mf_dtype type, mf_shape s) {
  mf_tensor *t;
  check(mf_tensor_new(mf_device_cpu(), type, &s, &t));
  for (int64_t i = 0; i < mf_tensor_count(t); i++) {
    float v = (float)below(2001) / 1000 - 1;
    if (type == MF_FLOAT64) MF_DATA(double, t)[i] = v;
    else MF_DATA(float, t)[i] = v;
  }
  return t;
}

static size_t image_at(const geometry *g, int channels, const int size[2], int n, int y, int x, int c) {
  if (g->nchw) return (size_t)(((n * channels + c) * size[0] + y) * size[1] + x);
  return (size_t)(((n * size[0] + y) * size[1] + x) * channels + c);
}

/* want += the products of the third with the two given ones; `kind` says which is wanted: 0 result, 1 image, 2 filter.
 */
static void reference(const geometry *g, int kind, const mf_tensor *image, const mf_tensor *filter,
                      const mf_tensor *result, double *want) {
  int fin = g->c / g->groups, fout = g->o / g->groups;
  for (int n = 0; n < g->n; n++)
    for (int oy = 0; oy < g->out[0]; oy++)
      for (int ox = 0; ox < g->out[1]; ox++)
        for (int o = 0; o < g->o; o++)
          for (int ky = 0; ky < g->k[0]; ky++)
            for (int kx = 0; kx < g->k[1]; kx++) {
              int y = oy * g->stride[0] - g->before[0] + ky * g->dilation[0];
              int x = ox * g->stride[1] - g->before[1] + kx * g->dilation[1];
              if (y < 0 || y >= g->in[0] || x < 0 || x >= g->in[1]) continue;
              for (int ci = 0; ci < fin; ci++) {
                size_t a = image_at(g, g->c, g->in, n, y, x, o / fout * fin + ci);
                size_t r = image_at(g, g->o, g->out, n, oy, ox, o);
                size_t f = (size_t)((ky * g->k[1] + kx) * (g->depthwise ? g->o : fin * g->o) + ci * g->o + o);
                double va = mf_tensor_get_f64(image, (int64_t)a), vr = mf_tensor_get_f64(result, (int64_t)r);
                double vf = mf_tensor_get_f64(filter, (int64_t)f);
                if (kind == 0) want[r] += va * vf;
                else if (kind == 1) want[a] += vr * vf;
                else want[f] += va * vr;
              }
            }
}

static mf_tensor *run_op(const geometry *g, int kind, mf_tensor *image, mf_tensor *filter, mf_tensor *result) {
  static const mf_op_def *const ops[2][3] = {{&mf_op_Conv2D, &mf_op_Conv2DBackpropInput, &mf_op_Conv2DBackpropFilter},
                                             {&mf_op_DepthwiseConv2dNative, &mf_op_DepthwiseConv2dNativeBackpropInput,
                                              &mf_op_DepthwiseConv2dNativeBackpropFilter}};
  static const mf_text paddings[] = {{"VALID", 5}, {"SAME", 4}, {"EXPLICIT", 8}};
  int h = g->nchw ? 2 : 1;
  int64_t strides[4] = {1, 1, 1, 1}, dilations[4] = {1, 1, 1, 1}, pads[8] = {0};
  for (int i = 0; i < 2; i++) {
    strides[h + i] = g->stride[i], dilations[h + i] = g->dilation[i];
    pads[2 * (h + i)] = g->before[i], pads[2 * (h + i) + 1] = g->after[i];
  }
  mf_text format = {g->nchw ? "NCHW" : "NHWC", 4};
  mf_named_attr named[] = {MF_A_INTS("strides", strides, 4), MF_A_INTS("dilations", dilations, 4),
                           MF_A_TEXT("padding", paddings[g->padding]), MF_A_TEXT("data_format", format),
                           MF_A_INTS("explicit_paddings", pads, g->padding == 2 ? 8 : 0)};
  mf_tensor *sizes, *out[1];
  const mf_shape *s = kind == 1 ? &image->shape : &filter->shape;
  check(mf_tensor_from_i64(MF_INT32, s->dims, 4, &sizes));
  mf_tensor *in[3] = {image, filter, NULL};
  if (kind == 1) in[0] = sizes, in[2] = result;
  if (kind == 2) in[1] = sizes, in[2] = result;
  check(mf_apply(ctx, ops[g->depthwise][kind], in, kind ? 3 : 2, named, 5, out, 1, NULL));
  mf_tensor_release(sizes);
  return out[0];
}

static void describe(const geometry *g, char *text, size_t size) {
  snprintf(text, size, "%s%s n%d %dx%dx%d k%dx%d o%d groups %d stride %d,%d dilation %d,%d padding %d (%d,%d %d,%d)",
           g->nchw ? "NCHW" : "NHWC", g->depthwise ? " depthwise" : "", g->n, g->in[0], g->in[1], g->c, g->k[0],
           g->k[1], g->o, g->groups, g->stride[0], g->stride[1], g->dilation[0], g->dilation[1], g->padding,
           g->before[0], g->after[0], g->before[1], g->after[1]);
}

static void judge(const geometry *g, int kind, mf_dtype type) {
  mf_tensor *image = filled(type, image_shape(g, g->c, g->in)), *filter = filled(type, filter_shape(g));
  mf_tensor *result = filled(type, image_shape(g, g->o, g->out));
  mf_tensor *got = run_op(g, kind, image, filter, result), *like[] = {result, image, filter};
  int64_t count = mf_tensor_count(got);
  double *want = calloc((size_t)count + 1, sizeof *want);
  ck_assert(mf_shape_equal(&got->shape, &like[kind]->shape));
  reference(g, kind, image, filter, result, want);
  double terms =
      kind == 2 ? (double)(g->n * g->out[0] * g->out[1]) : (double)(g->k[0] * g->k[1] * (kind ? g->o : g->c));
  double tolerance = (type == MF_FLOAT64 ? 1e-15 : 6e-7) * (terms + 8);
  for (int64_t i = 0; i < count; i++) {
    double v = mf_tensor_get_f64(got, i);
    char text[256];
    if (fabs(v - want[i]) <= tolerance) continue;
    describe(g, text, sizeof text);
    ck_abort_msg("%s kind %d %s: element %d is %.9g, want %.9g", text, kind, mf_dtype_name(type), (int)i, v, want[i]);
  }
  free(want);
  mf_tensor_release(image), mf_tensor_release(filter), mf_tensor_release(result), mf_tensor_release(got);
}

static void random_cases(int count, bool big) {
  for (int i = 0; i < count; i++) {
    geometry g = random_geometry(big);
    if (!g.valid) continue;
    for (int kind = 0; kind < 3; kind++) {
      judge(&g, kind, MF_FLOAT32);
      judge(&g, kind, MF_FLOAT64);
    }
  }
}

START_TEST(small_geometries) { random_cases(250, false); }
END_TEST

START_TEST(bigger_geometries_in_pieces) { random_cases(40, true); }
END_TEST

/* Backward ops whose sizes stand in a value: the same input shapes, another image or filter. */
START_TEST(sizes_given_by_value_are_told_apart) {
  geometry g = {.valid = true, .n = 2, .in = {5, 5}, .c = 4, .k = {3, 3}, .o = 4, .groups = 1, .stride = {2, 2},
                .dilation = {1, 1}, .padding = 1, .before = {1, 1}, .after = {1, 1}, .out = {3, 3}};
  geometry even = g;
  even.in[0] = even.in[1] = 6;
  even.before[0] = even.before[1] = 0;
  geometry wide = g;
  wide.k[0] = wide.k[1] = 1;
  wide.before[0] = wide.before[1] = wide.after[0] = wide.after[1] = 0;
  for (int i = 0; i < 2; i++) {
    judge(&g, 1, MF_FLOAT32);
    judge(&even, 1, MF_FLOAT32);
    judge(&g, 2, MF_FLOAT32);
    judge(&wide, 2, MF_FLOAT32);
  }
}
END_TEST

int main(void) {
  check(mf_init());
  check(mf_ctx_new(&ctx));
  mf_pool_set_threads(3);
  Suite *suite = suite_create("kernels/conv");
  TCase *tests = tcase_create("conv");
  tcase_set_timeout(tests, 200);
  tcase_add_test(tests, small_geometries);
  tcase_add_test(tests, bigger_geometries_in_pieces);
  tcase_add_test(tests, sizes_given_by_value_are_told_apart);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  mf_ctx_release(ctx);
  mf_close();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
