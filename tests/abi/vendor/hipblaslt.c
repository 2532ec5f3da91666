/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#define __HIP_PLATFORM_AMD__ 1
#include <hipblaslt/hipblaslt.h>
#endif
#include "hip/hipblaslt_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(hipblasStatus_t(*declared), field, arguments)
	HIPBLASLT_FUNCTIONS(X)
#undef X
}
