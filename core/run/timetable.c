/* SPDX-License-Identifier: Apache-2.0 */
#include "run/timetable.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

timetable *timetable_new(size_t cases, uint64_t executions, uint64_t begin_ns, uint64_t budget_ns,
                         uint64_t end_reserve_ns)
{
	timetable *t = memory_get(sizeof(*t));

	t->cases = cases;
	t->executions = t->least = executions;
	t->needs_ns = memory_get((cases + 1) * sizeof(*t->needs_ns));
	t->round_ns = memory_get((cases + 1) * sizeof(*t->round_ns));
	t->besides_ns = memory_get((cases + 1) * sizeof(*t->besides_ns));
	for (size_t i = 0; i < cases; i++)
		t->needs_ns[i] = INFINITY;
	t->reserve_ns = end_reserve_ns;
	if (budget_ns > 0)
		t->end_ns = begin_ns + (budget_ns > end_reserve_ns ? budget_ns - end_reserve_ns : 1);
	return t;
}

void timetable_free(timetable *t)
{
	if (t == NULL)
		return;
	free(t->needs_ns);
	free(t->round_ns);
	free(t->besides_ns);
	free(t);
}

/* The newest counts half: what else the machine does comes and goes. */
static double newest(double before, double now)
{
	return before > 0 ? before / 2 + now / 2 : now;
}

void timetable_took(timetable *t, size_t index, uint64_t beside_ns)
{
	t->beside_ns = (uint64_t)newest((double)t->beside_ns, (double)beside_ns);
	t->besides_ns[index] = newest(t->besides_ns[index], (double)beside_ns);
}

/* Of a case that was not measured yet: the mean of those that were. */
static double expected(const double *values, size_t count, size_t index)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		sum += values[i];
		known += values[i] > 0;
	}
	if (values[index] > 0 || known == 0)
		return values[index];
	return sum / (double)known;
}

bool timetable_over(const timetable *t, uint64_t now_ns)
{
	return t->end_ns != 0 && now_ns + t->beside_ns / 2 >= t->end_ns;
}

bool timetable_late(const timetable *t, uint64_t now_ns)
{
	return t->end_ns != 0 && now_ns >= t->end_ns + t->reserve_ns / 2;
}

/* Needs are estimates: nobody gets less than the first and wishes more than the second of these shares
 * of what each would get if all got the same. */
static const double least_share = 0.4, most_share = 2;

/* The level at which the needs, as often as they come, fill the time; INFINITY when it is enough for
 * all.  *met: the time that they then take. */
static double level_of(const double *needs, const double *times, size_t cases, double time, double *met)
{
	double level = 0, before;

	do {
		double fixed = 0, open = 0;

		before = level;
		for (size_t i = 0; i < cases; i++) {
			if (needs[i] <= level)
				fixed += times[i] * needs[i];
			else
				open += times[i];
		}
		*met = fixed;
		level = open > 0 ? (time - fixed) / open : INFINITY;
	} while (level > before && !isinf(level));
	return level;
}

/* The time for rounds, in all cases of that many executions that are still to come.  times: how often each
 * case comes. */
static double time_left(const timetable *t, uint64_t now_ns, uint64_t later, const bool *left,
                        double *times)
{
	double time = (double)t->end_ns - (double)now_ns - (double)later * (double)t->start_ns;

	for (size_t i = 0; i < t->cases; i++) {
		times[i] = (double)later + left[i];
		time -= times[i] * expected(t->besides_ns, t->cases, i);
	}
	return time;
}

uint64_t timetable_executions(const timetable *t, uint64_t now_ns, uint64_t execution,
                              const bool *left)
{
	uint64_t least = t->least > execution ? t->least : execution;
	uint64_t fit = t->executions > least ? t->executions : least;
	double *times = memory_get((t->cases + 1) * sizeof(*times));

	for (; t->end_ns != 0 && fit > least; fit--) {
		double time = time_left(t, now_ns, fit - execution, left, times);

		for (size_t i = 0; i < t->cases; i++)
			time -= times[i] * TIMETABLE_ROUNDS * expected(t->round_ns, t->cases, i);
		if (time >= 0)
			break;
	}
	free(times);
	return fit;
}

uint64_t timetable_slice(const timetable *t, uint64_t now_ns, uint64_t execution, size_t index,
                         const bool *left)
{
	uint64_t later = timetable_executions(t, now_ns, execution, left) - execution;
	double *times = memory_get((t->cases + 1) * sizeof(*times));
	double *needs = memory_get((t->cases + 1) * sizeof(*needs));
	double time = time_left(t, now_ns, later, left, times), cases = 0, level, met, slice;

	for (size_t i = 0; i < t->cases; i++)
		cases += times[i];
	for (size_t i = 0; i < t->cases; i++)
		needs[i] = fmin(fmax(t->needs_ns[i], least_share * time / cases),
		                most_share * time / cases);
	level = level_of(needs, times, t->cases, time, &met);
	slice = isinf(level) && met > 0 ? needs[index] * time / met : fmin(needs[index], level);
	free(needs);
	free(times);
	if (t->end_ns == 0)
		return UINT64_MAX;
	return time > 0 && cases > 0 ? (uint64_t)slice : 0;
}
