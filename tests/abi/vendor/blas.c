/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#include <cblas.h>
#endif
#include "host/blas_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(void (*declared), field, arguments)
	BLAS_PRODUCTS(X)
	BLAS_HALF_PRODUCTS(X)
#undef X
}
