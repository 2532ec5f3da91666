/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/text.h"
#include "report/comparison_parts.h"

static void tier_note(table *t, const comparison_row *row)
{
	char ratio[FIGURE_SIZE];
	char *note;

	if (row->tier_gain == NULL)
		return;
	figure_ratio(row->tier_gain->ratio, row->tier_gain->interval, ratio);
	note = memory_format("tuning gain, not a ranking: %s takes %s of the time of %s",
	                     record_tier_word(row->a->planned->tier), ratio,
	                     record_tier_word(row->b->planned->tier));
	table_note(t, note);
	free(note);
}

static void energy_note(table *t, const comparison_row *row)
{
	char base[40];
	char other[40];
	char *note;

	if (!(row->baseline_joules > 0) || !(row->other_joules > 0))
		return;
	text_format_si(row->baseline_joules, "J", base);
	text_format_si(row->other_joules, "J", other);
	note = row->energy_ratio > 0 ?
	       memory_format("energy of an operation: %s | %s, ratio %.3f (%s)", base, other,
	                     row->energy_ratio, row->energy_means) :
	       memory_format("energy of an operation: %s | %s, not comparable", base, other);
	table_note(t, note);
	free(note);
}

static void gain_text(const comparison_ratio *gain, char out[FIGURE_SIZE])
{
	if (gain != NULL)
		figure_ratio(gain->ratio, gain->interval, out);
	else
		snprintf(out, FIGURE_SIZE, "unknown");
}

static void gain_note(table *t, const comparison_row *row)
{
	char base[FIGURE_SIZE];
	char other[FIGURE_SIZE];
	char *note;

	if (row->baseline_tuning_gain == NULL && row->other_tuning_gain == NULL)
		return;
	gain_text(row->baseline_tuning_gain, base);
	gain_text(row->other_tuning_gain, other);
	note = memory_format("tuning gain over portable: baseline %s, other %s", base, other);
	table_note(t, note);
	free(note);
}

void comparison_notes(table *t, const comparison_row *row, bool verbose)
{
	for (size_t i = 0; i < row->reasons.count; i++) {
		const contract_reason *reason = &row->reasons.items[i];
		char *note;

		if (reason->level == CONTRACT_COMPARABLE && !verbose)
			continue;
		note = memory_format("%s %s: %s", contract_level_word(reason->level), reason->rule,
		                     reason->detail);
		table_note(t, note);
		free(note);
	}
	tier_note(t, row);
	energy_note(t, row);
	gain_note(t, row);
}

static void add_reasons(table *t, const comparison *c, bool verbose)
{
	for (size_t i = 0; i < c->reasons.count; i++) {
		const contract_reason *reason = &c->reasons.items[i];
		bool whole = verbose || reason->level != CONTRACT_COMPARABLE;
		char *note = memory_format("%s %s: %s%s%s%s", contract_level_word(reason->level),
		                           reason->rule, whole ? reason->sentence : "",
		                           whole ? " (" : "", reason->detail, whole ? ")" : "");

		table_note(t, note);
		free(note);
	}
}

static void add_side(table *t, const char *label, const result *r)
{
	const char *device = r->record->executor.device.name;

	table_row(t, (const char *[]){ label, r->record->executor.name, device != NULL ? device : "",
		                       r->path });
}

bool comparison_head(FILE *out, const comparison *comparisons, size_t count, bool verbose)
{
	table *t = table_new("lnnn");
	bool ok;

	for (size_t i = 0; i < count; i++) {
		if (i == 0 || comparisons[i].a != comparisons[i - 1].a)
			add_side(t, "baseline", comparisons[i].a);
		add_side(t, "other", comparisons[i].b);
		add_reasons(t, &comparisons[i], verbose);
	}
	ok = table_print(t, out) && fputc('\n', out) != EOF;
	table_free(t);
	return ok;
}

static void add_mean(table *t, const comparison_mean *m)
{
	char a[40];
	char b[40];
	char speedup[FIGURE_SIZE];
	char *note;

	text_format_si(m->baseline, figure_unit(m->metric), a);
	text_format_si(m->other, figure_unit(m->metric), b);
	figure_ratio(m->speedup_geometric, m->speedup_range, speedup);
	note = memory_format("%llu %s cases in %s: %s mean %s | %s, geometric mean of the speed-ups "
	                     "%s (least-most)", (unsigned long long)m->cases,
	                     record_tier_word(m->tier), record_metric_word(m->metric),
	                     comparison_mean_kind_word(m->mean), a, b, speedup);
	table_note(t, note);
	free(note);
}

static void add_counts(table *t, const comparison *c)
{
	text line = { 0 };

	text_add(&line, "%s: ", c->other.executor);
	if (c->cases.count == 0)
		text_add(&line, "no cases");
	for (int v = VERDICT_FASTER, first = 1; v <= VERDICT_ABSENT; v++) {
		enum comparison_verdict verdict = (enum comparison_verdict)v;

		if (comparison_count(c, verdict) == 0)
			continue;
		text_add(&line, "%s%zu %s", first ? "" : ", ", comparison_count(c, verdict),
		         comparison_verdict_word(verdict));
		first = 0;
	}
	table_row(t, (const char *[]){ line.data });
	text_free(&line);
}

bool comparison_counts(FILE *out, const comparison *c)
{
	table *t = table_new("w");
	bool ok;

	add_counts(t, c);
	for (size_t i = 0; i < c->means.count; i++)
		add_mean(t, &c->means.items[i]);
	if (c->family > 1) {
		char *note = memory_format("FASTER and SLOWER hold for all %llu judged cases together "
		                           "with 95 %% (Holm)", (unsigned long long)c->family);

		table_note(t, note);
		free(note);
	}
	ok = table_print(t, out);
	table_free(t);
	return ok;
}

/* A case that failed or is invalid has no number to show. */
static void side_cell(const result_row *row, const comparison_side *side, char out[FIGURE_SIZE])
{
	const interval none = { 0, 0 };

	out[0] = '\0';
	if (side != NULL && record_counts(side->status) && side->value > 0)
		figure_interval(side->value, side->value_interval != NULL ? *side->value_interval : none,
		                figure_unit(side->metric), out);
	if (out[0] == '\0')
		snprintf(out, FIGURE_SIZE, "%s", row != NULL ? result_row_word(row) : "-");
}

void comparison_cells(const comparison_row *row, char base[FIGURE_SIZE], char other[FIGURE_SIZE],
                      char speedup[FIGURE_SIZE])
{
	side_cell(row->a, row->baseline, base);
	side_cell(row->b, row->other, other);
	speedup[0] = '\0';
	if (row->speedup > 0)
		figure_ratio(row->speedup, *contract_interval(row), speedup);
}
