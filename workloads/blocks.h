/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data of copies: an incompressible block with a prime number of bytes, repeated, so that a copy that is
 * off by any power of two differs, and every byte can be compared without a second array.
 */
#ifndef WORKLOADS_BLOCKS_H
#define WORKLOADS_BLOCKS_H

#include "support.h"

#define BLOCKS_BYTES UINT64_C(1048583)

/* The period of so many bytes. */
SUPPORT_INLINE uint64_t blocks_period(uint64_t bytes)
{
	return bytes < BLOCKS_BYTES ? bytes : BLOCKS_BYTES;
}

/* Bytes `first` to `first` + n of the data.  Counts those that differ, and describes the first. */
SUPPORT_INLINE void blocks_compare(eh_check *check, const char *where, const unsigned char *got,
                                   uint64_t first, uint64_t n, const unsigned char *block,
                                   uint64_t period)
{
	uint64_t done, run, i;
	for (done = 0; done < n; done += run) {
		const uint64_t at = (first + done) % period;
		run = period - at < n - done ? period - at : n - done;
		check->checked += run;
		if (memcmp(got + done, block + at, run) == 0)
			continue;
		for (i = 0; i < run; i++)
			if (got[done + i] != block[at + i] && check->failed++ == 0)
				snprintf(check->detail, sizeof check->detail,
				         "%s: byte %" PRIu64 " is 0x%02x, want 0x%02x", where,
				         first + done + i, got[done + i], block[at + i]);
		check->max_error = HUGE_VAL;
	}
}

#endif
