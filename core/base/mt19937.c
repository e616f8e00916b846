/* mt19937.c - the Mersenne Twister, seeded and drawn from as Python does: see mt19937.h. */
#include "base/mt19937.h"

enum { N = 624, M = 397 };

static void init_genrand(mf_mt19937 *r, uint32_t seed) {
  r->state[0] = seed;
  for (uint32_t i = 1; i < N; i++) r->state[i] = 1812433253u * (r->state[i - 1] ^ (r->state[i - 1] >> 30)) + i;
  r->index = N;
}

static void init_by_array(mf_mt19937 *r, const uint32_t *key, uint32_t length) {
  uint32_t *s = r->state, i = 1, j = 0;
  init_genrand(r, 19650218u);
  for (uint32_t k = N > length ? N : length; k; k--) {
    s[i] = (s[i] ^ ((s[i - 1] ^ (s[i - 1] >> 30)) * 1664525u)) + key[j] + j;
    if (++i >= N) s[0] = s[N - 1], i = 1;
    if (++j >= length) j = 0;
  }
  for (uint32_t k = N - 1; k; k--) {
    s[i] = (s[i] ^ ((s[i - 1] ^ (s[i - 1] >> 30)) * 1566083941u)) - i;
    if (++i >= N) s[0] = s[N - 1], i = 1;
  }
  s[0] = 0x80000000u;
}

/* Python's key has no leading zero words; that of 0 is one zero word. */
void mf_mt19937_seed_words(mf_mt19937 *r, const uint32_t *words, uint32_t count) {
  static const uint32_t zero[1];
  while (count > 0 && words[count - 1] == 0) count--;
  init_by_array(r, count ? words : zero, count ? count : 1);
}

void mf_mt19937_seed(mf_mt19937 *r, uint64_t seed) {
  uint32_t words[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  mf_mt19937_seed_words(r, words, 2);
}

static void next_block(mf_mt19937 *r) {
  uint32_t *s = r->state;
  for (int k = 0; k < N; k++) {
    int next = k + 1 < N ? k + 1 : 0, far = k + M < N ? k + M : k + M - N;
    uint32_t y = (s[k] & 0x80000000u) | (s[next] & 0x7FFFFFFFu);
    s[k] = s[far] ^ (y >> 1) ^ (y & 1u ? 0x9908B0DFu : 0u);
  }
  r->index = 0;
}

uint32_t mf_mt19937_next(mf_mt19937 *r) {
  if (r->index >= N) next_block(r);
  uint32_t y = r->state[r->index++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9D2C5680u;
  y ^= (y << 15) & 0xEFC60000u;
  return y ^ (y >> 18);
}

uint64_t mf_mt19937_getrandbits(mf_mt19937 *r, int bits) {
  if (bits <= 32) return mf_mt19937_next(r) >> (32 - bits);
  uint64_t low = mf_mt19937_next(r);
  uint64_t high = mf_mt19937_next(r) >> (64 - bits);
  return low | high << 32;
}

double mf_mt19937_random(mf_mt19937 *r) {
  uint32_t a = mf_mt19937_next(r) >> 5, b = mf_mt19937_next(r) >> 6;
  return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
}

/* Rejection over bit_length(n) bits, as Python's _randbelow_with_getrandbits. */
static uint64_t below(mf_mt19937 *r, uint64_t n) {
  int bits = 64 - __builtin_clzll(n);
  uint64_t x = mf_mt19937_getrandbits(r, bits);
  while (x >= n) x = mf_mt19937_getrandbits(r, bits);
  return x;
}

/* The same below 2^64, whose bit length is 65: three words, of the last one bit. */
static uint64_t below_all(mf_mt19937 *r) {
  uint64_t x;
  do x = mf_mt19937_getrandbits(r, 64);
  while (mf_mt19937_next(r) >> 31);
  return x;
}

int64_t mf_mt19937_randint(mf_mt19937 *r, int64_t low, int64_t high) {
  uint64_t span = (uint64_t)high - (uint64_t)low + 1;
  uint64_t offset = span ? below(r, span) : below_all(r);
  return (int64_t)((uint64_t)low + offset);
}

void mf_mt19937_shuffle(mf_mt19937 *r, int64_t *order, int64_t n) {
  for (int64_t i = n - 1; i > 0; i--) {
    int64_t j = (int64_t)below(r, (uint64_t)i + 1), swap = order[i];
    order[i] = order[j];
    order[j] = swap;
  }
}
