/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/decision.h"

static bool within(interval i, double margin)
{
	return i.low >= 1 / (1 + margin) && i.high <= 1 + margin;
}

enum decision decision_of(const decision_evidence *e, double margin, double floor)
{
	double beyond = 1 + floor;

	if (within(e->equal, margin))
		return DECISION_EQUIVALENT;
	if (!(e->p <= DECISION_ERROR))
		return DECISION_OPEN;
	if (e->around.low > beyond && e->center > 1 + margin)
		return DECISION_FASTER;
	if (e->around.high < 1 / beyond && e->center < 1 / (1 + margin))
		return DECISION_SLOWER;
	return DECISION_OPEN;
}
