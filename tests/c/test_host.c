/* test_host.c - libmoonflow_lua: interpreters in C programs: scripts, results, errors, tensors both ways, opening and closing again
 * and again, two interpreters in two threads. */
#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "moonflow.h"
#include "moonflow_lua.h"
#include "tensor/allocator.h"

static mf_lua *lua;

static void good(mf_status s) {
  ck_assert_msg(!s, "%s", mf_status_message(s));
}

static void bad(mf_status s, mf_code code, const char *text) {
  ck_assert_ptr_nonnull(s);
  ck_assert_msg(mf_status_code(s) == code, "code %s", mf_code_name(mf_status_code(s)));
  ck_assert_msg(strstr(mf_status_message(s), text) != NULL, "'%s' is not in: %s", text, mf_status_message(s));
  mf_status_release(s);
}

static void open_lua(void) { good(mf_lua_open(&lua)); }
static void close_lua(void) { mf_lua_close(lua); }

START_TEST(returns_results) {
  double number;
  const char *text;
  size_t size;
  mf_tensor *t;
  good(mf_lua_run_string(lua, "local tf = require 'moonflow' return 1.5, 'a\\0b', tf.constant{{1, 2}, {3, 4}}, true, {5.0, 6.0}, nil",
                         "=test"));
  ck_assert_int_eq(mf_lua_result_count(lua), 6);
  good(mf_lua_result_number(lua, 0, &number));
  ck_assert_double_eq(number, 1.5);
  good(mf_lua_result_string(lua, 1, &text, &size));
  ck_assert_uint_eq(size, 3);
  ck_assert_mem_eq(text, "a\0b", 4);
  good(mf_lua_result_tensor(lua, 2, &t));
  ck_assert_int_eq(t->dtype, MF_INT32);
  ck_assert_int_eq(t->shape.rank, 2);
  ck_assert_int_eq(mf_tensor_get_i64(t, 3), 4);
  mf_tensor_release(t);
  good(mf_lua_result_number(lua, 3, &number));
  ck_assert_double_eq(number, 1);
  good(mf_lua_result_tensor(lua, 4, &t));
  ck_assert_double_eq(mf_tensor_get_f64(t, 1), 6);
  mf_tensor_release(t);
  bad(mf_lua_result_number(lua, 5, &number), MF_INVALID_ARGUMENT, "expected");
  bad(mf_lua_result_number(lua, 6, &number), MF_INVALID_ARGUMENT, "no result 6");
  bad(mf_lua_result_tensor(lua, 5, &t), MF_INVALID_ARGUMENT, "no such value");
  ck_assert_ptr_null(t);
}
END_TEST

START_TEST(tensors_survive_the_interpreter) {
  mf_tensor *t;
  mf_lua *other;
  good(mf_lua_open(&other));
  good(mf_lua_run_string(other, "return require 'moonflow'.ones{1000}", NULL));
  good(mf_lua_result_tensor(other, 0, &t));
  mf_lua_close(other);
  ck_assert_double_eq(mf_tensor_get_f64(t, 999), 1);
  mf_tensor_release(t);
}
END_TEST

START_TEST(reports_errors) {
  bad(mf_lua_run_string(lua, "local x = = 1", "=test"), MF_UNKNOWN, "test:1:");
  bad(mf_lua_run_string(lua, "\nerror('boo')", "=test"), MF_UNKNOWN, "test:2: boo");
  bad(mf_lua_run_string(lua, "error({})", "=test"), MF_UNKNOWN, "table");
  bad(mf_lua_run_string(lua, "error(nil)", "=test"), MF_UNKNOWN, "nil");
  bad(mf_lua_run_string(lua, "require 'moonflow'.zeros({2}, {dtyp = 1})", "=test"), MF_INVALID_ARGUMENT, "did you mean 'dtype'");
  bad(mf_lua_run_string(lua, "local function f() return f() + 1 end f()", "=test"), MF_UNKNOWN, "stack overflow");
  bad(mf_lua_run_file(lua, "/no/such/file.lua", 0, NULL), MF_NOT_FOUND, "/no/such/file.lua");
  double number;
  good(mf_lua_run_string(lua, "return 1 + 1", NULL));
  good(mf_lua_result_number(lua, 0, &number));
  ck_assert_double_eq(number, 2);
}
END_TEST

