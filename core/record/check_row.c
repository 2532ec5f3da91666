/* SPDX-License-Identifier: Apache-2.0 */
/* Checks one row of a record against its plan, its run, its samples and its digest. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/check.h"
#include "record/implied.h"

char *check_place(const row_check *c, const char *above, const char *name)
{
	return memory_format("cases[%zu]%s%s%s%s", c->index, above[0] != '\0' ? "." : "", above,
	                     name[0] != '\0' ? "." : "", name);
}

/* Of a budget, for the end of the run; generously. */
#define RESERVED_NS UINT64_C(2000000000)

/* ---- executions ------------------------------------------------------------------------------ */

void check_add(const row_check *c, eh_status code, enum finding_check check, size_t index,
               const char *member, char *sentence)
{
	char *above = memory_format("executions[%zu]", index);
	char *place = check_place(c, above, member);

	(void)findings_add(c->f, code, check, place, NULL, NULL, "%s %s%s", place, sentence,
	                   code == EH_E_ALTERED ? FINDING_ALTERED : "");
	free(place);
	free(above);
	free(sentence);
}

/* Whether the rounds begin at 1 or later and ascend. */
static bool ascending(const uint_list *rounds)
{
	for (size_t i = 0; i < rounds->count; i++)
		if (rounds->items[i] < (i > 0 ? rounds->items[i - 1] : 1))
			return false;
	return true;
}

static void check_turns(const row_check *c, const record_execution *e, size_t index)
{
	const uint_list *rounds = &e->turns->rounds;

	if (rounds->count != e->samples_ns.count)
		check_add(c, EH_E_FORMAT, CHECK_STRUCTURE, index, "turns.rounds",
		          memory_format("has %zu values and samples_ns %zu", rounds->count,
		                        e->samples_ns.count));
	else if (!ascending(rounds))
		check_add(c, EH_E_FORMAT, CHECK_STRUCTURE, index, "turns.rounds",
		          memory_text("does not ascend from 1"));
}

/* Checks the structure beyond the table of members. */
static void check_structure(const row_check *c, const record_execution *e, size_t index)
{
	if (e->samples_ns.items != NULL && (e->batch == LAYOUT_NO_UINT || e->batch == 0))
		check_add(c, EH_E_FORMAT, CHECK_STRUCTURE, index, "",
		          memory_text("has samples_ns but no batch of 1 or more"));
	else if (e->samples_ns.items != NULL && e->clock == record_clock_absent)
		check_add(c, EH_E_FORMAT, CHECK_STRUCTURE, index, "",
		          memory_text("has samples_ns but no clock"));
	else if (e->host_ns.items != NULL && e->host_ns.count != e->samples_ns.count)
		check_add(c, EH_E_FORMAT, CHECK_STRUCTURE, index, "host_ns",
		          memory_format("has %zu values and samples_ns %zu", e->host_ns.count,
		                        e->samples_ns.count));
	else if (e->turns != NULL)
		check_turns(c, e, index);
}

static void check_number(const row_check *c, const record_execution *e, size_t index,
                         uint64_t before)
{
	if (findings_enough(c->f))
		return;
	if (e->execution <= before)
		check_add(c, EH_E_ALTERED, CHECK_ROWS, index, "execution",
		          memory_text("is not above the one before it"));
	else if (!run_order_lists(c->order, e->execution))
		check_add(c, EH_E_ALTERED, CHECK_ROWS, index, "execution",
		          memory_format("is %llu, which run.order does not list",
		                        (unsigned long long)e->execution));
}

/* The fewest samples of a valid execution: the declared number, or more if the percentile needs
 * them.  The number of requests of a load is declared; the length of a sustained series follows
 * from its time. */
static uint64_t least_samples(const record_settings *m)
{
	const percentile *p = percentile_find(record_statistic_word(m->statistic));
	uint64_t stated = p != NULL ? percentile_least(p->quantile, PERCENTILE_CONFIDENCE) : 1;
	uint64_t asked = m->samples_min != LAYOUT_NO_UINT ? m->samples_min : 1;

	if (record_is_load(m) || m->regime == RECORD_REGIME_SUSTAINED)
		asked = 1;
	return asked > stated ? asked : stated;
}

static void check_samples(const row_check *c, const record_execution *e, size_t index,
                          uint64_t least)
{
	size_t count = e->samples_ns.count;

	if (e->status != RECORD_VALID || count >= least || findings_enough(c->f))
		return;
	check_add(c, EH_E_ALTERED, CHECK_ROWS, index, "",
	          memory_format("is valid with %zu sample%s, but its measurement asks for %llu",
	                        count, count == 1 ? "" : "s", (unsigned long long)least));
}

/* Whether the run ended long before its budget was over. */
static bool had_time(const record_result *r)
{
	const record_design *d = r->run.design;
	uint64_t budget = r->protocol.canonical.budget_ns;

	return d->spent_ns != LAYOUT_NO_UINT && 2 * (d->spent_ns + RESERVED_NS) < budget;
}

/* Only a run with a budget leaves executions out, and those have nothing to hide.  Protocols in lockstep
 * have one, also where the run has a single executor and so no turns. */
