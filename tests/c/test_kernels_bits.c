/* test_kernels_bits.c - big calls of the products, convolutions, pooling, normalisation, bias and resizing kernels
 * give the same bits with 1, 2, 3 and 8 threads. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "moonflow.h"
#include "ops/op_list.h"

static mf_ctx *ctx;

static void check(mf_status s) {
  if (s) ck_abort_msg("%s", mf_status_message(s));
}

static mf_tensor *filled(mf_dtype type, int rank, const int64_t *dims) {
  mf_tensor *t;
  mf_shape s;
  unsigned state = 99;
  check(mf_shape_make(dims, rank, &s));
  check(mf_tensor_new(mf_device_cpu(), type, &s, &t));
  for (int64_t i = 0; i < mf_tensor_count(t); i++) {
    state = state * 1664525u + 1013904223u;
    float v = (float)(state >> 8) / (float)(1 << 23) - 1;
    if (type == MF_FLOAT64) MF_DATA(double, t)[i] = v;
    else MF_DATA(float, t)[i] = v;
  }
  return t;
}

#define T(...) filled(type, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (int64_t[]){__VA_ARGS__})
#define ATTRS(...) \
  (mf_named_attr[]){__VA_ARGS__}, (int)(sizeof((mf_named_attr[]){__VA_ARGS__}) / sizeof(mf_named_attr))

static mf_tensor *ints(int n, const int64_t *values) {
  mf_tensor *t;
  check(mf_tensor_from_i64(MF_INT32, values, n, &t));
  return t;
}

/* Runs the call at every width and compares all outputs. Ends the inputs. */
static void same_bits(const mf_op_def *op, mf_tensor **in, int n_in, const mf_named_attr *attrs, int n_attrs) {
  static const int threads[] = {1, 2, 3, 8};
  mf_tensor *first[8], *out[8];
  int n = 0;
  for (int t = 0; t < 4; t++) {
    mf_pool_set_threads(threads[t]);
    check(mf_apply(ctx, op, in, n_in, attrs, n_attrs, out, 8, &n));
    for (int i = 0; i < n; i++) {
      if (!t) {
        first[i] = out[i];
        continue;
      }
      if (memcmp(first[i]->data, out[i]->data, mf_tensor_bytes(out[i])))
        ck_abort_msg("%s: output %d has other bits with %d threads than with 1", op->name, i, threads[t]);
      mf_tensor_release(out[i]);
    }
  }
  mf_tensor_release_all(first, n);
  mf_tensor_release_all(in, n_in);
}

