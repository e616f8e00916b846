/* harness.c - the plug-in, counting, arrays: see harness.h. */
#include "harness.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const mf_device_api *plugin;
mf_stream plugin_stream;
int checks_passed, checks_failed;

static const mf_plugin_host host = {MF_PLUGIN_ABI, sizeof host, mf_fail};

bool plugin_open(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf("cannot load %s: %s\n", path, dlerror());
    return false;
  }
  mf_plugin_fn open;
  void *symbol = dlsym(library, MF_PLUGIN_SYMBOL);
  memcpy(&open, &symbol, sizeof open);
  check(open != NULL && open(MF_PLUGIN_ABI + 1, &host) == NULL, "a foreign ABI is refused");
  plugin = open ? open(MF_PLUGIN_ABI, &host) : NULL;
  int count = 0;
  mf_gpu_state state = MF_GPU_NO_LIBRARY;
  int code = plugin ? plugin->probe(&count, &state) : 0;
  if (!plugin || count < 1) {
    printf("%s: no device: state %d, %s\n", path, (int)state, plugin ? plugin->error_text(code) : "no table");
    return false;
  }
  code = plugin->stream_create(0, &plugin_stream);
  if (code) printf("%s: no stream: %s\n", path, plugin->error_text(code));
  return code == 0;
}

void plugin_close(void) {
  int code = plugin->stream_destroy(plugin_stream);
  check(code == 0, "ending the stream: %s", plugin->error_text(code));
}

void check(bool ok, const char *format, ...) {
  if (ok) {
    checks_passed++;
    return;
  }
  if (checks_failed++ > 40) return;
  va_list args;
  va_start(args, format);
  printf("FAILED ");
  vprintf(format, args);
  printf("\n");
  va_end(args);
}

/* ---- arrays */

size_t dtype_bytes(mf_dtype t) {
  static const uint8_t sizes[MF_DTYPE_COUNT] = {
      [MF_FLOAT32] = 4, [MF_FLOAT64] = 8, [MF_INT32] = 4,    [MF_UINT8] = 1,   [MF_INT8] = 1,
      [MF_INT64] = 8,   [MF_BOOL] = 1,    [MF_BFLOAT16] = 2, [MF_FLOAT16] = 2,
  };
  return sizes[t];
}

array array_new(mf_dtype dtype, int rank, const int64_t *dims) {
  array a = {.dtype = dtype, .count = 1};
  a.shape.rank = rank;
  for (int i = 0; i < rank; i++) {
    a.shape.dims[i] = dims[i];
    a.count *= dims[i];
  }
  a.data = calloc((size_t)a.count + 1, dtype_bytes(dtype));
  return a;
}

void array_free(array *a) {
  free(a->data);
  a->data = NULL;
}

double round_to_format(double value, int bits, int smallest) {
  if (value == 0 || !isfinite(value)) return value;
  int exponent;
  (void)frexp(value, &exponent);
  int last = exponent - bits > smallest ? exponent - bits : smallest;   /* weight of the last kept bit */
  return ldexp(nearbyint(ldexp(value, -last)), last);
}

static double half_get(uint16_t h) {
  int exponent = (h >> 10) & 31, mantissa = h & 1023;
  double sign = h & 0x8000 ? -1 : 1;
  if (exponent == 31) return mantissa ? NAN : sign * INFINITY;
  return sign * (exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24));
}

static uint16_t half_set(double v) {
  uint16_t sign = signbit(v) ? 0x8000 : 0;
  double r = fabs(round_to_format(v, 11, -24));
  if (isnan(v)) return 0x7e00;
  if (r >= 65536) return sign | 0x7c00;
  int exponent;
  (void)frexp(r, &exponent);
  if (r < ldexp(1, -14)) return (uint16_t)(sign | (uint16_t)ldexp(r, 24));
  return (uint16_t)(sign | ((exponent + 14) << 10) | ((uint16_t)ldexp(r, 11 - exponent) & 1023));
}

static double bfloat_get(uint16_t b) {
  uint32_t bits = (uint32_t)b << 16;
  float f;
  memcpy(&f, &bits, 4);
  return f;
}

static uint16_t bfloat_set(double v) {
  float f = (float)round_to_format(v, 8, -133);
  uint32_t bits;
  memcpy(&bits, &f, 4);
  return isnan(v) ? 0x7fc0 : (uint16_t)(bits >> 16);
}

double array_get(const array *a, int64_t i) {
  switch (a->dtype) {
    case MF_FLOAT32: return ((float *)a->data)[i];
    case MF_FLOAT64: return ((double *)a->data)[i];
    case MF_INT32: return ((int32_t *)a->data)[i];
    case MF_INT64: return (double)((int64_t *)a->data)[i];
    case MF_UINT8: return ((uint8_t *)a->data)[i];
    case MF_INT8: return ((int8_t *)a->data)[i];
    case MF_BOOL: return ((uint8_t *)a->data)[i];
    case MF_FLOAT16: return half_get(((uint16_t *)a->data)[i]);
    default: return bfloat_get(((uint16_t *)a->data)[i]);
  }
}

void array_set(array *a, int64_t i, double v) {
  switch (a->dtype) {
    case MF_FLOAT32: ((float *)a->data)[i] = (float)v; break;
    case MF_FLOAT64: ((double *)a->data)[i] = v; break;
    case MF_INT32: ((int32_t *)a->data)[i] = (int32_t)v; break;
    case MF_INT64: ((int64_t *)a->data)[i] = (int64_t)v; break;
    case MF_UINT8: ((uint8_t *)a->data)[i] = (uint8_t)(int64_t)v; break;
    case MF_INT8: ((int8_t *)a->data)[i] = (int8_t)(int64_t)v; break;
    case MF_BOOL: ((uint8_t *)a->data)[i] = v != 0; break;
    case MF_FLOAT16: ((uint16_t *)a->data)[i] = half_set(v); break;
    default: ((uint16_t *)a->data)[i] = bfloat_set(v); break;
  }
}

void array_random(array *a, double low, double high) {
  uint64_t state = UINT64_C(0x9E3779B97F4A7C15) * (uint64_t)(a->count + 7);
  bool whole = dtype_bytes(a->dtype) == 1 || a->dtype == MF_INT32 || a->dtype == MF_INT64;
  for (int64_t i = 0; i < a->count; i++) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    double v = low + (high - low) * ((double)(state >> 11) / 9007199254740992.0);
    array_set(a, i, whole ? floor(v + 0.5) : v);
  }
}

static bool same(double got, double want, double rtol, double atol) {
  if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
  if (isinf(want) || isinf(got)) return got == want;
  return fabs(got - want) <= atol + rtol * fabs(want);
}

void check_close(const array *got, const array *want, double rtol, double atol, const char *what) {
  for (int64_t i = 0; i < want->count; i++) {
    double g = array_get(got, i), w = array_get(want, i);
    if (same(g, w, rtol, atol)) continue;
    check(false, "%s: element %lld of %lld: expected %.9g, received %.9g", what, (long long)i, (long long)want->count,
          w, g);
    return;
  }
  check(true, "%s", what);
}
