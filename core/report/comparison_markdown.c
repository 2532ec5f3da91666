/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison as a table for a pull request or a wiki. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/comparison_parts.h"

/* Escapes the characters that Markdown takes for its own. */
static void put_text(FILE *out, const char *raw)
{
	char *clean = table_clean(raw);

	for (const char *c = clean; *c != '\0'; c++) {
		if (strchr("\\|`*_<>[]#&", *c) != NULL)
			(void)fputc('\\', out);
		(void)fputc(*c, out);
	}
	free(clean);
}

static void put_cell(FILE *out, const char *words)
{
	(void)fputs(" ", out);
	put_text(out, words);
	(void)fputs(" |", out);
}

/* The rules that qualify or refuse, by their ids. */
static void put_rules(FILE *out, const contract_reason_list *reasons)
{
	bool first = true;

	(void)fputc(' ', out);
	for (size_t i = 0; i < reasons->count; i++) {
		if (reasons->items[i].level == CONTRACT_COMPARABLE)
			continue;
		(void)fprintf(out, "%s%s", first ? "" : ", ", reasons->items[i].rule);
		first = false;
	}
	(void)fputs(" |\n", out);
}

static void put_head(FILE *out, const comparison *c)
{
	(void)fputs("**", out);
	put_text(out, c->other.executor);
	(void)fputs("** against **", out);
	put_text(out, c->baseline.executor);
	(void)fprintf(out, "**%s\n\n", c->certified ? " (certified)" : "");
	for (size_t i = 0; i < c->reasons.count; i++) {
		const contract_reason *reason = &c->reasons.items[i];

		(void)fprintf(out, "- %s `%s`: %s (", contract_level_word(reason->level), reason->rule,
		              reason->sentence);
		put_text(out, reason->detail);
		(void)fputs(")\n", out);
	}
	(void)fputs("\n| case | baseline [95 %] | other [95 %] | speed-up [95 %] | verdict | rules |\n"
	            "|---|---|---|---|---|---|\n", out);
}

static void put_row(FILE *out, const comparison_row *row)
{
	char base[FIGURE_SIZE];
	char other[FIGURE_SIZE];
	char speedup[FIGURE_SIZE];

	comparison_cells(row, base, other, speedup);
	(void)fputc('|', out);
	put_cell(out, row->id);
	put_cell(out, base);
	put_cell(out, other);
	put_cell(out, speedup);
	put_cell(out, comparison_verdict_word(row->verdict));
	put_rules(out, &row->reasons);
}

bool report_markdown(FILE *out, const comparison *comparisons, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		put_head(out, &comparisons[i]);
		for (size_t k = 0; k < comparisons[i].cases.count; k++)
			put_row(out, &comparisons[i].cases.items[k]);
		(void)fputc('\n', out);
	}
	return ferror(out) == 0;
}
