/* SPDX-License-Identifier: Apache-2.0 */
/* Whether teams had agreed to the protocols of two results before these were measured. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "contract/condition.h"

/* ---- who agreed ------------------------------------------------------------------------------ */

/* What is missing; sides with the same sentence share it. */
static void add_missing(text *t, const comparison_agreement *a)
{
	const audit_checked_agreement *b = &a->baseline, *o = &a->other;
	bool same = strcmp(b->sentence, o->sentence) == 0;

	if (b->state != AUDIT_AGREED)
		text_add(t, "%s%s: %s", t->size > 0 ? "; " : "", same ? "both" : "baseline", b->sentence);
	if (o->state != AUDIT_AGREED && !same)
		text_add(t, "%sother: %s", t->size > 0 ? "; " : "", o->sentence);
}

static void judge_teams(comparison *c, const audit_team_list *teams)
{
	text missing = { 0 };

	for (size_t i = 0; i < teams->count; i++) {
		const audit_team *team = &teams->items[i];
		comparison_agreement *a = layout_append(comparison_agreement_layout(), &c->agreements);

		text_set(&a->team, team->name);
		text_set(&a->fingerprint, team->key.fingerprint);
		agreement_judge(c->a->record, team, &a->baseline);
		agreement_judge(c->b->record, team, &a->other);
		add_missing(&missing, a);
	}
	if (missing.size > 0) {
		text_add(&missing, "; sign with `evenhand agree`, put every team's agreement beside the protocol, and "
		         "measure again");
		reason_whole(c, "not-agreed", missing.data);
	}
	text_free(&missing);
}

/* ---- what was done ---------------------------------------------------------------------------- */

static void add_departure(text *t, const char *side, const result *r)
{
	char detail[256] = "";
	size_t asked = r->record->run.asked.count;

	if (side_incomplete(r, NULL, detail, sizeof(detail)))
		text_add(t, "%s%s: the run is incomplete", t->size > 0 ? "; " : "", side);
	if (side_deviations(r, NULL, detail, sizeof(detail)))
		text_add(t, "%s%s: %s", t->size > 0 ? "; " : "", side, detail);
	if (asked > 0)
		text_add(t, "%s%s: %zu of %zu cases were measured", t->size > 0 ? "; " : "", side, asked,
		         r->row_count);
}

static void judge_runs(comparison *c)
{
	text departures = { 0 };

	add_departure(&departures, "baseline", c->a);
	add_departure(&departures, "other", c->b);
	if (departures.size > 0)
		reason_whole(c, "not-as-agreed", departures.data);
	text_free(&departures);
}

void agreed_fill(comparison *c, const audit_team_list *teams)
{
	judge_teams(c, teams);
	judge_runs(c);
}

const contract_reason *comparison_departure(const comparison *c, const contract_reason *after)
{
	for (size_t i = after != NULL ? (size_t)(after - c->reasons.items) + 1 : 0; i < c->reasons.count; i++)
		if (strcmp(c->reasons.items[i].rule, "not-agreed") == 0 ||
		    strcmp(c->reasons.items[i].rule, "not-as-agreed") == 0)
			return &c->reasons.items[i];
	return NULL;
}
