/* SPDX-License-Identifier: Apache-2.0 */
/* The device's clock: a counter with some valid bits and a rate of its own. */
#ifndef LZ_CLOCK_H
#define LZ_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lz_clock {
	uint64_t hertz;     /* ticks per second; 0 = there is no clock                        */
	uint32_t bits;      /* that are valid; the counter begins again at 2^bits             */
} lz_clock;

/* From the answer of zeDeviceGetProperties: the resolution is ticks per second from version 1.2 of
 * the properties on, and nanoseconds per tick before.  Without bits or resolution there is no
 * clock. */
lz_clock lz_clock_make(uint64_t resolution, bool per_second, uint32_t bits);

/* The time in ns until the counter begins again; UINT64_MAX when it practically never does. */
uint64_t lz_clock_period_ns(lz_clock clock);

/* From one reading to a later one, less than a period apart, rounded to the nearest ns. */
uint64_t lz_clock_ns(lz_clock clock, uint64_t from, uint64_t to);

/* Whether a time is longer than the host saw pass, beyond what the two clocks may differ by: two
 * percent and two ticks. */
bool lz_clock_exceeds(lz_clock clock, uint64_t ns, uint64_t host_ns);

#endif
