/* embed_host.c - a program written in C that trains a model by a Lua script and reads the result.
 *
 *     cc embed_host.c $(pkg-config --cflags --libs moonflow) -o embed_host && ./embed_host
 *
 * The host hands data in as a tensor, the script trains on it and returns the loss, and the host calls the trained model.
 */
#include <stdio.h>

#include "moonflow_lua.h"

static const char script[] =
    "local tf = require 'moonflow'\n"
    "tf.keras.utils.set_random_seed(1)\n"
    "local y = tf.reduce_sum(samples, {axis = 1, keepdims = true}) * 0.5\n"
    "local model = tf.keras.Sequential{tf.keras.Input{shape = {4}}, tf.keras.layers.Dense(1)}\n"
    "model:compile{optimizer = tf.keras.optimizers.SGD(0.1), loss = 'mse'}\n"
    "local history = model:fit(samples, y, {epochs = 40, batch_size = 16, verbose = 0})\n"
    "function predict(x) return model(x) end\n"
    "return history.history.loss[#history.history.loss]\n";

/* 64 rows of 4 numbers between -1 and 1, without a pattern that a linear layer could not fit. */
static mf_status make_samples(mf_tensor **out) {
  float values[64 * 4];
  unsigned state = 12345;
  for (int i = 0; i < 64 * 4; i++) {
    state = state * 1664525u + 1013904223u;
    values[i] = (float)(state >> 8) / (float)(1 << 23) - 1.0f;
  }
  mf_shape shape = mf_shape_2d(64, 4);
  return mf_tensor_from_bytes(MF_FLOAT32, &shape, values, sizeof values, out);
}

static mf_status train(mf_lua *lua, double *loss, double *prediction) {
  mf_tensor *samples = NULL, *point = NULL;
  mf_shape row = mf_shape_2d(1, 4);
  const float values[4] = {1.0f, 1.0f, 1.0f, 1.0f};
  mf_status s = make_samples(&samples);
  if (!s) s = mf_lua_set_tensor(lua, "samples", samples);
  if (!s) s = mf_lua_run_string(lua, script, "=embedded");
  if (!s) s = mf_lua_result_number(lua, 0, loss);
  if (!s) s = mf_tensor_from_bytes(MF_FLOAT32, &row, values, sizeof values, &point);
  if (!s) s = mf_lua_call(lua, "predict", &point, 1);
  if (!s) s = mf_lua_result_number(lua, 0, prediction);
  mf_tensor_release(point);
  mf_tensor_release(samples);
  return s;
}

int main(void) {
  mf_lua *lua = NULL;
  double loss = 0, prediction = 0;
  mf_status s = mf_lua_open(&lua);
  if (!s) s = train(lua, &loss, &prediction);
  if (s) fprintf(stderr, "embed_host: %s\n", mf_status_message(s));
  else printf("loss %.6f; the model says %.3f, the truth is 2\n", loss, prediction);
  int failed = s != NULL;
  mf_status_release(s);
  mf_lua_close(lua);
  return failed;
}
