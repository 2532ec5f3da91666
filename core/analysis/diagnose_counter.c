/* SPDX-License-Identifier: Apache-2.0 */
/* Counterfactuals: the same work on the same device by other software.  What was seen to go faster
 * was not limited by the hardware, whatever its share of a ceiling. */
#include <string.h>

#include "analysis/diagnose.h"
#include "base/json.h"

#define NOTE(c, ...) diagnose_note(&(c)->notes, &(c)->note_count, __VA_ARGS__)

static diagnosis_case *case_of(diagnosis *d, const result_row *row)
{
	for (size_t i = 0; row != NULL && i < d->count; i++)
		if (d->cases[i].row == row)
			return &d->cases[i];
	return NULL;
}

/* What may be overruled. */
static bool open_to_proof(const diagnosis_case *c)
{
	return c->answer != DIAGNOSIS_INVALID && c->answer != DIAGNOSIS_ABSENT &&
	       c->answer != DIAGNOSIS_DEFECT;
}

static void prove(diagnosis_case *c, const char *limit)
{
	c->answer = DIAGNOSIS_SOFTWARE;
	c->limit = limit;
}

/* ---- another tier ---------------------------------------------------------------------------- */

static const result_row *portable_of(const result *r, const result_row *tuned)
{
	const cJSON *parameters = json_path(tuned->json, "parameters");

	for (size_t i = 0; i < r->row_count; i++) {
		const result_row *row = &r->rows[i];
		size_t prefix = strlen(row->id);

		/* The plan names a tier of a case by a suffix. */
		if (strcmp(row->tier, "portable") == 0 && strncmp(row->id, tuned->id, prefix) == 0 &&
		    tuned->id[prefix] == '.' && strcmp(tuned->id + prefix + 1, tuned->tier) == 0 &&
		    strcmp(row->workload, tuned->workload) == 0 &&
		    strcmp(row->precision, tuned->precision) == 0 && parameters != NULL)
			return row;
	}
	return NULL;
}

static void look_at_tiers(diagnosis *d, const comparison *self)
{
	for (size_t i = 0; i < self->cases.count; i++) {
		const comparison_row *pair = &self->cases.items[i];
		const comparison_ratio *gain = pair->baseline_tuning_gain;
		diagnosis_case *c;

		if (gain == NULL || !ceilings_sound(pair->a))
			continue;
		c = case_of(d, portable_of(d->of, pair->a));
		if (c == NULL || c->answer == DIAGNOSIS_INVALID || c->answer == DIAGNOSIS_ABSENT)
			continue;
		NOTE(c, "%s does the same work %.2fx as fast [%.2f-%.2f] on this device.", pair->id,
		     gain->ratio, gain->interval.low, gain->interval.high);
		if (!ceilings_shaken(pair->a) && gain->interval.low >= DIAGNOSE_OTHER &&
		    open_to_proof(c))
			prove(c, "tuning");
	}
}

/* ---- graphs ---------------------------------------------------------------------------------- */

static bool launches(const diagnosis_case *c)
{
	return strcmp(c->row->workload, "launch") == 0 ||
	       (c->answer == DIAGNOSIS_SOFTWARE && strcmp(c->limit, "launch") == 0);
}

static void look_at_graphs(diagnosis *d)
{
	ceiling graph = ceilings_of(&d->ceilings, CEILING_GRAPH, NULL);
	ceiling empty = ceilings_of(&d->ceilings, CEILING_EMPTY, NULL);
	double gain;

	if (!(graph.value > 0) || !(empty.value > 0))
		return;
	gain = empty.value / graph.value;
	for (size_t i = 0; i < d->count; i++) {
		diagnosis_case *c = &d->cases[i];

		if (!launches(c) || !open_to_proof(c))
			continue;
		NOTE(c, "Replayed in a graph an empty kernel takes 1/%.2f of the time (%s against %s)%s.",
		     gain, graph.row->id, empty.row->id,
		     gain >= DIAGNOSE_GRAPH && !graph.shaken && !empty.shaken ?
		             ": that confirms that launching limits" : "");
	}
}

/* ---- other executors on the same device ------------------------------------------------------ */

static void look_at_row(diagnosis_case *c, const comparison_row *pair, const result *other)
{
	if (pair->level == CONTRACT_REFUSED || !(pair->speedup > 0)) {
		NOTE(c, "%s does not compare with it: %s.", other->executor,
		     pair->reasons.count > 0 ? pair->reasons.items[0].rule :
		     comparison_verdict_word(pair->verdict));
		return;
	}
	NOTE(c, "%s does it %.2fx as fast [%.2f-%.2f] on the same device (%s).", other->executor,
	     pair->speedup, pair->speedup_interval->low, pair->speedup_interval->high,
	     comparison_verdict_word(pair->verdict));
	if (pair->speedup_interval->low >= DIAGNOSE_OTHER && !ceilings_shaken(pair->b) &&
	    ceilings_sound(pair->b) && pair->verdict == VERDICT_FASTER)
		prove(c, "provider");
}

static void look_at_other(diagnosis *d, const result *other)
{
	comparison *c;

	if (!diagnose_same_device(d->of, other)) {
		diagnose_note(&d->notes, &d->note_count,
		              "%s is left out: nothing in the records says that it is the same device.",
		              other->executor);
		return;
	}
	c = contract_compare(d->of, other, 0);
	if (c->level == CONTRACT_REFUSED) {
		const char *why = "";

		for (size_t i = 0; i < c->reasons.count; i++)
			why = c->reasons.items[i].level == CONTRACT_REFUSED ? c->reasons.items[i].rule : why;
		diagnose_note(&d->notes, &d->note_count, "%s is left out: the contract refuses to compare "
		              "it (%s).", other->executor, why);
	}
	for (size_t i = 0; c->level != CONTRACT_REFUSED && i < c->cases.count; i++) {
		diagnosis_case *one = case_of(d, c->cases.items[i].a);

		if (one != NULL && c->cases.items[i].b != NULL && open_to_proof(one))
			look_at_row(one, &c->cases.items[i], other);
	}
	comparison_free(c);
}

void diagnose_counterfactuals(diagnosis *d, const result *const *others, size_t other_count)
{
	comparison *self = contract_compare(d->of, d->of, 0);

	look_at_tiers(d, self);
	comparison_free(self);
	look_at_graphs(d);
	for (size_t i = 0; i < other_count; i++)
		look_at_other(d, others[i]);
}
