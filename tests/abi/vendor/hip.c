/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#define __HIP_PLATFORM_AMD__ 1 /* AMD's own runtime, not the one over CUDA */
#include <hip/hip_runtime_api.h>
#include <hip/hiprtc.h>
#endif
#include "hip/hip_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(hipError_t(*declared), field, arguments)
	HIP_REQUIRED(X)
	HIP_OPTIONAL(X)
#undef X
#define X(field, names, arguments) CHECK(const char *(*declared), field, arguments)
	HIP_TEXT(X)
	HIPRTC_TEXT(X)
#undef X
#define X(field, names, arguments) CHECK(hiprtcResult(*declared), field, arguments)
	HIPRTC_REQUIRED(X)
#undef X
}
