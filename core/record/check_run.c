/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a record's run: its times, executions, their order, its noise floor. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "record/check.h"

/* ---- times ----------------------------------------------------------------------------------- */

static void not_a_time(findings *f, const char *key, const char *value)
{
	char *place = memory_format("run.%s", key);

	(void)findings_add(f, EH_E_FORMAT, CHECK_RUN, place, memory_format("\"%.40s\"", value), NULL,
	                   "%s is not a time like 2026-11-21T00:02:22Z", place);
	free(place);
}

/* ---- executions ------------------------------------------------------------------------------ */

void check_executions(const record_result *r, const row_sums *rows, findings *f)
{
	const record_executions *all = &r->run.executions;
	uint64_t declared = r->protocol.canonical.executions;

	for (size_t i = 0; i < rows->row_count && !findings_enough(f); i++) {
		const row_sum *row = &rows->rows[i];

		/* A malformed row was reported already. */
		if (!row->sound || row->executions >= all->done ||
		    (rows->asked_count > 0 && !row->asked))
			continue;
		(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, "run.executions.done", NULL, NULL,
		                   "run.executions.done is %llu but cases[%zu] has %u executions"
		                   FINDING_ALTERED, (unsigned long long)all->done, i,
		                   (unsigned)row->executions);
		return;
	}
	if (all->declared != declared && !findings_enough(f))
		findings_differ(f, CHECK_RUN, "run.executions.declared",
		                memory_format("%llu", (unsigned long long)all->declared),
		                memory_format("%llu", (unsigned long long)declared),
		                "protocol.canonical says");
	if (all->planned != LAYOUT_NO_UINT && all->done < all->planned &&
	    r->status == RECORD_COMPLETE && !findings_enough(f))
		(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, "status", memory_text("\"complete\""), NULL,
		                   "status is complete but run.executions.done is %llu of %llu planned"
		                   FINDING_ALTERED, (unsigned long long)all->done,
		                   (unsigned long long)all->planned);
}

/* NULL when both numbers of element i are above those before it, else the name of one that is
 * not. */
static const char *not_above(const record_order_list *list, size_t i)
{
	const record_order *before = i > 0 ? &list->items[i - 1] : &(record_order){ 0, 0 };

	return list->items[i].execution <= before->execution ? "execution" :
	       list->items[i].position <= before->position ? "position" : NULL;
}

run_order run_order_take(const record_result *r, findings *f)
{
	run_order order = { &r->run.order, true };

	for (size_t i = 0; i < order.list->count; i++) {
		const char *which = not_above(order.list, i);
		char *place;

		if (which == NULL)
			continue;
		order.sound = false;
		if (findings_enough(f))
			break;
		place = memory_format("run.order[%zu].%s", i, which);
		(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, place, NULL, NULL,
		                   "%s is not above the one before it" FINDING_ALTERED, place);
		free(place);
	}
	return order;
}

/* Checks that a complete run has all executions from the first on. */
static void check_gaps(const record_result *r, findings *f)
{
	const record_order_list *order = &r->run.order;

	for (size_t i = 0; i < order->count && r->status == RECORD_COMPLETE; i++) {
		if (order->items[i].execution == i + 1)
			continue;
		(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, "run.order", NULL, NULL,
		                   "status is complete but run.order has execution %llu in the place of "
		                   "execution %zu" FINDING_ALTERED,
		                   (unsigned long long)order->items[i].execution, i + 1);
		return;
	}
}

void check_order(const record_result *r, const row_sums *rows, findings *f)
{
	const run_order *order = rows->order;
	uint64_t done = r->run.executions.done;
	size_t asked = rows->asked_count > 0 ? rows->asked_count : rows->row_count;
	uint64_t whole = 0;

	if (!order->sound || findings_enough(f))
		return;
	check_gaps(r, f);
	for (size_t i = 0; i < order->list->count && !findings_enough(f); i++) {
		whole += rows->listed[i] == asked;
		if (rows->listed[i] == 0)
			(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, "run.order", NULL, NULL,
			                   "run.order lists execution %llu, of which no case has anything"
			                   FINDING_ALTERED,
			                   (unsigned long long)order->list->items[i].execution);
	}
	if (done != whole && !findings_enough(f))
		(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, "run.executions.done",
		                   memory_format("%llu", (unsigned long long)done), NULL,
		                   "run.executions.done is %llu but every case has %llu of the "
		                   "executions in run.order" FINDING_ALTERED, (unsigned long long)done,
		                   (unsigned long long)whole);
}

/* ---- what was asked for ---------------------------------------------------------------------- */

/* Each id once and of a case, and no other case has executions. */
static void check_asked(const row_sums *rows, findings *f)
{
	size_t found = 0;

	for (size_t i = 0; i < rows->row_count && rows->asked_count > 0; i++) {
		const row_sum *row = &rows->rows[i];

		found += row->asked;
		if (!row->asked && row->executions > 0 && !findings_enough(f))
			(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, "run.asked", NULL, NULL,
			                   "cases[%zu] has executions, but run.asked does not name it"
			                   FINDING_ALTERED, i);
	}
	if (found != rows->asked_count && !findings_enough(f))
		(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, "run.asked", NULL, NULL,
		                   "run.asked names %zu cases, of which the record has %zu" FINDING_ALTERED,
		                   rows->asked_count, found);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void check_noise(const record_noise_floor *noise, findings *f)
{
	for (size_t i = 0; noise != NULL && i < noise->classes.count && !findings_enough(f); i++) {
		const number_pair *class = &noise->classes.items[i];
		char *place;

		if (class->value >= 0)
			continue;
		place = memory_format("run.noise_floor.classes.%.40s", class->key);
		(void)findings_add(f, EH_E_FORMAT, CHECK_RUN, place, memory_format("%g", class->value),
		                   NULL, "%s is below 0, so it is no share", place);
		free(place);
	}
}

/* Only a protocol that declares it is run in lockstep, and only by two executors or more. */
static void check_design(const record_result *r, findings *f)
{
	const record_design *d = r->run.design;
	bool declared = r->protocol.canonical.design == RECORD_DESIGN_LOCKSTEP;

	if (d == NULL || d->kind != RECORD_DESIGN_LOCKSTEP || findings_enough(f) ||
	    (declared && d->executors.count >= 2))
		return;
	(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, "run.design", NULL, NULL,
	                   "run.design is lockstep, but %s" FINDING_ALTERED, declared ?
	                   "names fewer than two executors" : "the protocol does not declare it");
}

void check_run(const record_result *r, const row_sums *rows, findings *f)
{
	const char *ended = r->run.ended;

	if (findings_enough(f))
		return;
	if (!clock_is_wall_text(r->run.started))
		not_a_time(f, "started", r->run.started);
	/* A killed run did not record its end. */
	if (!clock_is_wall_text(ended) && (r->status == RECORD_COMPLETE || ended[0] != '\0') &&
	    !findings_enough(f))
		not_a_time(f, "ended", ended);
	check_noise(r->run.noise_floor, f);
	check_asked(rows, f);
	check_design(r, f);
	/* Only an executor that could not be opened has no layers; then there are no samples. */
	if (r->executor.layers.count == 0 && rows->samples && !findings_enough(f))
		(void)findings_add(f, EH_E_FORMAT, CHECK_RUN, "executor.layers", NULL, NULL,
		                   "executor.layers is empty, so nothing says what the samples were "
		                   "taken on");
}
