/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/knee.h"

void knee_begin(knee *k, double first)
{
	*k = (knee){ .next = first };
}

static double following(const knee *k)
{
	if (k->count >= KNEE_POINTS)
		return 0;
	if (k->failed == 0)
		return k->passed * 2;
	/* Nothing passed yet: the first rate was too high. */
	if (k->passed == 0)
		return k->failed / 2;
	if (k->failed <= k->passed * (1 + KNEE_WITHIN))
		return 0;
	return (k->passed + k->failed) / 2;
}

void knee_told(knee *k, double completed, bool passed)
{
	if (k->next <= 0 || k->count >= KNEE_POINTS)
		return;
	k->points[k->count++] = (knee_point){ k->next, completed, passed };
	if (passed && k->next > k->passed)
		k->passed = k->next;
	if (!passed && (k->failed == 0 || k->next < k->failed))
		k->failed = k->next;
	k->next = following(k);
}

double knee_saturation(const knee_point *points, size_t n)
{
	double most = 0;
	double least = 0;

	for (size_t i = 0; i < n; i++)
		if (points[i].completed > most)
			most = points[i].completed;
	for (size_t i = 0; i < n; i++)
		if (points[i].completed >= KNEE_PLATEAU * most && (least == 0 || points[i].rate < least))
			least = points[i].rate;
	return least;
}
