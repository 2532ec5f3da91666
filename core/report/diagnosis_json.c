/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "report/diagnosis.h"

static cJSON *ceiling_json(const ceiling *c)
{
	cJSON *out = cJSON_CreateObject();

	json_add_string(out, "kind", ceiling_name(c->kind));
	json_add_string(out, "of", c->of);
	json_add_double(out, c->kind >= CEILING_LAUNCH ? "ns" : "rate", c->value);
	json_add_string(out, "case", c->row != NULL ? c->row->id : "");
	json_add_bool(out, "disturbed", c->shaken);
	if (c->kind == CEILING_CACHE || c->kind == CEILING_MEMORY) {
		json_add_uint(out, "working_set_bytes", c->working_set);
		json_add_bool(out, "loose", c->loose);
	}
	return out;
}

static void add_ceiling(cJSON *object, const char *key, const ceiling *c)
{
	if (c->value > 0)
		json_set(object, key, ceiling_json(c));
}

static void add_share(cJSON *object, const char *key, double value)
{
	if (value >= 0)
		json_add_double(object, key, value);
}

static void add_notes(cJSON *object, char *const *notes, size_t count)
{
	cJSON *list = json_add_array(object, "notes");

	for (size_t i = 0; i < count; i++)
		json_append_string(list, notes[i]);
}

static cJSON *case_json(const diagnosis_case *c)
{
	cJSON *out = cJSON_CreateObject();

	json_add_string(out, "id", c->row->id);
	json_add_string(out, "answer", diagnosis_answer_name(c->answer));
	json_add_string(out, "limit", c->limit);
	add_share(out, "median_ns", c->time_ns > 0 ? c->time_ns : -1);
	add_share(out, "flops_per_byte", c->intensity);
	add_share(out, "share", c->share);
	add_share(out, "idle", c->idle);
	add_share(out, "throttled", c->throttled);
	json_add_bool(out, "power_limited", c->power_limited);
	add_ceiling(out, "compute", &c->compute);
	add_ceiling(out, "bandwidth", &c->bandwidth);
	add_ceiling(out, "link", &c->link);
	add_notes(out, c->notes, c->note_count);
	return out;
}

cJSON *report_diagnosis_json(const diagnosis *d)
{
	cJSON *root = cJSON_CreateObject(), *list, *counts;

	json_add_string(root, "executor", d->of->executor);
	json_add_string(root, "result", d->of->path);
	list = json_add_array(root, "ceilings");
	for (size_t i = 0; i < d->ceilings.count; i++)
		cJSON_AddItemToArray(list, ceiling_json(&d->ceilings.items[i]));
	json_add_uint(root, "last_level_cache_bytes", d->ceilings.cache_bytes);
	list = json_add_array(root, "cases");
	for (size_t i = 0; i < d->count; i++)
		cJSON_AddItemToArray(list, case_json(&d->cases[i]));
	counts = json_add_object(root, "counts");
	for (size_t i = 0; i <= DIAGNOSIS_DEFECT; i++)
		json_add_uint(counts, diagnosis_answer_name((enum diagnosis_answer)i), d->counts[i]);
	add_notes(root, d->notes, d->note_count);
	return root;
}
