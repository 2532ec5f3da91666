/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol/canonical.h"

#include <string.h>

#include "base/text.h"
#include "protocol/schema.h"

static enum record_metric metric_of(uint32_t metric)
{
	return metric == EH_METRIC_BYTES_PER_SECOND ? RECORD_METRIC_BYTES :
	       metric == EH_METRIC_FLOP_PER_SECOND ? RECORD_METRIC_FLOPS : RECORD_METRIC_SECONDS;
}

static enum record_region region_of(uint32_t region)
{
	return region == EH_REGION_EXECUTION ? RECORD_REGION_EXECUTION :
	       region == EH_REGION_ENQUEUE ? RECORD_REGION_ENQUEUE : RECORD_REGION_ROUND_TRIP;
}

void canonical_work(const eh_work *work, record_work *out)
{
	out->metric = metric_of(work->metric);
	out->amount = work->amount;
	out->flops = work->flops;
	out->bytes = work->bytes;
	text_set(&out->flops_formula, work->flops_formula);
	text_set(&out->bytes_formula, work->bytes_formula);
	out->working_set_bytes = work->working_set_bytes;
	out->region = region_of(work->region);
}

/* The search space changes the numbers of the tuned tier, as its budget does. */
static char *tune_space(const eh_workload *workload)
{
	text t = { 0 };

	for (const eh_param *param = workload->params; param->key != NULL; param++)
		if (param->tune != NULL)
			text_add(&t, "%s%s=%s", t.size > 0 ? "; " : "", param->key, param->tune);
	return t.data;
}

/* Newer than released cases and at its default: absent, so that their identity stays. */
static bool is_left_out(const eh_workload *workload, const eh_value *value)
{
	const eh_param *param = workload->params;

	while (param->key != NULL && strcmp(param->key, value->key) != 0)
		param++;
	return param->key != NULL && (param->flags & EH_PARAM_ADDED) != 0 && param->standard != NULL &&
	       strcmp(param->standard, value->text) == 0;
}

static void fill_case(const plan_case *c, record_planned_case *out)
{
	text_set(&out->id, c->id);
	text_set(&out->workload, c->workload->name);
	out->revision = c->workload->revision;
	out->tier = c->tier;
	text_set(&out->precision, c->work.precision);
	for (uint32_t i = 0; i < c->values.value_count; i++)
		if (!is_left_out(c->workload, &c->values.values[i]))
			text_map_add(&out->parameters, c->values.values[i].key, c->values.values[i].text);
	canonical_work(&c->work, &out->work);
	/* A plain copy: tune_space, its only pointer, is set below. */
	out->measure = c->section->measure;
	schema_omit_standards(&out->measure);
	if (c->tier == RECORD_TIER_TUNED)
		out->measure.tune_space = tune_space(c->workload);
}

record_plan *canonical_protocol(const plan *made)
{
	const protocol *p = made->protocol;
	record_plan *out = layout_new(record_plan_layout());

	text_set(&out->name, p->name);
	out->version = p->version;
	text_set(&out->intent, p->intent);
	for (char **other = p->compatible; *other != NULL; other++)
		text_list_add(&out->compatible, *other);
	out->executions = p->executions;
	out->seed = p->seed;
	out->interleave = p->interleave;
	out->canary = p->canary;
	for (size_t i = 0; i < made->case_count; i++)
		fill_case(&made->cases[i], layout_append(record_planned_case_layout(), &out->cases));
	/* Newer than released protocols: absent at their default, so that those digests stay. */
	if (p->level != RECORD_LEVEL_STANDARD)
		out->level = p->level;
	if (p->requires[0] != '\0')
		text_set(&out->requires, p->requires);
	if (p->executions_max != 0)
		out->executions_max = p->executions_max;
	if (p->design != RECORD_DESIGN_SEQUENCE)
		out->design = p->design;
	if (p->budget_ns != 0)
		out->budget_ns = p->budget_ns;
	if (p->sized)
		out->size_class = p->size_class;
	if (p->scales[PROTOCOL_CACHE].used)
		out->cache_bytes = p->scales[PROTOCOL_CACHE].size;
	if (p->scales[PROTOCOL_CACHE].unknown != 0)
		out->cache_unknown_bytes = p->scales[PROTOCOL_CACHE].unknown;
	if (p->scales[PROTOCOL_UNITS].used)
		out->compute_units = p->scales[PROTOCOL_UNITS].size;
	if (p->scales[PROTOCOL_UNITS].unknown != 0)
		out->compute_units_unknown = p->scales[PROTOCOL_UNITS].unknown;
	return out;
}
