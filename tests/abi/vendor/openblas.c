/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#include <cblas.h>
#endif
#include "host/openblas_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(char *(*declared), field, arguments)
	OPENBLAS_TEXTS(X)
#undef X
#define X(field, names, arguments) CHECK(int (*declared), field, arguments)
	OPENBLAS_NUMBERS(X)
#undef X
#define X(field, names, arguments) CHECK(void (*declared), field, arguments)
	OPENBLAS_COMMANDS(X)
#undef X
}
