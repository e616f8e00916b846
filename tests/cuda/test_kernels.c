/* test_kernels.c - tests every kernel of a device plug-in.
 *
 *     test_cuda_kernels PLUGIN.so [bench]
 *
 * Ends with "N passed, M failed"; exit status 0 when nothing failed, 77 when there is no device.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "harness.h"

static void group(const char *name, void (*run)(void)) {
  int before = checks_passed;
  clock_t begin = clock();
  run();
  printf("%-10s %5d checks %6.2f s\n", name, checks_passed - before, (double)(clock() - begin) / CLOCKS_PER_SEC);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    printf("usage: %s PLUGIN.so [bench]\n", argv[0]);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!plugin_open(argv[1])) return 77;
  group("device", test_device);
  group("unary", test_unary);
  group("binary", test_binary);
  group("gradient", test_gradient);
  group("cast", test_cast);
  group("select", test_select);
  group("reduction", test_reduction);
  group("softmax", test_softmax);
  group("product", test_product);
  if (argc > 2 && !strcmp(argv[2], "bench")) benchmark();
  plugin_close();
  printf("%d passed, %d failed\n", checks_passed, checks_failed);
  return checks_failed != 0;
}
