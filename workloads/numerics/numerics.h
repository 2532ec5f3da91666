/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of numerics share: a case, and the crafted dot products whose results answer it.
 *
 * A property allows a few outcomes for each dot product, every one known exactly.  numerics_rows.c crafts
 * dot products for numerics.k, each with elements of its own, numerics_product.c matrices for a
 * product of gemm, and numerics_judge.c says what outcomes mean.
 */
#ifndef NUMERICS_H
#define NUMERICS_H

#include "../library.h"

/* Positions in the domain of `property`. */
enum property { ACCUMULATOR, SUBNORMALS, ROUNDING, CONTRACTION, FACTORS, OUTPUT };

#define GROUP_ITEMS 64
#define TERMS 4
#define OUTCOMES 6
#define TESTS_MOST 128
/* The rows' scales differ by so many powers of two. */
#define SHIFTS 3
/* The first step of the ladder of floats: below it, in 8 bits, factors would be beyond the largest. */
#define FIRST_STEP 4

/* Names of the outcomes, by position. */
enum { KEPT, LOST, RAISED };            /* accumulator, subnormals, factors                   */
enum { FUSED, SEPARATE };
enum { NEAREST_EVEN, TO_ZERO, UP, DOWN, NEAREST_AWAY, TOO_NARROW };
/* The tests of subnormals. */
enum { INPUTS, CONTROL, PRODUCTS, SUMS };

/* Exponents of powers of two: the largest, the smallest normal and the smallest subnormal. */
typedef struct format {
	const char *name, *element, *load;
	uint32_t bytes;
	int largest, normal, subnormal;
	uint64_t needs;
} format;

/* The matrices of a case through gemm; m is 0 where it goes through numerics.k. */
typedef struct matrices {
	uint64_t m, n, k;
	const char *output;        /* the precision of C                                          */
} matrices;

typedef struct numerics_state {
	const eh_bench *bench;
	enum property property;
	const format *format;
	int wide, integer;         /* sums are f64, i32                                           */
	matrices product;
	uint64_t rows, turn;       /* turn: changes sign, scale and factors of the rows           */
	double codes[256];         /* the values of a precision of 8 bits                         */
	eh_kernel *kernel;         /* NULL where a library makes the product                      */
	library_product library;
	eh_buffer *out, *start, *a, *b;
	unsigned char *host_a, *host_b;
	unsigned char *sums;       /* to and from the device                                      */
} numerics_state;

/* One dot product.  Outcome i is that of the i-th answer; outcomes beyond `count` are not possible. */
typedef struct row {
	double a[TERMS], b[TERMS], start;
	uint64_t at[TERMS];        /* through gemm: the columns of A of a[]                       */
	uint64_t run;              /* and how many elements from at[0] on are a[0]                */
	double want[OUTCOMES];
	int terms, test, count;
} row;

/* ---- numerics.c ---------------------------------------------------------------------------- */

/* Sums in f32 of elements whose products are not exact there, or subnormal. */
int numerics_has_range_of_sums(const format *f);
/* Bits of a sum that the precision promises. */
int numerics_promised_bits(const format *f);
/* Bits of an element, the one before the point included. */
int numerics_factor_bits(const format *f);
/* The power of a product from which that of the smallest normal elements is far enough away. */
int numerics_top(const numerics_state *s);
/* x, which is exact in the precision, as element i. */
void numerics_put(const numerics_state *s, unsigned char *elements, uint64_t i, double x);

/* ---- numerics_rows.c and numerics_product.c: the same questions, of other dot products -------- */

int rows_tests(const numerics_state *s);
void rows_craft(const numerics_state *s, uint64_t index, row *r);

int product_tests(const numerics_state *s);
/* Row `index` of A, and what comes of it in a column of B whose elements have the sign `column`. */
void product_craft(const numerics_state *s, uint64_t index, int column, row *r);
/* The sign of column j of B. */
int product_column_sign(uint64_t j);
/* The first step of the ladder of integers, in powers of two. */
int product_first_whole(void);
/* How far the farther ones of two terms of an accumulator's test are apart. */
uint64_t product_distance(const numerics_state *s);
/* Fills host_a and host_b. */
void product_fill(const numerics_state *s);

/* How a last bit that is `quarters` quarters of a unit behind low, with `odd` units of it, is rounded. */
void numerics_last_bit(row *r, double low, double high, int sign, int odd, int quarters);

/* ---- numerics_judge.c ---------------------------------------------------------------------- */

/* Compares the sums with the outcomes, and says what they have in common. */
void numerics_judge(const numerics_state *s, eh_check *check);

#endif
