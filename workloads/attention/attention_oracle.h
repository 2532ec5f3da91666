/* SPDX-License-Identifier: Apache-2.0 */
/* The expected O = softmax(Q K^T / sqrt(D)) V, and the inputs that it is made for. */
#ifndef WORKLOADS_ATTENTION_ORACLE_H
#define WORKLOADS_ATTENTION_ORACLE_H

#include "../oracle.h"

/* Q and K repeat ORACLE_BLOCK elements, V a prime number of pairs. */
#define ORACLE_PAIRS UINT64_C(131071)
#define ORACLE_SAMPLES 64 /* rows of O that are compared, unless they have many keys */

enum { ORACLE_Q, ORACLE_K, ORACLE_V, ORACLE_INPUTS };

typedef struct attention_shape {
	char precision[8];
	uint64_t batch, heads, kv_heads, share; /* share: heads that have one KV head            */
	uint64_t query, keys, head;
	int decode, causal, naive;
} attention_shape;

typedef struct attention_oracle {
	const eh_bench *bench;
	attention_shape shape;
	uint32_t element;                /* bytes                                                   */
	uint32_t variant;
	int crafted;                     /* the inputs are the selftest's                          */
	int library;                     /* weights may be divided by their sum, and rounded to the
	                                    type of V, before they are multiplied by it            */
	uint64_t count[ORACLE_INPUTS];   /* elements of Q (and of O), K and V                      */
	uint64_t block[ORACLE_INPUTS];   /* elements after which they repeat                       */
	void *data[ORACLE_INPUTS];       /* a block, as elements; the device holds it repeated      */
	double *value[ORACLE_INPUTS];    /* the same in double precision                           */
	uint8_t *random;                 /* ORACLE_BLOCK bytes, of which the crafted inputs are made */
	double *weight;                  /* one for each key                                       */
	double sum;                      /* of the two elements of every pair of V, and so of O     */
} attention_oracle;

/* EH_E_NO_MEMORY leaves what attention_oracle_free can free; the inputs are undefined. */
eh_status attention_oracle_make(attention_oracle *o, const eh_bench *bench, const attention_shape *shape);
void attention_oracle_free(attention_oracle *o);

/* Makes the inputs of gate B; every variant has others. */
void attention_oracle_normal(attention_oracle *o, uint32_t variant);
/* The selftest's.  V repeats ORACLE_BLOCK elements, which the second one writes; Q and K, whose input is
 * named, are too many for a block, and are written in rows of `head` elements. */
void attention_oracle_crafted(attention_oracle *o);
void attention_oracle_crafted_values(const attention_oracle *o, void *out);
void attention_oracle_crafted_rows(const attention_oracle *o, int input, uint64_t first, uint64_t rows,
                                   void *out);

/* Compares `got`, the elements of O, with the outcome for the current inputs. */
void attention_oracle_check(attention_oracle *o, const void *got, eh_check *check);

#endif
