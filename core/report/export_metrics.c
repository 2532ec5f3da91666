/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMetrics 1.0, gauges alone, so that readers of Prometheus's older text format take it too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/export.h"

/* ---- the families ---------------------------------------------------------------------------- */

static double value_of(const export_case *c) { return c->value; }
static double low_of(const export_case *c) { return c->low; }
static double high_of(const export_case *c) { return c->high; }
static double speedup_of(const export_case *c) { return c->speedup; }
static double counts_of(const export_case *c) { return isnan(c->value) ? 0 : 1; }

/* unit: of the metric's name; of: the unit of the cases that it has, NULL: all. */
static const struct {
	const char *name, *unit, *of, *help;
	double (*get)(const export_case *c);
} families[] = {
	{ "evenhand_case_bytes_per_second", "bytes_per_second", "B/s", "Bytes moved in a second.", value_of },
	{ "evenhand_case_low_bytes_per_second", "bytes_per_second", "B/s", "Lower end of the 95 % interval.", low_of },
	{ "evenhand_case_high_bytes_per_second", "bytes_per_second", "B/s", "Upper end.", high_of },
	{ "evenhand_case_flops_per_second", "flops_per_second", "FLOP/s", "Floating-point operations in a second.",
	  value_of },
	{ "evenhand_case_low_flops_per_second", "flops_per_second", "FLOP/s", "Lower end of the 95 % interval.", low_of },
	{ "evenhand_case_high_flops_per_second", "flops_per_second", "FLOP/s", "Upper end.", high_of },
	{ "evenhand_case_seconds", "seconds", "s", "Time of one operation.", value_of },
	{ "evenhand_case_low_seconds", "seconds", "s", "Lower end of the 95 % interval.", low_of },
	{ "evenhand_case_high_seconds", "seconds", "s", "Upper end.", high_of },
	{ "evenhand_case_speedup_ratio", "ratio", NULL, "Baseline time / time.", speedup_of },
	{ "evenhand_case_measured", "", NULL, "1 where the case has a number that counts, else 0.", counts_of },
};

/* ---- lines ----------------------------------------------------------------------------------- */

static void put_label(FILE *out, const char *name, const char *words, const char *before)
{
	char *clean = memory_text(words);

	text_clean(clean);
	(void)fprintf(out, "%s%s=\"", before, name);
	for (const char *c = clean; *c != '\0'; c++) {
		if (*c == '\\' || *c == '"')
			(void)fputc('\\', out);
		(void)fputc(*c, out);
	}
	(void)fputc('"', out);
	free(clean);
}

static void put_labels(FILE *out, const export_case *c, bool compared)
{
	put_label(out, "executor", c->executor, "{");
	put_label(out, "device", c->device, ",");
	put_label(out, "case", c->id, ",");
	put_label(out, "protocol", c->protocol, ",");
	put_label(out, "tier", record_tier_word(c->tier), ",");
	put_label(out, "status", c->status, ",");
	if (compared) {
		put_label(out, "baseline", c->baseline, ",");
		put_label(out, "verdict", c->verdict, ",");
	}
	(void)fputs("} ", out);
}

static void put_number(FILE *out, double value)
{
	text number = { 0 };

	json_put_number(&number, value);
	(void)fprintf(out, "%s\n", number.data);
	text_free(&number);
}

static void put_head(FILE *out, size_t f)
{
	(void)fprintf(out, "# TYPE %s gauge\n", families[f].name);
	if (families[f].unit[0] != '\0')
		(void)fprintf(out, "# UNIT %s %s\n", families[f].name, families[f].unit);
	(void)fprintf(out, "# HELP %s %s\n", families[f].name, families[f].help);
}

static void put_family(FILE *out, const export_case *all, size_t count, size_t f)
{
	bool first = true;

	for (size_t i = 0; i < count; i++) {
		double value = families[f].get(&all[i]);

		if (isnan(value) || (families[f].of != NULL && strcmp(families[f].of, all[i].unit) != 0))
			continue;
		if (first)
			put_head(out, f);
		first = false;
		(void)fputs(families[f].name, out);
		put_labels(out, &all[i], families[f].get == speedup_of);
		put_number(out, value);
	}
}

/* ---- results --------------------------------------------------------------------------------- */

static void put_results(FILE *out, const grid *g)
{
	(void)fputs("# TYPE evenhand_result_info gauge\n# HELP evenhand_result_info The results, as labels; always 1.\n",
	            out);
	for (size_t i = 0; i < grid_results(g); i++) {
		const record_result *r = grid_result(g, i)->record;
		char *name = grid_full_name(g, i);

		put_label(out, "executor", name, "evenhand_result_info{");
		put_label(out, "run", r->run.id, ",");
		put_label(out, "started", r->run.started, ",");
		put_label(out, "stack", r->executor.digest, ",");
		put_label(out, "digest", r->digest, ",");
		(void)fputs("} 1\n", out);
		free(name);
	}
}

void export_metrics(FILE *out, const grid *g)
{
	size_t count = 0;
	export_case *all = memory_get((g->row_count * grid_results(g) + 1) * sizeof(*all));

	for (size_t row = 0; row < g->row_count; row++)
		for (size_t i = 0; i < grid_results(g); i++) {
			layout_init(export_case_layout(), &all[count]);
			count += export_fill(g, row, i, &all[count]);
		}
	put_results(out, g);
	for (size_t f = 0; f < sizeof(families) / sizeof(*families); f++)
		put_family(out, all, count, f);
	(void)fputs("# EOF\n", out);
	for (size_t i = 0; i < count; i++)
		layout_clear(export_case_layout(), &all[i]);
	free(all);
}
