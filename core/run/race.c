/* SPDX-License-Identifier: Apache-2.0 */
#include "run/race.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The samples of an execution of a case, in the order they were taken. */
typedef struct log_of {
	double *times;
	uint64_t *rounds;
	size_t count, room;
	uint64_t origin_ns;
} log_of;

struct race {
	const plan *plan;
	size_t executors;
	uint64_t executions;
	log_of *logs;        /* [executor][case][execution - 1]                                  */
};

/* The rounds of an execution; values and numbers are malloc'd. */
typedef struct rounds_of { double *values; uint64_t *numbers; size_t count; } rounds_of;

race *race_new(const plan *p, size_t executors, uint64_t executions)
{
	race *r = memory_get(sizeof(*r));

	r->plan = p;
	r->executors = executors;
	r->executions = executions;
	r->logs = memory_get((executors * p->case_count * (size_t)executions + 1) * sizeof(*r->logs));
	return r;
}

void race_free(race *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->executors * r->plan->case_count * (size_t)r->executions; i++) {
		free(r->logs[i].times);
		free(r->logs[i].rounds);
	}
	free(r->logs);
	free(r);
}

static log_of *log_at(const race *r, race_place at)
{
	return &r->logs[(at.executor * r->plan->case_count + at.index) * (size_t)r->executions +
	                (size_t)at.execution - 1];
}

void race_add(race *r, race_place at, uint64_t origin_ns, uint64_t round, const number_list *times)
{
	log_of *l = log_at(r, at);

	if (l->count + times->count > l->room) {
		l->room = 2 * (l->count + times->count);
		l->times = memory_grow(l->times, l->room * sizeof(*l->times));
		l->rounds = memory_grow(l->rounds, l->room * sizeof(*l->rounds));
	}
	for (size_t i = 0; i < times->count; i++) {
		l->times[l->count] = times->items[i];
		l->rounds[l->count++] = round;
	}
	l->origin_ns = origin_ns;
}

static rounds_of rounds_make(const race *r, race_place at)
{
	const log_of *l = log_at(r, at);
	double q = protocol_statistic_quantile(r->plan->cases[at.index].section->measure.statistic);
	rounds_of out = { memory_get((l->count + 1) * sizeof(double)),
		          memory_get((l->count + 1) * sizeof(uint64_t)), 0 };

	if (l->count > 0)
		out.count = lockstep_round_values(l->times, l->rounds, l->count, q, out.numbers,
		                                  out.values);
	return out;
}

static void rounds_free(rounds_of *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(all[i].values);
		free(all[i].numbers);
	}
	free(all);
}

/* Whether both took turns together in that execution. */
static bool together(const race *r, size_t executor, size_t index, uint64_t execution)
{
	const log_of *l = log_at(r, (race_place){ executor, index, execution });
	const log_of *reference = log_at(r, (race_place){ 0, index, execution });

	return l->count > 0 && reference->count > 0 && l->origin_ns == reference->origin_ns;
}

/* Fills the executions that both have; returns their number. */
static size_t side_fill(const race *r, size_t executor, size_t other, size_t index, rounds_of *kept,
                        lockstep_execution *out)
{
	size_t count = 0;

	for (uint64_t n = 1; n <= r->executions; n++) {
		if (!together(r, other, index, n))
			continue;
		kept[count] = rounds_make(r, (race_place){ executor, index, n });
		out[count] = (lockstep_execution){ n, kept[count].numbers, kept[count].values,
			                           kept[count].count };
		count++;
	}
	return count;
}

lockstep_ratio race_pair(const race *r, size_t executor, size_t index, bool last)
{
	size_t room = (size_t)r->executions;
	rounds_of *kept_a = memory_get(room * sizeof(*kept_a)), *kept_b = memory_get(room * sizeof(*kept_b));
	lockstep_execution *a = memory_get(room * sizeof(*a)), *b = memory_get(room * sizeof(*b));
	lockstep_side sides[2] = { { a, side_fill(r, 0, executor, index, kept_a, a) },
		                   { b, side_fill(r, executor, executor, index, kept_b, b) } };
	lockstep_terms terms = { .margin = r->plan->cases[index].section->measure.margin,
		                 .share = lockstep_share(RACE_LOOKS, last), .executions = r->executions, .cases = r->plan->case_count };
	lockstep_ratio pair = lockstep_compare(&sides[0], &sides[1], terms);

	rounds_free(kept_a, sides[0].count);
	rounds_free(kept_b, sides[1].count);
	free(a);
	free(b);
	return pair;
}

double race_value(const race *r, race_place at, double *half_width)
{
	double confidence = r->plan->cases[at.index].section->measure.confidence, value = 0;
	rounds_of *one = memory_get(sizeof(*one));
	interval around;

	*one = rounds_make(r, at);
	*half_width = INFINITY;
	if (one->count > 0)
		value = statistics_median(one->values, one->count);
	if (value > 0 && statistics_median_interval(one->values, one->count, confidence, &around))
		*half_width = (around.high - around.low) / 2 / value;
	rounds_free(one, 1);
	return value;
}
