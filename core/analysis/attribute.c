/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/attribute.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

/* What a way costs: what stays confounded first, then runs, then steps. */
#define COST_CONFOUNDED 10000.0
#define COST_RUN 100.0
#define COST_STEP 1.0

typedef struct way {
	attribution_stop *stops;      /* 0 from, 1 to, results, candidates                        */
	const cJSON **records;
	size_t count;
	double *cost;                 /* from the first to each                                   */
	size_t *before;
	bool *done;
} way;

static stack_difference *between(const way *w, size_t i, size_t k)
{
	return stacks_compare(w->records[i], w->records[k],
	                      w->stops[i].result == NULL || w->stops[k].result == NULL);
}

static double step_cost(const way *w, size_t i, size_t k)
{
	stack_difference *d = between(w, i, k);
	size_t groups = d->group_count;

	stacks_free(d);
	return (groups > 1 ? COST_CONFOUNDED * (double)(groups - 1) : 0) + COST_STEP +
	       (w->stops[k].result == NULL ? COST_RUN : 0);
}

/* Dijkstra's shortest way from the first to the second. */
static void find_way(way *w)
{
	for (size_t i = 0; i < w->count; i++)
		w->cost[i] = i == 0 ? 0 : HUGE_VAL;
	for (;;) {
		size_t at = w->count;

		for (size_t i = 0; i < w->count; i++)
			if (!w->done[i] && w->cost[i] < HUGE_VAL &&
			    (at == w->count || w->cost[i] < w->cost[at]))
				at = i;
		if (at == w->count || at == 1)
			return;
		w->done[at] = true;
		for (size_t k = 1; k < w->count; k++) {
			double cost = w->done[k] ? HUGE_VAL : w->cost[at] + step_cost(w, at, k);

			if (cost < w->cost[k]) {
				w->cost[k] = cost;
				w->before[k] = at;
			}
		}
	}
}

static void take_way(attribution *a, const way *w, double margin)
{
	size_t count = 2;

	for (size_t at = w->before[1]; at != 0; at = w->before[at])
		count++;
	a->stop_count = count;
	a->stops = memory_get(count * sizeof(*a->stops));
	a->steps = memory_get(count * sizeof(*a->steps));
	for (size_t at = 1, n = count; n-- > 0; at = w->before[at]) {
		a->stops[n] = w->stops[at];
		a->proposed += w->stops[at].result == NULL;
		if (n == 0)
			break;
		a->steps[n - 1].stacks = between(w, w->before[at], at);
		if (w->stops[at].result != NULL && w->stops[w->before[at]].result != NULL)
			a->steps[n - 1].numbers = contract_compare(w->stops[w->before[at]].result,
			                                           w->stops[at].result, margin);
	}
	a->missing = a->proposed;
	for (size_t i = 0; i + 1 < count; i++)
		if (a->steps[i].stacks->group_count > 1)
			a->missing += a->steps[i].stacks->group_count - 1;
}

/* Another result of the same protocol that the contract lets compare with both ends. */
static bool usable(const result *r, const result *from)
{
	return strcmp(r->protocol_digest, from->protocol_digest) == 0 && !r->simulated;
}

static void add_stop(way *w, const result *r, const char *name, const cJSON *record)
{
	w->stops[w->count] = (attribution_stop){ .result = r, .name = name,
		                                 .path = r != NULL ? r->path : NULL };
	w->records[w->count++] = record;
}

static bool measured(const way *w, const cJSON *record)
{
	const char *name = json_string(record, "name", "");

	for (size_t i = 0; i < w->count; i++) {
		stack_difference *d;
		size_t groups;

		if (strcmp(w->stops[i].name, name) != 0)
			continue;
		d = stacks_compare(w->records[i], record, true);
		groups = d->group_count;
		stacks_free(d);
		if (groups == 0)
			return true;
	}
	return false;
}

static void make_way(attribution *a, const result *const *results, size_t count,
                     const attribution_candidate *candidates, size_t candidate_count, double margin)
{
	size_t room = count + candidate_count;
	way w = { .stops = memory_get(room * sizeof(*w.stops)),
		  .records = memory_get(room * sizeof(*w.records)),
		  .cost = memory_get(room * sizeof(*w.cost)),
		  .before = memory_get(room * sizeof(*w.before)),
		  .done = memory_get(room * sizeof(*w.done)) };

	for (size_t i = 0; i < count; i++)
		if (i < 2 || usable(results[i], results[0]))
			add_stop(&w, results[i], results[i]->executor,
			         json_path(results[i]->root, "executor"));
	for (size_t i = 0; i < candidate_count; i++)
		if (!measured(&w, candidates[i].record))
			add_stop(&w, NULL, candidates[i].name, candidates[i].record);
	find_way(&w);
	take_way(a, &w, margin);
	free(w.done);
	free(w.before);
	free(w.cost);
	free(w.records);
	free(w.stops);
}

