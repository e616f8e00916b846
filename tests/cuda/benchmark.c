/* benchmark.c - how fast the kernels are on this device: bandwidth of memory-bound ones, rate of products. */
#include <stdio.h>

#include "harness.h"

static void report(const char *what, call *c, double bytes, double operations) {
  double seconds = call_time(c, 20);
  if (seconds <= 0) printf("bench %-28s failed\n", what);
  else if (operations > 0)
    printf("bench %-28s %9.1f us %9.1f GFLOP/s\n", what, seconds * 1e6, operations / seconds * 1e-9);
  else printf("bench %-28s %9.1f us %9.1f GB/s\n", what, seconds * 1e6, bytes / seconds * 1e-9);
}

void benchmark(void) {
  const int64_t rows = 16384, n = 4096, dims[2] = {16384, 4096}, square[2] = {4096, 4096}, zero_dim = 1;
  double bytes = (double)rows * (double)n * 4;
  mf_named_attr T = A_TYPE("T", MF_FLOAT32);
  array x = array_new(MF_FLOAT32, 2, dims), y = array_new(MF_FLOAT32, 2, dims), z = array_new(MF_FLOAT32, 2, dims);
  array bias = array_new(MF_FLOAT32, 1, &n), row = array_new(MF_FLOAT32, 1, &rows),
        axis = array_new(MF_INT32, 1, &zero_dim);
  array a = array_new(MF_FLOAT32, 2, square), b = array_new(MF_FLOAT32, 2, square),
        c = array_new(MF_FLOAT32, 2, square);
  array_random(&x, -3, 3);
  array_random(&y, -3, 3);
  call relu = {.op = "Relu", .attrs = {T}, .n_attrs = 1, .in = {&x}, .n_in = 1, .out = {&z}, .n_out = 1};
  call tanh_ = {.op = "Tanh", .attrs = {T}, .n_attrs = 1, .in = {&x}, .n_in = 1, .out = {&z}, .n_out = 1};
  call add = {.op = "AddV2", .attrs = {T}, .n_attrs = 1, .in = {&x, &y}, .n_in = 2, .out = {&z}, .n_out = 1};
  call bias_add = {.op = "BiasAdd", .attrs = {T}, .n_attrs = 1, .in = {&x, &bias}, .n_in = 2, .out = {&z}, .n_out = 1};
  call softmax = {.op = "Softmax", .attrs = {T}, .n_attrs = 1, .in = {&x}, .n_in = 1, .out = {&z}, .n_out = 1};
  call columns = {.op = "Sum", .attrs = {T}, .n_attrs = 1, .in = {&x, &axis}, .n_in = 2, .out = {&bias}, .n_out = 1};
  report("Relu 64M", &relu, 2 * bytes, 0);
  report("Tanh 64M", &tanh_, 2 * bytes, 0);
  report("AddV2 64M", &add, 3 * bytes, 0);
  report("BiasAdd 16384x4096", &bias_add, 2 * bytes, 0);
  report("Softmax 16384x4096", &softmax, 2 * bytes, 0);
  report("Sum over rows", &columns, bytes, 0);
  array_set(&axis, 0, 1);
  call along = {.op = "Sum", .attrs = {T}, .n_attrs = 1, .in = {&x, &axis}, .n_in = 2, .out = {&row}, .n_out = 1};
  report("Sum over columns", &along, bytes, 0);
  call product = {.op = "MatMul", .attrs = {T}, .n_attrs = 1, .in = {&a, &b}, .n_in = 2, .out = {&c}, .n_out = 1};
  report("MatMul 4096^3", &product, 0, 2.0 * 4096 * 4096 * 4096);
  array_free(&x);
  array_free(&y);
  array_free(&z);
  array_free(&bias);
  array_free(&row);
  array_free(&axis);
  array_free(&a);
  array_free(&b);
  array_free(&c);
}
