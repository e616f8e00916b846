/* call.h - how a kernel of the plug-in sees a call, and the row with which it announces itself.
 *
 * The .cu files know core by this header and three of its plain ones (status, dtype, device). The structures of core's
 * op dispatch stay behind bridge.c, the one file that is compiled as C with core's headers: it turns rows into
 * mf_kernel_def and an mf_call into an mfi_cuda_call. The plug-in is not linked against libmoonflow.
 */
#ifndef MF_CUDA_CALL_H
#define MF_CUDA_CALL_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "tensor/device_plugin.h"
#include "tensor/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mf_call;
struct mfi_cuda_stream;

typedef struct mfi_cuda_tensor {
  void *data; /* device memory (host memory where the row says so); may be NULL while `supports` or `workspace` ask */
  mf_dtype dtype;
  int rank;
  const int64_t *dims;     /* borrowed from the tensor */
  int64_t count;
} mfi_cuda_tensor;

enum { MFI_CUDA_MAX_IN = 16, MFI_CUDA_MAX_OUT = 4 };

typedef struct mfi_cuda_call {
  const struct mf_call *source;
  const char *op;                       /* the op's name, for messages */
  struct mfi_cuda_stream *stream;
  int n_in, n_out;
  mfi_cuda_tensor in[MFI_CUDA_MAX_IN];
  mfi_cuda_tensor out[MFI_CUDA_MAX_OUT];
  void *workspace;                      /* 64-byte aligned device memory, as much as the row's `workspace` asked for */
  size_t workspace_size;
} mfi_cuda_call;

/* Attributes by name; a name that the op does not have gives `otherwise`. */
int64_t mfi_cuda_attr_int(const mfi_cuda_call *c, const char *name, int64_t otherwise);   /* bools and types too */
float mfi_cuda_attr_float(const mfi_cuda_call *c, const char *name, float otherwise);
/* 1 when a string attribute equals `text`. */
int mfi_cuda_attr_is(const mfi_cuda_call *c, const char *name, const char *text);

/* An error in the words of core: "<op>: <text>". */
mf_status mfi_cuda_fail(const mfi_cuda_call *c, mf_code code, const char *format, ...) MF_PRINTF(3, 4) MF_MUST_USE;
/* NULL when `code`, a cudaError_t, is 0; else INTERNAL with the driver's text. What a kernel's run often ends with. */
mf_status mfi_cuda_check(const mfi_cuda_call *c, int code) MF_MUST_USE;

/* One kernel: the fields of mf_kernel_def that a plug-in sets. Arrays of rows end with a NULL op. */
typedef struct mfi_cuda_row {
  const char *op;
  const char *type_attr;                /* NULL: the op has no type attribute to look at */
  uint32_t types;                       /* MF_TYPE bits of it */
  uint32_t host_in;                     /* bit i: input i is wanted in host memory */
  const char *(*supports)(const struct mf_call *c);
  size_t (*workspace)(const struct mf_call *c);
  mf_status (*run)(struct mf_call *c);
} mfi_cuda_row;

/* What the rows' functions go through: fill an mfi_cuda_call and hand it on. */
mf_status mfi_cuda_enter_run(struct mf_call *c, mf_status (*run)(mfi_cuda_call *c));
size_t mfi_cuda_enter_workspace(const struct mf_call *c, size_t (*workspace)(const mfi_cuda_call *c));
const char *mfi_cuda_enter_supports(const struct mf_call *c, const char *(*supports)(const mfi_cuda_call *c));

/* device.cu: makes the stream's device the calling thread's current one, as launches want it; a cudaError_t. */
int mfi_cuda_select_device(struct mfi_cuda_stream *s);

/* Called by mf_plugin. The rows of all kernel files as core wants them; NULL when they do not fit the table. */
const struct mf_kernel_def *mfi_cuda_kernels(const mf_plugin_host *host);

#ifdef __cplusplus
}

/* Row functions made of a kernel file's own: .run = mfi_cuda_run<relu_run>. */
template <mf_status (*F)(mfi_cuda_call *)>
mf_status mfi_cuda_run(struct mf_call *c) {
  return mfi_cuda_enter_run(c, F);
}
template <size_t (*F)(const mfi_cuda_call *)>
size_t mfi_cuda_workspace(const struct mf_call *c) {
  return mfi_cuda_enter_workspace(c, F);
}
template <const char *(*F)(const mfi_cuda_call *)>
const char *mfi_cuda_supports(const struct mf_call *c) {
  return mfi_cuda_enter_supports(c, F);
}

template <class T>
static inline const T *mfi_in(const mfi_cuda_call *c, int i) {
  return static_cast<const T *>(c->in[i].data);
}
template <class T>
static inline T *mfi_out(const mfi_cuda_call *c, int i) {
  return static_cast<T *>(c->out[i].data);
}
#endif
#endif
