/* text_summary.h - a tensor's elements as one line or a block of text: what StringFormat, tf.print and Assert show. */
#ifndef MF_KERNELS_CPU_TEXT_SUMMARY_H
#define MF_KERNELS_CPU_TEXT_SUMMARY_H

#include "base/strbuf.h"
#include "tensor/tensor.h"

/* Nested brackets; of each dimension the first and last `edge` entries, "..." between (edge < 0: all). Strings are
 * quoted. */
void mfi_summary_block(mf_strbuf *out, const mf_tensor *t, int64_t edge);
/* The first `most` elements (negative: all), then "...". Strings are bare. */
void mfi_summary_line(mf_strbuf *out, const mf_tensor *t, int64_t most);

#endif