START_TEST(exchanges_globals) {
  mf_tensor *t, *back;
  double number;
  mf_shape shape = mf_shape_1d(3);
  good(mf_tensor_from_bytes(MF_FLOAT32, &shape, (float[]){1, 2, 3}, 12, &t));
  good(mf_lua_set_tensor(lua, "x", t));
  good(mf_lua_set_number(lua, "k", 10));
  good(mf_lua_set_string(lua, "word", "w%s"));
  good(mf_lua_run_string(lua, "y = {z = x * k}  n = #word  function double(a) return a * 2.0, a end", NULL));
  good(mf_lua_get_tensor(lua, "y.z", &back));
  ck_assert_double_eq(mf_tensor_get_f64(back, 2), 30);
  mf_tensor_release(back);
  good(mf_lua_get_number(lua, "n", &number));
  ck_assert_double_eq(number, 3);
  bad(mf_lua_get_tensor(lua, "nothing.here", &back), MF_INVALID_ARGUMENT, "no such value");
  good(mf_lua_call(lua, "double", &t, 1));
  ck_assert_int_eq(mf_lua_result_count(lua), 2);
  good(mf_lua_result_tensor(lua, 0, &back));
  ck_assert_double_eq(mf_tensor_get_f64(back, 2), 6);
  mf_tensor_release(back);
  bad(mf_lua_call(lua, "absent", &t, 1), MF_UNKNOWN, "");
  mf_tensor_release(t);
}
END_TEST

START_TEST(runs_files_with_arguments) {
  char path[] = "/tmp/moonflow_host_XXXXXX";
  int fd = mkstemp(path);
  const char *script = "local a, b = ...\nreturn arg[0], arg[1], b, #arg\n", *text;
  ck_assert_int_ge(fd, 0);
  ck_assert_int_eq((int)write(fd, script, strlen(script)), (int)strlen(script));
  close(fd);
  good(mf_lua_run_file(lua, path, 2, (const char *const[]){"one", "two"}));
  good(mf_lua_result_string(lua, 0, &text, NULL));
  ck_assert_str_eq(text, path);
  good(mf_lua_result_string(lua, 1, &text, NULL));
  ck_assert_str_eq(text, "one");
  good(mf_lua_result_string(lua, 2, &text, NULL));
  ck_assert_str_eq(text, "two");
  unlink(path);
}
END_TEST

/* Trains a line through points: y = 2 x + 1. */
static const char training[] =
    "local tf = require 'moonflow'\n"
    "local x = tf.reshape(tf.range(-1.0, 1.0, 0.125), {-1, 1})\n"
    "local y = x * 2.0 + 1.0\n"
    "local w, b = tf.Variable{{0.0}}, tf.Variable{0.0}\n"
    "for step = 1, 60 do\n"
    "  local tape = tf.GradientTape()\n"
    "  local loss = tf.reduce_mean(tf.math.squared_difference(tf.matmul(x, w) + b, y))\n"
    "  local g = tape:gradient(loss, {w, b})\n"
    "  w:assign_sub(g[1] * 0.5)\n"
    "  b:assign_sub(g[2] * 0.5)\n"
    "end\n"
    "return w[0][0], b[0]\n";

static void train(mf_lua *interpreter) {
  double w, b;
  good(mf_lua_run_string(interpreter, training, "=training"));
  good(mf_lua_result_number(interpreter, 0, &w));
  good(mf_lua_result_number(interpreter, 1, &b));
  ck_assert_double_eq_tol(w, 2, 1e-3);
  ck_assert_double_eq_tol(b, 1, 1e-3);
}

