/* onednn.h - everything we use of oneDNN, behind our own types; onednn.c is the one file that knows its 2.x C API.
 *
 * Every call runs on the calling thread alone. Objects are made once (code generation takes 0.1 to 1 ms), hold no
 * memory of a call and may be used by several threads at once: addresses and scratch memory are given to each run.
 * Without oneDNN the functions exist and say that nothing is available.
 */
#ifndef MF_KERNELS_CPU_ONEDNN_H
#define MF_KERNELS_CPU_ONEDNN_H

#include "base/status.h"
#include "gemm.h"
#include "ops/nn/window.h"

/* Built with oneDNN and the loaded library is of the version this was written for. */
bool mfi_onednn_available(void);

/* float32 product. False: not done (a size is out of range), use something else. */
bool mfi_onednn_sgemm(const mfi_gemm *g);

typedef enum mfi_conv_kind { MFI_CONV_FORWARD, MFI_CONV_INPUT, MFI_CONV_FILTER } mfi_conv_kind;

typedef struct mfi_onednn_conv mfi_onednn_conv;

/* A float32 convolution of `batch` images of geometry g (g->batch is not read) on one thread. The filter is used in a
 * packed form of the library's choice, or in that of `like` when it is given. [OUT] *out is NULL, without an error,
 * when the library has only a slow reference implementation. */
mf_status mfi_onednn_conv_new(mfi_conv_kind kind, const mf_conv2d *g, int64_t batch, bool depthwise,
                              const mfi_onednn_conv *like, mfi_onednn_conv **out) MF_MUST_USE;
void mfi_onednn_conv_release(mfi_onednn_conv *c);

/* Bytes of the packed filter, a multiple of 64; of the scratch memory of one run. */
size_t mfi_onednn_conv_filter_bytes(const mfi_onednn_conv *c);
size_t mfi_onednn_conv_scratch_bytes(const mfi_onednn_conv *c);
/* Name of the implementation, for logs. */
const char *mfi_onednn_conv_name(const mfi_onednn_conv *c);

/* TensorFlow's filter [h, w, in, out] to the packed form and back. False: the library failed. */
bool mfi_onednn_conv_pack(const mfi_onednn_conv *c, const float *filter, void *packed);
bool mfi_onednn_conv_unpack(const mfi_onednn_conv *c, const void *packed, float *filter);

/* FORWARD reads image and filter, writes result; INPUT reads result (its gradient) and filter, writes image; FILTER
 * reads image and result, writes the packed filter. All 64-byte aligned where the caller can. False: the library
 * failed. */
bool mfi_onednn_conv_run(const mfi_onednn_conv *c, void *image, void *packed, void *result, void *scratch);

#endif
