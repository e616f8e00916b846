/* plugin.c - see plugin.h. */
#include "base/plugin.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 4096 };

static bool path_beside(const char *file, char path[PATH]) {
  Dl_info self;
  if (strchr(file, '/') || !dladdr((const void *)(size_t)&mf_plugin_open, &self) || !self.dli_fname) return false;
  const char *slash = strrchr(self.dli_fname, '/');
  int folder = slash ? (int)(slash - self.dli_fname + 1) : 0;
  int n = snprintf(path, PATH, "%.*s%s", folder, self.dli_fname, file);
  return n > 0 && n < PATH && access(path, F_OK) == 0;
}

mf_status mf_plugin_open(const char *file, const char *symbol, const char *remedy, void **address) {
  char path[PATH];
  void *library = dlopen(path_beside(file, path) ? path : file, RTLD_NOW | RTLD_LOCAL);
  *address = library ? dlsym(library, symbol) : NULL;
  if (*address) return NULL;
  const char *why = dlerror();
  return mf_fail(MF_UNAVAILABLE, "%s cannot be loaded: %s%s%s", file, why ? why : "unknown reason", remedy ? "; " : "",
                 remedy ? remedy : "");
}
