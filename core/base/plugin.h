/* plugin.h - libraries that are opened on first use (HDF5, CUDA): what is not asked for costs nothing at start-up. */
#ifndef MF_BASE_PLUGIN_H
#define MF_BASE_PLUGIN_H

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens `file` ("libmoonflow_hdf5.so") from the folder of this library, else by the system's search path, and finds `symbol`.
 * UNAVAILABLE names the library and the loader's reason; `remedy` (may be NULL) ends the message. A library stays mapped. */
mf_status mf_plugin_open(const char *file, const char *symbol, const char *remedy, void **address) MF_MUST_USE;

#ifdef __cplusplus
}
#endif
#endif
