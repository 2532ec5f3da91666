/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "report/figure.h"
#include "report/report.h"

static void add_reasons(cJSON *object, const contract_reason *reasons, size_t count)
{
	cJSON *array = json_add_array(object, "reasons");
	size_t i;

	for (i = 0; i < count; i++) {
		cJSON *item = cJSON_CreateObject();

		json_add_string(item, "rule", reasons[i].rule->id);
		json_add_string(item, "level", contract_level_name(reasons[i].level));
		json_add_string(item, "sentence", reasons[i].rule->sentence);
		json_add_string(item, "detail", reasons[i].detail);
		cJSON_AddItemToArray(array, item);
	}
}

static void add_interval(cJSON *object, const char *key, interval i)
{
	cJSON *pair = json_add_object(object, key);

	json_add_double(pair, "low", i.low);
	json_add_double(pair, "high", i.high);
}

static void add_side(cJSON *object, const char *key, const result_row *row, double center,
                     interval around)
{
	cJSON *side;
	double value;
	interval value_interval;

	if (row == NULL)
		return;
	side = json_add_object(object, key);
	json_add_string(side, "status", row->status);
	json_add_string(side, "metric", row->metric);
	json_add_uint(side, "executions", row->side.executions);
	if (!(center > 0) || !(around.low > 0))
		return;
	json_add_double(side, "median_ns", center);
	add_interval(side, "interval_ns", around);
	figure_value(row, center, around, &value, &value_interval);
	if (!isfinite(value) || !isfinite(value_interval.low) || !isfinite(value_interval.high))
		return;
	json_add_double(side, "value", value);
	add_interval(side, "value_interval", value_interval);
}

static void add_result(cJSON *object, const char *key, const result *r)
{
	cJSON *side = json_add_object(object, key);

	json_add_string(side, "path", r->path);
	json_add_string(side, "executor", r->executor);
	json_add_string(side, "digest", json_string(r->root, "digest", ""));
	json_add_string(side, "protocol", r->protocol_name);
	json_add_uint(side, "protocol_version", r->protocol_version);
	json_add_string(side, "protocol_digest", r->protocol_digest);
}

static void add_ratio(cJSON *object, const char *key, comparison_ratio r)
{
	cJSON *item;

	if (!(r.ratio > 0))
		return;
	item = json_add_object(object, key);
	json_add_double(item, "ratio", r.ratio);
	add_interval(item, "interval", r.around);
}

/* The ids that the verdict rests on: those about the results, then those about the case. */
static void add_cites(cJSON *item, const comparison *c, const comparison_row *row)
{
	cJSON *array = json_add_array(item, "cites");
	size_t i;

	for (i = 0; i < c->reason_count; i++)
		json_append_string(array, c->reasons[i].rule->id);
	for (i = 0; i < row->reason_count; i++)
		json_append_string(array, row->reasons[i].rule->id);
}

static void add_means(cJSON *root, const comparison *c)
{
	cJSON *array = json_add_array(root, "means");
	size_t i;

	for (i = 0; i < c->mean_count; i++) {
		const comparison_mean *m = &c->means[i];
		cJSON *item = cJSON_CreateObject();

		json_add_string(item, "metric", m->metric);
		json_add_string(item, "tier", m->tier);
		json_add_uint(item, "cases", m->cases);
		json_add_string(item, "mean", strcmp(m->metric, "s") == 0 ? "arithmetic" : "harmonic");
		json_add_double(item, "baseline", m->a);
		json_add_double(item, "other", m->b);
		json_add_double(item, "speedup_geometric", m->speedup);
		add_interval(item, "speedup_range", m->range);
		cJSON_AddItemToArray(array, item);
	}
}

cJSON *report_comparison_json(const comparison *c)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *counts;
	cJSON *rows;
	size_t i;
	int v;

	add_result(root, "baseline", c->a);
	add_result(root, "other", c->b);
	json_add_string(root, "level", contract_level_name(c->level));
	json_add_bool(root, "certified", c->certified);
	json_add_uint(root, "family", c->family);
	add_reasons(root, c->reasons, c->reason_count);
	counts = json_add_object(root, "counts");
	for (v = VERDICT_FASTER; v <= VERDICT_ABSENT; v++)
		json_add_uint(counts, comparison_verdict_name((enum comparison_verdict)v),
		              c->counts[v]);
	rows = json_add_array(root, "cases");
	for (i = 0; i < c->row_count; i++) {
		const comparison_row *row = &c->rows[i];
		cJSON *item = cJSON_CreateObject();

		json_add_string(item, "id", row->id);
		json_add_string(item, "verdict", comparison_verdict_name(row->verdict));
		json_add_string(item, "level", contract_level_name(row->level));
		add_side(item, "baseline", row->a, row->a_center, row->a_interval);
		add_side(item, "other", row->b, row->b_center, row->b_interval);
		if (row->speedup > 0) {
			json_add_double(item, "speedup", row->speedup);
			add_interval(item, "speedup_interval", row->speedup_interval);
			json_add_double(item, "margin", row->margin);
			if (row->rounds > 0)
				json_add_uint(item, "rounds", row->rounds);
			json_add_double(item, "p_value", row->p_value);
		}
		add_ratio(item, "baseline_tuning_gain", row->a_gain);
		add_ratio(item, "other_tuning_gain", row->b_gain);
		add_ratio(item, "tier_gain", row->tier_gain);
		if (row->a_energy.joules > 0)
			json_add_double(item, "baseline_joules", row->a_energy.joules);
		if (row->b_energy.joules > 0)
			json_add_double(item, "other_joules", row->b_energy.joules);
		if (row->energy_ratio > 0)
			json_add_double(item, "energy_ratio", row->energy_ratio);
		add_cites(item, c, row);
		add_reasons(item, row->reasons, row->reason_count);
		cJSON_AddItemToArray(rows, item);
	}
	add_means(root, c);
	return root;
}
