/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#define __CUDA_API_VERSION_INTERNAL 1 /* every function under its own name */
#include <cuda.h>
#include <nvrtc.h>
#endif
#include "cuda/cuda_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(CUresult(CUDAAPI *declared), field, arguments)
	CUDA_REQUIRED(X)
	CUDA_OPTIONAL(X)
#undef X
#define X(field, names, arguments) CHECK(nvrtcResult(*declared), field, arguments)
	NVRTC_REQUIRED(X)
	NVRTC_OPTIONAL(X)
#undef X
#define X(field, names, arguments) CHECK(const char *(*declared), field, arguments)
	NVRTC_TEXT(X)
#undef X
}
