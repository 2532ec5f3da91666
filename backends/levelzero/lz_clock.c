/* SPDX-License-Identifier: Apache-2.0 */
#include "lz_clock.h"

#define SECOND UINT64_C(1000000000)

lz_clock lz_clock_make(uint64_t resolution, bool per_second, uint32_t bits)
{
	lz_clock clock = { 0, bits };

	if (resolution == 0 || bits == 0 || bits > 64)
		return clock;
	/* Slower than a millisecond per tick, or faster than a picosecond, is a mistake. */
	if (per_second && resolution >= 1000 && resolution <= SECOND * 1000)
		clock.hertz = resolution;
	else if (!per_second && resolution <= SECOND / 1000)
		clock.hertz = SECOND / resolution;
	return clock;
}

static uint64_t to_ns(lz_clock clock, uint64_t ticks)
{
	const unsigned __int128 scaled = (unsigned __int128)ticks * SECOND + clock.hertz / 2;
	const unsigned __int128 ns = scaled / clock.hertz;

	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

static uint64_t mask(lz_clock clock)
{
	return clock.bits >= 64 ? UINT64_MAX : (UINT64_C(1) << clock.bits) - 1;
}

uint64_t lz_clock_period_ns(lz_clock clock)
{
	return clock.hertz == 0 ? UINT64_MAX : to_ns(clock, mask(clock));
}

uint64_t lz_clock_ns(lz_clock clock, uint64_t from, uint64_t to)
{
	return clock.hertz == 0 ? 0 : to_ns(clock, (to - from) & mask(clock));
}

bool lz_clock_exceeds(lz_clock clock, uint64_t ns, uint64_t host_ns)
{
	return ns > host_ns && ns - host_ns > host_ns / 50 + 2 * to_ns(clock, 1);
}
