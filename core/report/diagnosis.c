/* SPDX-License-Identifier: Apache-2.0 */
/* A diagnosis for people: the ceilings, then each case as a bar below its own. */
#include "report/diagnosis.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/figure.h"
#include "report/report.h"

#define BAR 20 /* columns for the whole of a ceiling */

/* ---- ceilings -------------------------------------------------------------------------------- */

static bool is_cost(enum ceiling_kind kind)
{
	return kind >= CEILING_LAUNCH;
}

static void value_text(const ceiling *c, char out[40])
{
	if (is_cost(c->kind))
		text_format_ns(c->value, out);
	else
		text_format_si(c->value, c->kind == CEILING_COMPUTE ? "FLOP/s" : "B/s", out);
}

static void add_ceiling(table *t, const ceiling *c)
{
	char value[40];
	char *name = memory_format("%s%s%s", ceiling_name(c->kind), c->of[0] != '\0' ? " " : "", c->of);

	value_text(c, value);
	table_row(t, (const char *const[]){ name, value,
	          c->row != NULL ? c->row->id : "the instrument's record",
	          c->shaken ? "disturbed" : "" });
	free(name);
}

/* Where the two lines of the roofline meet. */
static bool print_ridges(FILE *out, const ceilings *all)
{
	ceiling memory = ceilings_of(all, CEILING_MEMORY, NULL);
	bool ok = true;

	for (size_t i = 0; i < all->count && ok; i++)
		if (all->items[i].kind == CEILING_COMPUTE && memory.value > 0)
			ok = fprintf(out, "ridge: %s meets the memory at %.3g FLOP/B\n", all->items[i].of,
			             all->items[i].value / memory.value) >= 0;
	return ok;
}

static bool print_ceilings(FILE *out, const ceilings *all)
{
	table *t;
	char cache[32];
	bool ok;

	if (all->count == 0)
		return fputs("no case of this run gives a ceiling\n\n", out) != EOF;
	t = table_new("lrll");
	table_row(t, (const char *const[]){ "ceiling", "measured", "by case", "" });
	table_rule(t);
	for (size_t i = 0; i < all->count; i++)
		add_ceiling(t, &all->items[i]);
	text_format_bytes(all->cache_bytes, cache);
	ok = table_print(t, out) && print_ridges(out, all) &&
	     fprintf(out, "last-level cache: %s\n\n", all->cache_bytes > 0 ? cache : "not known") >= 0;
	table_free(t);
	return ok;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* "########    |   :" with marks at the thresholds. */
static void bar_text(double share, char out[BAR + 4])
{
	int full = share < 0 ? 0 : (int)(share * BAR + 0.5);

	for (int i = 0; i < BAR; i++)
		out[i] = i < full ? '#' : i == (int)(DIAGNOSE_FAR * BAR) - 1 ||
		         i == (int)(DIAGNOSE_NEAR * BAR) - 1 ? ':' : '.';
	out[BAR] = '|';
	out[BAR + 1] = share > DIAGNOSE_ABOVE ? '>' : '\0';
	out[BAR + 2] = '\0';
	if (share < 0)
		out[0] = '\0';
}

static char *answer_text(const diagnosis_case *c)
{
	bool named = c->limit[0] != '\0' && c->answer != DIAGNOSIS_INVALID;

	return memory_format("%s%s%s%s%s", diagnosis_answer_name(c->answer), named ? " (" : "",
	                     named ? c->limit : "", named ? ")" : "",
	                     c->power_limited ? ", power-limited" : "");
}

static enum table_colour colour_of(enum diagnosis_answer answer)
{
	switch (answer) {
	case DIAGNOSIS_HARDWARE: return COLOUR_GREEN;
	case DIAGNOSIS_SOFTWARE:
	case DIAGNOSIS_MIXED: return COLOUR_YELLOW;
	case DIAGNOSIS_DEFECT:
	case DIAGNOSIS_INVALID: return COLOUR_RED;
	default: return COLOUR_NONE;
	}
}

static void add_case(table *t, const diagnosis_case *c, bool verbose, bool colours)
{
	char time[32] = "-", intensity[32] = "-", share[16] = "-", bar[BAR + 4];
	char *answer = answer_text(c);

	if (c->time_ns > 0)
		text_format_ns(c->time_ns, time);
	if (c->intensity >= 0)
		(void)snprintf(intensity, sizeof(intensity), "%.3g", c->intensity);
	if (c->share >= 0)
		(void)snprintf(share, sizeof(share), "%.0f %%", c->share * 100);
	bar_text(c->share, bar);
	table_row(t, (const char *const[]){ c->row->id, time, intensity, share, bar, answer });
	if (colours)
		table_paint(t, 5, colour_of(c->answer));
	for (size_t i = 0; i < c->note_count; i++)
		if (verbose || c->answer > DIAGNOSIS_SOFTWARE || c->power_limited ||
		    strcmp(c->limit, "provider") == 0 || strcmp(c->limit, "tuning") == 0)
			table_note(t, c->notes[i]);
	free(answer);
}

static bool print_cases(FILE *out, const diagnosis *d, bool verbose)
{
	table *t = table_new("lrrrll");
	bool colours = figure_colours(out), ok;

	table_row(t, (const char *const[]){ "case", "time", "FLOP/B", "share", "of its ceiling",
	                                    "limited by" });
	table_rule(t);
	for (size_t i = 0; i < d->count; i++)
		add_case(t, &d->cases[i], verbose, colours);
	ok = table_print(t, out);
	table_free(t);
	return ok;
}

static bool print_sum(FILE *out, const diagnosis *d, bool verbose)
{
	const char *comma = "";
	bool ok = fputc('\n', out) != EOF;

	for (size_t i = 0; i < d->note_count && ok; i++)
		ok = table_wrap(out, d->notes[i], 0);
	for (size_t i = 0; i <= DIAGNOSIS_DEFECT && ok; i++)
		if (d->counts[i] > 0) {
			ok = fprintf(out, "%s%zu %s", comma, d->counts[i],
			             diagnosis_answer_name((enum diagnosis_answer)i)) >= 0;
			comma = ", ";
		}
	ok = ok && fputc('\n', out) != EOF;
	return ok && (verbose || fputs("-v shows the evidence of every case\n", out) != EOF);
}

bool report_diagnosis(FILE *out, const diagnosis *d, bool verbose)
{
	char *name = table_clean(d->of->executor);
	bool ok = fprintf(out, "%s, %s@%llu\n\n", name, d->of->protocol_name,
	                  (unsigned long long)d->of->protocol_version) >= 0;

	free(name);
	return ok && print_ceilings(out, &d->ceilings) && print_cases(out, d, verbose) &&
	       print_sum(out, d, verbose);
}
