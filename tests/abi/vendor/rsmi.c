/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#include <rocm_smi/rocm_smi.h>
#endif
#include "rocm/rsmi_abi.h"
#include "facts.h"
#include "frequencies.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(rsmi_status_t(*declared), field, arguments)
	RSMI_REQUIRED(X)
	RSMI_OPTIONAL(X)
#undef X
	FREQUENCIES(rsmi_frequencies_t)
}
