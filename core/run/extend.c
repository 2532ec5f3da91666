/* SPDX-License-Identifier: Apache-2.0 */
#include "run/extend.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "stat/percentile.h"
#include "stat/pilot.h"
#include "measure/scenario.h"
#include "stat/series.h"

typedef struct found {
	const manifest *manifest;
	pilot_execution *all; /* [executor][case][execution]; without samples: not counted */
	bool *seen;           /* the first line of an execution of a case counts           */
} found;

static size_t place_of(const manifest *m, size_t executor, size_t index, uint64_t execution)
{
	return (executor * m->plan->case_count + index) * (size_t)m->executions +
	       (size_t)execution - 1;
}

/* The declared percentile when there are enough samples for it, else 0: the median. */
static double quantile_for(const plan_case *c, size_t samples)
{
	enum record_statistic statistic = c->section->measure.statistic;

	return statistic != RECORD_STATISTIC_MEDIAN && samples >= protocol_statistic_samples(statistic) ?
	       protocol_statistic_quantile(statistic) : 0;
}

static void take(const record_execution *record, const plan_case *c, pilot_execution *out)
{
	size_t count = record->samples_ns.count;
	uint64_t total = 0;
	double *values, wall_ns;
	series seen;

	if (!record_counts(record->status) || count == 0 || record->batch == 0 ||
	    record->batch == LAYOUT_NO_UINT)
		return;
	values = memory_get(count * sizeof(*values));
	for (size_t i = 0; i < count; i++) {
		values[i] = (double)record->samples_ns.items[i] / (double)record->batch;
		total += record->samples_ns.items[i];
	}
	series_analyse(values, count, &seen);
	if (record_is_load(&c->section->measure)) {
		/* Latencies of a load depend on each other by nature: all of them count. */
		seen.steady_first = 0;
		seen.steady_count = count;
	}
	pilot_execution_of(values + seen.steady_first, seen.steady_count,
	                   quantile_for(c, seen.steady_count), out);
	out->sample_ns = (double)total / (double)count;
	/* NaN when absent: then the comparison below is false. */
	wall_ns = record->load != NULL ? record->load->wall_seconds * 1e9 : 0;
	out->other_ns = wall_ns > (double)total ? wall_ns - (double)total : 0;
	series_free(&seen);
	free(values);
}

static eh_status visit(void *context, record_line *line, long offset, eh_error *error)
{
	found *f = context;
	const manifest *m = f->manifest;
	const record_line_case *at = &line->one_case;
	const plan_case *c;
	size_t executor = 0, place;

	(void)offset;
	(void)error;
	if (line->kind != RECORD_LINE_CASE)
		return EH_OK;
	while (executor < m->executor_count && strcmp(m->names[executor], at->executor) != 0)
		executor++;
	c = plan_case_by_id(m->plan, at->id);
	if (c == NULL || executor == m->executor_count || at->execution < 1 ||
	    at->execution > m->executions)
		return EH_OK;
	place = place_of(m, executor, (size_t)(c - m->plan->cases), at->execution);
	if (!f->seen[place])
		take(&at->record, c, &f->all[place]);
	f->seen[place] = true;
	return EH_OK;
}

/* Those that count, moved to the front. */
static size_t gather(pilot_execution *executions, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (executions[i].samples > 0)
			executions[kept++] = executions[i];
	return kept;
}

static void add_case(const plan_case *c, const pilot_finding *p, size_t count,
                     record_pilot_case_list *out)
{
	record_pilot_case *item = layout_append(record_pilot_case_layout(), out);

	text_set(&item->id, c->id);
	item->executions = count;
	item->center_ns = p->center;
	item->spread = p->spread;
	item->within = p->within;
	item->between = p->between;
	item->half_width = c->section->measure.half_width;
	item->needed = p->needed;
	item->optimum = p->optimum;
}

static void plan_executor(const found *f, size_t executor, record_pilot_plan *out)
{
	const manifest *m = f->manifest;
	const char *most = "";

	text_set(&out->name, m->names[executor]);
	out->planned = m->executions;
	out->reached = true;
	for (size_t i = 0; i < m->plan->case_count; i++) {
		const plan_case *c = &m->plan->cases[i];
		pilot_execution *all = &f->all[place_of(m, executor, i, 1)];
		size_t count = gather(all, (size_t)m->executions);
		pilot_finding p;

		if (count < 2)
			continue;
		pilot_plan(all, count, (pilot_target){ c->section->measure.half_width,
		           c->section->measure.confidence, (size_t)m->most }, &p);
		out->reached = out->reached && p.reached;
		if (p.needed > out->planned) {
			out->planned = p.needed;
			most = c->id;
		}
		add_case(c, &p, count, &out->cases);
	}
	if (out->planned > m->executions)
		log_write(EH_LOG_INFO, "%s: the spread between the first %llu executions asks for %llu "
		          "(%s)", m->names[executor], (unsigned long long)m->executions,
		          (unsigned long long)out->planned, most);
	else
		log_write(EH_LOG_INFO, "%s: the first %llu executions are enough", m->names[executor],
		          (unsigned long long)m->executions);
}

static void fill_line(const found *f, record_line_pilot *line)
{
	const manifest *m = f->manifest;
	uint64_t *planned = memory_get((m->executor_count + 1) * sizeof(*planned));
	schedule_slot *slots;
	size_t count;

	line->executions = m->executions;
	line->most = m->most;
	for (size_t i = 0; i < m->executor_count; i++) {
		record_pilot_plan *out = layout_append(record_pilot_plan_layout(), &line->executors);

		plan_executor(f, i, out);
		planned[i] = out->planned;
	}
	slots = schedule_more(m->protocol->seed, m->protocol->interleave, m->executions, planned,
	                      m->executor_count, &count);
	manifest_order(m, slots, count, &line->order);
	free(slots);
	free(planned);
}

eh_status extend_decide(const manifest *m, journal *j, const char *journal_path, eh_error *error)
{
	size_t places = m->executor_count * m->plan->case_count * (size_t)m->executions;
	found f = { .manifest = m };
	record_line line;
	eh_status status;

	f.all = memory_get((places + 1) * sizeof(*f.all));
	f.seen = memory_get((places + 1) * sizeof(*f.seen));
	status = journal_each(journal_path, visit, &f, error);
	if (status == EH_OK) {
		record_line_init(&line, RECORD_LINE_PILOT);
		fill_line(&f, &line.pilot);
		status = journal_append(j, &line, error);
		record_line_clear(&line);
	}
	free(f.all);
	free(f.seen);
	return status;
}

schedule_slot *extend_slots(const manifest *m, const ledger *l, size_t *count)
{
	uint64_t *planned = memory_get((m->executor_count + 1) * sizeof(*planned));
	schedule_slot *slots;

	for (size_t i = 0; i < m->executor_count; i++)
		planned[i] = ledger_planned(l, i);
	slots = schedule_more(m->protocol->seed, m->protocol->interleave, m->executions, planned,
	                      m->executor_count, count);
	free(planned);
	return slots;
}
