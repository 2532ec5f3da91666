/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of a linear layer, and what its output must be. */
#ifndef WORKLOADS_LINEAR_ORACLE_H
#define WORKLOADS_LINEAR_ORACLE_H

#include "../oracle.h"

/* Scales repeat with this period, a prime too. */
#define ORACLE_SCALES UINT64_C(65521)
/* Rows of W that are computed in full. */
#define ORACLE_ROWS UINT64_C(64)

/* In the order of the parameter. */
enum linear_kind {
	LINEAR_BF16,
	LINEAR_F16,
	LINEAR_F32,
	LINEAR_E4M3,
	LINEAR_I8,
	LINEAR_I4,
	LINEAR_MXFP4
};

typedef struct linear_format {
	const char *name;          /* of its values: of more than 4 bits a precision             */
	uint32_t bits;             /* of an element                                              */
	uint64_t group;            /* elements along k that share a scale; 0: none, 1: each row  */
	const char *scale;         /* its precision; e8m0: a power of two; NULL: that of x       */
} linear_format;

typedef struct linear_shape {
	const linear_format *format;
	uint64_t m, n, k;          /* x is m x k, W n x k, y m x n                               */
	char precision[8];         /* of x and y                                                 */
} linear_shape;

const linear_format *linear_format_of(enum linear_kind kind);
/* Bytes of W, how many scales it has, their precision and the bytes of one. */
uint64_t linear_weight_bytes(const linear_shape *s);
uint64_t linear_scales(const linear_shape *s);
const char *linear_scale_precision(const linear_shape *s);
uint32_t linear_scale_bytes(const linear_shape *s);

typedef struct linear_oracle {
	const eh_bench *bench;
	linear_shape shape;
	int exact;                 /* crafted inputs: equality, else gate B                      */
	uint32_t element;          /* bytes of an element of x and y                             */
	uint32_t stored;           /* bytes of what W consists of: an element, or two            */
	uint32_t parts;            /* elements in that                                           */
	uint64_t x_count, w_count, scale_count;  /* in a block                                   */
	void *x, *w, *scale;       /* the repeated blocks, as the device gets them               */
	double *x_value, *w_value, *scale_value; /* the same; w_value has all parts              */
	double *sign;              /* n random signs                                             */
	double *vector;            /* signs * W: k                                               */
	int vector_made;           /* of the inputs that there are now                           */
	double *row;               /* a row of W: k                                              */
} linear_oracle;

/* *o is zeroed; after a failure too it is freed with linear_oracle_free. */
eh_status linear_oracle_make(linear_oracle *o, const eh_bench *bench, const linear_shape *shape);
void linear_oracle_free(linear_oracle *o);

/* Makes the inputs of the variant, of normal distribution (4 bits and scales: uniform); or the crafted
 * ones: elements of -1, 0 and 1 and scales of powers of two, so few that every sum is exact. */
void linear_oracle_normal(linear_oracle *o, uint32_t variant);
void linear_oracle_crafted(linear_oracle *o);

/* Compares y, m x n elements. */
void linear_oracle_check(linear_oracle *o, const void *y, eh_check *check);

#endif
