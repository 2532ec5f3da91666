/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "report/claimed.h"
#include "report/report.h"

cJSON *report_claim_json(const claim *c)
{
	cJSON *out = cJSON_CreateObject();

	json_add_string(out, "name", c->name);
	json_add_string(out, "text", c->text);
	json_add_string(out, "claimant", c->claimant);
	json_add_string(out, "published", c->published);
	json_add_string(out, "protocol", c->protocol);
	json_add_uint(out, "version", c->version);
	json_add_string(out, "digest", c->digest);
	json_add_string(out, "cases", c->cases);
	json_add_string(out, "a", c->a);
	json_add_string(out, "b", c->b);
	json_add_string(out, "metric", c->metric == CLAIM_SPEED ? "speed" : "time");
	json_add_string(out, "statistic", c->statistic);
	json_add_string(out, "relation", claim_relation_name(c->relation));
	json_add_double(out, "factor", c->factor);
	json_add_double(out, "margin", c->margin);
	json_add_string(out, "subject", c->subject);
	json_add_string(out, "over", claim_over_name(c->over));
	return out;
}

static void add_interval(cJSON *object, const char *key, interval around)
{
	cJSON *list;

	/* A sample of no time leaves the ratio without an upper end. */
	if (!isfinite(around.low) || !isfinite(around.high))
		return;
	list = json_add_array(object, key);
	cJSON_AddItemToArray(list, cJSON_CreateNumber(around.low));
	cJSON_AddItemToArray(list, cJSON_CreateNumber(around.high));
}

static cJSON *reasons_json(const contract_reason_list *reasons)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < reasons->count; i++) {
		cJSON *item = cJSON_CreateObject();

		json_add_string(item, "rule", reasons->items[i].rule);
		json_add_string(item, "level", contract_level_word(reasons->items[i].level));
		json_add_string(item, "detail", reasons->items[i].detail);
		cJSON_AddItemToArray(list, item);
	}
	return list;
}

static cJSON *case_json(const claim_case *c)
{
	cJSON *out = cJSON_CreateObject();

	json_add_string(out, "id", c->row->id);
	json_add_string(out, "answer", claim_answer_name(c->answer));
	json_add_string(out, "why", c->why);
	if (c->ratio > 0 && isfinite(c->ratio)) {
		json_add_double(out, "ratio", c->ratio);
		add_interval(out, "interval", c->around);
		json_add_double(out, "a_ns", c->row->other->median_ns);
		json_add_double(out, "b_ns", c->row->baseline->median_ns);
	}
	json_set(out, "reasons", reasons_json(&c->row->reasons));
	return out;
}

cJSON *report_claim_verdict_json(const claim_verdict *v)
{
	cJSON *root = cJSON_CreateObject(), *list;

	json_add_string(root, "answer", claim_answer_name(v->answer));
	json_add_string(root, "why", v->why);
	json_set(root, "claim", report_claim_json(v->claim));
	if (v->a != NULL) {
		json_add_string(root, "a", v->a->path);
		json_add_string(root, "b", v->b->path);
		json_set(root, "reasons", reasons_json(&v->numbers->reasons));
	}
	json_add_double(root, "confidence", v->confidence);
	list = json_add_array(root, "cases");
	for (size_t i = 0; i < v->case_count; i++)
		cJSON_AddItemToArray(list, case_json(&v->cases[i]));
	if (v->mean > 0) {
		json_add_double(root, "mean", v->mean);
		add_interval(root, "mean_interval", v->mean_interval);
	}
	list = json_add_array(root, "layers");
	for (size_t i = 0; v->stacks != NULL && i < v->stacks->group_count; i++)
		json_append_string(list, v->stacks->groups[i].title);
	list = json_add_array(root, "notes");
	for (size_t i = 0; i < v->note_count; i++)
		json_append_string(list, v->notes[i]);
	return root;
}
