/* SPDX-License-Identifier: Apache-2.0 */
/* Series whose truth is known, from a seed: the same on every machine up to the last bits of
 * the mathematical library. */
#ifndef STAT_TRUTH_H
#define STAT_TRUTH_H

#include <math.h>
#include <stddef.h>

#include "base/random.h"

/* Standard normal. */
static inline double truth_normal(random_state *r)
{
	double u = 1 - random_unit(r);

	return sqrt(-2 * log(u)) * cos(6.28318530717958648 * random_unit(r));
}

/* From low to high, evenly on a logarithmic scale. */
static inline double truth_between(random_state *r, double low, double high)
{
	return low * exp(random_unit(r) * log(high / low));
}

/* Noise of deviation 1 and median 0. */
enum truth_noise { NOISE_NORMAL, NOISE_SKEWED, NOISE_SPIKES, NOISE_TICKS, NOISE_KINDS };
static inline double truth_noise(random_state *r, enum truth_noise kind)
{
	double x = truth_normal(r);

	switch (kind) {
	case NOISE_SKEWED:  /* log-normal */
		return (exp(0.5 * x) - 1) / 0.6;
	case NOISE_SPIKES:  /* two of a hundred are disturbed, by up to 50 deviations */
		return random_unit(r) < 0.02 ? truth_between(r, 5, 50) : x;
	case NOISE_TICKS:   /* a timer that knows half deviations */
		return floor(2 * x + 0.5) / 2;
	case NOISE_NORMAL:
	case NOISE_KINDS:
		break;
	}
	return x;
}

#endif
