/* onednn.c - the one file that knows oneDNN's 2.x C API: see onednn.h. */
#include "onednn.h"

#if !MF_HAVE_ONEDNN

bool mfi_onednn_available(void) { return false; }

bool mfi_onednn_sgemm(const mfi_gemm *g) {
  (void)g;
  return false;
}

mf_status mfi_onednn_conv_new(mfi_conv_kind kind, const mf_conv2d *g, int64_t batch, bool depthwise,
                              const mfi_onednn_conv *like, mfi_onednn_conv **out) {
  (void)kind, (void)g, (void)batch, (void)depthwise, (void)like;
  *out = NULL;
  return NULL;
}

void mfi_onednn_conv_release(mfi_onednn_conv *c) { (void)c; }

size_t mfi_onednn_conv_filter_bytes(const mfi_onednn_conv *c) {
  (void)c;
  return 0;
}

size_t mfi_onednn_conv_scratch_bytes(const mfi_onednn_conv *c) {
  (void)c;
  return 0;
}

const char *mfi_onednn_conv_name(const mfi_onednn_conv *c) {
  (void)c;
  return "none";
}

bool mfi_onednn_conv_pack(const mfi_onednn_conv *c, const float *filter, void *packed) {
  (void)c, (void)filter, (void)packed;
  return false;
}

bool mfi_onednn_conv_unpack(const mfi_onednn_conv *c, const void *packed, float *filter) {
  (void)c, (void)packed, (void)filter;
  return false;
}

bool mfi_onednn_conv_run(const mfi_onednn_conv *c, void *image, void *packed, void *result, void *scratch) {
  (void)c, (void)image, (void)packed, (void)result, (void)scratch;
  return false;
}

#else

#include <dnnl.h>
#include <string.h>

#include "base/memory.h"
#include "gemm_threads.h"

#if DNNL_VERSION_MAJOR != 2
#error "onednn.c is written for oneDNN 2.x: configure with -DMF_ONEDNN=OFF"
#endif

bool mfi_onednn_available(void) { return dnnl_version()->major == DNNL_VERSION_MAJOR; }

bool mfi_onednn_sgemm(const mfi_gemm *g) {
  int before = mfi_one_thread_begin();
  dnnl_status_t status = dnnl_sgemm(g->ta ? 'T' : 'N', g->tb ? 'T' : 'N', g->m, g->n, g->k, 1.0F, g->a, g->lda, g->b,
                                    g->ldb, g->add ? 1.0F : 0.0F, g->c, g->ldc);
  mfi_one_thread_end(before);
  return status == dnnl_success;
}

struct mfi_onednn_conv {
  mfi_conv_kind kind;
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_primitive_desc_t hint, desc;      /* hint: the forward convolution a backward one belongs to */
  dnnl_primitive_t run, pack, unpack;    /* pack, unpack: NULL when the plain filter is used as it is */
  dnnl_memory_desc_t image, result, plain, filter, scratch;
  const char *name;
};

static size_t bytes_of(const dnnl_memory_desc_t *d) { return (dnnl_memory_desc_get_size(d) + 63) & ~(size_t)63; }

/* ---- memory descriptors */

static dnnl_status_t image_desc(dnnl_memory_desc_t *d, bool nchw, int64_t n, int64_t channels, const int64_t size[2]) {
  dnnl_dims_t dims = {n, channels, size[0], size[1]};
  return dnnl_memory_desc_init_by_tag(d, 4, dims, dnnl_f32, nchw ? dnnl_nchw : dnnl_nhwc);
}

/* TensorFlow's [h, w, in, out] as oneDNN's (groups,) out, in, h, w. The filters of a group stand together in `out`;
 * depthwise filters are [h, w, channels, multiplier]: groups = channels, one input channel each. */
static dnnl_status_t filter_descs(const mf_conv2d *g, bool depthwise, dnnl_memory_desc_t *plain,
                                  dnnl_memory_desc_t *any) {
  int64_t in = depthwise ? 1 : g->filter_in, out = g->out_channels / g->groups;
  int64_t row = (depthwise ? g->out_channels : g->filter_in * g->out_channels) * g->filter[1];
  int64_t column = row / g->filter[1], channel = depthwise ? out : g->out_channels;
  dnnl_dims_t grouped = {g->groups, out, in, g->filter[0], g->filter[1]}, strides = {out, 1, channel, row, column};
  int first = g->groups > 1 ? 0 : 1;
  dnnl_status_t status =
      dnnl_memory_desc_init_by_strides(plain, 5 - first, grouped + first, dnnl_f32, strides + first);
  if (status != dnnl_success) return status;
  return dnnl_memory_desc_init_by_tag(any, 5 - first, grouped + first, dnnl_f32, dnnl_format_tag_any);
}

