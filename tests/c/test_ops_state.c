/* test_ops_state.c - ops with state and memory of their own: variables, optimizer steps, views, random streams.
 *
 * Expected numbers are hand arithmetic, or from TensorFlow 2.21 and Keras 3.15 where a comment says so.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "graph/graph.h"
#include "moonflow.h"
#include "ops/op_list.h"
#include "tensor/variable.h"

static mf_ctx *ctx;

static void open_library(void) {
  mf_status s = mf_init();
  ck_assert_msg(!s, "%s", mf_status_message(s));
  ck_assert_ptr_null(mf_ctx_new(&ctx));
}

static void close_library(void) {
  mf_pool_set_threads(0);
  mf_ctx_release(ctx);
  mf_close();
}

/* ---- short forms; every handle is released by the test */

static mf_tensor *floats(const float *v, int n) {
  mf_tensor *t;
  mf_shape s = mf_shape_1d(n);
  ck_assert_ptr_null(mf_tensor_from_bytes(MF_FLOAT32, &s, v, sizeof(float) * (size_t)n, &t));
  return t;
}

static mf_tensor *matrix(const float *v, int rows, int cols) {
  mf_tensor *t;
  mf_shape s = mf_shape_2d(rows, cols);
  ck_assert_ptr_null(mf_tensor_from_bytes(MF_FLOAT32, &s, v, sizeof(float) * (size_t)(rows * cols), &t));
  return t;
}

static mf_tensor *ints(const int64_t *v, int n) {
  mf_tensor *t;
  ck_assert_ptr_null(mf_tensor_from_i64(MF_INT32, v, n, &t));
  return t;
}

static mf_tensor *number(mf_dtype type, double v) {
  mf_tensor *t;
  ck_assert_ptr_null(mf_tensor_scalar_f64(type, v, &t));
  return t;
}

static mf_tensor *handle_of(mf_tensor *value) {
  mf_variable *v;
  mf_tensor *h;
  ck_assert_ptr_null(mf_variable_new(mf_tensor_dtype(value), &value->shape, "v", true, &v));
  ck_assert_ptr_null(mf_variable_assign(v, value));
  ck_assert_ptr_null(mf_tensor_scalar_object(MF_RESOURCE, mf_variable_object(v), &h));
  mf_object_release(mf_variable_object(v));
  return h;
}

static mf_tensor *variable(const float *v, int n) {
  mf_tensor *t = floats(v, n), *h = handle_of(t);
  mf_tensor_release(t);
  return h;
}

static mf_tensor *call(const mf_op_def *op, mf_tensor *const *in, int n, const mf_named_attr *attrs, int n_attrs) {
  mf_tensor *out[8] = {NULL};
  mf_status s = mf_apply(ctx, op, in, n, attrs, n_attrs, out, 8, NULL);
  ck_assert_msg(!s, "%s", mf_status_message(s));
  return out[0];
}

static mf_tensor *read(mf_tensor *handle) {
  return call(&mf_op_ReadVariableOp, &handle, 1, (mf_named_attr[]){MF_A_TYPE("dtype", MF_FLOAT32)}, 1);
}

static void expect_values(mf_tensor *t, const double *want, int n, double tolerance) {
  ck_assert_int_eq((int)mf_tensor_count(t), n);
  for (int i = 0; i < n; i++)
    ck_assert_msg(fabs(mf_tensor_get_f64(t, i) - want[i]) <= tolerance, "element %d: %.9g, expected %.9g", i,
                  mf_tensor_get_f64(t, i), want[i]);
}

static void expect_variable(mf_tensor *handle, const double *want, int n, double tolerance) {
  mf_tensor *now = read(handle);
  expect_values(now, want, n, tolerance);
  mf_tensor_release(now);
}

static void expect_failure(const mf_op_def *op, mf_tensor *const *in, int n, mf_code code, const char *text) {
  mf_tensor *out[8] = {NULL};
  mf_status s = mf_apply(ctx, op, in, n, NULL, 0, out, 8, NULL);
  ck_assert_int_eq(mf_status_code(s), code);
  ck_assert_msg(strstr(mf_status_message(s), text) != NULL, "%s", mf_status_message(s));
  mf_status_release(s);
}

static void release(mf_tensor **list, int n) { mf_tensor_release_all(list, n); }

/* ---- variables */

