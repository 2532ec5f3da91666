/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/way.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stacks.h"
#include "base/text.h"

/* ---- the way from one stack to the other ----------------------------------------------------- */

/* The cost of a step: first what stays confounded, then runs, then the number of steps. */
#define COST_CONFOUNDED 10000.0
#define COST_RUN 100.0
#define COST_STEP 1.0

/* A stack on the way. */
typedef struct stop {
	const result *result;         /* NULL: a candidate                                        */
	const char *name;             /* of the executor                                          */
	const record_executor *record;
	double cost;                  /* of the cheapest way from the first stop                   */
	struct stop *before;          /* on that way                                              */
	bool done;
} stop;

/* items[0] is the start and items[1] the end. */
typedef struct way { stop *items; size_t count; } way;

static bool brief(const stop *from, const stop *to)
{
	return from->result == NULL || to->result == NULL;
}

static double step_cost(const stop *from, const stop *to)
{
	size_t groups = stacks_changes(from->record, to->record, brief(from, to));

	return (groups > 1 ? COST_CONFOUNDED * (double)(groups - 1) : 0) + COST_STEP +
	       (to->result == NULL ? COST_RUN : 0);
}

static stop *cheapest(const way *w)
{
	stop *best = NULL;

	for (stop *s = w->items; s < w->items + w->count; s++)
		if (!s->done && s->cost < HUGE_VAL && (best == NULL || s->cost < best->cost))
			best = s;
	return best;
}

/* Dijkstra's shortest way. */
static void find_way(const way *w)
{
	stop *at;

	w->items[0].cost = 0;
	while ((at = cheapest(w)) != NULL && at != &w->items[1]) {
		at->done = true;
		for (stop *s = w->items; s < w->items + w->count; s++) {
			double cost = s->done ? HUGE_VAL : at->cost + step_cost(at, s);

			if (cost < s->cost) {
				s->cost = cost;
				s->before = at;
			}
		}
	}
}

static void add_stop(way *w, const result *r, const char *name, const record_executor *record)
{
	w->items[w->count++] = (stop){ .result = r, .name = name, .record = record, .cost = HUGE_VAL };
}

/* Whether a stop has the candidate's stack already. */
static bool is_measured(const way *w, const attribution_candidate *c)
{
	for (size_t i = 0; i < w->count; i++)
		if (strcmp(w->items[i].name, c->record->name) == 0 &&
		    stacks_changes(w->items[i].record, c->record, true) == 0)
			return true;
	return false;
}

/* Whether the contract can compare a result with both ends. */
static bool usable(const result *r, const result *from)
{
	return strcmp(r->record->protocol.digest, from->record->protocol.digest) == 0 &&
	       !r->record->executor.simulated;
}

/* ---- the steps ------------------------------------------------------------------------------- */

/* Appends the steps up to a stop. */
static void add_steps(attribution *a, const stop *to, double margin)
{
	const stop *from = to->before;
	attribution_step *step;

	if (from == NULL)
		return;
	add_steps(a, from, margin);
	step = layout_append(attribution_step_layout(), &a->steps);
	step->from = memory_text(from->name);
	step->to = memory_text(to->name);
	step->measured = !brief(from, to);
	(void)stacks_compare(from->record, to->record, !step->measured, &step->groups);
	if (step->measured)
		step->comparison = contract_compare(from->result, to->result, margin);
	if (to->result == NULL)
		text_list_add(&a->proposed, to->name);
	if (step->groups.count > 1)
		a->missing += step->groups.count - 1;
}

void way_make_steps(attribution *a, const result *const *results, size_t count,
                    const attribution_candidate *candidates, size_t candidate_count, double margin)
{
	way w = { memory_get((count + candidate_count) * sizeof(*w.items)), 0 };

	for (size_t i = 0; i < count; i++)
		if (i < 2 || usable(results[i], results[0]))
			add_stop(&w, results[i], results[i]->record->executor.name,
			         &results[i]->record->executor);
	for (size_t i = 0; i < candidate_count; i++)
		if (!is_measured(&w, &candidates[i]))
			add_stop(&w, NULL, candidates[i].name, candidates[i].record);
	find_way(&w);
	add_steps(a, &w.items[1], margin);
	a->missing += a->proposed.count;
	free(w.items);
}