/* ---- making */

static dnnl_status_t conv_desc(mfi_onednn_conv *c, const mf_conv2d *g, const dnnl_memory_desc_t *filter,
                               dnnl_primitive_attr_t attr) {
  dnnl_convolution_desc_t d;
  dnnl_dims_t stride = {g->stride[0], g->stride[1]}, dilation = {g->dilation[0] - 1, g->dilation[1] - 1};
  dnnl_dims_t before = {g->before[0], g->before[1]}, after = {g->after[0], g->after[1]};
  dnnl_alg_kind_t direct = dnnl_convolution_direct;
  dnnl_status_t status = dnnl_dilated_convolution_forward_desc_init(
      &d, dnnl_forward_training, direct, &c->image, filter, NULL, &c->result, stride, dilation, before, after);
  if (status == dnnl_success) status = dnnl_primitive_desc_create(&c->hint, &d, attr, c->engine, NULL);
  if (status != dnnl_success || c->kind == MFI_CONV_FORWARD) return status;
  if (c->kind == MFI_CONV_INPUT)
    status = dnnl_dilated_convolution_backward_data_desc_init(&d, direct, &c->image, filter, &c->result, stride,
                                                              dilation, before, after);
  else
    status = dnnl_dilated_convolution_backward_weights_desc_init(&d, direct, &c->image, filter, NULL, &c->result,
                                                                 stride, dilation, before, after);
  if (status == dnnl_success) status = dnnl_primitive_desc_create(&c->desc, &d, attr, c->engine, c->hint);
  return status;
}

static dnnl_status_t reorder(mfi_onednn_conv *c, const dnnl_memory_desc_t *from, const dnnl_memory_desc_t *to,
                             dnnl_primitive_t *out) {
  dnnl_primitive_desc_t desc = NULL;
  dnnl_status_t status = dnnl_reorder_primitive_desc_create(&desc, from, c->engine, to, c->engine, NULL);
  if (status == dnnl_success) status = dnnl_primitive_create(out, desc);
  if (desc) dnnl_primitive_desc_destroy(desc);
  return status;
}

/* What the library chose, and the primitives. dnnl_unimplemented when the choice is a reference implementation. */
static dnnl_status_t take_choice(mfi_onednn_conv *c) {
  dnnl_primitive_desc_t desc = c->desc ? c->desc : c->hint;
  dnnl_status_t status = dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &c->name);
  if (status != dnnl_success) return status;
  if (strstr(c->name, "ref")) return dnnl_unimplemented;
  dnnl_query_t what = c->kind == MFI_CONV_FILTER ? dnnl_query_diff_weights_md : dnnl_query_weights_md;
  c->filter = *dnnl_primitive_desc_query_md(desc, what, 0);
  c->scratch = *dnnl_primitive_desc_query_md(desc, dnnl_query_scratchpad_md, 0);
  status = dnnl_primitive_create(&c->run, desc);
  if (status != dnnl_success || dnnl_memory_desc_equal(&c->plain, &c->filter)) return status;
  if (c->kind == MFI_CONV_FILTER) return reorder(c, &c->filter, &c->plain, &c->unpack);
  return reorder(c, &c->plain, &c->filter, &c->pack);
}

static dnnl_status_t make(mfi_onednn_conv *c, const mf_conv2d *g, int64_t batch, bool depthwise,
                          const mfi_onednn_conv *like) {
  dnnl_primitive_attr_t attr = NULL;
  dnnl_memory_desc_t any;
  dnnl_status_t status = dnnl_engine_create(&c->engine, dnnl_cpu, 0);
  if (status == dnnl_success) status = dnnl_stream_create(&c->stream, c->engine, dnnl_stream_default_flags);
  if (status == dnnl_success) status = image_desc(&c->image, g->nchw, batch, g->in_channels, g->in);
  if (status == dnnl_success) status = image_desc(&c->result, g->nchw, batch, g->out_channels, g->out);
  if (status == dnnl_success) status = filter_descs(g, depthwise, &c->plain, &any);
  if (status == dnnl_success) status = dnnl_primitive_attr_create(&attr);
  if (status == dnnl_success) status = dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
  if (status == dnnl_success) status = conv_desc(c, g, like ? &like->filter : &any, attr);
  if (attr) dnnl_primitive_attr_destroy(attr);
  return status == dnnl_success ? take_choice(c) : status;
}

