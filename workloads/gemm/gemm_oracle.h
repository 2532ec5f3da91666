/* SPDX-License-Identifier: Apache-2.0 */
/* The expected C = A * B.  The factors repeat a block of a prime number of elements each. */
#ifndef WORKLOADS_GEMM_ORACLE_H
#define WORKLOADS_GEMM_ORACLE_H

#include "../support.h"

#define ORACLE_BLOCK UINT64_C(262147)
#define ORACLE_SAMPLES 64 /* rows and columns whose crossings are compared */

typedef struct gemm_oracle {
	const eh_bench *bench;
	char precision[8];
	uint32_t element;         /* bytes                                                     */
	uint32_t variant;
	int exact;                /* the factors are the crafted ones                          */
	uint64_t m, n, k;
	void *block[2];           /* of A and B, as elements; the device holds them repeated   */
	double *value[2];         /* the same in double precision                              */
	double *sign;             /* n random signs                                            */
	double *vector;           /* k: B * sign                                               */
	double *column;           /* k: one column of B                                        */
} gemm_oracle;

/* EH_E_NO_MEMORY leaves what gemm_oracle_free can free; the factors are undefined. */
eh_status gemm_oracle_make(gemm_oracle *o, const eh_bench *bench, const char *precision,
                           uint64_t m, uint64_t n, uint64_t k);
void gemm_oracle_free(gemm_oracle *o);

/* Makes the factors: gate B's normal ones, or gate A's of -1, 0 and 1.  Variant 0 is made as a whole, so
 * that the digest of the inputs stays; of others only what the matrices use. */
void gemm_oracle_normal(gemm_oracle *o, uint32_t variant);
void gemm_oracle_crafted(gemm_oracle *o);

/* Compares c, m * n elements, with the product of the current factors. */
void gemm_oracle_check(gemm_oracle *o, const void *c, eh_check *check);

#endif
