/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#include <cublasLt.h>
#endif
#include "cuda/cublaslt_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(cublasStatus_t(*declared), field, arguments)
	CUBLASLT_FUNCTIONS(X)
#undef X
}
