/* test_plugin.c - core's side of GPUs: the states that mf_gpu_state_get tells apart, devices, tensors on a GPU, an op
 * run there.
 *
 *     test_cuda_plugin EMULATOR.so
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moonflow.h"
#include "ops/op.h"
#include "tensor/allocator.h"
#include "tensor/device_plugin.h"

static int failed;

static void check(bool ok, const char *what, const char *detail) {
  if (!ok) printf("FAILED %s (%s)\n", what, detail ? detail : "");
  failed += !ok;
}

static void ok(mf_status status, const char *what) {
  check(!status, what, mf_status_message(status));
  mf_status_release(status);
}

static bool contains(const char *text, const char *part) { return strstr(text, part) != NULL; }

/* What is found with MOONFLOW_CUDA = `wish`, and that asking for a device explains it. */
static void absent(const char *wish, mf_gpu_state state, const char *part) {
  mf_device *device = NULL;
  setenv("MOONFLOW_CUDA", wish, 1);
  check(mf_gpu_state_get() == state, wish, mf_gpu_state_text());
  check(contains(mf_gpu_state_text(), part), wish, mf_gpu_state_text());
  check(mf_gpu_count() == 0, "no GPU is counted", wish);
  mf_status status = mf_gpu_device(0, &device);
  check(status && mf_status_code(status) == MF_UNAVAILABLE && !device, "no device", wish);
  check(contains(mf_status_message(status), "GPU:0") && contains(mf_status_message(status), part),
        "the message explains", mf_status_message(status));
  mf_status_release(status);
  mf_gpu_close();
}

static void round_trip(mf_device *gpu) {
  float values[1000], back[1000] = {0};
  mf_tensor *host = NULL, *device = NULL, *again = NULL;
  mf_shape shape = mf_shape_1d(1000);
  for (int i = 0; i < 1000; i++) values[i] = (float)i;
  ok(mf_tensor_from_bytes(MF_FLOAT32, &shape, values, sizeof values, &host), "a tensor");
  ok(mf_tensor_to_device(host, gpu, &device), "to the GPU");
  check(device && mf_tensor_device(device) == gpu, "it is on the GPU", gpu->name);
  check(mf_allocator_stats_get(gpu->allocator).bytes_in_use == 4096, "4,000 bytes take 4,096", NULL);
  if (device) ok(mf_tensor_to_device(device, mf_device_cpu(), &again), "back to the CPU");
  if (again) memcpy(back, mf_data(again), sizeof back);
  check(!memcmp(values, back, sizeof back), "bytes survive the round trip", NULL);
  mf_tensor_release(host);
  mf_tensor_release(device);
  mf_tensor_release(again);
  check(mf_allocator_stats_get(gpu->allocator).bytes_in_use == 0, "everything was given back", NULL);
}

/* sum((a + 1) * 2) on the GPU: outputs stay there, the axes come from the host. */
static void ops(mf_device *gpu) {
  const float values[6] = {1, 2, 3, 4, 5, 6};
  const int64_t axis[1] = {1};
  mf_ctx *ctx = NULL;
  mf_tensor *a = NULL, *one = NULL, *axes = NULL, *sum = NULL, *rows = NULL, *cpu = NULL;
  mf_shape shape = mf_shape_2d(2, 3);
  ok(mf_ctx_new(&ctx), "a context");
  ok(mf_tensor_from_bytes(MF_FLOAT32, &shape, values, sizeof values, &a), "a");
  ok(mf_tensor_scalar_f64(MF_FLOAT32, 1, &one), "one");
  ok(mf_tensor_from_i64(MF_INT32, axis, 1, &axes), "axes");
  ctx->device = gpu;
  ok(mf_apply(ctx, mf_op_find("AddV2"), (mf_tensor *[]){a, one}, 2, NULL, 0, &sum, 1, NULL), "AddV2 on the GPU");
  check(sum && mf_tensor_device(sum) == gpu, "the sum is on the GPU", NULL);
  if (sum)
    ok(mf_apply(ctx, mf_op_find("Sum"), (mf_tensor *[]){sum, axes}, 2, NULL, 0, &rows, 1, NULL), "Sum on the GPU");
  check(rows && mf_tensor_device(rows) == gpu, "the row sums are on the GPU", NULL);
  if (rows) ok(mf_tensor_to_device(rows, mf_device_cpu(), &cpu), "back to the CPU");
  check(cpu && MF_DATA(float, cpu)[0] == 9 && MF_DATA(float, cpu)[1] == 18, "9 and 18", NULL);
  mf_tensor *all[] = {a, one, axes, sum, rows, cpu};
  mf_tensor_release_all(all, 6);
  mf_ctx_release(ctx);
}

static void limits(mf_device *gpu) {
  mf_tensor *t = NULL;
  mf_shape big = mf_shape_1d(1 << 20);
  mf_allocator_set_limit(gpu->allocator, 1 << 20);
  mf_status status = mf_tensor_new(gpu, MF_FLOAT32, &big, &t);
  check(status && mf_status_code(status) == MF_RESOURCE_EXHAUSTED && !t, "past the limit", mf_status_message(status));
  mf_status_release(status);
  mf_allocator_set_limit(gpu->allocator, INT64_MAX);
  ok(mf_tensor_new(gpu, MF_FLOAT32, &big, &t), "within the limit");
  mf_tensor_release(t);
}

static void emulated(const char *path) {
  mf_device *gpu = NULL, *second = NULL;
  mf_device_info info;
  setenv("MOONFLOW_CUDA", path, 1);
  setenv("MOONFLOW_CUDA_EMU_DEVICES", "2", 1);
  check(mf_gpu_state_get() == MF_GPU_EMULATED, "emulated", mf_gpu_state_text());
  check(mf_gpu_count() == 2, "two devices", mf_gpu_state_text());
  ok(mf_gpu_device(0, &gpu), "GPU:0");
  ok(mf_gpu_device(1, &second), "GPU:1");
  mf_status status = mf_gpu_device(2, &(mf_device *){NULL});
  check(status && mf_status_code(status) == MF_INVALID_ARGUMENT, "GPU:2 does not exist", mf_status_message(status));
  mf_status_release(status);
  if (!gpu || !second) return;
  check(!strcmp(gpu->name, "GPU:0") && !strcmp(second->name, "GPU:1") && gpu->type == MF_GPU, "names", gpu->name);
  ok(mf_gpu_info(gpu, &info), "info");
  round_trip(gpu);
  round_trip(second);
  ops(gpu);
  limits(gpu);
  ok(mf_gpu_synchronize(gpu), "synchronize");
}

int main(int argc, char **argv) {
  if (argc < 2) {
    printf("usage: %s EMULATOR.so\n", argv[0]);
    return 2;
  }
  absent("off", MF_GPU_OFF, "MOONFLOW_CUDA=off");
  absent("/nowhere/libmoonflow_cuda.so", MF_GPU_NO_LIBRARY, "MF_CUDA=ON");
  absent("libm.so.6", MF_GPU_NO_LIBRARY, "mf_plugin");
  ok(mf_init(), "mf_init");
  emulated(argv[1]);
  mf_close();
  printf("plug-in: %d failed\n", failed);
  return failed != 0;
}
