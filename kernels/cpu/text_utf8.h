/* text_utf8.h - UTF-8, one character at a time. */
#ifndef MF_KERNELS_CPU_TEXT_UTF8_H
#define MF_KERNELS_CPU_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters are counted by their first bytes, as TensorFlow does: whatever is not a continuation byte starts one. */
static inline bool mfi_utf8_starts(char byte) { return ((unsigned char)byte & 0xC0) != 0x80; }

static inline int64_t mfi_utf8_length(const char *bytes, size_t size) {
  int64_t n = 0;
  for (size_t i = 0; i < size; i++) n += mfi_utf8_starts(bytes[i]);
  return n;
}

/* Reads the character at *at (< size) and moves *at behind it; malformed bytes read as U+FFFD, one at a time. */
uint32_t mfi_utf8_next(const char *bytes, size_t size, size_t *at);
/* Writes a character into 4 bytes; how many were used. */
size_t mfi_utf8_put(uint32_t ch, char out[4]);

#endif
