/* SPDX-License-Identifier: Apache-2.0 */
/* What one check of a stack keeps, for block_check.c and block_attention.c. */
#ifndef WORKLOADS_BLOCK_CHECK_H
#define WORKLOADS_BLOCK_CHECK_H

#include "block.h"

/* After so many errors no more is compared: the outputs are wrong. */
#define JUDGE_ENOUGH 64

/* Operations that are judged by rho: the products, and attention. */
enum { JUDGE_ATTENTION = BLOCK_PRODUCTS, JUDGE_CLASSES };

typedef struct judge {
	block_state *s;
	eh_check *check;
	eh_error *error;
	uint64_t iteration, draws;
	uint64_t layer;
	int slot;                                  /* of the layer among the chosen ones         */
	double difference[JUDGE_CLASSES], norm[JUDGE_CLASSES];
	uint64_t count[JUDGE_CLASSES];
} judge;

/* A number below `size`, another in every check. */
uint64_t judge_draw(judge *j, uint64_t size);
/* Number i of `count` below `size`: each once if there are as many.  Otherwise both ends where `count` is 4 or
 * more, and for the rest a random one of each of as many stretches, another in every check. */
uint64_t judge_choose(judge *j, uint64_t size, uint64_t i, uint64_t count);
/* Compares an element of a class. */
void judge_sample(judge *j, int class, const char *what, uint64_t index, double got, double want,
                  double allowed);
/* Compares `count` elements, the first of them number `first`, bit by bit with those of a block of inputs that
 * repeats, from element `at` of it on. */
void judge_same(judge *j, const char *what, uint64_t first, const unsigned char *got,
                const unsigned char *block, uint64_t at, uint64_t count);
/* Elements as doubles. */
void judge_read(const judge *j, double *out, const unsigned char *elements, uint64_t count);

/* The caches' old rows, bit by bit, and attention, both in sampled sequences of the layer. */
eh_status judge_attention(judge *j);

#endif