START_TEST(snapshots_stay) {
  mf_tensor *t[4] = {variable((float[]){1, 2, 3}, 3), floats((float[]){10, 20, 30}, 3)};
  t[2] = read(t[0]);
  call(&mf_op_AssignAddVariableOp, t, 2, NULL, 0);
  call(&mf_op_AssignAddVariableOp, t, 2, NULL, 0);
  expect_values(t[2], (double[]){1, 2, 3}, 3, 0);
  expect_variable(t[0], (double[]){21, 42, 63}, 3, 0);
  /* Nobody holds the value now: the next update happens where it lies. */
  t[3] = read(t[0]);
  const void *before = mf_data(t[3]);
  release(t + 3, 1);
  call(&mf_op_AssignSubVariableOp, t, 2, NULL, 0);
  t[3] = read(t[0]);
  ck_assert_ptr_eq(mf_data(t[3]), before);
  expect_values(t[3], (double[]){11, 22, 33}, 3, 0);
  release(t, 4);
}
END_TEST

START_TEST(named_handles_are_one_variable) {
  mf_shape shape = mf_shape_1d(1);
  mf_named_attr named[] = {MF_A_STR("shared_name", "w"), MF_A_TYPE("dtype", MF_FLOAT32), MF_A_SHAPE("shape", &shape)};
  mf_tensor *t[3] = {call(&mf_op_VarHandleOp, NULL, 0, named, 3), call(&mf_op_VarHandleOp, NULL, 0, named, 3)};
  t[2] = call(&mf_op_VarHandleOp, NULL, 0, named + 1, 2);
  ck_assert_ptr_eq(mf_object_at(t[0], 0), mf_object_at(t[1], 0));
  ck_assert_ptr_ne(mf_object_at(t[0], 0), mf_object_at(t[2], 0));
  release(t, 3);
}
END_TEST

START_TEST(scatters_in_the_order_of_indices) {
  mf_tensor *table = matrix((float[]){1, 1, 2, 2, 3, 3, 4, 4}, 4, 2);
  mf_tensor *t[3] = {handle_of(table), ints((int64_t[]){2, 0, 2}, 3), matrix((float[]){1, 2, 3, 4, 5, 6}, 3, 2)};
  call(&mf_op_ResourceScatterAdd, t, 3, NULL, 0);
  expect_variable(t[0], (double[]){4, 5, 2, 2, 9, 11, 4, 4}, 8, 0);
  call(&mf_op_ResourceScatterUpdate, t, 3, NULL, 0);
  expect_variable(t[0], (double[]){3, 4, 2, 2, 5, 6, 4, 4}, 8, 0);
  release(t + 1, 1);
  t[1] = ints((int64_t[]){0, 7, 1}, 3);
  expect_failure(&mf_op_ResourceScatterAdd, t, 3, MF_INVALID_ARGUMENT, "indices[1] = 7 is not in [0, 4)");
  expect_variable(t[0], (double[]){3, 4, 2, 2, 5, 6, 4, 4}, 8, 0);
  release(t, 3);
  mf_tensor_release(table);
}
END_TEST

/* ---- optimizer steps */

START_TEST(sgd_with_nesterov) {
  /* m = 0.5 m - 0.1 g; v += 0.5 m - 0.1 g; twice with g = (1, -2) */
  mf_tensor *t[5] = {variable((float[]){1, 1}, 2), variable((float[]){0, 0}, 2), floats((float[]){1, -2}, 2),
                     number(MF_FLOAT32, 0.1), number(MF_FLOAT64, 0.5)};
  mf_named_attr attrs[] = {MF_A_INT("S", 1), MF_A_BOOL("nesterov", true)};
  call(&mf_op_MfSGD, t, 5, attrs, 2);
  expect_variable(t[1], (double[]){-0.1, 0.2}, 2, 1e-7);
  expect_variable(t[0], (double[]){0.85, 1.3}, 2, 1e-6);
  call(&mf_op_MfSGD, t, 5, attrs, 2);
  expect_variable(t[1], (double[]){-0.15, 0.3}, 2, 1e-7);
  expect_variable(t[0], (double[]){0.675, 1.65}, 2, 1e-6);
  release(t, 5);
}
END_TEST

/* Inputs of one Adam step for variables of n and 3 elements; t[9] = everything. */
static void adam_inputs(mf_tensor **t, const float *v, const float *g, int n) {
  float *zeros = calloc((size_t)n, sizeof *zeros);
  for (int k = 0; k < 3; k++) {
    t[2 * k] = variable(k == 0 ? v : zeros, n);
    t[2 * k + 1] = variable(k == 0 ? v : zeros, 3);
  }
  t[6] = floats(g, n);
  t[7] = floats(g, 3);
  t[8] = number(MF_FLOAT32, 0.001);
  ck_assert_ptr_null(mf_tensor_scalar_i64(MF_INT64, 0, &t[9]));
  t[10] = number(MF_FLOAT64, 0.9);
  t[11] = number(MF_FLOAT64, 0.999);
  t[12] = number(MF_FLOAT64, 1e-7);
  free(zeros);
}

