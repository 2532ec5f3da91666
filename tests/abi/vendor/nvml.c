/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#include <nvml.h>
#endif
#include "nvml/nvml_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(nvmlReturn_t(*declared), field, arguments)
	NVML_REQUIRED(X)
	NVML_OPTIONAL(X)
#undef X
}
