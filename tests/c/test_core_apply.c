/* test_core_apply.c - mf_apply: resolving attributes, running, errors; tapes, gradients of gradients, traces and their judge. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "autodiff/tape.h"
#include "base/memory.h"
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
  mf_ctx_release(ctx);
  mf_close();
}

static mf_tensor *scalar(double v) {
  mf_tensor *t;
  ck_assert_ptr_null(mf_tensor_scalar_f64(MF_FLOAT32, v, &t));
  return t;
}

static mf_tensor *vector(const float *v, int n) {
  mf_tensor *t;
  mf_shape s = mf_shape_1d(n);
  ck_assert_ptr_null(mf_tensor_from_bytes(MF_FLOAT32, &s, v, sizeof(float) * (size_t)n, &t));
  return t;
}

static mf_tensor *binary(const mf_op_def *op, mf_tensor *x, mf_tensor *y) {
  mf_tensor *out;
  mf_status s = mf_apply(ctx, op, (mf_tensor *[]){x, y}, 2, NULL, 0, &out, 1, NULL);
  ck_assert_msg(!s, "%s", mf_status_message(s));
  return out;
}

START_TEST(adds_and_broadcasts) {
  mf_tensor *x = vector((float[]){1, 2, 3}, 3), *y = scalar(10), *z = binary(&mf_op_AddV2, x, y);
  ck_assert_int_eq(z->shape.rank, 1);
  for (int i = 0; i < 3; i++) ck_assert_double_eq(mf_tensor_get_f64(z, i), 11 + i);
  mf_tensor_release(x);
  mf_tensor_release(y);
  mf_tensor_release(z);
}
END_TEST

START_TEST(refuses_mixed_dtypes_and_names_cast) {
  mf_tensor *x = scalar(1), *y, *out;
  ck_assert_ptr_null(mf_tensor_scalar_i64(MF_INT32, 1, &y));
  mf_status s = mf_apply(ctx, &mf_op_AddV2, (mf_tensor *[]){x, y}, 2, NULL, 0, &out, 1, NULL);
  ck_assert_int_eq(mf_status_code(s), MF_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(mf_status_message(s), "tf.cast"));
  ck_assert_str_eq(mf_status_op(s), "AddV2");
  ck_assert_ptr_null(out);
  mf_status_release(s);
  mf_tensor_release(x);
  mf_tensor_release(y);
}
END_TEST

START_TEST(refuses_bad_calls) {
  mf_tensor *x = vector((float[]){1, 2, 3}, 3), *y = vector((float[]){1, 2}, 2), *out;
  mf_status s = mf_apply(ctx, &mf_op_AddV2, (mf_tensor *[]){x, y}, 2, NULL, 0, &out, 1, NULL);
  ck_assert_int_eq(mf_status_code(s), MF_INVALID_ARGUMENT);
  mf_status_release(s);
  s = mf_apply(ctx, &mf_op_AddV2, (mf_tensor *[]){x}, 1, NULL, 0, &out, 1, NULL);
  ck_assert_int_eq(mf_status_code(s), MF_INVALID_ARGUMENT);
  mf_status_release(s);
  mf_named_attr unknown[] = {MF_A_INT("axes", 1)};
  s = mf_apply(ctx, &mf_op_Neg, (mf_tensor *[]){x}, 1, unknown, 1, &out, 1, NULL);
  ck_assert_int_eq(mf_status_code(s), MF_INVALID_ARGUMENT);
  mf_status_release(s);
  mf_tensor_release(x);
  mf_tensor_release(y);
}
END_TEST

/* d(x^3)/dx = 3 x^2 = 12, d2 = 6 x = 12, at x = 2. */
START_TEST(differentiates_twice) {
  mf_tape *outer, *inner;
  mf_tensor *x = scalar(2);
  ck_assert_ptr_null(mf_tape_open(ctx, false, true, &outer));
  ck_assert_ptr_null(mf_tape_watch(outer, x));
  ck_assert_ptr_null(mf_tape_open(ctx, false, true, &inner));
  ck_assert_ptr_null(mf_tape_watch(inner, x));
  mf_tensor *x2 = binary(&mf_op_Mul, x, x), *y = binary(&mf_op_Mul, x2, x);
  mf_grad first, second, none;
  mf_tape_close(inner);
  ck_assert_ptr_null(mf_tape_gradient(inner, &y, 1, NULL, &x, 1, &first));
  ck_assert_double_eq(mf_tensor_get_f64(first.values, 0), 12);
  mf_tape_close(outer);
  ck_assert_ptr_null(mf_tape_gradient(outer, &first.values, 1, NULL, &x, 1, &second));
  ck_assert_double_eq(mf_tensor_get_f64(second.values, 0), 12);
  mf_status again = mf_tape_gradient(outer, &y, 1, NULL, &x, 1, &none);
  ck_assert_int_eq(mf_status_code(again), MF_FAILED_PRECONDITION);
  mf_status_release(again);
  mf_grad_release(&first);
  mf_grad_release(&second);
  mf_tape_release(inner);
  mf_tape_release(outer);
  mf_tensor_release(x);
  mf_tensor_release(x2);
  mf_tensor_release(y);
}
END_TEST

