/* mt19937.h - Python's random.Random: the Mersenne Twister with Python's seeding and its ways of drawing.
 *
 * TensorFlow draws eager op seeds from random.Random(seed).randint, Keras its default seeds from the module `random`:
 * the same seed must give the same numbers here. A plain value: copying it saves the state. Source: Matsumoto and
 * Nishimura, mt19937ar; CPython's Modules/_randommodule.c and Lib/random.py for init_by_array, getrandbits and
 * randbelow.
 */
#ifndef MF_BASE_MT19937_H
#define MF_BASE_MT19937_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mf_mt19937 {
  uint32_t state[624];
  int index;               /* 624: the next draw makes a new block */
} mf_mt19937;

/* random.Random(seed) for an integer seed: pass its absolute value, which is what Python takes. */
void mf_mt19937_seed(mf_mt19937 *r, uint64_t seed);

/* The same for an integer of any size: its absolute value as 32-bit words, the least significant first; words[0 ..
 * count-1], leading zero words allowed, count 0 is the integer 0. */
void mf_mt19937_seed_words(mf_mt19937 *r, const uint32_t *words, uint32_t count);

uint32_t mf_mt19937_next(mf_mt19937 *r);                                   /* the generator's next 32 bits */
uint64_t mf_mt19937_getrandbits(mf_mt19937 *r, int bits);                  /* random.getrandbits: 1 to 64 bits */
double mf_mt19937_random(mf_mt19937 *r);                                   /* random.random: [0, 1), 53 bits */

/* random.randint: both ends included; low <= high. Rejection: the number of words drawn varies. */
int64_t mf_mt19937_randint(mf_mt19937 *r, int64_t low, int64_t high);

/* random.shuffle of a list of n items: call it with 0 .. n-1 in `order` to get the new order. */
void mf_mt19937_shuffle(mf_mt19937 *r, int64_t *order, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
