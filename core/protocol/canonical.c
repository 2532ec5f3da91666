/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol/canonical.h"

#include "base/json.h"
#include "base/text.h"
#include "protocol/schema.h"

static const char *metric_name(uint32_t metric)
{
	return metric == EH_METRIC_BYTES_PER_SECOND ? "bytes/s" :
	       metric == EH_METRIC_FLOP_PER_SECOND ? "flop/s" : "s";
}

static const char *region_name(uint32_t region)
{
	return region == EH_REGION_EXECUTION ? "execution" :
	       region == EH_REGION_ENQUEUE ? "enqueue" : "round-trip";
}

static void add_work(cJSON *json, const eh_work *work)
{
	cJSON *out = json_add_object(json, "work");

	json_add_string(out, "metric", metric_name(work->metric));
	json_add_double(out, "amount", work->amount);
	json_add_double(out, "flops", work->flops);
	json_add_double(out, "bytes", work->bytes);
	json_add_string(out, "flops_formula", work->flops_formula);
	json_add_string(out, "bytes_formula", work->bytes_formula);
	json_add_uint(out, "working_set_bytes", work->working_set_bytes);
	json_add_string(out, "region", region_name(work->region));
}

/* What is searched for the tuned tier shapes its numbers as much as the budget does. */
static void add_tune_space(cJSON *measure, const eh_workload *workload)
{
	text t = { 0 };

	for (const eh_param *param = workload->params; param->key != NULL; param++)
		if (param->tune != NULL)
			text_add(&t, "%s%s=%s", t.size > 0 ? "; " : "", param->key, param->tune);
	json_add_string(measure, "tune_space", t.data);
	text_free(&t);
}

static void add_keys(cJSON *out, const schema_key *keys, const void *object)
{
	for (; keys->key != NULL; keys++)
		if (!keys->appended || !schema_is_standard(keys, object))
			schema_json(keys, object, out);
}

cJSON *plan_case_json(const plan_case *c)
{
	cJSON *json = cJSON_CreateObject();
	cJSON *out;

	json_add_string(json, "id", c->id);
	json_add_string(json, "workload", c->workload->name);
	json_add_uint(json, "revision", c->workload->revision);
	json_add_string(json, "tier", protocol_tier_name(c->tier));
	json_add_string(json, "precision", c->work.precision);
	out = json_add_object(json, "parameters");
	for (uint32_t i = 0; i < c->values.value_count; i++)
		json_add_string(out, c->values.values[i].key, c->values.values[i].text);
	add_work(json, &c->work);
	out = json_add_object(json, "measure");
	add_keys(out, schema_measure, &c->section->measure);
	if (c->tier == TIER_TUNED)
		add_tune_space(out, c->workload);
	return json;
}

cJSON *canonical_protocol(const plan *p)
{
	cJSON *json = cJSON_CreateObject();
	cJSON *cases;

	add_keys(json, schema_protocol, p->protocol);
	cases = json_add_array(json, "cases");
	for (size_t i = 0; i < p->case_count; i++)
		cJSON_AddItemToArray(cases, plan_case_json(&p->cases[i]));
	return json;
}
