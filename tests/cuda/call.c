/* call.c - runs a kernel as core would: see harness.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness.h"

/* Bytes before and after each device buffer that must keep their pattern. A multiple of 256, so that alignment is
 * kept. */
enum { GUARD = 256, PATTERN = 0xA5 };

typedef struct device_buffer {
  char *block;             /* guard, shift, elements, guard */
  char *elements;
  size_t size;             /* bytes of the elements */
  size_t shift;            /* bytes */
} device_buffer;

/* Everything of a call in the form the plug-in wants. */
typedef struct session {
  mf_attr_sig sigs[CALL_ATTRS];
  mf_attr values[CALL_ATTRS];
  mf_op_rt rt;
  mf_op_def op;
  mf_tensor in[CALL_IN], out[CALL_OUT];
  mf_tensor *in_list[CALL_IN], *out_list[CALL_OUT];
  device_buffer in_memory[CALL_IN], out_memory[CALL_OUT];
  void *workspace;
  mf_call call;
  const mf_kernel_def *kernel;
} session;

static bool fine(int code, const char *what) {
  if (code) check(false, "%s: %s (code %d)", what, plugin->error_text(code), code);
  return code == 0;
}

static void session_signature(session *s, const call *c) {
  memset(s, 0, sizeof *s);
  for (int i = 0; i < c->n_attrs; i++) {
    s->sigs[i].name = c->attrs[i].name;
    s->sigs[i].kind = c->attrs[i].value.kind;
    s->values[i] = c->attrs[i].value;
  }
  s->rt.n_attrs = c->n_attrs;
  s->rt.attrs = s->sigs;
  s->op.name = c->op;
  s->op.rt = &s->rt;
  s->call.attrs = (mf_attrs){&s->op, s->values};
  s->call.in = s->in_list;
  s->call.n_in = c->n_in;
  s->call.out = s->out_list;
  s->call.n_out = c->n_out;
  s->call.stream = plugin_stream;
}

static void tensor_of(mf_tensor *t, const array *a) {
  t->dtype = (uint8_t)a->dtype;
  t->shape = a->shape;
  t->data = a->data;
}

static void session_tensors(session *s, const call *c) {
  for (int i = 0; i < c->n_in; i++) {
    tensor_of(&s->in[i], c->in[i]);
    s->in_list[i] = &s->in[i];
  }
  for (int i = 0; i < c->n_out; i++) {
    tensor_of(&s->out[i], c->out[i]);
    s->out_list[i] = &s->out[i];
  }
}

static bool serves(const mf_kernel_def *k, const session *s) {
  if (strcmp(k->op_name, s->op.name) != 0) return false;
  if (!k->type_attr) return true;
  for (int i = 0; i < s->rt.n_attrs; i++)
    if (!strcmp(s->sigs[i].name, k->type_attr)) return (k->types >> s->values[i].v.type) & 1;
  return false;
}

static const mf_kernel_def *find_kernel(const session *s, const char **refusal) {
  *refusal = "no row";
  for (const mf_kernel_def *k = plugin->kernels; k->op_name; k++) {
    if (!serves(k, s)) continue;
    *refusal = k->supports ? k->supports(&s->call) : NULL;
    if (!*refusal) return k;
  }
  return NULL;
}

const mf_kernel_def *call_kernel(const call *c, const char **refusal) {
  session s;
  const char *reason;
  session_signature(&s, c);
  session_tensors(&s, c);
  return find_kernel(&s, refusal ? refusal : &reason);
}

/* ---- device memory */

static bool buffer_new(device_buffer *b, const array *a, int shift, bool upload) {
  b->size = (size_t)a->count * dtype_bytes(a->dtype);
  b->shift = (size_t)shift * dtype_bytes(a->dtype);
  void *block;
  if (!fine(plugin->alloc(plugin_stream, 2 * GUARD + b->shift + b->size, &block), "alloc")) return false;
  b->block = block;
  b->elements = b->block + GUARD + b->shift;
  if (!fine(plugin->fill(plugin_stream, block, PATTERN, 2 * GUARD + b->shift + b->size), "fill")) return false;
  return !upload || fine(plugin->copy_h2d(plugin_stream, b->elements, a->data, b->size), "copy to the device");
}

static bool guard_intact(const char *bytes, size_t n) {
  for (size_t i = 0; i < n; i++)
    if ((unsigned char)bytes[i] != PATTERN) return false;
  return true;
}

static bool buffer_download(const device_buffer *b, array *a, const char *op) {
  size_t total = 2 * GUARD + b->shift + b->size, front = GUARD + b->shift;
  char *all = malloc(total);
  bool ok = all && fine(plugin->copy_d2h(plugin_stream, all, b->block, total), "copy to the host") &&
            fine(plugin->stream_synchronize(plugin_stream), op);
  if (ok) {
    check(guard_intact(all, front) && guard_intact(all + front + b->size, GUARD), "%s: wrote outside its output", op);
    memcpy(a->data, all + front, b->size);
  }
  free(all);
  return ok;
}

/* ---- running */

static bool session_open(session *s, call *c) {
  const char *refusal;
  session_signature(s, c);
  session_tensors(s, c);
  s->kernel = find_kernel(s, &refusal);
  check(s->kernel != NULL, "%s: no kernel: %s", c->op, refusal ? refusal : "");
  if (!s->kernel) return false;
  for (int i = 0; i < c->n_in; i++) {
    if ((s->kernel->host_in >> i) & 1) continue;
    if (!buffer_new(&s->in_memory[i], c->in[i], c->shift, true)) return false;
    s->in[i].data = s->in_memory[i].elements;
  }
  for (int i = 0; i < c->n_out; i++) {
    if (!buffer_new(&s->out_memory[i], c->out[i], c->shift, false)) return false;
    s->out[i].data = s->out_memory[i].elements;
  }
  s->call.workspace_size = s->kernel->workspace ? s->kernel->workspace(&s->call) : 0;
  if (s->call.workspace_size &&
      !fine(plugin->alloc(plugin_stream, s->call.workspace_size, &s->workspace), "workspace"))
    return false;
  s->call.workspace = s->workspace;
  return true;
}

static void session_close(session *s, const call *c) {
  for (int i = 0; i < c->n_in; i++) (void)plugin->release(plugin_stream, s->in_memory[i].block);
  for (int i = 0; i < c->n_out; i++) (void)plugin->release(plugin_stream, s->out_memory[i].block);
  (void)plugin->release(plugin_stream, s->workspace);
}

static bool session_run(session *s, const call *c) {
  mf_status status = s->kernel->run(&s->call);
  if (status) check(false, "%s: %s", c->op, mf_status_message(status));
  bool ok = !status;
  mf_status_release(status);
  return ok;
}

bool call_run(call *c) {
  session s;
  bool ok = session_open(&s, c) && session_run(&s, c);
  for (int i = 0; ok && i < c->n_out; i++) ok = buffer_download(&s.out_memory[i], c->out[i], c->op);
  session_close(&s, c);
  return ok;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double call_time(call *c, int times) {
  session s;
  double seconds = -1;
  bool ok = session_open(&s, c) && session_run(&s, c) && fine(plugin->stream_synchronize(plugin_stream), c->op);
  if (ok) {
    double begin = now();
    for (int i = 0; ok && i < times; i++) ok = session_run(&s, c);
    ok = ok && fine(plugin->stream_synchronize(plugin_stream), c->op);
    if (ok) seconds = (now() - begin) / times;
  }
  session_close(&s, c);
  return seconds;
}
