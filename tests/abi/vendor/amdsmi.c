/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#include <amd_smi/amdsmi.h>
#endif
#include "rocm/amdsmi_abi.h"
#include "facts.h"
#include "frequencies.h"

/* The releases that have its largest form have this constant. */
#ifdef AMDSMI_MAX_NUM_XCP
#define VIOLATION_SIZE sizeof(amdsmi_violation_status_t)
#else
#define VIOLATION_SIZE 0
#endif

static void functions(void)
{
#define X(field, names, arguments) CHECK(amdsmi_status_t(*declared), field, arguments)
	AMDSMI_REQUIRED(X)
	AMDSMI_OPTIONAL(X)
#undef X
	FREQUENCIES(amdsmi_frequencies_t)
	GRANTED("amdsmi_asic_info_t begins with a text and fits",
	        offsetof(amdsmi_asic_info_t, market_name) == 0 &&
	        sizeof(((amdsmi_asic_info_t *)NULL)->market_name[0]) == 1 &&
	        sizeof(amdsmi_asic_info_t) <= AMDSMI_ASIC_ROOM)
	GRANTED("amdsmi_violation_status_t fits", VIOLATION_SIZE <= AMDSMI_VIOLATION_ROOM)
	/* The first member has the parts, under a name that differs from release to release. */
	GRANTED("amdsmi_bdf_t has its parts from bits 0, 3, 8 and 16",
	        ((amdsmi_bdf_t){ { 1, 2, 3, 4 } }).as_uint == (1 | 2 << 3 | 3 << 8 | 4 << 16))
}
