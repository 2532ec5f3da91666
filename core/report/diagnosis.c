/* SPDX-License-Identifier: Apache-2.0 */
/* A diagnosis for people: the ceilings, then each case as a bar below its own. */
#include "report/diagnosis.h"

#include <stdlib.h>

#include "analysis/ceilings.h"
#include "analysis/nameplates.h"
#include "base/terminal.h"
#include "base/text.h"
#include "report/drawing.h"
#include "report/figure.h"
#include "report/report.h"

/* Columns for the whole of a ceiling: in a file, and on a terminal, which shows eighths of one. */
enum { BAR = 20, BAR_NARROW = 12 };

/* ---- ceilings -------------------------------------------------------------------------------- */

static void add_ceiling(table *t, const ceiling *c)
{
	char *name = memory_format("%s%s%s", ceiling_kind_word(c->kind), c->of[0] != '\0' ? " " : "",
	                           c->of);
	const char *unit = c->kind == CEILING_COMPUTE ? "FLOP/s" : "B/s";
	char value[40];

	if (isnan(c->rate))
		text_format_ns(c->ns, value);
	else
		text_format_si(c->rate, unit, value);
	table_row(t, (const char *const[]){ name, value,
	          c->by != NULL ? c->by : "the instrument's record",
	          c->evidence > EVIDENCE_GOOD ? evidence_level_word(c->evidence) : "" });
	if (c->nameplate != NULL) {
		char *words = nameplates_words(c->nameplate, unit);

		table_note(t, words);
		free(words);
	}
	free(name);
}

/* Where the two lines of the roofline meet. */
static bool print_ridges(FILE *out, const diagnosis *d)
{
	const ceiling *memory = ceilings_of(&d->ceilings, CEILING_MEMORY, NULL);
	bool ok = true;

	for (size_t i = 0; memory != NULL && i < d->ceilings.count && ok; i++) {
		const ceiling *c = &d->ceilings.items[i];

		if (c->kind == CEILING_COMPUTE)
			ok = fprintf(out, "ridge point of %s: %.3g FLOP/B\n", c->of,
			             c->rate / memory->rate) >= 0;
	}
	return ok;
}

static bool print_ceilings(FILE *out, const diagnosis *d)
{
	char cache[32] = "not known";
	table *t;
	bool ok;

	if (d->ceilings.count == 0)
		return fputs("no case of this run measures a ceiling\n\n", out) != EOF;
	t = table_new("nrnl");
	table_head(t, (const char *const[]){ "ceiling", "measured", "by case", "" });
	table_rule(t);
	for (size_t i = 0; i < d->ceilings.count; i++)
		add_ceiling(t, &d->ceilings.items[i]);
	if (d->last_level_cache_bytes != LAYOUT_NO_UINT)
		text_format_bytes(d->last_level_cache_bytes, cache);
	ok = table_print(t, out) && print_ridges(out, d) &&
	     fprintf(out, "last-level cache: %s\n\n", cache) >= 0;
	table_free(t);
	return ok;
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* malloc'd: "########...:.....:..|" with marks at the thresholds; "" without a share. */
static char *bar_text(FILE *out, double share)
{
	static const double marks[] = { DIAGNOSE_FAR, DIAGNOSE_NEAR };
	const bool terminal = terminal_is(out);
	char *bar, *whole;

	if (isnan(share))
		return memory_text("");
	bar = drawing_bar(share, terminal ? BAR_NARROW : BAR, marks, 2, terminal && terminal_unicode(out));
	whole = memory_format("%s%s", bar, share > DIAGNOSE_ABOVE ? ">" : "");
	free(bar);
	return whole;
}

static char *answer_text(const diagnosis_case *c)
{
	const char *limit = diagnosis_limit_word(c->limit);

	return memory_format("%s%s%s%s%s", diagnosis_answer_word(c->answer), limit[0] != '\0' ? " (" : "",
	                     limit, limit[0] != '\0' ? ")" : "",
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

/* Whether the answer needs its evidence beside it. */
static bool needs_notes(const diagnosis_case *c)
{
	return c->answer > DIAGNOSIS_SOFTWARE || c->power_limited ||
	       c->evidence.level == EVIDENCE_UNPROVEN || c->limit == DIAGNOSIS_BY_PROVIDER ||
	       c->limit == DIAGNOSIS_BY_TUNING;
}

static void add_case(FILE *out, table *t, const diagnosis_case *c, bool verbose)
{
	char time[32] = "-", intensity[32] = "-", share[16] = "-";
	char *answer = answer_text(c), *bar = bar_text(out, c->share);

	if (!isnan(c->median_ns))
		text_format_ns(c->median_ns, time);
	if (!isnan(c->flops_per_byte))
		(void)snprintf(intensity, sizeof(intensity), "%.3g", c->flops_per_byte);
	if (!isnan(c->share))
		(void)snprintf(share, sizeof(share), "%.0f %%", c->share * 100);
	table_row(t, (const char *const[]){ c->id, time, intensity, share, bar, answer });
	table_paint(t, 5, colour_of(c->answer));
	for (size_t i = 0; i < c->notes.count && (verbose || needs_notes(c)); i++)
		table_note(t, c->notes.items[i]);
	free(bar);
	free(answer);
}

static bool print_cases(FILE *out, const diagnosis *d, bool verbose)
{
	table *t = table_new("nrrrbl");
	bool ok;

	table_head(t, (const char *const[]){ "case", "time", "FLOP/B", "share", "of its ceiling",
	                                     "limited by" });
	table_rule(t);
	for (size_t i = 0; i < d->cases.count; i++)
		add_case(out, t, &d->cases.items[i], verbose);
	ok = table_print(t, out);
	table_free(t);
	return ok;
}

static bool print_sum(FILE *out, const diagnosis *d, bool verbose)
{
	bool ok = fputc('\n', out) != EOF;
	text sum = { 0 };

	for (size_t i = 0; i < d->notes.count && ok; i++)
		ok = table_wrap(out, d->notes.items[i], 0);
	for (size_t i = 0; i < d->counts.count; i++)
		if (d->counts.items[i].value > 0)
			text_add(&sum, "%s%.0f %s", sum.size > 0 ? ", " : "", d->counts.items[i].value,
			         d->counts.items[i].key);
	ok = ok && table_sentence(out, text_or_empty(sum.data));
	text_free(&sum);
	return ok && (verbose || fputs("-v shows the evidence of every case\n", out) != EOF);
}

bool report_diagnosis(FILE *out, const diagnosis *d, bool verbose)
{
	char *name = terminal_words(out, table_clean(d->executor));
	bool ok = fprintf(out, "%s, %s\n\n", name, d->protocol) >= 0;

	free(name);
	return ok && print_ceilings(out, d) && print_cases(out, d, verbose) && print_sum(out, d, verbose);
}
