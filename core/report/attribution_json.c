/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "report/attribution.h"
#include "report/report.h"

cJSON *report_stack_groups_json(const stack_difference *d)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t g = 0; g < d->group_count; g++) {
		cJSON *group = cJSON_CreateObject(), *changes;

		json_add_string(group, "layer", d->groups[g].layer);
		json_add_string(group, "title", d->groups[g].title);
		json_add_string(group, "owner", d->groups[g].owner);
		changes = json_add_array(group, "changes");
		for (size_t i = 0; i < d->change_count; i++) {
			const stack_change *c = &d->changes[i];
			const cJSON *layer = c->to != NULL ? c->to : c->from;
			cJSON *item;

			if (c->group != g)
				continue;
			item = cJSON_CreateObject();
			json_add_string(item, "kind", c->from == NULL ? "added" : c->to == NULL ? "removed"
			                                                                       : "changed");
			json_add_string(item, "layer", json_string(layer, "layer", ""));
			json_add_string(item, "what", c->what);
			json_add_string(item, "fields", c->fields);
			json_add_string(item, "owner", c->owner);
			cJSON_AddItemToArray(changes, item);
		}
		cJSON_AddItemToArray(list, group);
	}
	return list;
}

static void add_steps(cJSON *root, const attribution *a)
{
	cJSON *list = json_add_array(root, "steps");

	for (size_t i = 0; i + 1 < a->stop_count; i++) {
		cJSON *step = cJSON_CreateObject();

		json_add_string(step, "from", a->stops[i].name);
		json_add_string(step, "to", a->stops[i + 1].name);
		json_add_bool(step, "measured", a->steps[i].numbers != NULL);
		json_set(step, "groups", report_stack_groups_json(a->steps[i].stacks));
		if (a->steps[i].numbers != NULL)
			json_set(step, "comparison", layout_encode(comparison_layout(), a->steps[i].numbers));
		cJSON_AddItemToArray(list, step);
	}
}

cJSON *report_attribution_json(const attribution *a, const char *protocol)
{
	cJSON *root = cJSON_CreateObject(), *list;

	json_add_string(root, "answer", attribution_answer_name(a->answer));
	if (a->answer == ATTRIBUTION_ATTRIBUTABLE && a->stacks->group_count == 1) {
		json_add_string(root, "layer", a->stacks->groups[0].layer);
		json_add_string(root, "owner", a->stacks->groups[0].owner);
	}
	json_set(root, "groups", report_stack_groups_json(a->stacks));
	json_add_uint(root, "followers", a->stacks->followers);
	if (a->speedup > 0) {
		json_add_double(root, "speedup", a->speedup);
		list = json_add_array(root, "speedup_interval");
		cJSON_AddItemToArray(list, cJSON_CreateNumber(a->speedup_interval.low));
		cJSON_AddItemToArray(list, cJSON_CreateNumber(a->speedup_interval.high));
	}
	json_set(root, "comparison", layout_encode(comparison_layout(), a->numbers));
	add_steps(root, a);
	list = json_add_array(root, "proposed");
	for (size_t i = 0; i < a->stop_count; i++)
		if (a->stops[i].result == NULL)
			json_append_string(list, a->stops[i].name);
	json_add_string(root, "protocol", protocol);
	json_add_uint(root, "missing", a->missing);
	return root;
}
