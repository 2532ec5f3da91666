/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/arithmetic.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static record_arithmetic *new_record(enum record_calculation kind, char *how)
{
	record_arithmetic *a = layout_new(record_arithmetic_layout());

	a->kind = kind;
	a->how = how;
	return a;
}

/* The value of "numerics=" in the detail of a library that tells what its kernel multiplies. */
static record_arithmetic *of_library(const record_library *library)
{
	static const char key[] = "numerics=";
	const char *at = library->detail != NULL ? strstr(library->detail, key) : NULL;
	const char *value = at != NULL ? at + sizeof(key) - 1 : "";
	size_t length = strcspn(value, ";");

	/* A backend refuses algorithms of narrower types than were asked for, and takes the library's word:
	 * cuBLASLt says INPUT_16F of bf16 and 8-bit floats as well. */
	if (length == 0 || memmem(value, length, "not told", 8) != NULL)
		return NULL;
	return new_record(RECORD_CALCULATION_NATIVE,
	                  memory_format("%.*s (from the library)", (int)length, value));
}

record_arithmetic *arithmetic_record(const eh_work *work, uint64_t caps, const record_library *library)
{
	const char *precision = work->precision;
	size_t stored = strcspn(precision, "/");
	const char *sums = precision[stored] == '/' ? precision + stored + 1 : precision;
	size_t length = strcspn(sums, "/");

	if (work->flops <= 0)
		return NULL;
	if (library != NULL)
		return of_library(library);
	if (stored != length || memcmp(precision, sums, stored) != 0)
		return new_record(RECORD_CALCULATION_EMULATED,
		                  memory_format("%.*s: stored, calculated in %.*s", (int)stored, precision,
		                                (int)length, sums));
	if ((strcmp(precision, "f64") == 0 && (caps & EH_CAP_FP64_SOFT) != 0) ||
	    (strcmp(precision, "f16") == 0 && (caps & EH_CAP_FP16_SOFT) != 0))
		return new_record(RECORD_CALCULATION_EMULATED,
		                  memory_format("%s: the device does it in software", precision));
	return new_record(RECORD_CALCULATION_NATIVE, memory_format("%.*s", (int)stored, precision));
}
