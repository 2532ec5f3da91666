/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison as a table for a pull request or a wiki. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/comparison_parts.h"

/* What names may hold that a table of Markdown would take for its own. */
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
static void put_rules(FILE *out, const contract_reason *reasons, size_t count)
{
	bool first = true;
	size_t i;

	(void)fputc(' ', out);
	for (i = 0; i < count; i++) {
		if (reasons[i].level == CONTRACT_COMPARABLE)
			continue;
		(void)fprintf(out, "%s%s", first ? "" : ", ", reasons[i].rule->id);
		first = false;
	}
	(void)fputs(" |\n", out);
}

static void put_head(FILE *out, const comparison *c)
{
	size_t i;

	(void)fputs("**", out);
	put_text(out, c->b->executor);
	(void)fputs("** against **", out);
	put_text(out, c->a->executor);
	(void)fprintf(out, "**%s\n\n", c->certified ? " (certified)" : "");
	for (i = 0; i < c->reason_count; i++) {
		(void)fprintf(out, "- %s `%s`: %s (", contract_level_name(c->reasons[i].level),
		              c->reasons[i].rule->id, c->reasons[i].rule->sentence);
		put_text(out, c->reasons[i].detail);
		(void)fputs(")\n", out);
	}
	(void)fputs("\n| case | baseline [95 %] | other [95 %] | speed-up [95 %] | verdict | rules |\n"
	            "|---|---|---|---|---|---|\n", out);
}

bool report_markdown(FILE *out, const comparison *const *comparisons, size_t count)
{
	size_t i;
	size_t k;

	for (i = 0; i < count; i++) {
		const comparison *c = comparisons[i];

		put_head(out, c);
		for (k = 0; k < c->row_count; k++) {
			const comparison_row *row = &c->rows[k];
			char base[FIGURE_SIZE];
			char other[FIGURE_SIZE];
			char speedup[FIGURE_SIZE];

			comparison_cells(row, base, other, speedup);
			(void)fputc('|', out);
			put_cell(out, row->id);
			put_cell(out, base);
			put_cell(out, other);
			put_cell(out, speedup);
			put_cell(out, comparison_verdict_name(row->verdict));
			put_rules(out, row->reasons, row->reason_count);
		}
		(void)fputc('\n', out);
	}
	return ferror(out) == 0;
}
