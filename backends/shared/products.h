/* SPDX-License-Identifier: Apache-2.0 */
/* What every backend of eh.gemm.1 asks of a matrix product before a library sees it. */
#ifndef SHARED_PRODUCTS_H
#define SHARED_PRODUCTS_H

#include <stdbool.h>

#include "wording.h"

#include "evenhand/extensions.h"

/* Bytes that one operand takes, from its offset to the end of its last matrix. */
typedef struct products_bytes {
	uint64_t a, b, c;
} products_bytes;

/* Bytes of an element; 0 = no type of eh.gemm.1. */
uint64_t products_type_bytes(const char *type);

/* EH_E_INVALID_ARGUMENT for a product that is none: sizes of 0, leading dimensions shorter than a row,
 * matrices of C that overlap, unknown types, more than 2^63 bytes. */
eh_status products_check(const eh_gemm *gemm, products_bytes *bytes, eh_error *error);

/* EH_E_UNSUPPORTED when a library that counts in int64_t, and products of a batch in int32_t, cannot take
 * it. */
eh_status products_fit(const eh_gemm *gemm, const char *library, eh_error *error);

/* EH_E_UNSUPPORTED when a number of it is above 2^31-1, which libraries take as an int. */
eh_status products_fit_int(const eh_gemm *gemm, const char *library, eh_error *error);

/* All of its types are these. */
bool products_types(const eh_gemm *gemm, const char *a, const char *b, const char *c,
                    const char *accumulate);

/* "bf16", or "bf16 into f32", or "i8 x u8 into i32 added up in i32": its types in messages. */
void products_text(const eh_gemm *gemm, char *out, size_t size);

/* A factor alpha or beta in the type in which a library scales; its calls take the address. */
typedef union products_factor {
	double f64;
	float f32;
	int32_t i32;
} products_factor;

/* In the type in which the product is added up: f64, i32, else f32.  products_whole comes first. */
products_factor products_factor_of(const eh_gemm *gemm, double value);

/* EH_E_UNSUPPORTED for a product added up in i32 whose factors are no whole numbers of 32 bits. */
eh_status products_whole(const eh_gemm *gemm, const char *library, eh_error *error);

/* Why two libraries, asked one after the other, do not make a product: both reasons in one message, each with
 * at least half of the room. */
eh_status products_give_both(eh_status code, const eh_error *first, const eh_error *second, eh_error *error);

/* Why a library was passed over, as one value of a layer among others: cut to size, without the signs that
 * end a value. */
void products_passed(const eh_error *why, char *out, size_t size);

/* The kernels of all products of a device, sorted, so that their order is not that of the cases. */
enum { PRODUCTS_KERNELS = 6, PRODUCTS_KERNEL = 176 };
typedef struct products_kernels {
	char list[PRODUCTS_KERNELS][PRODUCTS_KERNEL];
	unsigned count;
	bool more;                 /* than have room                                        */
} products_kernels;

/* Adds one that is not there yet. */
void products_kernel_add(products_kernels *kernels, const char *kernel);

/* Appends "kernel=ONE | ANOTHER" to layer->detail. */
void products_kernels_detail(eh_layer *layer, const products_kernels *kernels);

/* Appends "picked=HOW (WHO)": WHO are `setting` (NULL = none) and the variables that are set and can
 * decide, without the parentheses when there is none.  A name of the list, which ends with NULL, that
 * ends in "_" stands for every variable that begins so. */
void products_picked_detail(eh_layer *layer, const char *how, const char *setting,
                            const char *const variables[]);

#endif
