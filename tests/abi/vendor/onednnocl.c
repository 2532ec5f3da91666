/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <oneapi/dnnl/dnnl_ocl.h>
#endif
#include "opencl/onednn_ocl_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(dnnl_status_t(*declared), field, arguments)
	ONEDNN_OCL_FUNCTIONS(X)
#undef X
}
