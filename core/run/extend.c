/* SPDX-License-Identifier: Apache-2.0 */
#include "run/extend.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
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

/* The declared percentile where there are samples enough for it, else 0: the median. */
static double quantile_for(const plan_case *c, size_t samples)
{
	enum record_statistic statistic = c->section->measure.statistic;

	return statistic != RECORD_STATISTIC_MEDIAN && samples >= protocol_statistic_samples(statistic) ?
	       protocol_statistic_quantile(statistic) : 0;
}

static void take(const cJSON *record, const plan_case *c, pilot_execution *out)
{
	const char *status = json_string(record, "status", "");
	uint64_t batch = 0, total = 0;
	uint64_t *raw;
	double *values, wall = 0;
	series seen;
	size_t count;

	if ((strcmp(status, "valid") != 0 && strcmp(status, "not-converged") != 0) ||
	    !json_uint(record, "batch", &batch) || batch == 0)
		return;
	raw = json_uints(record, "samples_ns", &count);
	if (raw == NULL || count == 0) {
		free(raw);
		return;
	}
	values = memory_get(count * sizeof(*values));
	for (size_t i = 0; i < count; i++) {
		values[i] = (double)raw[i] / (double)batch;
		total += raw[i];
	}
	series_analyse(values, count, &seen);
	if (record_is_load(&c->section->measure)) {
		/* Latencies of a load hang together by nature: all of them count. */
		seen.steady_first = 0;
		seen.steady_count = count;
	}
	pilot_execution_of(values + seen.steady_first, seen.steady_count,
	                   quantile_for(c, seen.steady_count), out);
	out->sample_ns = (double)total / (double)count;
	(void)json_double(json_path(record, "load"), "wall_seconds", &wall);
	out->other_ns = wall * 1e9 > (double)total ? wall * 1e9 - (double)total : 0;
	series_free(&seen);
	free(values);
	free(raw);
}

static eh_status visit(void *context, const cJSON *line, long offset, eh_error *error)
{
	found *f = context;
	const manifest *m = f->manifest;
	const plan_case *c;
	uint64_t execution = 0;
	size_t executor = 0, at;

	(void)offset;
	(void)error;
	if (strcmp(json_string(line, "kind", ""), "case") != 0)
		return EH_OK;
	(void)json_uint(line, "execution", &execution);
	while (executor < m->executor_count &&
	       strcmp(m->names[executor], json_string(line, "executor", "")) != 0)
		executor++;
	c = plan_case_by_id(m->plan, json_string(line, "id", ""));
	if (c == NULL || executor == m->executor_count || execution < 1 || execution > m->executions)
		return EH_OK;
	at = place_of(m, executor, (size_t)(c - m->plan->cases), execution);
	if (!f->seen[at])
		take(json_path(line, "record"), c, &f->all[at]);
	f->seen[at] = true;
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

static cJSON *case_json(const plan_case *c, const pilot_finding *p, size_t count)
{
	cJSON *item = cJSON_CreateObject();

	json_add_string(item, "id", c->id);
	json_add_uint(item, "executions", count);
	json_add_double(item, "center_ns", p->center);
	json_add_double(item, "spread", p->spread);
	json_add_double(item, "within", p->within);
	json_add_double(item, "between", p->between);
	json_add_double(item, "half_width", c->section->measure.half_width);
	json_add_uint(item, "needed", p->needed);
	json_add_double(item, "optimum", p->optimum);
	return item;
}

static uint64_t plan_executor(const found *f, size_t executor, cJSON *list)
{
	const manifest *m = f->manifest;
	cJSON *item = cJSON_CreateObject(), *cases;
	uint64_t planned = m->executions;
	const char *most = "";
	bool reached = true;

	json_add_string(item, "name", m->names[executor]);
	cases = cJSON_CreateArray();
	for (size_t i = 0; i < m->plan->case_count; i++) {
		const plan_case *c = &m->plan->cases[i];
		pilot_execution *all = &f->all[place_of(m, executor, i, 1)];
		size_t count = gather(all, (size_t)m->executions);
		pilot_finding p;

		if (count < 2)
			continue;
		pilot_plan(all, count, (pilot_target){ c->section->measure.half_width,
		           c->section->measure.confidence, (size_t)m->most }, &p);
		reached = reached && p.reached;
		if (p.needed > planned) {
			planned = p.needed;
			most = c->id;
		}
		cJSON_AddItemToArray(cases, case_json(c, &p, count));
	}
	json_add_uint(item, "planned", planned);
	json_add_bool(item, "reached", reached);
	json_set(item, "cases", cases);
	cJSON_AddItemToArray(list, item);
	if (planned > m->executions)
		log_write(EH_LOG_INFO, "%s: the spread between the first %llu executions asks for %llu "
		          "(%s)", m->names[executor], (unsigned long long)m->executions,
		          (unsigned long long)planned, most);
	else
		log_write(EH_LOG_INFO, "%s: the first %llu executions are enough", m->names[executor],
		          (unsigned long long)m->executions);
	return planned;
}

eh_status extend_decide(const manifest *m, journal *j, const char *journal_path, eh_error *error)
{
	size_t places = m->executor_count * m->plan->case_count * (size_t)m->executions, count;
	found f = { .manifest = m };
	uint64_t *planned = memory_get((m->executor_count + 1) * sizeof(*planned));
	cJSON *line = cJSON_CreateObject(), *list;
	schedule_slot *slots;
	eh_status status;

	f.all = memory_get((places + 1) * sizeof(*f.all));
	f.seen = memory_get((places + 1) * sizeof(*f.seen));
	status = journal_each(journal_path, visit, &f, error);
	json_add_string(line, "kind", "pilot");
	json_add_uint(line, "executions", m->executions);
	json_add_uint(line, "most", m->most);
	list = json_add_array(line, "executors");
	for (size_t i = 0; i < m->executor_count && status == EH_OK; i++)
		planned[i] = plan_executor(&f, i, list);
	list = json_add_array(line, "order");
	slots = schedule_more(m->protocol->seed, m->protocol->interleave, m->executions, planned,
	                      m->executor_count, &count);
	for (size_t i = 0; i < count; i++) {
		cJSON *item = cJSON_CreateObject();

		json_add_uint(item, "position", slots[i].position);
		json_add_uint(item, "execution", slots[i].execution);
		json_add_string(item, "executor", m->names[slots[i].executor]);
		cJSON_AddItemToArray(list, item);
	}
	if (status == EH_OK)
		status = journal_append(j, line, error);
	cJSON_Delete(line);
	free(slots);
	free(planned);
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