/* ---- the numbers ----------------------------------------------------------------------------- */

static bool has_number(const comparison_row *row)
{
	return row->speedup > 0 && row->speedup_interval->low > 0 && row->level < CONTRACT_REFUSED;
}

static void sum_up(attribution *a)
{
	const comparison *c = a->numbers;
	double logs[3] = { 0, 0, 0 };
	size_t count = 0;

	for (size_t i = 0; i < c->cases.count; i++) {
		const comparison_row *row = &c->cases.items[i];

		a->moved += row->verdict == VERDICT_FASTER || row->verdict == VERDICT_SLOWER;
		a->compared += row->verdict == VERDICT_FASTER || row->verdict == VERDICT_SLOWER ||
		               row->verdict == VERDICT_EQUIVALENT;
		if (!has_number(row))
			continue;
		logs[0] += log(row->speedup);
		logs[1] += log(row->speedup_interval->low);
		logs[2] += log(row->speedup_interval->high);
		count++;
	}
	if (count == 0)
		return;
	a->speedup = exp(logs[0] / (double)count);
	a->speedup_interval = (interval){ exp(logs[1] / (double)count),
		                          exp(logs[2] / (double)count) };
}

/* Whether anything of it may be compared at all. */
static bool comparable(const comparison *c)
{
	size_t good = 0;

	for (size_t i = 0; i < c->cases.count; i++)
		good += c->cases.items[i].verdict != VERDICT_NOT_COMPARABLE &&
		        c->cases.items[i].verdict != VERDICT_ABSENT;
	return c->level < CONTRACT_REFUSED && good > 0;
}

static bool separated(const attribution *a)
{
	for (size_t i = 0; i + 1 < a->stop_count; i++)
		if (a->steps[i].numbers == NULL || !comparable(a->steps[i].numbers) ||
		    a->steps[i].stacks->group_count > 1)
			return false;
	return true;
}

static enum attribution_answer answer_of(const attribution *a)
{
	if (!comparable(a->numbers))
		return ATTRIBUTION_NOT_COMPARABLE;
	if (a->stacks->group_count > 0)
		return a->stacks->group_count == 1 || separated(a) ? ATTRIBUTION_ATTRIBUTABLE
		                                                   : ATTRIBUTION_CONFOUNDED;
	if (a->moved > 0)
		return ATTRIBUTION_UNEXPLAINED;
	return a->compared == a->numbers->cases.count ? ATTRIBUTION_NO_CHANGE : ATTRIBUTION_UNDECIDED;
}

/* One group needs nothing between. */
static bool needs_way(const attribution *a)
{
	return a->stacks->group_count > 1 && comparable(a->numbers);
}

static void free_way(attribution *a)
{
	for (size_t i = 0; i + 1 < a->stop_count; i++) {
		stacks_free(a->steps[i].stacks);
		comparison_free(a->steps[i].numbers);
	}
	free(a->steps);
	free(a->stops);
	a->stops = NULL;
	a->steps = NULL;
	a->stop_count = a->proposed = a->missing = 0;
}

attribution *attribute_results(const result *const *results, size_t count,
                               const attribution_candidate *candidates, size_t candidate_count,
                               double margin)
{
	attribution *a = memory_get(sizeof(*a));

	a->from = results[0];
	a->to = results[1];
	a->stacks = stacks_compare(json_path(a->from->root, "executor"),
	                           json_path(a->to->root, "executor"), false);
	a->numbers = contract_compare(a->from, a->to, margin);
	if (needs_way(a)) {
		make_way(a, results, count, NULL, 0, margin);
		/* Runs are proposed only for what the results at hand leave open. */
		if (!separated(a) && candidate_count > 0) {
			free_way(a);
			make_way(a, results, count, candidates, candidate_count, margin);
		}
	} else {
		make_way(a, results, 2, NULL, 0, margin);
	}
	sum_up(a);
	a->answer = answer_of(a);
	return a;
}

void attribution_free(attribution *a)
{
	if (a == NULL)
		return;
	free_way(a);
	stacks_free(a->stacks);
	comparison_free(a->numbers);
	free(a);
}

const char *attribution_answer_name(enum attribution_answer answer)
{
	static const char *const names[] = { "attributable", "no-change", "unexplained", "undecided",
	                                     "confounded", "not-comparable" };

	return names[answer];
}
