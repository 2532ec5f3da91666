/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from the requests of a load: rates, the client's lag, whether the limit was kept. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "stat/percentile.h"
#include "stat/trace.h"
#include "record/rowpool.h"

bool pool_is_load(const cJSON *row)
{
	const char *kind = json_string(json_path(row, "measure"), "scenario", "");

	return strcmp(kind, "server") == 0 || strcmp(kind, "closed") == 0 || strcmp(kind, "knee") == 0;
}

/* The requests of an execution as a trace, when they agree with its samples; NULL else. */
static trace *read_trace(const cJSON *execution, size_t concurrency)
{
	const cJSON *requests = json_path(execution, "requests");
	trace *t = trace_new(0, concurrency);
	size_t issued = 0;
	size_t done = 0;
	size_t samples = 0;
	uint64_t *latencies = json_uints(execution, "samples_ns", &samples);
	bool sound;

	free(t->due_ns);
	free(t->issued_ns);
	free(t->done_ns);
	t->due_ns = json_uints(requests, "due_ns", &t->count);
	t->issued_ns = json_uints(requests, "issued_ns", &issued);
	t->done_ns = json_uints(requests, "done_ns", &done);
	sound = latencies != NULL && t->due_ns != NULL && t->issued_ns != NULL && t->done_ns != NULL &&
	        t->count > 0 && issued == t->count && done == t->count && samples == t->count;
	for (size_t i = 0; sound && i < samples; i++)
		sound = latencies[i] == trace_latency_ns(t, i);
	free(latencies);
	if (sound)
		return t;
	trace_free(t);
	return NULL;
}

void record_derive_load(const cJSON *row, cJSON *out)
{
	const cJSON *measure = json_path(row, "measure");
	const percentile *p = percentile_find(json_string(measure, "statistic", ""));
	uint64_t limit = 0;
	uint64_t concurrency = 1;
	double confidence = 0;
	cJSON *list = NULL;
	const cJSON *e;

	if (!pool_is_load(row) || !json_double(measure, "confidence", &confidence))
		return;
	(void)json_uint(measure, "load_slo_ns", &limit);
	(void)json_uint(measure, "load_concurrency", &concurrency);
	cJSON_ArrayForEach(e, json_path(row, "executions")) {
		trace_summary s;
		uint64_t number = 0;
		cJSON *item;
		trace *t;

		if (!pool_counts(e) || concurrency == 0)
			continue;
		t = read_trace(e, (size_t)concurrency);
		if (t == NULL)
			continue;
		trace_summarise(t, p != NULL ? p->quantile : 0.5, confidence, limit, &s);
		trace_free(t);
		(void)json_uint(e, "execution", &number);
		item = cJSON_CreateObject();
		json_add_uint(item, "execution", number);
		json_add_double(item, "offered", s.offered);
		json_add_double(item, "completed", s.completed);
		json_add_uint(item, "lag_p99_ns", s.lag_p99_ns);
		json_add_double(item, "lag_share", s.lag_share);
		json_add_bool(item, "grows", s.grows);
		json_add_bool(item, "met", s.met);
		if (list == NULL)
			list = json_add_array(out, "load");
		cJSON_AddItemToArray(list, item);
	}
}