/* Loads points from a file, trains a small network on them, saves its weights, loads them into another, compares. Returns the
 * last loss. Its argument: a folder of the test's own. */
static const char fitting[] =
    "local tf = require 'moonflow'\n"
    "local folder = ...\n"
    "tf.keras.utils.set_random_seed(7)\n"
    "tf.files.save_npy(folder .. '/x.npy', tf.random.normal{64, 4})\n"
    "local x = tf.files.load_npy(folder .. '/x.npy')\n"
    "local y = tf.reduce_sum(x * x, 1, true)\n"
    "local function build()\n"
    "  local model = tf.keras.Sequential{tf.keras.Input{shape = {4}}, tf.keras.layers.Dense(16, {activation = 'relu'}),\n"
    "                                    tf.keras.layers.Dropout(0.1), tf.keras.layers.Dense(1)}\n"
    "  return model\n"
    "end\n"
    "local model, other = build(), build()\n"
    "model:compile{optimizer = 'adam', loss = 'mse', metrics = {'mae'}}\n"
    "local data = tf.data.Dataset.from_tensor_slices(x, y):shuffle(64):batch(16):prefetch(2)\n"
    "local history = model:fit(data, {epochs = 3, verbose = 0, validation_data = {x, y}})\n"
    "model:save_weights(folder .. '/w.weights.h5')\n"
    "other:load_weights(folder .. '/w.weights.h5')\n"
    "local same = tf.reduce_all(tf.equal(model:predict(x, {verbose = 0}), other:predict(x, {verbose = 0})))\n"
    "return history.history.loss[3], same\n";

/* [OUT] *loss: of the last epoch. */
static mf_status fit(mf_lua *interpreter, double *loss) {
  char folder[] = "/tmp/moonflow_host_XXXXXX", script[64];
  const char *const args[] = {folder};
  mf_status status = NULL;
  double same = 0;
  if (!mkdtemp(folder)) return mf_fail(MF_INTERNAL, "no folder for the test");
  snprintf(script, sizeof script, "%s/fit.lua", folder);
  FILE *file = fopen(script, "w");
  if (!file || fputs(fitting, file) < 0) status = mf_fail(MF_INTERNAL, "no script for the test");
  if (file && fclose(file) && !status) status = mf_fail(MF_INTERNAL, "no script for the test");
  if (!status) status = mf_lua_run_file(interpreter, script, 1, args);
  if (!status) status = mf_lua_result_number(interpreter, 0, loss);
  if (!status) status = mf_lua_result_number(interpreter, 1, &same);
  if (!status && same != 1) status = mf_fail(MF_INTERNAL, "the loaded weights predict otherwise");
  static const char *const files[] = {"fit.lua", "x.npy", "w.weights.h5"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(script, sizeof script, "%s/%s", folder, files[i]);
    unlink(script);
  }
  if (rmdir(folder) && !status) status = mf_fail(MF_INTERNAL, "the script left files in its folder");
  return status;
}

typedef struct memory_in_use {
  int64_t bytes, blocks;
} memory_in_use;

static memory_in_use memory_now(void) {
  return (memory_in_use){mf_allocator_stats_get(mf_allocator_cpu()).bytes_in_use, mf_memory_live_blocks()};
}

static void same_memory(memory_in_use before) {
  memory_in_use now = memory_now();
  ck_assert_int_eq(now.bytes, before.bytes);
  ck_assert_int_eq(now.blocks, before.blocks);
}

START_TEST(leaks_nothing_in_a_hundred_rounds) {
  mf_lua *other;
  memory_in_use before = {0, 0};
  double loss;
  for (int i = 0; i < 100; i++) {
    good(mf_lua_open(&other));
    train(other);
    good(fit(other, &loss));
    mf_lua_close(other);
    if (i == 4) before = memory_now(); /* what is made once by process has been made */
  }
  same_memory(before);
}
END_TEST

typedef struct trainer {
  mf_status failed;
  double loss;
} trainer;

