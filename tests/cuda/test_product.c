/* test_product.c - MatMul and BatchMatMulV2: shapes around the tile size, transposes, broadcast batches, empty
 * products. */
#include <math.h>
#include <stdio.h>

#include "harness.h"

static double tolerance(mf_dtype t, int64_t k) {
  return (t == MF_FLOAT32 ? 1e-6 : t == MF_FLOAT64 ? 1e-14 : 0) * (double)(k + 1);
}

static int64_t flat(bool transposed, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  return transposed ? column * rows + row : row * columns + column;
}

/* c[offset_c..] = a[offset_a..] b[offset_b..], one matrix. */
static void reference(const array *a, const array *b, array *c, const int64_t offset[3], int64_t m, int64_t n,
                      int64_t k, bool ta, bool tb) {
  for (int64_t i = 0; i < m; i++) {
    for (int64_t j = 0; j < n; j++) {
      double sum = 0;
      for (int64_t l = 0; l < k; l++)
        sum += array_get(a, offset[0] + flat(ta, i, l, m, k)) * array_get(b, offset[1] + flat(tb, l, j, k, n));
      array_set(c, offset[2] + i * n + j, sum);
    }
  }
}

static void one_matmul(mf_dtype t, int64_t m, int64_t n, int64_t k, bool ta, bool tb) {
  int64_t da[2] = {ta ? k : m, ta ? m : k}, db[2] = {tb ? n : k, tb ? k : n}, dc[2] = {m, n}, zero[3] = {0};
  char what[80];
  array a = array_new(t, 2, da), b = array_new(t, 2, db), c = array_new(t, 2, dc), want = array_new(t, 2, dc);
  array_random(&a, -3, 3);
  array_random(&b, -3, 3);
  reference(&a, &b, &want, zero, m, n, k, ta, tb);
  call run = {.op = "MatMul",
              .attrs = {A_BOOL("transpose_a", ta), A_BOOL("transpose_b", tb), A_TYPE("T", t)},
              .n_attrs = 3,
              .in = {&a, &b},
              .n_in = 2,
              .out = {&c},
              .n_out = 1};
  call_run(&run);
  snprintf(what, sizeof what, "MatMul dtype %d %lldx%lldx%lld%s%s", (int)t, (long long)m, (long long)n, (long long)k,
           ta ? " ta" : "", tb ? " tb" : "");
  check_close(&c, &want, tolerance(t, k), 9 * tolerance(t, k), what);
  array_free(&a);
  array_free(&b);
  array_free(&c);
  array_free(&want);
}

/* Batch dimensions of both operands and of the result, right-aligned to rank 3. */
static const struct batch_case {
  int rank_a, rank_b, rank;
  int64_t a[3], b[3], out[3];
} batches[] = {
    {1, 1, 1, {4}, {4}, {4}},       {1, 0, 1, {4}, {0}, {4}},          {0, 1, 1, {0}, {4}, {4}},
    {2, 2, 2, {2, 3}, {2, 3}, {2, 3}}, {2, 1, 2, {2, 3}, {3}, {2, 3}}, {2, 2, 2, {2, 1}, {1, 3}, {2, 3}},
    {3, 2, 3, {2, 1, 2}, {3, 1}, {2, 3, 2}}, {1, 1, 1, {0}, {1}, {0}},
};

static int64_t batch_index(int rank, const int64_t *dims, int rank_out, const int64_t *out, int64_t i) {
  int64_t index = 0, stride = 1;
  for (int d = rank_out - 1, s = rank - 1; s >= 0; d--, s--) {
    if (dims[s] != 1) index += i % out[d] * stride;
    stride *= dims[s];
    i /= out[d];
  }
  return index;
}

static array matrices(mf_dtype t, int rank, const int64_t *batch, int64_t rows, int64_t columns) {
  int64_t dims[ARRAY_RANK];
  for (int d = 0; d < rank; d++) dims[d] = batch[d];
  dims[rank] = rows;
  dims[rank + 1] = columns;
  return array_new(t, rank + 2, dims);
}

static void one_batch(mf_dtype t, const struct batch_case *s, bool ta, bool tb) {
  const int64_t m = 5, n = 18, k = 7;
  array a = matrices(t, s->rank_a, s->a, ta ? k : m, ta ? m : k),
        b = matrices(t, s->rank_b, s->b, tb ? n : k, tb ? k : n);
  array c = matrices(t, s->rank, s->out, m, n), want = matrices(t, s->rank, s->out, m, n);
  array_random(&a, -3, 3);
  array_random(&b, -3, 3);
  for (int64_t i = 0; i < c.count / (m * n); i++) {
    int64_t offset[3] = {batch_index(s->rank_a, s->a, s->rank, s->out, i) * m * k,
                         batch_index(s->rank_b, s->b, s->rank, s->out, i) * k * n, i * m * n};
    reference(&a, &b, &want, offset, m, n, k, ta, tb);
  }
  call run = {.op = "BatchMatMulV2", .attrs = {A_BOOL("adj_x", ta), A_BOOL("adj_y", tb), A_TYPE("T", t)}, .n_attrs = 3,
              .in = {&a, &b}, .n_in = 2, .out = {&c}, .n_out = 1};
  call_run(&run);
  check_close(&c, &want, tolerance(t, k), 9 * tolerance(t, k), "BatchMatMulV2");
  array_free(&a);
  array_free(&b);
  array_free(&c);
  array_free(&want);
}

void test_product(void) {
  static const mf_dtype types[] = {MF_FLOAT32, MF_FLOAT64, MF_INT32, MF_INT64};
  static const int64_t shapes[][3] = {{1, 1, 1},  {16, 16, 16}, {17, 33, 15}, {3, 40, 100},
                                      {70, 5, 9}, {4, 3, 0},    {0, 3, 4}};
  for (int t = 0; t < 4; t++) {
    for (int flags = 0; flags < 4; flags++) {
      bool ta = flags & 1, tb = (flags & 2) != 0;
      for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        one_matmul(types[t], shapes[i][0], shapes[i][1], shapes[i][2], ta, tb);
      for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) one_batch(types[t], &batches[i], ta, tb);
    }
  }
}
