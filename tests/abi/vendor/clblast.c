/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <clblast_c.h>
#endif
#include "opencl/clblast_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(CLBlastStatusCode(*declared), field, arguments)
	CLBLAST_FUNCTIONS(X)
	CLBLAST_OPTIONAL(X)
#undef X
}
