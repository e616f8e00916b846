/* op.h - the op table: everything there is to know about an op stands in ONE constant entry.
 *
 *     const mf_op_def mf_op_MatMul = {
 *       MF_OP_NAME(MatMul),
 *       .inputs = "a: T; b: T", .outputs = "product: T",
 *       .attrs = "transpose_a: bool = false; transpose_b: bool = false; T: {bfloat16, half, float, double, int32, int64}",
 *       .infer = matmul_infer, .grad = matmul_grad, .saves = MF_SAVE_IN(0) | MF_SAVE_IN(1),
 *       .doc = "Matrix product of a [m,k] and b [k,n].",
 *     };
 *
 * The signature is TensorFlow's OpDef in the notation of REGISTER_OP, items separated by ';'. An entry's identity is its
 * address. The build finds entries by their definition `const mf_op_def mf_op_NAME` in core/ops and core/graph/control and makes
 * the table; there is no registration call. mf_init parses the signatures once.
 */
#ifndef MF_OPS_OP_H
#define MF_OPS_OP_H

#include "ops/attr.h"
#include "tensor/context.h"

typedef struct mf_op_def mf_op_def;
typedef struct mf_op_rt mf_op_rt;
typedef struct mf_infer mf_infer;
typedef struct mf_grad_args mf_grad_args;
typedef struct mf_grad mf_grad;

/* ---- flags */
enum {
  MF_OP_ELEMENTWISE = 1 << 0,    /* output element i depends on input elements i (after broadcasting) only */
  MF_OP_INPLACE = 1 << 1,        /* an output may share the memory of an input of the same shape and dtype */
  MF_OP_COMMUTATIVE = 1 << 2,
  MF_OP_STATEFUL = 1 << 3,       /* OpDef's is_stateful: never folded, merged or dropped; program order is kept */
  MF_OP_VIEW = 1 << 4,           /* kernel hands out views of its inputs through mf_out_set */
  MF_OP_RANDOM = 1 << 5,
  MF_OP_DYNAMIC = 1 << 6,        /* output shape is known only to the kernel: mf_out_alloc */
  MF_OP_PRIVATE = 1 << 7,        /* name starts with Mf; has `lower` */
  MF_OP_PASS_GRAD = 1 << 8       /* gradient of input 0 is dy 0 as it is, SLICES included (Identity, ReadVariableOp) */
};

/* ---- what a tape keeps for the gradient: bit i = flat input/output i; the last bit covers all further ones.
 * What is not kept reaches the gradient as a husk: dtype and shape without memory. */
#define MF_SAVE_IN(i) (UINT32_C(1) << (i))
#define MF_SAVE_ALL_IN UINT32_C(0x0000FFFF)
#define MF_SAVE_OUT(i) (UINT32_C(1) << (16 + (i)))
#define MF_SAVE_ALL_OUT UINT32_C(0xFFFF0000)

/* ---- shape rule: partial shapes in, partial shapes out; all validation happens here. */
struct mf_infer {
  mf_ctx *ctx;
  mf_attrs attrs;
  mf_tensor *const *in;      /* dtype and (partial) shape of each; values only through mf_const_* */
  int n_in;
  mf_shape *out;             /* [OUT] preset to unknown rank */
  mf_dtype *out_types;       /* set from the signature; a rule changes them only where OpDef cannot say (none so far) */
  int n_out;
};

/* ---- gradient contract */
enum { MF_GRAD_NONE = 0, MF_GRAD_DENSE = 1, MF_GRAD_SLICES = 2 };

struct mf_grad {
  int kind;
  mf_tensor *values;         /* DENSE: the gradient; SLICES: rows [n, ...] */
  mf_tensor *indices;        /* SLICES: [n] rows of the dense shape */
  mf_tensor *dense_shape;    /* SLICES: int vector */
};

struct mf_grad_args {
  mf_attrs attrs;
  mf_tensor *const *in;      /* saved, or husks */
  int n_in;
  mf_tensor *const *out;     /* saved, or husks */
  int n_out;
  mf_tensor *const *dy;      /* one an output; NULL = zero. SLICES were made dense. */
  const bool *need;          /* one an input: what is not needed must not be computed */
};

