/* plugin.cu - mf_plugin, the one symbol that the library exports. */
#include "call.h"
#include "device.h"
#include "stream.h"

extern "C" mf_status mfi_cuda_check(const mfi_cuda_call *c, int code) {
  if (!code) return NULL;
  const char *text = cudaGetErrorString((cudaError_t)code);
  return mfi_cuda_fail(c, MF_INTERNAL, "CUDA: %s (code %d)", text ? text : "unknown error", code);
}

/* Called under core's lock: the table is filled by the first call. */
extern "C" __attribute__((visibility("default"))) const mf_device_api *mf_plugin(uint32_t abi,
                                                                                 const mf_plugin_host *host) {
  static mf_device_api api;
  if (abi != MF_PLUGIN_ABI || !host || host->abi != MF_PLUGIN_ABI || host->size < sizeof *host) return NULL;
  api = mfi_cuda_device_api();
  api.kernels = mfi_cuda_kernels(host);
  return api.kernels ? &api : NULL;
}
