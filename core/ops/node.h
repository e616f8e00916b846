/* node.h - one applied op: what a tape, a graph and a function body are made of.
 *
 * A tape record and a graph node are the same struct. In a tape over concrete values `in[i].tensor` is the saved input, or a
 * husk when the gradient does not read its elements; in a graph it is the symbolic input. Nodes are counted: a tape that
 * records during a trace shares the graph's nodes. A node never points to the symbolic handles of its own outputs (those point
 * to it): mf_node_output makes one on demand, with the serial number that was given out first.
 */
#ifndef MF_OPS_NODE_H
#define MF_OPS_NODE_H

#include "ops/op.h"

typedef struct mf_node_in {
  uint64_t serial;         /* of the value as it was applied */
  mf_tensor *tensor;       /* counted */
} mf_node_in;

typedef struct mf_node_out {
  uint64_t serial;
  mf_tensor *saved;        /* concrete records: the saved output or a husk (counted); graph nodes: NULL */
  mf_dtype dtype;          /* graph nodes */
  mf_shape shape;          /* graph nodes */
} mf_node_out;

typedef struct mf_node {
  atomic_int count;
  const mf_op_def *op;
  mf_attr *attrs;          /* owned deep copies, in the order of the signature */
  int n_in, n_out;
  mf_node_in *in;
  mf_node_out *out;
  int index;               /* position in the region that made it; gaps are allowed after passes */
  const char *name;        /* unique in a graph; NULL in tapes; owned */
  const char *scope;       /* name scope at creation; NULL; owned */
  const char *position;    /* "file:line" of the user's call; NULL; owned */
  mf_device *device;       /* requested placement; NULL: any */
  mf_named_attr *extra;    /* unknown `_attrs` of imported nodes, kept; NULL; owned */
  int n_extra;
} mf_node;

/* A list of nodes in program order. */
typedef struct mf_region {
  mf_node **nodes;         /* counted */
  size_t n, capacity;
} mf_region;

/* Deep-copies attrs; inputs and outputs are set empty. [OUT] count 1. */
mf_status mf_node_new(const mf_op_def *op, const mf_attr *attrs, int n_in, int n_out, mf_node **out) MF_MUST_USE;
static inline mf_node *mf_node_retain(mf_node *n) {
  if (n) atomic_fetch_add_explicit(&n->count, 1, memory_order_relaxed);
  return n;
}
void mf_node_release(mf_node *n);
/* A handle of output i: symbolic for graph nodes, the saved value or husk for records. */
mf_status mf_node_output(mf_node *n, int i, mf_tensor **out) MF_MUST_USE;

mf_status mf_region_append(mf_region *r, mf_node *n) MF_MUST_USE;   /* retains n */
void mf_region_clear(mf_region *r);

static inline mf_attrs mf_node_attrs(const mf_node *n) { return (mf_attrs){n->op, n->attrs}; }

#endif
