/* SPDX-License-Identifier: Apache-2.0 */
#include "report/claimed.h"

#include <stdlib.h>

#include "base/text.h"
#include "report/comparison_parts.h"
#include "report/report.h"

static char *relation_words(const claim *c)
{
	const char *name = claim_relation_word(c->relation);

	if (c->relation == CLAIM_WITHIN)
		return memory_format("within %.3g %% of %.6gx", c->margin * 100, c->factor);
	if (!isnan(c->factor))
		return memory_format("%s %.6gx", name, c->factor);
	if (!isnan(c->margin))
		return memory_format("%s within %.3g %%", name, c->margin * 100);
	return memory_text(name);
}

static char *statement(const claim *c)
{
	char *relation = relation_words(c);
	char *words = memory_format("the %s of [%s] against [%s]: %s; over %s of the cases %s of "
	                            "%s@%llu%s%s", claim_metric_word(c->metric), c->a, c->b, relation,
	                            claim_over_word(c->over), c->cases, c->protocol,
	                            (unsigned long long)c->version,
	                            c->subject != 0 ? "; about the layer " : "",
	                            record_layer_kind_word(c->subject));

	free(relation);
	return words;
}

bool report_claim(FILE *out, const claim *c)
{
	char *head = memory_format("%s: \"%s\"", c->name, c->text);
	char *who = memory_format("claimed by %s%s%s%s", c->claimant, c->published != NULL ? " (" : "",
	                          text_or_empty(c->published), c->published != NULL ? ")" : "");
	char *what = statement(c);
	bool ok = table_wrap(out, head, 0) && table_wrap(out, who, 0) && table_wrap(out, what, 0);

	free(what);
	free(who);
	free(head);
	return ok;
}

static void add_case(table *t, const claim_case *c, bool verbose)
{
	char a[FIGURE_SIZE], b[FIGURE_SIZE], unused[FIGURE_SIZE], ratio[FIGURE_SIZE] = "-";

	comparison_cells(c->row, b, a, unused);
	if (c->interval != NULL)
		figure_ratio(c->ratio, *c->interval, ratio);
	table_row(t, (const char *const[]){ c->id, a, b, ratio, claim_answer_word(c->answer) });
	if (c->why != NULL)
		table_note(t, c->why);
	comparison_notes(t, c->row, verbose);
}

static bool show_cases(FILE *out, const claim_verdict *v, bool verbose)
{
	char *head = memory_format("a / b [%.4g %%]", v->confidence * 100), mean[FIGURE_SIZE];
	table *t = table_new("nllll");
	bool ok;

	table_head(t, (const char *const[]){ "case", "a", "b", head, "answer" });
	table_rule(t);
	for (size_t i = 0; i < v->cases.count; i++)
		add_case(t, &v->cases.items[i], verbose);
	ok = table_print(t, out);
	table_free(t);
	free(head);
	if (ok && v->mean_interval != NULL) {
		figure_ratio(v->mean, *v->mean_interval, mean);
		ok = fprintf(out, "geometric mean: %s\n", mean) >= 0;
	}
	return ok;
}

static bool show_side(FILE *out, const char *side, const comparison_source *r)
{
	char *line = memory_format("%s: %s (%s)", side, r->executor, r->path);
	bool ok = table_wrap(out, line, 0);

	free(line);
	return ok;
}

bool report_claim_verdict(FILE *out, const claim_verdict *v, bool verbose)
{
	const comparison *c = v->comparison;
	char *line = memory_format("%s: %s", claim_answer_word(v->answer), v->why);
	bool ok = report_claim(out, &v->claim) && fputc('\n', out) != EOF;

	for (size_t i = 0; i < v->notes.count && ok; i++)
		ok = table_wrap(out, v->notes.items[i], 0);
	if (ok && c != NULL)
		ok = show_side(out, "a", &c->other) && show_side(out, "b", &c->baseline) &&
		     comparison_head(out, c, 1, verbose);
	if (ok && v->cases.count > 0)
		ok = show_cases(out, v, verbose);
	ok = ok && fputc('\n', out) != EOF && table_wrap(out, line, 0);
	free(line);
	return ok;
}
