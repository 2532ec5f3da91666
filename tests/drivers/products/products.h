/* SPDX-License-Identifier: Apache-2.0 */
/* The products of the test libraries: right numbers in the memory and the streams of the test driver below
 * them, computed in double and rounded once. */
#ifndef DRIVERS_PRODUCTS_H
#define DRIVERS_PRODUCTS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum product_type {
	PRODUCT_NONE,
	PRODUCT_F64,
	PRODUCT_F32,
	PRODUCT_I32,
	PRODUCT_F16,
	PRODUCT_BF16,
	PRODUCT_I8,
	PRODUCT_E4M3,
	PRODUCT_E5M2,
	PRODUCT_E4M3Z,
	PRODUCT_E5M2Z
} product_type;

/* elements.c: elements as doubles, and back, rounded to the nearest. */
uint64_t product_bytes(product_type type);
double product_get(const char *at, product_type type, uint64_t index);
void product_put(char *at, product_type type, uint64_t index, double value);
/* The nearest number of 11 bits. */
double product_tf32(double value);
/* 0 for what is below the smallest normal number of the type. */
double product_flushed(double value, product_type type);
/* Without what lies behind the first `bits` bits. */
double product_cut(double value, int bits);

/* As it is stored, by columns. */
typedef struct product_matrix {
	product_type type;
	uint64_t rows, columns;
	int64_t leading, offset; /* elements from column to column, and from matrix to matrix   */
	int32_t batch;
	bool turned;
	uint64_t at;             /* the device's address                                       */
} product_matrix;

/* D = alpha * op(A) * op(B) + beta * C; C lies as D does. */
typedef struct product {
	product_matrix a, b, d;
	uint64_t m, n, k;
	uint64_t at_c, workspace, workspace_bytes;
	double alpha, beta;      /* as they were when the call was made                        */
	uint64_t part;           /* of k, after which a sum is rounded to the type of D, 0 = none */
	bool tf32;               /* factors of f32 are rounded to 11 bits                      */
	bool wrong;              /* one element gets a wrong bit                               */
	bool flush;              /* subnormal factors and results become 0                     */
	int bits;                /* that a sum keeps of each addition, 0 = all of a double's   */
} product;

/* Fills m, n and k; false when the matrices do not fit together. */
bool product_sizes(product *p);

/* Bytes from its first element to its last. */
uint64_t product_extent(const product_matrix *x);

/* Now, in memory of the host's: a, b and c as A, B and C are stored, d is filled (and may be c). */
void product_compute(const product *p, const char *a, const char *b, const char *c, char *d);
/* Changes a bit of an element in the middle of d. */
void product_spoil(const product *p, char *d);

/* A command in the stream, which runs as late as all others, and may run many times; it overwrites the
 * workspace.  0, or the driver's code. */
int64_t product_enqueue(void *stream, const product *p);

#endif
