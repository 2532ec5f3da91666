/* SPDX-License-Identifier: Apache-2.0 */
#include "report/claimed.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/comparison_parts.h"
#include "report/report.h"

static char *relation_words(const claim *c)
{
	const char *name = claim_relation_name(c->relation);

	if (c->relation == CLAIM_WITHIN)
		return memory_format("within %.3g %% of %.6gx", c->margin * 100, c->factor);
	if (c->relation <= CLAIM_AT_MOST)
		return memory_format("%s %.6gx", name, c->factor);
	if (c->relation == CLAIM_EQUIVALENT && c->margin > 0)
		return memory_format("%s within %.3g %%", name, c->margin * 100);
	return memory_text(name);
}

bool report_claim(FILE *out, const claim *c)
{
	char *relation = relation_words(c);
	char *head = memory_format("%s: \"%s\"", c->name, c->text);
	char *who = memory_format("claimed by %s%s%s%s", c->claimant,
	                          c->published[0] != '\0' ? " (" : "", c->published,
	                          c->published[0] != '\0' ? ")" : "");
	char *what = memory_format("the %s of [%s] against [%s]: %s; over %s of the cases %s of "
	                           "%s@%llu%s%s",
	                           c->metric == CLAIM_SPEED ? "speed" : "time", c->a, c->b, relation,
	                           claim_over_name(c->over), c->cases, c->protocol,
	                           (unsigned long long)c->version,
	                           strcmp(c->subject, "stack") != 0 ? "; about the layer " : "",
	                           strcmp(c->subject, "stack") != 0 ? c->subject : "");
	bool ok = table_wrap(out, head, 0) && table_wrap(out, who, 0) && table_wrap(out, what, 0);

	free(what);
	free(who);
	free(head);
	free(relation);
	return ok;
}

static void add_case(table *t, const claim_case *c, bool verbose)
{
	char a[FIGURE_SIZE], b[FIGURE_SIZE], unused[FIGURE_SIZE], ratio[FIGURE_SIZE] = "-";

	comparison_cells(c->row, b, a, unused);
	if (c->ratio > 0)
		figure_ratio(c->ratio, c->around, ratio);
	table_row(t, (const char *const[]){ c->row->id, a, b, ratio, claim_answer_name(c->answer) });
	if (c->why[0] != '\0')
		table_note(t, c->why);
	comparison_notes(t, c->row, verbose);
}

static bool show_cases(FILE *out, const claim_verdict *v, bool verbose)
{
	table *t;
	char *head, ratio[FIGURE_SIZE];
	bool ok;

	if (v->case_count == 0)
		return true;
	t = table_new("lllll");
	head = memory_format("a / b [%.4g %%]", v->confidence * 100);
	table_row(t, (const char *const[]){ "case", "a", "b", head, "holds" });
	table_rule(t);
	free(head);
	for (size_t i = 0; i < v->case_count; i++)
		add_case(t, &v->cases[i], verbose);
	ok = table_print(t, out);
	table_free(t);
	if (ok && v->mean > 0) {
		figure_ratio(v->mean, v->mean_interval, ratio);
		ok = fprintf(out, "geometric mean: %s\n", ratio) >= 0;
	}
	return ok;
}

static bool show_sides(FILE *out, const claim_verdict *v, bool verbose)
{
	char *a, *b;
	bool ok;

	if (v->a == NULL)
		return true;
	a = memory_format("a: %s (%s)", v->a->executor, v->a->path);
	b = memory_format("b: %s (%s)", v->b->executor, v->b->path);
	ok = table_wrap(out, a, 0) && table_wrap(out, b, 0) &&
	     comparison_head(out, v->numbers, 1, verbose);
	free(b);
	free(a);
	return ok;
}

bool report_claim_verdict(FILE *out, const claim_verdict *v, bool verbose)
{
	bool ok = report_claim(out, v->claim) && fputc('\n', out) != EOF;
	char *line;

	for (size_t i = 0; i < v->note_count && ok; i++)
		ok = table_wrap(out, v->notes[i], 0);
	ok = ok && show_sides(out, v, verbose) && show_cases(out, v, verbose);
	line = memory_format("%s: %s", claim_answer_name(v->answer), v->why);
	ok = ok && fputc('\n', out) != EOF && table_wrap(out, line, 0);
	free(line);
	return ok;
}