START_TEST(unbroadcasts_gradients) {
  mf_tape *tape;
  mf_tensor *x = vector((float[]){1, 2, 3}, 3), *b = scalar(4);
  mf_tensor *sources[] = {x, b};
  mf_grad dx[2];
  ck_assert_ptr_null(mf_tape_open(ctx, false, true, &tape));
  ck_assert_ptr_null(mf_tape_watch(tape, x));
  ck_assert_ptr_null(mf_tape_watch(tape, b));
  mf_tensor *y = binary(&mf_op_Mul, x, b);
  ck_assert_ptr_null(mf_tape_gradient(tape, &y, 1, NULL, sources, 2, dx));
  for (int i = 0; i < 3; i++) ck_assert_double_eq(mf_tensor_get_f64(dx[0].values, i), 4);
  ck_assert_int_eq(dx[1].values->shape.rank, 0);
  ck_assert_double_eq(mf_tensor_get_f64(dx[1].values, 0), 6);
  mf_grad_release(&dx[0]);
  mf_grad_release(&dx[1]);
  mf_tape_release(tape);
  mf_tensor_release(x);
  mf_tensor_release(b);
  mf_tensor_release(y);
}
END_TEST

/* The same graph runs for several lengths; its gradient is traced too. */
START_TEST(traces_with_unknown_shapes) {
  mf_graph *g;
  mf_tape *tape;
  mf_tensor *x, *two = scalar(2), *out[2];
  mf_shape unknown = mf_shape_1d(MF_UNKNOWN_DIM);
  mf_grad dx;
  ck_assert_ptr_null(mf_trace_begin(ctx, &g));
  ck_assert_ptr_null(mf_trace_input(g, MF_FLOAT32, &unknown, "x", &x));
  ck_assert_ptr_null(mf_tape_open(ctx, false, true, &tape));
  ck_assert_ptr_null(mf_tape_watch(tape, x));
  mf_tensor *sq = binary(&mf_op_Mul, x, x), *y = binary(&mf_op_AddV2, sq, two);
  mf_status s = mf_tape_gradient(tape, &y, 1, NULL, &x, 1, &dx);
  ck_assert_msg(!s, "%s", mf_status_message(s));
  mf_tape_release(tape);
  mf_tensor *outputs[] = {y, dx.values};
  ck_assert_ptr_null(mf_trace_end(g, outputs, 2));
  ck_assert_ptr_null(ctx->trace);
  for (int n = 0; n < 5; n++) {
    float v[5] = {1, 2, 3, 4, 5};
    mf_tensor *in = vector(v, n);
    s = mf_graph_interpret(ctx, g, &in, 1, out, 2);
    ck_assert_msg(!s, "%s", mf_status_message(s));
    ck_assert_int_eq(mf_tensor_count(out[0]), n);
    for (int i = 0; i < n; i++) {
      ck_assert_double_eq(mf_tensor_get_f64(out[0], i), v[i] * v[i] + 2);
      ck_assert_double_eq(mf_tensor_get_f64(out[1], i), 2 * v[i]);
    }
    mf_tensor_release_all(out, 2);
    mf_tensor_release(in);
  }
  mf_grad_release(&dx);
  mf_tensor_release(x);
  mf_tensor_release(sq);
  mf_tensor_release(y);
  mf_tensor_release(two);
  mf_graph_release(g);
}
END_TEST