START_TEST(first_step_of_adam_is_the_learning_rate) {
  /* m = 0.1 g, v = 0.001 g^2, alpha = lr sqrt(0.001) / 0.1: the step is lr g / (|g| + 1e-7 / sqrt(0.001)) */
  mf_tensor *t[13];
  float v[4] = {1, 2, 3, 4}, g[4] = {0.5f, -0.25f, 8, -1};
  adam_inputs(t, v, g, 4);
  mf_named_attr slots = MF_A_INT("S", 4);
  call(&mf_op_MfAdam, t, 13, &slots, 1);
  expect_variable(t[0], (double[]){0.999, 2.001, 2.999, 4.001}, 4, 1e-6);
  expect_variable(t[2], (double[]){0.05, -0.025, 0.8, -0.1}, 4, 1e-7);
  expect_variable(t[4], (double[]){0.00025, 0.0000625, 0.064, 0.001}, 4, 1e-8);
  expect_variable(t[1], (double[]){0.999, 2.001, 2.999}, 3, 1e-6);
  release(t, 13);
}
END_TEST

enum { MANY = 50001 };

/* Bytes of the variable after three steps, made by `threads` threads, or by the trace's TensorFlow ops. */
static void adam_bytes(int threads, bool traced, float *result) {
  mf_tensor *t[13];
  float *v = malloc(MANY * sizeof *v), *g = malloc(MANY * sizeof *g);
  for (int i = 0; i < MANY; i++) {
    v[i] = (float)(i % 97) / 31.0f - 1.5f;
    g[i] = (float)(i * 7919 % 1013) / 400.0f - 1.2f;
  }
  adam_inputs(t, v, g, MANY);
  mf_pool_set_threads(threads);
  for (int step = 0; step < 3; step++) {
    mf_named_attr slots = MF_A_INT("S", 4);
    mf_tensor_release(t[9]);
    ck_assert_ptr_null(mf_tensor_scalar_i64(MF_INT64, step, &t[9]));
    mf_graph *graph;
    if (traced) ck_assert_ptr_null(mf_trace_begin(ctx, &graph));
    call(&mf_op_MfAdam, t, 13, &slots, 1);
    if (!traced) continue;
    ck_assert_ptr_null(mf_trace_end(graph, NULL, 0));
    ck_assert_ptr_null(mf_graph_interpret(ctx, graph, NULL, 0, NULL, 0));
    mf_graph_release(graph);
  }
  mf_tensor *now = read(t[0]);
  memcpy(result, mf_data(now), MANY * sizeof *result);
  mf_tensor_release(now);
  release(t, 13);
  free(v);
  free(g);
}

START_TEST(steps_are_the_same_bits_however_they_run) {
  float *one = malloc(MANY * sizeof *one), *other = malloc(MANY * sizeof *other);
  adam_bytes(1, false, one);
  adam_bytes(3, false, other);
  ck_assert(!memcmp(one, other, MANY * sizeof *one));
  adam_bytes(8, false, other);
  ck_assert(!memcmp(one, other, MANY * sizeof *one));
  /* A trace contains TensorFlow's ops only: the same formulas, rounded the same way. */
  adam_bytes(1, true, other);
  for (int i = 0; i < MANY; i++) ck_assert_float_eq_tol(one[i], other[i], 1e-6f);
  free(one);
  free(other);
}
END_TEST

START_TEST(steps_refuse_what_does_not_fit) {
  mf_tensor *t[13];
  float v[4] = {1, 2, 3, 4};
  adam_inputs(t, v, v, 4);
  mf_tensor_release(t[6]);
  t[6] = floats(v, 3);
  mf_named_attr slots = MF_A_INT("S", 4);
  mf_tensor *out;
  mf_status s = mf_apply(ctx, &mf_op_MfAdam, t, 13, &slots, 1, &out, 1, NULL);
  ck_assert_int_eq(mf_status_code(s), MF_INVALID_ARGUMENT);
  ck_assert(strstr(mf_status_message(s), "shape [4]") != NULL);
  mf_status_release(s);
  expect_variable(t[0], (double[]){1, 2, 3, 4}, 4, 0);
  release(t, 13);
}
END_TEST

/* ---- views */

