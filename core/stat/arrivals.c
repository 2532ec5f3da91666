/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/arrivals.h"

#include "base/random.h"
#include "stat/plain_math.h"

void arrivals_poisson(uint64_t *at_ns, size_t count, double rate, uint64_t seed)
{
	random_state random;
	double at = 0;

	random_seed(&random, random_derive(seed, "arrivals", 0));
	for (size_t i = 0; i < count; i++) {
		at_ns[i] = (uint64_t)at;
		/* 1 - U lies in (0, 1], in steps of 2^-53. */
		at -= plain_log(1 - random_unit(&random)) / rate * 1e9;
	}
}
