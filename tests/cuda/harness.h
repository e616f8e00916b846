/* harness.h - runs single kernels of a device plug-in and compares with references: for tests and benchmarks of the
 * plug-in.
 *
 * The plug-in is opened and called as core does it, through mf_plugin and mf_kernel_def, but without libmoonflow: op
 * entries and tensors are put together here. The same program tests libmoonflow_cuda.so on a GPU and
 * libmoonflow_cudaemu.so anywhere.
 *
 * References compute in double from the op's definition; they know nothing of kernels/scalar.h.
 */
#ifndef MF_TESTS_CUDA_HARNESS_H
#define MF_TESTS_CUDA_HARNESS_H

#include <stdbool.h>

#include "ops/kernel.h"
#include "tensor/device_plugin.h"

/* ==== the plug-in ==== */

extern const mf_device_api *plugin;
extern mf_stream plugin_stream;

/* Loads `path`; prints and returns false when there is no device behind it. */
bool plugin_open(const char *path);
void plugin_close(void);

/* ==== results ==== */

extern int checks_passed, checks_failed;
/* One check; the text is printf's and printed only on failure. */
void check(bool ok, const char *format, ...) MF_PRINTF(2, 3);

/* ==== arrays: tensors in host memory ==== */

enum { ARRAY_RANK = 6 };
typedef struct array {
  mf_dtype dtype;
  mf_shape shape;
  int64_t count;
  void *data;              /* owned */
} array;

size_t dtype_bytes(mf_dtype t);
/* Elements are 0. `dims` has `rank` entries. */
array array_new(mf_dtype dtype, int rank, const int64_t *dims);
void array_free(array *a);
/* Every dtype as double, and back (rounded to the dtype as TensorFlow rounds). */
double array_get(const array *a, int64_t i);
void array_set(array *a, int64_t i, double value);
/* Pseudo-random numbers in [low, high]; the same ones in every run. Integers for integer dtypes. */
void array_random(array *a, double low, double high);
/* `value` rounded to `bits` of mantissa, with the smallest exponent of a 16-bit format: 11, -24 half; 8, -133
 * bfloat16. */
double round_to_format(double value, int bits, int smallest);

/* Compares element by element: |got - want| <= atol + rtol |want|; NaN and infinities at the same places. Prints the
 * first difference under `what`. One check. */
void check_close(const array *got, const array *want, double rtol, double atol, const char *what);

/* ==== calls ==== */

enum { CALL_IN = 3, CALL_OUT = 2, CALL_ATTRS = 4 };
typedef struct call {
  const char *op;
  mf_named_attr attrs[CALL_ATTRS];   /* "T" and its like too: they choose the kernel */
  int n_attrs;
  array *in[CALL_IN];
  int n_in;
  array *out[CALL_OUT];              /* filled by call_run */
  int n_out;
  int shift;                         /* elements by which device buffers start past an aligned address */
} call;

/* The kernel for a call; NULL when the plug-in has none. `refusal` (may be NULL) gets the reason. */
const mf_kernel_def *call_kernel(const call *c, const char **refusal);
/* Uploads, runs, downloads. Counts a check: the kernel exists, ran, reported nothing, and wrote only its outputs
 * (sentinels lie around every buffer). False when the outputs are not there. */
bool call_run(call *c);
/* Runs the kernel `times` times on resident data; seconds for one. */
double call_time(call *c, int times);

/* Attribute shorthands. */
#define A_TYPE(name, t) MF_A_TYPE(name, t)
#define A_BOOL(name, b) MF_A_BOOL(name, b)
#define A_FLOAT(name, f) MF_A_FLOAT(name, f)

/* ==== the tests, one file each ==== */

void test_device(void);
void test_unary(void);
void test_binary(void);
void test_gradient(void);
void test_select(void);
void test_cast(void);
void test_reduction(void);
void test_softmax(void);
void test_product(void);
void benchmark(void);

#endif
