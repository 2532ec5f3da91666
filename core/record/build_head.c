/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the parts of a record other than its rows from the lines of the journal. */
#include <stdlib.h>
#include <string.h>

#include "record/builder.h"

static size_t lines_of(const builder *b, uint64_t execution)
{
	size_t count = 0;

	for (size_t i = 0; i < b->line_count; i++)
		count += b->lines[i].execution == execution;
	return count;
}

/* The pilot's plan for this executor; NULL when there was no pilot. */
static record_pilot_plan *pilot_plan_of(const builder *b)
{
	for (size_t i = 0; i < b->pilot.executors.count; i++)
		if (strcmp(b->pilot.executors.items[i].name, b->executor) == 0)
			return &b->pilot.executors.items[i];
	return NULL;
}

/* Adds the plan of the case that needs most executions. */
static void add_pilot(const builder *b, record_pilot_plan *plan, record_executions *out)
{
	record_pilot_case *deciding = NULL;

	out->planned = plan->planned;
	out->pilot = layout_new(record_pilot_layout());
	out->pilot->executions = b->pilot.executions;
	out->pilot->most = b->pilot.most;
	out->pilot->reached = plan->reached;
	for (size_t i = 0; i < plan->cases.count; i++)
		if (plan->cases.items[i].needed > (deciding != NULL ? deciding->needed : 0))
			deciding = &plan->cases.items[i];
	if (deciding == NULL)
		return;
	out->pilot->deciding = layout_new(record_pilot_case_layout());
	layout_move(record_pilot_case_layout(), deciding, out->pilot->deciding);
}

/* Appends the executor's places in a line's order; returns how many of them have all cases. */
static uint64_t take_order(builder *b, const record_line_order_list *order)
{
	const size_t asked = b->run.asked.count > 0 ? b->run.asked.count :
	                     b->record.protocol.canonical.cases.count;
	uint64_t done = 0;

	for (size_t i = 0; i < order->count; i++) {
		const record_line_order *at = &order->items[i];
		size_t count = lines_of(b, at->execution);
		record_order *entry;

		if (strcmp(at->executor, b->executor) != 0 || count == 0)
			continue;
		done += count == asked;
		entry = layout_append(record_order_layout(), &b->record.run.order);
		entry->execution = at->execution;
		entry->position = at->position;
	}
	return done;
}

static int by_execution(const void *a, const void *b)
{
	const record_instrument *x = a;
	const record_instrument *y = b;

	return (x->execution > y->execution) - (x->execution < y->execution);
}

static void sort_instruments(record_instrument_list *all)
{
	if (all->count > 1)
		qsort(all->items, all->count, sizeof(*all->items), by_execution);
}

/* The name of the executor in the run, where it is not its own. */
static void take_label(builder *b)
{
	for (size_t i = 0; i < b->run.executors.count; i++) {
		const record_line_device *d = &b->run.executors.items[i];

		if (strcmp(d->name, b->executor) == 0 && d->executor != NULL)
			text_set(&b->record.run.label, d->name);
	}
}

static void take_design(builder *b)
{
	take_label(b);
	for (size_t i = 0; i < b->run.asked.count; i++)
		text_list_add(&b->record.run.asked, b->run.asked.items[i]);
	if (b->run.design == NULL)
		return;
	b->record.run.design = layout_new(record_design_layout());
	layout_copy(record_design_layout(), b->run.design, b->record.run.design);
	if (b->spent_ns > 0)
		b->record.run.design->spent_ns = b->spent_ns;
}

static void take_agreements(builder *b)
{
	for (size_t i = 0; i < b->run.agreements.count; i++)
		layout_copy(record_agreement_layout(), &b->run.agreements.items[i],
		            layout_append(record_agreement_layout(), &b->record.run.agreements));
}

/* A run that was ended before a worker described its stack, or whose backend could not open its device, has no
 * line of the executor. */
static void take_outline(builder *b)
{
	record_executor *ours = &b->record.executor;

	if (ours->name == NULL && b->outline != NULL && b->outline->name != NULL)
		layout_copy(record_executor_layout(), b->outline, ours);
	else if (ours->name == NULL)
		text_set(&ours->name, b->executor);
}

bool builder_finish_head(builder *b)
{
	record_run *run = &b->record.run;
	record_pilot_plan *plan = pilot_plan_of(b);
	uint64_t planned = b->run.executions.planned;

	text_set(&run->id, b->run.id);
	run->seed = b->run.seed;
	text_set(&run->started, b->run.started);
	run->executions.declared = b->run.executions.declared;
	run->executions.done = take_order(b, &b->run.order) + take_order(b, &b->pilot.order);
	sort_instruments(&b->record.instruments);
	if (planned == LAYOUT_NO_UINT)
		planned = b->run.executions.declared;
	if (plan != NULL) {
		planned = plan->planned;
		add_pilot(b, plan, &run->executions);
	}
	take_design(b);
	take_agreements(b);
	take_outline(b);
	return run->executions.done >= planned;
}
