/* philox_words.h - internal to base: the bare words of the Philox 4x32-10 generator, one block or many at a time. */
#ifndef MF_BASE_PHILOX_WORDS_H
#define MF_BASE_PHILOX_WORDS_H

#include <stdint.h>

#include "base/philox.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The block at g's counter. */
void mfi_philox_block(const mf_philox *g, uint32_t words[4]);

/* Blocks [first, first + blocks) counted from g's counter, into words[0 .. 4*blocks-1]: the same words as one block
 * after the other gives, made several at a time where the processor can (mf_cpu_isa). */
void mfi_philox_words(const mf_philox *g, uint64_t first, int64_t blocks, uint32_t *words);

#ifdef __cplusplus
}
#endif
#endif