START_TEST(rows_and_shapes_share_memory) {
  mf_tensor *t[6] = {matrix((float[]){0, 1, 2, 3, 4, 5}, 3, 2), ints((int64_t[]){1}, 1), ints((int64_t[]){2}, 1),
                     ints((int64_t[]){1}, 1)};
  t[4] = call(&mf_op_StridedSlice, t, 4, (mf_named_attr[]){MF_A_INT("shrink_axis_mask", 1)}, 1);
  ck_assert_int_eq(t[4]->shape.rank, 1);
  ck_assert_ptr_eq(mf_data(t[4]), (char *)mf_data(t[0]) + 2 * sizeof(float));
  expect_values(t[4], (double[]){2, 3}, 2, 0);
  mf_tensor *in[2] = {t[0], ints((int64_t[]){2, -1}, 2)};
  t[5] = call(&mf_op_Reshape, in, 2, NULL, 0);
  ck_assert_ptr_eq(mf_data(t[5]), mf_data(t[0]));
  mf_tensor_release(in[1]);
  release(t, 6);
}
END_TEST

/* ---- random streams (numbers of TensorFlow 2.21) */

START_TEST(streams_go_on_and_start_anew) {
  static const double want[2][3] = {{0.023186326026916504, 0.0994875431060791, 0.5691264867782593},
                                    {0.7791547775268555, 0.6328438520431519, 0.9757682085037231}};
  mf_tensor *shape = ints((int64_t[]){3}, 1);
  mf_named_attr attrs[] = {MF_A_INT("seed", 7), MF_A_INT("seed2", 11), MF_A_TYPE("dtype", MF_FLOAT32)};
  for (int round = 0; round < 2; round++) {
    mf_ctx_set_seed(ctx, 1);
    for (int k = 0; k < 2; k++) {
      mf_tensor *t = call(&mf_op_RandomUniform, &shape, 1, attrs, 3);
      expect_values(t, want[k], 3, 0);
      mf_tensor_release(t);
    }
  }
  mf_tensor_release(shape);
}
END_TEST

START_TEST(shuffles_as_tensorflow) {
  static const double want[2][8] = {{5, 3, 0, 2, 7, 6, 1, 4}, {2, 4, 6, 7, 3, 1, 5, 0}};
  mf_tensor *rows = ints((int64_t[]){0, 1, 2, 3, 4, 5, 6, 7}, 8);
  mf_named_attr attrs[] = {MF_A_INT("seed", 7), MF_A_INT("seed2", 11)};
  for (int k = 0; k < 2; k++) {
    mf_tensor *t = call(&mf_op_RandomShuffle, &rows, 1, attrs, 2);
    expect_values(t, want[k], 8, 0);
    mf_tensor_release(t);
  }
  mf_tensor_release(rows);
}
END_TEST

/* Sizes that leave partial tiles, partial lines and few columns; every element is looked at. */
START_TEST(transposes_of_odd_sizes) {
  static const int sizes[][2] = {{1, 7}, {3, 1000}, {1000, 3}, {257, 33}, {64, 512}, {300, 1024}, {1025, 259}};
  mf_tensor *in[2] = {NULL, ints((int64_t[]){1, 0}, 2)};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    int rows = sizes[k][0], cols = sizes[k][1];
    float *v = malloc((size_t)(rows * cols) * sizeof *v);
    for (int i = 0; i < rows * cols; i++) v[i] = (float)i;
    in[0] = matrix(v, rows, cols);
    mf_tensor *t = call(&mf_op_Transpose, in, 2, NULL, 0);
    for (int c = 0; c < cols; c++)
      for (int r = 0; r < rows; r++) ck_assert(MF_DATA(float, t)[c * rows + r] == v[r * cols + c]);
    mf_tensor_release(t);
    mf_tensor_release(in[0]);
    free(v);
  }
  mf_tensor_release(in[1]);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ops state");
  TCase *tc = tcase_create("state");
  tcase_add_checked_fixture(tc, open_library, close_library);
  tcase_add_test(tc, snapshots_stay);
  tcase_add_test(tc, named_handles_are_one_variable);
  tcase_add_test(tc, scatters_in_the_order_of_indices);
  tcase_add_test(tc, sgd_with_nesterov);
  tcase_add_test(tc, first_step_of_adam_is_the_learning_rate);
  tcase_add_test(tc, steps_are_the_same_bits_however_they_run);
  tcase_add_test(tc, steps_refuse_what_does_not_fit);
  tcase_add_test(tc, rows_and_shapes_share_memory);
  tcase_add_test(tc, streams_go_on_and_start_anew);
  tcase_add_test(tc, shuffles_as_tensorflow);
  tcase_add_test(tc, transposes_of_odd_sizes);
  suite_add_tcase(suite, tc);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
