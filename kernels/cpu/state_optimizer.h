/* state_optimizer.h - inner loops of optimizer steps, per dtype and instruction-set level. */
#ifndef MF_KERNELS_CPU_STATE_OPTIMIZER_H
#define MF_KERNELS_CPU_STATE_OPTIMIZER_H

#include <stdint.h>

#include "isa.h"

/* n elements of one variable. Pointers are of the loop's element type; they do not overlap. */
typedef struct mfi_optimizer_run {
  void *var;
  void *slot[3];           /* in the order of ops/state/optimizer.c; NULL: the op has no such slot */
  const void *grad;
  int64_t n;
} mfi_optimizer_run;

/* Hyper-parameters, rounded to the element type already. */
typedef struct mfi_optimizer_rates {
  double lr;               /* SGD, RMSprop: learning rate; Adam: alpha, bias correction included */
  double momentum;         /* SGD, RMSprop */
  double keep;             /* RMSprop: rho */
  double rest_1, rest_2;   /* Adam: 1 - beta_1, 1 - beta_2; RMSprop: rest_1 = 1 - rho */
  double epsilon;
} mfi_optimizer_rates;

typedef void (*mfi_optimizer_fn)(const mfi_optimizer_run *r, const mfi_optimizer_rates *h);

typedef struct mfi_optimizer_loops {
  mfi_optimizer_fn sgd, sgd_momentum, sgd_nesterov, adam, amsgrad;
  mfi_optimizer_fn rmsprop[2][2];    /* [has momentum][centered] */
} mfi_optimizer_loops;

MFI_ISA_TABLE(mfi_optimizer_loops, mfi_optimizer_f32);
MFI_ISA_TABLE(mfi_optimizer_loops, mfi_optimizer_f64);

#endif