static void check_out_of_time(const row_check *c, const record_execution *e, size_t index)
{
	const record_result *r = c->result;
	const char *but = NULL;

	if (e->status != RECORD_OUT_OF_TIME || findings_enough(c->f))
		return;
	if (e->samples_ns.items != NULL || e->turns != NULL || e->proof != NULL)
		but = "there are samples";
	else if (r->protocol.canonical.budget_ns == LAYOUT_NO_UINT || r->run.design == NULL)
		but = "the run had no budget";
	else if (had_time(r))
		but = "the run ended long before its budget was over";
	if (but != NULL)
		check_add(c, EH_E_ALTERED, CHECK_ROWS, index, "status",
		          memory_format("is out-of-time, but %s", but));
}

static void check_tuning(const row_check *c, const record_execution *e, size_t index)
{
	if (e->tuning == NULL || implied_chosen(e->tuning) || findings_enough(c->f))
		return;
	check_add(c, EH_E_ALTERED, CHECK_ROWS, index, "",
	          memory_text("has other tuned parameters than the quickest valid candidate of its search"));
}

static void check_executions_of(const row_check *c)
{
	const record_execution_list *all = &c->row->executions;
	uint64_t least = least_samples(&c->row->measure);

	for (size_t i = 0; i < all->count; i++) {
		check_structure(c, &all->items[i], i);
		check_number(c, &all->items[i], i, i > 0 ? all->items[i - 1].execution : 0);
		check_samples(c, &all->items[i], i, least);
		check_out_of_time(c, &all->items[i], i);
		check_tuning(c, &all->items[i], i);
	}
}

/* ---- derived members ------------------------------------------------------------------------- */

static void member_differs(const row_check *c, enum finding_check check, const char *above,
                           const layout_field *is_field, const void *is,
                           const layout_field *want_field, const void *want, const char *what)
{
	char *place = check_place(c, above, is_field->key);
	char *stated = layout_member_text(is_field, is);
	char *recomputed = layout_member_text(want_field, want);

	if (recomputed == NULL)
		(void)findings_add(c->f, EH_E_ALTERED, check, place, stated, NULL,
		                   "%s is there but does not follow from the samples" FINDING_ALTERED,
		                   place);
	else
		findings_differ(c->f, check, place, stated, recomputed, what);
	free(place);
}

/* Compares the members of the plan with those of the same type in the row. */
static void check_plan(const row_check *c, const record_planned_case *plan)
{
	const layout *planned = record_planned_case_layout();

	for (size_t i = 0; i < planned->count && !findings_enough(c->f); i++) {
		const layout_field *want = &planned->fields[i];
		const layout_field *is = layout_find(record_case_layout(), want->key);
		const char *row_at = (const char *)c->row + is->offset - want->offset;

		if (!layout_member_same(want, row_at, plan))
			member_differs(c, CHECK_ROWS, "", is, c->row, want, plan,
			               "protocol.canonical says");
	}
}

static void check_numbers(const row_check *c, const record_derived *has, const record_derived *want)
{
	const layout *l = record_derived_layout();

	for (size_t i = 0; i < l->count && !findings_enough(c->f); i++)
		if (!layout_member_same(&l->fields[i], has, want))
			member_differs(c, CHECK_DERIVED, "derived", &l->fields[i], has, &l->fields[i], want,
			               "the samples give");
}

static void check_derived(const row_check *c, const record_pool *pool)
{
	static const char *const members[] = { "status", "reasons", "flags" };
	record_case want;
	char *place;

	layout_init(record_case_layout(), &want);
	record_derive(c->row, pool, &want);
	for (size_t i = 0; i < 3 && !findings_enough(c->f); i++) {
		const layout_field *field = layout_find(record_case_layout(), members[i]);

		if (!layout_member_same(field, c->row, &want))
			member_differs(c, CHECK_DERIVED, "", field, c->row, field, &want,
			               "the samples give");
	}
	place = check_place(c, "derived", "");
	if (c->row->derived != NULL && want.derived != NULL)
		check_numbers(c, c->row->derived, want.derived);
	else if (c->row->derived != NULL && !findings_enough(c->f))
		(void)findings_add(c->f, EH_E_ALTERED, CHECK_DERIVED, place, NULL, NULL,
		                   "%s is there but there are no valid samples" FINDING_ALTERED, place);
	else if (want.derived != NULL && !findings_enough(c->f))
		findings_differ(c->f, CHECK_DERIVED, place, NULL, memory_text("numbers"),
		                "the samples give");
	free(place);
	layout_clear(record_case_layout(), &want);
}

static void check_seal(const row_check *c, const char *hex, const char *seal)
{
	char *place;

	if (strcmp(hex, seal) == 0)
		return;
	place = check_place(c, "", "");
	(void)findings_add(c->f, EH_E_ALTERED, CHECK_DIGESTS, place, memory_format("\"%.56s\"", seal),
	                   memory_format("\"%.56s\"", hex),
	                   "%s (%s) does not have the digest it was written with" FINDING_ALTERED, place,
	                   c->row->id);
	free(place);
}

void check_row(const row_check *c, const record_pool *pool, const char *hex)
{
	const record_planned_case_list *plans = &c->result->protocol.canonical.cases;
	const text_list *seals = &c->result->digests.cases;
	const char *seal = c->index < seals->count ? seals->items[c->index] : "";

	if (c->index < plans->count)
		check_plan(c, &plans->items[c->index]);
	if (!findings_enough(c->f))
		check_executions_of(c);
	if (!findings_enough(c->f))
		check_derived(c, pool);
	check_times(c);
	check_implied(c, pool);
	check_programs(c);
	if (!findings_enough(c->f))
		check_seal(c, hex, seal);
}
