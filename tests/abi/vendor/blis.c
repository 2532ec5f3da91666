/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#include <blis.h>
#endif
#include "host/blis_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(char *(*declared), field, arguments)
	BLIS_VERSION(X)
	BLIS_ARCH_NAME(X)
#undef X
#define X(field, names, arguments) CHECK(arch_t(*declared), field, arguments)
	BLIS_ARCH(X)
#undef X
#define X(field, names, arguments) CHECK(dim_t(*declared), field, arguments)
	BLIS_THREADS(X)
#undef X
#define X(field, names, arguments) CHECK(void (*declared), field, arguments)
	BLIS_SET_THREADS(X)
#undef X
#define X(field, names, arguments) CHECK(gint_t(*declared), field, arguments)
	BLIS_INT_SIZE(X)
#undef X
}
