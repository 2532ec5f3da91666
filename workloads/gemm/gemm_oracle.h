/* SPDX-License-Identifier: Apache-2.0 */
/* The factors of a product, and what the product must be. */
#ifndef WORKLOADS_GEMM_ORACLE_H
#define WORKLOADS_GEMM_ORACLE_H

#include "../oracle.h"

/* Rows and columns sampled in full; of each product of a batch. */
#define ORACLE_SAMPLES UINT64_C(64)
#define ORACLE_BATCH_SAMPLES UINT64_C(16)

typedef struct gemm_shape {
	uint64_t m, n, k, batch;
	int turn_a, turn_b;      /* stored transposed: k x m, n x k                            */
	char precision[8];       /* of A and B                                                 */
	char output[8];          /* of C                                                       */
} gemm_shape;

typedef struct gemm_oracle {
	const eh_bench *bench;
	gemm_shape shape;
	uint64_t element, out;   /* bytes of an element of A and B, and of C                    */
	uint32_t variant;        /* the factors' streams follow from it                        */
	int exact;               /* crafted factors: equality, else gate B                     */
	int few_allowed;         /* sums may have 14 bits: 8-bit floats, of a library          */
	int few_seen;            /* and a value has an error that f32 sums do not make         */
	void *block[2];          /* the repeated elements of A and B                           */
	double *value[2];        /* the same as doubles                                        */
	double *sign;            /* n random signs                                             */
	double *vector;          /* B * signs, k                                               */
	double *column;          /* one column of B, k                                         */
} gemm_oracle;

/* Elements of A, B and C, all products of the batch. */
uint64_t gemm_elements_a(const gemm_shape *s);
uint64_t gemm_elements_b(const gemm_shape *s);
uint64_t gemm_elements_c(const gemm_shape *s);

/* *o is zeroed; after a failure too it is freed with gemm_oracle_free. */
eh_status gemm_oracle_make(gemm_oracle *o, const eh_bench *bench, const gemm_shape *shape);
void gemm_oracle_free(gemm_oracle *o);
/* Factors of {-1, 0, 1}, so sparse that all sums are exact, integers of all values from -127 to 127; or
 * normal ones, by variant.  Integers are exact always. */
void gemm_oracle_crafted(gemm_oracle *o);
void gemm_oracle_normal(gemm_oracle *o, uint32_t variant);
/* The whole of C against the factors that were made last. */
void gemm_oracle_check(gemm_oracle *o, const void *c, eh_check *check);

#endif