#define SAME_BITS(op_, ins_, ...) \
  do { \
    mf_tensor *in_[] = ins_; \
    same_bits(&mf_op_##op_, in_, (int)(sizeof in_ / sizeof *in_), ATTRS(__VA_ARGS__)); \
  } while (0)
#define INS(...) {__VA_ARGS__}

static const int64_t ones[] = {1, 1, 1, 1}, two[] = {1, 2, 2, 1}, three[] = {1, 3, 3, 1};
#define STRIDES(v) MF_A_INTS("strides", v, 4)
#define KSIZE(v) MF_A_INTS("ksize", v, 4)
#define VALID MF_A_STR("padding", "VALID")
#define SAME MF_A_STR("padding", "SAME")

START_TEST(products) {
  for (int i = 0; i < 2; i++) {
    mf_dtype type = i ? MF_FLOAT64 : MF_FLOAT32;
    SAME_BITS(MatMul, INS(T(64, 784), T(784, 128)), MF_A_BOOL("transpose_a", false));
    SAME_BITS(MatMul, INS(T(64, 784), T(64, 128)), MF_A_BOOL("transpose_a", true));
    SAME_BITS(MatMul, INS(T(64, 128), T(784, 128)), MF_A_BOOL("transpose_b", true));
    SAME_BITS(BatchMatMulV2, INS(T(40, 30, 50), T(40, 50, 60)), MF_A_BOOL("adj_x", false));
    SAME_BITS(Einsum, INS(T(20, 8, 30, 16), T(20, 8, 40, 16)), MF_A_STR("equation", "bhqd,bhkd->bhqk"));
    SAME_BITS(Einsum, INS(T(200, 30, 50), T(50, 30)), MF_A_STR("equation", "abc,cd->dab"));
  }
}
END_TEST

START_TEST(convolutions) {
  const int64_t image[] = {33, 26, 26, 32}, filter[] = {3, 3, 32, 48}, depth[] = {3, 3, 32, 1};
  for (int i = 0; i < 2; i++) {
    mf_dtype type = i ? MF_FLOAT64 : MF_FLOAT32;
    SAME_BITS(Conv2D, INS(T(33, 26, 26, 32), T(3, 3, 32, 48)), STRIDES(ones), VALID);
    SAME_BITS(Conv2DBackpropInput, INS(ints(4, image), T(3, 3, 32, 48), T(33, 24, 24, 48)), STRIDES(ones), VALID);
    SAME_BITS(Conv2DBackpropFilter, INS(T(33, 26, 26, 32), ints(4, filter), T(33, 24, 24, 48)), STRIDES(ones), VALID);
    SAME_BITS(Conv2D, INS(T(64, 28, 28, 1), T(3, 3, 1, 32)), STRIDES(ones), VALID);
    SAME_BITS(DepthwiseConv2dNative, INS(T(33, 26, 26, 32), T(3, 3, 32, 1)), STRIDES(ones), SAME);
    SAME_BITS(DepthwiseConv2dNativeBackpropFilter, INS(T(33, 26, 26, 32), ints(4, depth), T(33, 26, 26, 32)),
              STRIDES(ones), SAME);
  }
}
END_TEST

START_TEST(pooling) {
  const int64_t image[] = {64, 24, 24, 64};
  for (int i = 0; i < 2; i++) {
    mf_dtype type = i ? MF_FLOAT64 : MF_FLOAT32;
    SAME_BITS(MaxPool, INS(T(64, 24, 24, 64)), KSIZE(two), STRIDES(two), VALID);
    mf_tensor *x = T(64, 24, 24, 64), *y[1];
    check(mf_apply(ctx, &mf_op_MaxPool, &x, 1, ATTRS(KSIZE(three), STRIDES(two), SAME), y, 1, NULL));
    mf_tensor_retain(x), mf_tensor_retain(y[0]);
    SAME_BITS(MaxPoolGrad, INS(x, y[0], T(64, 12, 12, 64)), KSIZE(three), STRIDES(two), SAME);
    SAME_BITS(MaxPoolGradGrad, INS(x, y[0], T(64, 24, 24, 64)), KSIZE(three), STRIDES(two), SAME);
    SAME_BITS(AvgPool, INS(T(64, 24, 24, 64)), KSIZE(three), STRIDES(two), SAME);
    SAME_BITS(AvgPoolGrad, INS(ints(4, image), T(64, 12, 12, 64)), KSIZE(three), STRIDES(two), SAME);
  }
}
END_TEST

START_TEST(normalisation_and_bias) {
  mf_dtype type = MF_FLOAT32;
  SAME_BITS(FusedBatchNormV3, INS(T(64, 24, 24, 64), T(64), T(64), T(0), T(0)), MF_A_BOOL("is_training", true));
  SAME_BITS(FusedBatchNormV3, INS(T(64, 64, 24, 24), T(64), T(64), T(0), T(0)), MF_A_STR("data_format", "NCHW"));
  SAME_BITS(FusedBatchNormGradV3, INS(T(64, 24, 24, 64), T(64, 24, 24, 64), T(64), T(64), T(64), T(0)),
            MF_A_BOOL("is_training", true));
  for (int i = 0; i < 2; i++) {
    type = i ? MF_FLOAT64 : MF_FLOAT32;
    SAME_BITS(BiasAdd, INS(T(64, 24, 24, 64), T(64)), MF_A_STR("data_format", "NHWC"));
    SAME_BITS(BiasAddGrad, INS(T(64, 24, 24, 64)), MF_A_STR("data_format", "NHWC"));
    SAME_BITS(BiasAddGrad, INS(T(64, 64, 24, 24)), MF_A_STR("data_format", "NCHW"));
  }
}
END_TEST

START_TEST(resizing) {
  mf_dtype type = MF_FLOAT32;
  const int64_t size[] = {97, 131}, image[] = {60, 70};
  SAME_BITS(ResizeBilinear, INS(T(8, 60, 70, 3), ints(2, size)), MF_A_BOOL("half_pixel_centers", true));
  SAME_BITS(ResizeNearestNeighbor, INS(T(8, 60, 70, 3), ints(2, size)), MF_A_BOOL("half_pixel_centers", true));
  SAME_BITS(ResizeBilinearGrad, INS(T(8, 97, 131, 3), T(8, 60, 70, 3)), MF_A_BOOL("half_pixel_centers", true));
  SAME_BITS(ResizeNearestNeighborGrad, INS(T(8, 97, 131, 3), ints(2, image)), MF_A_BOOL("half_pixel_centers", true));
}
END_TEST

int main(void) {
  check(mf_init());
  check(mf_ctx_new(&ctx));
  Suite *suite = suite_create("kernels/bits");
  TCase *tests = tcase_create("bits");
  tcase_set_timeout(tests, 200);
  tcase_add_test(tests, products);
  tcase_add_test(tests, convolutions);
  tcase_add_test(tests, pooling);
  tcase_add_test(tests, normalisation_and_bias);
  tcase_add_test(tests, resizing);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  mf_ctx_release(ctx);
  mf_close();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
