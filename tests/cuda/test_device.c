/* test_device.c - the plug-in's table without kernels: devices, streams, memory, copies, events, errors. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static void ok(int code, const char *what) {
  check(code == 0, "%s: %s (code %d)", what, plugin->error_text(code), code);
}

static void info(void) {
  mf_device_info i;
  ok(plugin->info(0, &i), "info");
  check(i.name[0] != 0 && i.total_bytes > 0 && i.free_bytes > 0 && i.free_bytes <= i.total_bytes && i.major >= 7,
        "info is filled: \"%s\", %lld of %lld bytes", i.name, (long long)i.free_bytes, (long long)i.total_bytes);
  check(plugin->info(9999, &i) != 0, "info of device 9999 fails");
  check(plugin->error_text(1)[0] != 0 && plugin->error_text(123456) != NULL, "every code has a text");
}

static void copies(void) {
  enum { N = 5000 };
  unsigned char *host = malloc(N), *back = malloc(N);
  void *a = NULL, *b = NULL;
  for (int i = 0; i < N; i++) host[i] = (unsigned char)(i * 7);
  ok(plugin->alloc(plugin_stream, N, &a), "alloc");
  ok(plugin->alloc(plugin_stream, N, &b), "alloc");
  check(((uintptr_t)a & 255) == 0 && ((uintptr_t)b & 255) == 0, "blocks are 256-byte aligned");
  ok(plugin->copy_h2d(plugin_stream, a, host, N), "copy to the device");
  ok(plugin->copy_d2d(plugin_stream, b, a, N), "copy on the device");
  ok(plugin->fill(plugin_stream, (char *)b + 100, 0x3c, 50), "fill");
  ok(plugin->copy_d2h(plugin_stream, back, b, N), "copy to the host");
  ok(plugin->stream_synchronize(plugin_stream), "synchronize");
  memset(host + 100, 0x3c, 50);
  check(memcmp(host, back, N) == 0, "bytes survive the way to the device and back");
  ok(plugin->copy_h2d(plugin_stream, a, host, 0), "an empty copy");
  ok(plugin->release(plugin_stream, a), "release");
  ok(plugin->release(plugin_stream, b), "release");
  ok(plugin->release(plugin_stream, NULL), "release of NULL");
  ok(plugin->trim(plugin_stream), "trim");
  free(host);
  free(back);
}

static void host_memory(void) {
  void *pinned = NULL, *device = NULL;
  ok(plugin->host_alloc(plugin_stream, 4096, &pinned), "host_alloc");
  ok(plugin->alloc(plugin_stream, 4096, &device), "alloc");
  if (!pinned || !device) return;
  memset(pinned, 17, 4096);
  ok(plugin->copy_h2d(plugin_stream, device, pinned, 4096), "copy from page-locked memory");
  ok(plugin->stream_synchronize(plugin_stream), "synchronize");
  memset(pinned, 0, 4096);
  ok(plugin->copy_d2h(plugin_stream, pinned, device, 4096), "copy into page-locked memory");
  ok(plugin->stream_synchronize(plugin_stream), "synchronize");
  check(((char *)pinned)[4095] == 17, "page-locked memory holds what came back");
  ok(plugin->release(plugin_stream, device), "release");
  ok(plugin->host_release(plugin_stream, pinned), "host_release");
}

/* Work in one stream waits for an event of another. */
static void events(void) {
  mf_stream other = NULL;
  mf_event e = NULL;
  void *block = NULL;
  int got = 0;
  ok(plugin->stream_create(0, &other), "a second stream");
  ok(plugin->event_create(plugin_stream, &e), "event");
  ok(plugin->alloc(plugin_stream, sizeof got, &block), "alloc");
  ok(plugin->fill(plugin_stream, block, 1, sizeof got), "fill");
  ok(plugin->event_record(plugin_stream, e), "record");
  ok(plugin->event_wait(other, e), "wait");
  ok(plugin->copy_d2h(other, &got, block, sizeof got), "copy in the second stream");
  ok(plugin->stream_synchronize(other), "synchronize the second stream");
  check(got == 0x01010101, "the second stream saw the first one's work");
  ok(plugin->release(plugin_stream, block), "release");
  ok(plugin->event_destroy(plugin_stream, e), "ending the event");
  ok(plugin->stream_destroy(other), "ending the stream");
}

static void failures(void) {
  void *block = NULL;
  mf_stream none = NULL;
  int code = plugin->alloc(plugin_stream, (size_t)1 << 60, &block);
  check(code != 0 && !block && strlen(plugin->error_text(code)) > 0, "an impossible allocation fails with a text");
  check(plugin->stream_create(9999, &none) != 0 && !none, "no stream on device 9999");
  ok(plugin->alloc(plugin_stream, 16, &block), "allocation works after a failure");
  ok(plugin->release(plugin_stream, block), "release");
}

static void rows(void) {
  int n = 0;
  for (const mf_kernel_def *k = plugin->kernels; k->op_name; k++, n++)
    check(k->run && k->device == MF_GPU && !k->op, "row %d (%s) is complete", n, k->op_name);
  check(n > 200, "kernel rows: %d", n);
}

void test_device(void) {
  check(plugin->abi == MF_PLUGIN_ABI && plugin->size == sizeof *plugin && plugin->name, "the table's head");
  info();
  copies();
  host_memory();
  events();
  failures();
  rows();
}