START_TEST(symbolic_values_do_not_leak) {
  mf_graph *g;
  mf_tensor *x, *out;
  mf_shape shape = mf_shape_scalar();
  ck_assert_ptr_null(mf_trace_begin(ctx, &g));
  ck_assert_ptr_null(mf_trace_input(g, MF_FLOAT32, &shape, "x", &x));
  mf_trace_abandon(g);
  mf_status s = mf_apply(ctx, &mf_op_Neg, &x, 1, NULL, 0, &out, 1, NULL);
  ck_assert_int_eq(mf_status_code(s), MF_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(mf_status_message(s), "symbolic"));
  mf_status_release(s);
  mf_tensor_release(x);
  mf_graph_release(g);
}
END_TEST

/* A snapshot keeps its values when the variable changes; a variable nobody looks at is changed in place. */
static mf_status add_one(void *user, mf_tensor *own) {
  *(void **)user = own->data;
  *MF_DATA(float, own) += 1;
  return NULL;
}

START_TEST(variables_keep_snapshots) {
  mf_variable *v;
  mf_tensor *start = vector((float[]){1, 2}, 2), *snapshot;
  void *first, *second, *third;
  ck_assert_ptr_null(mf_variable_new(MF_FLOAT32, &start->shape, "w", true, &v));
  mf_status unset = mf_variable_read(v, &snapshot);
  ck_assert_int_eq(mf_status_code(unset), MF_FAILED_PRECONDITION);
  mf_status_release(unset);
  ck_assert_ptr_null(mf_variable_assign(v, start));
  mf_tensor_release(start);
  ck_assert_ptr_null(mf_variable_update(v, add_one, &first));
  ck_assert_ptr_null(mf_variable_read(v, &snapshot));
  ck_assert_ptr_null(mf_variable_update(v, add_one, &second));
  ck_assert_ptr_ne(first, second);
  ck_assert_double_eq(mf_tensor_get_f64(snapshot, 0), 2);
  mf_tensor_release(snapshot);
  ck_assert_ptr_null(mf_variable_update(v, add_one, &third));
  ck_assert_ptr_eq(second, third);
  ck_assert_ptr_null(mf_variable_read(v, &snapshot));
  ck_assert_double_eq(mf_tensor_get_f64(snapshot, 0), 4);
  mf_tensor_release(snapshot);
  mf_object_release(mf_variable_object(v));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("core apply");
  TCase *tc = tcase_create("apply");
  tcase_add_checked_fixture(tc, open_library, close_library);
  tcase_add_test(tc, adds_and_broadcasts);
  tcase_add_test(tc, refuses_mixed_dtypes_and_names_cast);
  tcase_add_test(tc, refuses_bad_calls);
  tcase_add_test(tc, differentiates_twice);
  tcase_add_test(tc, unbroadcasts_gradients);
  tcase_add_test(tc, traces_with_unknown_shapes);
  tcase_add_test(tc, symbolic_values_do_not_leak);
  tcase_add_test(tc, variables_keep_snapshots);
  suite_add_tcase(suite, tc);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
