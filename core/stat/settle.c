/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/settle.h"

#include "stat/binomial.h"

static const double confirm_chance = 1e-6;
static const double clear_chance = 1.0 / 32;

bool settle_too_short(uint64_t first_ns, uint64_t second_ns, double limit)
{
	return second_ns < SETTLE_SHORT_NS && (double)first_ns < limit * (double)second_ns;
}

settle_verdict settle_pairs(const uint64_t *first_ns, const uint64_t *second_ns, size_t count,
                            double limit)
{
	size_t all = 0;
	size_t against = 0;
	double agreed = 0;
	uint64_t quickest[2] = { UINT64_MAX, UINT64_MAX };

	for (size_t i = 0; i < count; i++) {
		double missed = limit * (double)second_ns[i] - (double)first_ns[i];
		size_t weight = missed >= (double)SETTLE_LONG_NS ? SETTLE_WEIGHT : 1;

		quickest[0] = first_ns[i] < quickest[0] ? first_ns[i] : quickest[0];
		quickest[1] = second_ns[i] < quickest[1] ? second_ns[i] : quickest[1];
		all += weight;
		if (missed > 0)
			against += weight;
		else
			agreed += (double)first_ns[i];
	}
	if (all > 0 && against == 0 && (all >= SETTLE_LEAST || agreed >= (double)SETTLE_LONG_NS))
		return SETTLE_CLEARED;
	if (binomial_at_least(all, 0.5, against) <= confirm_chance &&
	    (double)quickest[0] < limit * (double)quickest[1])
		return SETTLE_CONFIRMED;
	return all >= SETTLE_LEAST && binomial_at_most(all, 0.5, against) <= clear_chance ?
	       SETTLE_CLEARED : SETTLE_OPEN;
}
