/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the maker of a device says that it reaches, as a site file declares it: "spec-bandwidth =
 * 3.35e12 source NVIDIA H100 data sheet".  A figure without a source is none.  Nothing is judged by
 * it; reports print it beside what was measured.
 */
#ifndef RECORD_NAMEPLATE_H
#define RECORD_NAMEPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "record/record.h"

typedef struct nameplate {
	double rate;         /* FLOP/s, or B/s                                                 */
	const char *source;  /* part of the text that was read                                 */
} nameplate;

/* The keys, one for the bandwidth of the memory and one for each precision; NULL behind the last. */
const char *nameplate_key(size_t at);
bool nameplate_is_key(const char *key);
/* Reads "NUMBER source TEXT"; false unless the number is positive and the text is not empty. */
bool nameplate_parse(const char *words, nameplate *out);

/* What the record declares for arithmetic in a precision (of "f16/f32/f16" that of the input), and for
 * the memory; false where it declares none.  The source is the record's. */
bool nameplate_compute(const record_executor *of, const char *precision, nameplate *out);
bool nameplate_bandwidth(const record_executor *of, nameplate *out);

#endif
