/* gemm_threads.h - calling OpenBLAS and oneDNN with one thread.
 *
 * Both take their number of threads from OpenMP's setting of the calling thread. It is set to 1 for the length of a
 * call and put back after it, so a host's own setting survives. Where OpenMP's run-time library is absent there is
 * nothing to set.
 */
#ifndef MF_KERNELS_CPU_GEMM_THREADS_H
#define MF_KERNELS_CPU_GEMM_THREADS_H

#if MF_HAVE_GOMP
int omp_get_max_threads(void);
void omp_set_num_threads(int n);
#endif

/* Returns what mfi_one_thread_end puts back. A few nanoseconds when the setting is 1 already, as on the pool's threads
 * after their first call. */
static inline int mfi_one_thread_begin(void) {
#if MF_HAVE_GOMP
  int before = omp_get_max_threads();
  if (before != 1) omp_set_num_threads(1);
  return before;
#else
  return 1;
#endif
}

static inline void mfi_one_thread_end(int before) {
#if MF_HAVE_GOMP
  if (before != 1) omp_set_num_threads(before);
#else
  (void)before;
#endif
}

#endif