static void *train_in_thread(void *user) {
  trainer *own = user;
  mf_lua *interpreter;
  own->failed = mf_lua_open(&interpreter);
  for (int i = 0; i < 3 && !own->failed; i++) own->failed = mf_lua_run_string(interpreter, training, "=training");
  double w = 0;
  if (!own->failed) own->failed = mf_lua_result_number(interpreter, 0, &w);
  if (!own->failed && (w < 1.99 || w > 2.01)) own->failed = mf_fail(MF_INTERNAL, "w is %f", w);
  if (!own->failed) own->failed = fit(interpreter, &own->loss);
  mf_lua_close(interpreter);
  return NULL;
}

/* What runs beside an interpreter changes no bit of what it computes. */
START_TEST(two_interpreters_train_at_once) {
  pthread_t threads[2];
  trainer alone = {0}, both[2] = {{0}};
  train_in_thread(&alone);
  good(alone.failed);
  for (int i = 0; i < 2; i++) ck_assert_int_eq(pthread_create(&threads[i], NULL, train_in_thread, &both[i]), 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 2; i++) {
    good(both[i].failed);
    ck_assert_msg(both[i].loss == alone.loss, "loss %.17g beside another interpreter, %.17g alone", both[i].loss, alone.loss);
  }
}
END_TEST

/* Lua calls no finaliser of an object that a finaliser made while the state was closing. */
START_TEST(closing_ends_what_finalisers_make) {
  mf_lua *other;
  memory_in_use before = {0, 0};
  for (int i = 0; i < 3; i++) {
    if (i == 1) before = memory_now();
    good(mf_lua_open(&other));
    good(mf_lua_run_string(other,
                           "local tf = require 'moonflow'\n"
                           "late = setmetatable({}, {__gc = function()\n"
                           "  local t = tf.ones{1000}\n"
                           "  local v, tape = tf.Variable(t), tf.GradientTape()\n"
                           "  local g = tape:gradient(tf.reduce_sum(v * v), {v})\n"
                           "  local open, s = tf.GradientTape(), tf.scope()\n"
                           "  local d = tf.data.Dataset.range(10):map(function(x) return x + 1 end):batch(4)\n"
                           "  for x in d:iter() do left = x break end\n"
                           "  setmetatable({}, {__gc = function() second = tf.ones{100} end})\n"
                           "  word = tf.constant{'a', 'b'}\n"
                           "end})\n",
                           NULL));
    mf_lua_close(other);
  }
  same_memory(before);
}
END_TEST

START_TEST(closing_ends_what_scripts_left_open) {
  mf_lua *other;
  good(mf_lua_open(&other));
  good(mf_lua_run_string(other,
                         "local tf = require 'moonflow'\n"
                         "keep = {tf.GradientTape(), tf.scope(), tf.device('/CPU:0'), tf.ones{10}, tf.Variable(1.0)}\n"
                         "late = setmetatable({}, {__gc = function() assert(#keep[4] == 10) end})\n"
                         "co = coroutine.create(function() local t = tf.GradientTape() coroutine.yield(t) end)\n"
                         "coroutine.resume(co)\n",
                         NULL));
  mf_lua_close(other);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("host");
  TCase *one = tcase_create("one interpreter"), *many = tcase_create("many");
  tcase_add_checked_fixture(one, open_lua, close_lua);
  tcase_add_test(one, returns_results);
  tcase_add_test(one, tensors_survive_the_interpreter);
  tcase_add_test(one, reports_errors);
  tcase_add_test(one, exchanges_globals);
  tcase_add_test(one, runs_files_with_arguments);
  tcase_add_test(many, closing_ends_what_scripts_left_open);
  tcase_add_test(many, closing_ends_what_finalisers_make);
  tcase_add_test(many, leaks_nothing_in_a_hundred_rounds);
  tcase_add_test(many, two_interpreters_train_at_once);
  tcase_set_timeout(many, 120);
  suite_add_tcase(suite, one);
  suite_add_tcase(suite, many);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
