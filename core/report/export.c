/* SPDX-License-Identifier: Apache-2.0 */
#include "report/export.h"

#include <stdlib.h>

#include "base/text.h"
#include "report/figure.h"

#define LAYOUT_FILE "report/export.def"
#define LAYOUT_NAME(name) name
#include "base/layout_tables.h"

/* Takes the text's data. */
static void set_joined(char **member, text *t)
{
	free(*member);
	*member = t->data != NULL ? t->data : memory_text("");
}

static void fill_case(const record_case *c, export_case *out)
{
	text flags = { 0 }, reasons = { 0 };

	text_set(&out->id, c->id);
	text_set(&out->workload, c->workload);
	text_set(&out->precision, c->precision);
	out->tier = c->tier;
	free(out->parameters);
	out->parameters = text_map_words(&c->parameters);
	for (size_t i = 0; i < c->flags.count; i++)
		text_add(&flags, "%s%s", i > 0 ? " " : "", record_flag_word(c->flags.items[i]));
	for (size_t i = 0; i < c->reasons.count; i++)
		text_add(&reasons, "%s%s", i > 0 ? " " : "", c->reasons.items[i]);
	set_joined(&out->flags, &flags);
	set_joined(&out->reasons, &reasons);
}

static void fill_value(const comparison_side *side, export_case *out)
{
	text_set(&out->evidence, evidence_level_word(side->evidence.level));
	text_set(&out->unit, figure_unit(side->metric));
	out->executions = side->executions;
	if (!record_counts(side->status) || side->value_interval == NULL)
		return;
	out->value = side->value;
	out->low = side->value_interval->low;
	out->high = side->value_interval->high;
	out->time_ns = side->median_ns;
}

static void fill_compared(const grid *g, const comparison_row *row, size_t i, export_case *out)
{
	const interval *around;
	size_t first = grid_references(g);
	char *name;

	if (g->mode == GRID_ALONE || row == NULL || grid_is_reference(g, i))
		return;
	name = grid_full_name(g, g->mode == GRID_PAIRED ? i - first : 0);
	text_set(&out->baseline, name);
	free(name);
	text_set(&out->verdict, comparison_verdict_word(row->verdict));
	if (!(row->speedup > 0))
		return;
	around = contract_interval(row);
	out->speedup = row->speedup;
	out->speedup_low = around->low;
	out->speedup_high = around->high;
	out->margin = row->margin;
}

bool export_fill(const grid *g, size_t row, size_t i, export_case *out)
{
	const result_row *of = grid_result_row(g, row, i);
	const record_result *r = grid_result(g, i)->record;
	const comparison_side *side = grid_side(g, row, i);
	char *name, *protocol;

	if (of == NULL)
		return false;
	name = grid_full_name(g, i);
	protocol = memory_format("%s@%llu", r->protocol.name, (unsigned long long)r->protocol.version);
	text_set(&out->evidence, "");
	text_set(&out->unit, "");
	text_set(&out->baseline, "");
	text_set(&out->verdict, "");
	text_set(&out->run, r->run.id);
	text_set(&out->started, r->run.started);
	text_set(&out->protocol, protocol);
	text_set(&out->executor, name);
	text_set(&out->device, text_or_empty(r->executor.device.name));
	text_set(&out->status, result_row_word(of));
	text_set(&out->stack, r->executor.digest);
	text_set(&out->digest, r->digest);
	fill_case(of->record, out);
	out->samples = statistics_samples(&of->medians);
	if (side != NULL)
		fill_value(side, out);
	fill_compared(g, grid_compared(g, row, i), i, out);
	free(protocol);
	free(name);
	return true;
}