/* Sets dx[i] (preset NONE) for the needed inputs. Builds ops through mf_apply (ops/build.h makes that short). */
typedef mf_status (*mf_grad_fn)(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx);

/* TensorFlow's ops.NotDifferentiable: gradients stop here. */
mf_status mf_grad_stop(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx);
/* No gradient is registered in TensorFlow: asking for it is an error that names the op. */
mf_status mf_grad_missing(mf_ctx *ctx, const mf_grad_args *a, mf_grad *dx);
#define MF_NOT_DIFFERENTIABLE mf_grad_stop
#define MF_NO_GRADIENT mf_grad_missing

/* ---- the entry */
struct mf_op_def {
  const char *name;
  mf_op_rt *rt;                         /* what mf_init derives: parsed signature, kernels; see below */
  const char *inputs, *outputs, *attrs; /* OpDef; NULL: none */
  uint32_t flags;
  uint32_t saves;                       /* MF_SAVE_* */
  mf_status (*infer)(mf_infer *c);
  mf_grad_fn grad;
  /* Output `output` of a symbolic node read as a shape vector, as far as it is known without running (Shape, Pack, ...).
   * False: nothing is known. NULL: never. */
  bool (*shape_value)(const struct mf_node *node, int output, mf_shape *out);
  /* Private ops: the same meaning in TensorFlow's ops. */
  mf_status (*lower)(mf_ctx *ctx, mf_attrs attrs, mf_tensor *const *in, int n_in, mf_tensor **out, int n_out);
  const char *doc;
};

#define MF_OP_NAME(n_) .name = #n_, .rt = &(mf_op_rt){0}

/* ---- the parsed signature */
typedef struct mf_arg_sig {
  const char *name;
  mf_dtype type;          /* fixed type, or MF_DTYPE_INVALID */
  int type_attr;          /* index of the attribute that names the type, or -1 */
  int number_attr;        /* the argument is a list of that many tensors of one type, or -1 */
  int type_list_attr;     /* the argument is a list with one type each, or -1 */
} mf_arg_sig;

typedef struct mf_attr_sig {
  const char *name;
  uint8_t kind;           /* mf_attr_kind */
  bool has_default;
  bool inferred;          /* follows from the inputs: a caller need not give it */
  bool has_minimum;
  int64_t minimum;        /* ints: least value; lists: least length */
  mf_attr default_value;  /* owned by the table */
  uint32_t allowed_types; /* type attributes: set of types; 0 = all */
  const char *const *allowed_texts;   /* string attributes: NULL-ended list, or NULL = all */
} mf_attr_sig;

/* One kernel of an op on a device; lists end with a NULL def. */
typedef struct mf_kernel_row {
  const struct mf_kernel_def *def;
  int type_index;         /* attribute of the dtype column; -1: any */
} mf_kernel_row;

struct mf_op_rt {
  int index;              /* position in the op table */
  int n_inputs, n_outputs, n_attrs;
  const mf_arg_sig *inputs, *outputs;
  const mf_attr_sig *attrs;
  bool simple;            /* every input and output is one tensor: flat index = argument index */
  mf_kernel_row *kernels[MF_DEVICE_TYPES];   /* best first; NULL: none */
};

enum { MF_MAX_ATTRS = 24, MF_MAX_INLINE = 16 };

/* ---- the table */
/* Parses all signatures and sorts the kernels in; called once by mf_init. */
mf_status mf_op_table_open(void) MF_MUST_USE;
void mf_op_table_close(void);
int mf_op_count(void);
const mf_op_def *mf_op_at(int index);                 /* sorted by name */
const mf_op_def *mf_op_find(const char *name);        /* NULL: unknown */

/* ---- generated by the build (build folder: op_table.c) */
extern const mf_op_def *const mfi_op_entries[];
extern const int mfi_op_entry_count;

#endif
