/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#define __HIP_PLATFORM_AMD__ 1
#include <rocblas/rocblas.h>
#endif
#include "hip/rocblas_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(rocblas_status(*declared), field, arguments)
	ROCBLAS_FUNCTIONS(X)
#undef X
}