mf_status mfi_onednn_conv_new(mfi_conv_kind kind, const mf_conv2d *g, int64_t batch, bool depthwise,
                              const mfi_onednn_conv *like, mfi_onednn_conv **out) {
  *out = NULL;
  mfi_onednn_conv *c = mf_alloc_zero(1, sizeof *c);
  if (!c) return mf_fail_oom();
  c->kind = kind;
  int before = mfi_one_thread_begin();
  dnnl_status_t status = make(c, g, batch, depthwise, like);
  mfi_one_thread_end(before);
  if (status == dnnl_success) {
    *out = c;
    return NULL;
  }
  mfi_onednn_conv_release(c);
  return status == dnnl_out_of_memory ? mf_fail_oom() : NULL;
}

void mfi_onednn_conv_release(mfi_onednn_conv *c) {
  if (!c) return;
  if (c->run) dnnl_primitive_destroy(c->run);
  if (c->pack) dnnl_primitive_destroy(c->pack);
  if (c->unpack) dnnl_primitive_destroy(c->unpack);
  if (c->desc) dnnl_primitive_desc_destroy(c->desc);
  if (c->hint) dnnl_primitive_desc_destroy(c->hint);
  if (c->stream) dnnl_stream_destroy(c->stream);
  if (c->engine) dnnl_engine_destroy(c->engine);
  mf_free(c);
}

size_t mfi_onednn_conv_filter_bytes(const mfi_onednn_conv *c) { return bytes_of(&c->filter); }
size_t mfi_onednn_conv_scratch_bytes(const mfi_onednn_conv *c) { return bytes_of(&c->scratch); }
const char *mfi_onednn_conv_name(const mfi_onednn_conv *c) { return c->name; }

/* ---- running */

typedef struct argument {
  int name;
  const dnnl_memory_desc_t *desc;
  void *data;
} argument;

/* Memory objects are made for the call: 0.2 us each, and nothing to share between threads. */
static bool execute(const mfi_onednn_conv *c, dnnl_primitive_t primitive, const argument *args, int n) {
  dnnl_exec_arg_t list[4];
  int made = 0;
  dnnl_status_t status = dnnl_success;
  int before = mfi_one_thread_begin();
  for (; made < n && status == dnnl_success; made++) {
    list[made].arg = args[made].name;
    list[made].memory = NULL;
    status = dnnl_memory_create(&list[made].memory, args[made].desc, c->engine, args[made].data);
  }
  if (status == dnnl_success) status = dnnl_primitive_execute(primitive, c->stream, n, list);
  for (int i = 0; i < made; i++)
    if (list[i].memory) dnnl_memory_destroy(list[i].memory);
  mfi_one_thread_end(before);
  return status == dnnl_success;
}

bool mfi_onednn_conv_pack(const mfi_onednn_conv *c, const float *filter, void *packed) {
  argument args[] = {{DNNL_ARG_FROM, &c->plain, (void *)(uintptr_t)filter}, {DNNL_ARG_TO, &c->filter, packed}};
  if (c->pack) return execute(c, c->pack, args, 2);
  memcpy(packed, filter, dnnl_memory_desc_get_size(&c->plain));
  return true;
}

bool mfi_onednn_conv_unpack(const mfi_onednn_conv *c, const void *packed, float *filter) {
  argument args[] = {{DNNL_ARG_FROM, &c->filter, (void *)(uintptr_t)packed}, {DNNL_ARG_TO, &c->plain, filter}};
  if (c->unpack) return execute(c, c->unpack, args, 2);
  memcpy(filter, packed, dnnl_memory_desc_get_size(&c->plain));
  return true;
}

bool mfi_onednn_conv_run(const mfi_onednn_conv *c, void *image, void *packed, void *result, void *scratch) {
  static const int names[][3] = {
      [MFI_CONV_FORWARD] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
      [MFI_CONV_INPUT] = {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
      [MFI_CONV_FILTER] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST},
  };
  const int *name = names[c->kind];
  argument args[] = {{name[0], &c->image, image},
                     {name[1], &c->filter, packed},
                     {name[2], &c->result, result},
                     {DNNL_ARG_SCRATCHPAD, &c->scratch, scratch}};
  return execute(c, c->run, args, 4);
}

#endif
