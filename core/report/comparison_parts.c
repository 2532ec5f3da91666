/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/comparison_parts.h"

static void gain_notes(table *t, const comparison_row *row)
{
	char base[FIGURE_SIZE];
	char other[FIGURE_SIZE];
	char *note;

	if (row->tier_gain.ratio > 0) {
		figure_ratio(row->tier_gain.ratio, row->tier_gain.around, base);
		note = memory_format("tuning gain, no ranking: %s takes %s of the time of %s",
		                     row->a->tier, base, row->b->tier);
		table_note(t, note);
		free(note);
	}
	if (row->a_energy.joules > 0 && row->b_energy.joules > 0) {
		text_format_si(row->a_energy.joules, "J", base);
		text_format_si(row->b_energy.joules, "J", other);
		note = row->energy_ratio > 0 ?
		       memory_format("energy of an operation: %s | %s, ratio %.3f (%s)", base, other,
		                     row->energy_ratio, row->a_energy.means) :
		       memory_format("energy of an operation: %s | %s, not comparable", base, other);
		table_note(t, note);
		free(note);
	}
	if (!(row->a_gain.ratio > 0) && !(row->b_gain.ratio > 0))
		return;
	snprintf(base, sizeof(base), "unknown");
	snprintf(other, sizeof(other), "unknown");
	if (row->a_gain.ratio > 0)
		figure_ratio(row->a_gain.ratio, row->a_gain.around, base);
	if (row->b_gain.ratio > 0)
		figure_ratio(row->b_gain.ratio, row->b_gain.around, other);
	note = memory_format("tuning gain over portable: baseline %s, other %s", base, other);
	table_note(t, note);
	free(note);
}

void comparison_notes(table *t, const comparison_row *row, bool verbose)
{
	size_t i;

	for (i = 0; i < row->reason_count; i++) {
		const contract_reason *reason = &row->reasons[i];
		char *note;

		if (reason->level == CONTRACT_COMPARABLE && !verbose)
			continue;
		note = memory_format("%s %s: %s", contract_level_name(reason->level),
		                     reason->rule->id, reason->detail);
		table_note(t, note);
		free(note);
	}
	gain_notes(t, row);
}

static void add_reasons(table *t, const comparison *c, bool verbose)
{
	size_t i;

	for (i = 0; i < c->reason_count; i++) {
		const contract_rule *rule = c->reasons[i].rule;
		enum contract_level level = c->reasons[i].level;
		bool whole = verbose || level != CONTRACT_COMPARABLE;
		char *note = memory_format("%s %s: %s%s%s%s", contract_level_name(level),
		                           rule->id, whole ? rule->sentence : "", whole ? " (" : "",
		                           c->reasons[i].detail, whole ? ")" : "");

		table_note(t, note);
		free(note);
	}
}

static void add_side(table *t, const char *label, const result *r)
{
	table_row(t, (const char *[]){ label, r->executor,
		                       json_string(json_path(r->root, "executor.device"), "name", ""),
		                       r->path });
}

bool comparison_head(FILE *out, const comparison *const *comparisons, size_t count, bool verbose)
{
	table *t = table_new("llll");
	bool ok;
	size_t i;

	add_side(t, "baseline", comparisons[0]->a);
	for (i = 0; i < count; i++) {
		add_side(t, "other", comparisons[i]->b);
		add_reasons(t, comparisons[i], verbose);
	}
	ok = table_print(t, out) && fputc('\n', out) != EOF;
	table_free(t);
	return ok;
}

static const char *unit_of(const char *metric)
{
	return strcmp(metric, "bytes/s") == 0 ? "B/s" : strcmp(metric, "flop/s") == 0 ? "FLOP/s" : "s";
}

static void add_mean(table *t, const comparison_mean *m)
{
	char a[40];
	char b[40];
	char speedup[FIGURE_SIZE];
	char *note;

	text_format_si(m->a, unit_of(m->metric), a);
	text_format_si(m->b, unit_of(m->metric), b);
	figure_ratio(m->speedup, m->range, speedup);
	note = memory_format("%zu %s cases in %s: %s mean %s | %s, geometric mean of the speed-ups "
	                     "%s (least-most)", m->cases, m->tier, m->metric,
	                     strcmp(m->metric, "s") == 0 ? "arithmetic" : "harmonic", a, b, speedup);
	table_note(t, note);
	free(note);
}

bool comparison_counts(FILE *out, const comparison *c, bool named)
{
	table *t = table_new("l");
	text line = { 0 };
	bool first = true;
	bool ok;
	size_t i;
	int v;

	if (named)
		text_add(&line, "%s: ", c->b->executor);
	for (v = VERDICT_FASTER; v <= VERDICT_ABSENT; v++) {
		if (c->counts[v] == 0)
			continue;
		text_add(&line, "%s%zu %s", first ? "" : ", ", c->counts[v],
		         comparison_verdict_name((enum comparison_verdict)v));
		first = false;
	}
	text_add(&line, "%s", first ? "no cases" : "");
	table_row(t, (const char *[]){ line.data });
	for (i = 0; i < c->mean_count; i++)
		add_mean(t, &c->means[i]);
	if (c->family > 1) {
		char *note = memory_format("FASTER and SLOWER hold for all %zu judged cases "
		                           "together with 95 %% (Holm)", c->family);

		table_note(t, note);
		free(note);
	}
	ok = table_print(t, out);
	text_free(&line);
	table_free(t);
	return ok;
}

/* What is failed or invalid has no number to show. */
static void side_cell(const result_row *row, double center, interval around,
                      char out[FIGURE_SIZE])
{
	out[0] = '\0';
	if (row != NULL &&
	    (strcmp(row->status, "valid") == 0 || strcmp(row->status, "not-converged") == 0))
		figure_row(row, center, around, out);
	if (out[0] == '\0')
		snprintf(out, FIGURE_SIZE, "%s", row != NULL ? result_row_word(row) : "-");
}

void comparison_cells(const comparison_row *row, char base[FIGURE_SIZE], char other[FIGURE_SIZE],
                      char speedup[FIGURE_SIZE])
{
	side_cell(row->a, row->a_center, row->a_interval, base);
	side_cell(row->b, row->b_center, row->b_interval, other);
	speedup[0] = '\0';
	if (row->speedup > 0)
		figure_ratio(row->speedup, row->speedup_interval, speedup);
}
