/* SPDX-License-Identifier: Apache-2.0 */
/* What every backend of eh.gemm.1 asks of a matrix product before a library sees it. */
#ifndef SHARED_PRODUCTS_H
#define SHARED_PRODUCTS_H

#include <stdbool.h>

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

/* EH_E_UNSUPPORTED when a number of it is above 2^31-1, which libraries take as an int. */
eh_status products_fit_int(const eh_gemm *gemm, const char *library, eh_error *error);

/* All of its types are these. */
bool products_types(const eh_gemm *gemm, const char *a, const char *b, const char *c,
                    const char *accumulate);

/* "bf16", or "bf16 into f32", or "i8 x u8 into i32 added up in i32": its types in messages. */
void products_text(const eh_gemm *gemm, char *out, size_t size);

#endif
