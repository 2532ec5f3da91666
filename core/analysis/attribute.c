/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/attribute.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/conditions.h"
#include "analysis/stacks.h"
#include "analysis/way.h"
#include "base/text.h"

/* ---- what moved ------------------------------------------------------------------------------ */

static bool is_move(enum comparison_verdict v)
{
	return v == VERDICT_FASTER || v == VERDICT_SLOWER;
}

/* Whether both sides lack the case, or were not asked for it: nothing can have moved. */
static bool on_neither(const comparison *c, const comparison_row *row)
{
	return !comparison_asked(c, row) ||
	       (row->a != NULL && row->b != NULL && row->a->record->status == RECORD_UNSUPPORTED &&
	        row->b->record->status == RECORD_UNSUPPORTED);
}

/* malloc'd: the first of the rules that allow it no verdict. */
static char *why_open(const comparison *c, const comparison_row *row)
{
	const contract_reason *worst = NULL;

	if (row->verdict == VERDICT_INCONCLUSIVE)
		return memory_text("the interval holds more than one answer");
	for (size_t i = 0; i < row->reasons.count; i++)
		if (worst == NULL || row->reasons.items[i].level > worst->level)
			worst = &row->reasons.items[i];
	if (c->level >= CONTRACT_DESCRIPTION || worst == NULL)
		return memory_text("the results as a whole do not compare");
	return memory_format("%s%s%s", worst->rule, worst->detail[0] != '\0' ? ": " : "",
	                     worst->detail);
}

static void add_row(attribution *a, const comparison_row *row)
{
	attribution_case *moved;
	attribution_open *open;

	if (is_move(row->verdict)) {
		moved = layout_append(attribution_case_layout(), &a->moved);
		moved->id = memory_text(row->id);
		moved->verdict = row->verdict;
		moved->speedup = row->speedup;
		moved->row = row;
		conditions_find(&a->comparison, row, &a->causes);
	} else if (row->verdict == VERDICT_EQUIVALENT) {
		a->equivalent++;
	} else if (!on_neither(&a->comparison, row)) {
		open = layout_append(attribution_open_layout(), &a->open);
		open->id = memory_text(row->id);
		open->verdict = row->verdict;
		open->why = why_open(&a->comparison, row);
	}
}

/* ---- whether the machine moved it ------------------------------------------------------------ */

/* Whether a cause stands apart from every layer that changed: a change of a layer that the canary and
 * the device's limits go through may be the cause of what the machine shows. */
static bool apart(const attribution *a, const attribution_cause *c)
{
	bool is = true;

	for (size_t i = 0; i < a->groups.count; i++)
		is = is && (c->kind == CAUSE_STEAL || record_layer_traits_of(a->groups.items[i].layer)->apart);
	return is;
}

/* Whether for every case that moved the records show a cause; beside_layers: one that is enough,
 * and that does not follow from a layer. */
static bool conditions_cover(const attribution *a, bool beside_layers)
{
	for (size_t i = 0; i < a->moved.count; i++) {
		bool found = false;

		for (size_t k = 0; k < a->causes.count; k++) {
			const attribution_cause *c = &a->causes.items[k];

			found = found || (strcmp(c->id, a->moved.items[i].id) == 0 &&
			                  (!beside_layers || (c->enough && apart(a, c))));
		}
		if (!found)
			return false;
	}
	return a->moved.count > 0;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* Whether the contract lets any case be compared. */
static bool comparable(const comparison *c)
{
	return c->level < CONTRACT_REFUSED &&
	       comparison_count(c, VERDICT_NOT_COMPARABLE) + comparison_count(c, VERDICT_ABSENT) <
	               c->cases.count;
}

static bool moved_in(const attribution_step *s, const attribution_case *is)
{
	for (size_t i = 0; i < s->comparison->cases.count; i++) {
		const comparison_row *row = &s->comparison->cases.items[i];

		if (strcmp(row->id, is->id) == 0 && row->verdict == is->verdict)
			return true;
	}
	return false;
}

/* Whether each step changes one group and is measured. */
static bool separated(const attribution *a)
{
	for (size_t i = 0; i < a->steps.count; i++) {
		const attribution_step *s = &a->steps.items[i];

		if (!s->measured || !comparable(s->comparison) || s->groups.count > 1)
			return false;
	}
	return true;
}

/* Whether each case that moved did so in a step. */
static bool located(const attribution *a)
{
	for (size_t i = 0; i < a->moved.count; i++) {
		bool found = false;

		for (size_t k = 0; k < a->steps.count; k++)
			found = found || moved_in(&a->steps.items[k], &a->moved.items[i]);
		if (!found)
			return false;
	}
	return true;
}

static enum attribution_answer answer_unchanged(const attribution *a)
{
	if (a->moved.count > 0)
		return conditions_cover(a, false) ? ATTRIBUTION_CONDITIONS : ATTRIBUTION_UNEXPLAINED;
	return a->open.count > 0 ? ATTRIBUTION_UNDECIDED : ATTRIBUTION_NO_CHANGE;
}

static enum attribution_answer answer_of(const attribution *a)
{
	if (!comparable(&a->comparison))
		return ATTRIBUTION_NOT_COMPARABLE;
	if (a->groups.count == 0)
		return answer_unchanged(a);
	if (a->moved.count == 0)
		return a->open.count > 0 ? ATTRIBUTION_UNDECIDED : ATTRIBUTION_NO_EFFECT;
	if (conditions_cover(a, true) || (a->groups.count > 1 && !separated(a)))
		return ATTRIBUTION_CONFOUNDED;
	if (a->groups.count > 1 && !located(a))
		return ATTRIBUTION_UNDECIDED;
	return a->open.count > 0 ? ATTRIBUTION_PARTLY : ATTRIBUTION_ATTRIBUTABLE;
}

static void conclude(attribution *a)
{
	a->answer = answer_of(a);
	if (a->groups.count == 1 &&
	    (a->answer == ATTRIBUTION_ATTRIBUTABLE || a->answer == ATTRIBUTION_PARTLY)) {
		a->layer = a->groups.items[0].layer;
		text_set(&a->maker, a->groups.items[0].maker);
		text_set(&a->owner, a->groups.items[0].owner);
	}
}

attribution *attribute_results(const result *const *results, size_t count,
                               const attribution_candidate *candidates, size_t candidate_count,
                               double margin, const char *protocol)
{
	attribution *a = layout_new(attribution_layout());
	bool split;

	a->protocol = memory_text(protocol);
	a->followers = stacks_compare(&results[0]->record->executor, &results[1]->record->executor, false,
	                              &a->groups);
	contract_compare_into(&a->comparison, results[0], results[1],
	                      (contract_options){ .margin = margin });
	for (size_t i = 0; i < a->comparison.cases.count; i++)
		add_row(a, &a->comparison.cases.items[i]);
	/* One group needs nothing between, and neither does what did not move. */
	split = a->groups.count > 1 && a->moved.count > 0 && comparable(&a->comparison);
	way_make_steps(a, results, split ? count : 2, candidates, split ? candidate_count : 0, margin);
	conclude(a);
	attribute_plan_runs(a, results, margin);
	return a;
}

void attribution_free(attribution *a)
{
	layout_free(attribution_layout(), a);
}
