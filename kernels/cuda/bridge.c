/* bridge.c - between core's op dispatch and the plug-in's kernels: the only file here that sees both.
 *
 * Only plain members and inline functions of core's headers are used: the plug-in links nothing of core. Errors are
 * made through the function that the host lent.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "call.h"
#include "ops/kernel.h"

/* One array a kernel file. */
extern const mfi_cuda_row mfi_cuda_unary_rows[], mfi_cuda_cast_rows[], mfi_cuda_arithmetic_rows[],
    mfi_cuda_compare_rows[], mfi_cuda_gradient_rows[], mfi_cuda_bias_rows[], mfi_cuda_select_rows[],
    mfi_cuda_reduce_rows[], mfi_cuda_arg_rows[], mfi_cuda_softmax_rows[], mfi_cuda_entropy_rows[],
    mfi_cuda_matmul_rows[];

static const mfi_cuda_row *const arrays[] = {
    mfi_cuda_unary_rows,  mfi_cuda_cast_rows,   mfi_cuda_arithmetic_rows, mfi_cuda_compare_rows,
    mfi_cuda_gradient_rows, mfi_cuda_bias_rows, mfi_cuda_select_rows,     mfi_cuda_reduce_rows,
    mfi_cuda_arg_rows,    mfi_cuda_softmax_rows, mfi_cuda_entropy_rows,   mfi_cuda_matmul_rows,
};

enum { MAX_ROWS = 1024, ERROR_TEXT = 512 };

/* Written once, when the plug-in is opened. */
static mf_kernel_def kernel_rows[MAX_ROWS + 1];
static mf_status (*host_fail)(mf_code code, const char *format, ...);

const mf_kernel_def *mfi_cuda_kernels(const mf_plugin_host *host) {
  size_t n = 0;
  host_fail = host->fail;
  for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) {
    for (const mfi_cuda_row *r = arrays[a]; r->op; r++) {
      if (n == MAX_ROWS) return NULL;
      kernel_rows[n++] = (mf_kernel_def){.op_name = r->op,
                                         .name = "cuda",
                                         .device = MF_GPU,
                                         .rank = 10,
                                         .type_attr = r->type_attr,
                                         .types = r->types,
                                         .host_in = r->host_in,
                                         .supports = r->supports,
                                         .workspace = r->workspace,
                                         .run = r->run};
    }
  }
  kernel_rows[n] = (mf_kernel_def){0};
  return kernel_rows;
}

/* ---- calls */

static void tensor_view(const mf_tensor *t, mfi_cuda_tensor *out) {
  *out = (mfi_cuda_tensor){0};
  if (!t) return;
  out->data = t->data;
  out->dtype = (mf_dtype)t->dtype;
  out->rank = t->shape.rank;
  out->dims = t->shape.dims;
  out->count = 1;
  for (int i = 0; i < t->shape.rank; i++) out->count *= t->shape.dims[i];
}

/* False: more inputs or outputs than any row of ours has. */
static bool call_view(const mf_call *c, mfi_cuda_call *out) {
  if (c->n_in > MFI_CUDA_MAX_IN || c->n_out > MFI_CUDA_MAX_OUT) return false;
  out->source = c;
  out->op = c->attrs.op ? c->attrs.op->name : "?";
  out->stream = c->stream;
  out->n_in = c->n_in;
  out->n_out = c->n_out;
  for (int i = 0; i < c->n_in; i++) tensor_view(c->in[i], &out->in[i]);
  for (int i = 0; i < c->n_out; i++) tensor_view(c->out ? c->out[i] : NULL, &out->out[i]);
  out->workspace = c->workspace;
  out->workspace_size = c->workspace_size;
  return true;
}

mf_status mfi_cuda_enter_run(mf_call *c, mf_status (*run)(mfi_cuda_call *c)) {
  mfi_cuda_call view;
  if (!call_view(c, &view)) return host_fail(MF_INTERNAL, "CUDA kernel: %d inputs, %d outputs", c->n_in, c->n_out);
  mf_status status = mfi_cuda_check(&view, mfi_cuda_select_device(view.stream));
  return status ? status : run(&view);
}

size_t mfi_cuda_enter_workspace(const mf_call *c, size_t (*workspace)(const mfi_cuda_call *c)) {
  mfi_cuda_call view;
  return call_view(c, &view) ? workspace(&view) : 0;
}

const char *mfi_cuda_enter_supports(const mf_call *c, const char *(*supports)(const mfi_cuda_call *c)) {
  mfi_cuda_call view;
  return call_view(c, &view) ? supports(&view) : "too many inputs or outputs";
}

/* ---- attributes */

static const mf_attr *attr_find(const mfi_cuda_call *c, const char *name) {
  const mf_attrs *attrs = &c->source->attrs;
  if (!attrs->op) return NULL;
  const mf_op_rt *rt = attrs->op->rt;
  for (int i = 0; i < rt->n_attrs; i++)
    if (strcmp(rt->attrs[i].name, name) == 0) return &attrs->values[i];
  return NULL;
}

int64_t mfi_cuda_attr_int(const mfi_cuda_call *c, const char *name, int64_t otherwise) {
  const mf_attr *a = attr_find(c, name);
  if (!a) return otherwise;
  if (a->kind == MF_ATTR_BOOL) return a->v.b;
  if (a->kind == MF_ATTR_TYPE) return (int64_t)a->v.type;
  return a->kind == MF_ATTR_INT ? a->v.i : otherwise;
}

float mfi_cuda_attr_float(const mfi_cuda_call *c, const char *name, float otherwise) {
  const mf_attr *a = attr_find(c, name);
  return a && a->kind == MF_ATTR_FLOAT ? a->v.f : otherwise;
}

int mfi_cuda_attr_is(const mfi_cuda_call *c, const char *name, const char *text) {
  const mf_attr *a = attr_find(c, name);
  if (!a || a->kind != MF_ATTR_STRING) return 0;
  return a->v.s.size == strlen(text) && memcmp(a->v.s.bytes, text, a->v.s.size) == 0;
}

/* ---- errors */

mf_status mfi_cuda_fail(const mfi_cuda_call *c, mf_code code, const char *format, ...) {
  char text[ERROR_TEXT];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return host_fail(code, "%s: %s", c->op, text);
}
