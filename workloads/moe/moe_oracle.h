/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of a mixture of experts, and what its output must be. */
#ifndef WORKLOADS_MOE_ORACLE_H
#define WORKLOADS_MOE_ORACLE_H

#include "../oracle.h"
#include "moe_route.h"

typedef struct moe_shape {
	uint64_t tokens, n, k;     /* X is tokens x k, W experts x n x k, Y rows x n             */
	uint32_t experts;
	char precision[8];         /* of X and W                                                 */
	char output[8];            /* of Y                                                       */
} moe_shape;

typedef struct moe_oracle {
	const eh_bench *bench;
	moe_shape shape;
	const moe_route *route;    /* the one that Y has now                                     */
	int exact;                 /* crafted inputs: equality, else gate B                      */
	uint32_t element, out;     /* bytes of an element of X and W, and of Y                   */
	uint64_t count[2];         /* elements in the blocks of X and W                          */
	void *block[2];            /* the repeated elements of X and W                           */
	double *value[2];          /* the same as doubles                                        */
	double *sign;              /* n random signs                                             */
	double *vector;            /* of each expert with rows, signs * W: experts * k           */
	int vectors_made;          /* of the inputs that there are now                           */
	double *row;               /* a row of X: k                                              */
} moe_oracle;

/* *o is zeroed; after a failure too it is freed with moe_oracle_free.  The route outlives it. */
eh_status moe_oracle_make(moe_oracle *o, const eh_bench *bench, const moe_shape *shape,
                          const moe_route *route);
void moe_oracle_free(moe_oracle *o);

/* Makes the inputs of the variant, of normal distribution; or crafted ones of -1, 0 and 1, so few that
 * every sum is exact in the output's type.  The route is the caller's. */
void moe_oracle_normal(moe_oracle *o, uint32_t variant);
void moe_oracle_crafted(moe_oracle *o);

/* Compares Y, rows x n elements. */
void moe_oracle_check(moe_oracle *o, const void *y, eh_check *check);

#endif
