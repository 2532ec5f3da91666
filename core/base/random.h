/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded pseudo-random numbers (xoshiro256** seeded by splitmix64; Blackman and Vigna 2018).
 * The same seed gives the same sequence on every machine. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct random_state { uint64_t s[4]; } random_state;

void random_seed(random_state *r, uint64_t seed);
uint64_t random_next(random_state *r);
uint64_t random_below(random_state *r, uint64_t limit); /* unbiased, 0 .. limit-1, limit > 0 */
double random_unit(random_state *r);                    /* [0, 1) */
/* Shuffles `count` indices (Fisher and Yates). */
void random_shuffle(random_state *r, size_t *items, size_t count);
/* A seed for a named purpose: different purposes get different sequences. */
uint64_t random_derive(uint64_t seed, const char *purpose, uint64_t index);

#endif
