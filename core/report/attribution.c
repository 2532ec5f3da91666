/* SPDX-License-Identifier: Apache-2.0 */
/* An attribution for people: the numbers, the layers, the answer, and what to run next. */
#include "report/attribution.h"

#include <stdlib.h>

#include "base/text.h"
#include "report/comparison_parts.h"
#include "report/report.h"

static const char *owner_words(const char *owner)
{
	return owner[0] != '\0' ? owner : "nobody named";
}

/* ---- the numbers ----------------------------------------------------------------------------- */

static bool show_numbers(FILE *out, const attribution *a, bool verbose)
{
	const comparison *c = &a->comparison;
	table *t = table_new("lllll");
	char speedup[FIGURE_SIZE];
	bool ok;

	table_row(t, (const char *const[]){ "case", "from", "to", "speed-up [95 %]",
	                                   "verdict" });
	table_rule(t);
	for (size_t i = 0; i < c->cases.count; i++) {
		const comparison_row *row = &c->cases.items[i];
		char base[FIGURE_SIZE], other[FIGURE_SIZE];

		comparison_cells(row, base, other, speedup);
		table_row(t, (const char *const[]){ row->id, base, other, speedup,
			                            comparison_verdict_word(row->verdict) });
		comparison_notes(t, row, verbose);
	}
	ok = table_print(t, out);
	table_free(t);
	if (ok && a->speedup_interval != NULL && c->cases.count > 1) {
		figure_ratio(a->speedup, *a->speedup_interval, speedup);
		ok = fprintf(out, "all cases: %s (geometric means of the speed-ups and of their ends)\n",
		             speedup) >= 0;
	}
	return ok;
}

/* ---- the layers ------------------------------------------------------------------------------ */

static bool show_changes(FILE *out, const stack_group *g, size_t indent)
{
	bool ok = true;

	for (size_t i = 0; i < g->changes.count && ok; i++) {
		const stack_change *c = &g->changes.items[i];
		char *line;

		/* The title says it already. */
		if (g->changes.count == 1 && c->fields[0] == '\0')
			break;
		line = memory_format("%s%s%s  [%s]", c->what, c->fields[0] != '\0' ? ": " : "", c->fields,
		                     owner_words(c->owner));
		ok = table_wrap(out, line, indent);
		free(line);
	}
	return ok;
}

static bool show_groups(FILE *out, const stack_group_list *groups, size_t indent)
{
	bool ok = true;

	for (size_t i = 0; i < groups->count && ok; i++) {
		const stack_group *g = &groups->items[i];
		char *head = memory_format("%zu. %s  [%s]", i + 1, g->title, owner_words(g->owner));

		ok = table_wrap(out, head, indent) && show_changes(out, g, indent + 4);
		free(head);
	}
	return ok;
}

bool report_groups(FILE *out, const stack_group_list *groups, uint64_t followers)
{
	if (groups->count == 0)
		return fputs("\nlayers: no differences\n", out) != EOF;
	return fprintf(out, "\nlayers: %zu change%s\n", groups->count,
	               groups->count == 1 ? "" : "s") >= 0 &&
	       show_groups(out, groups, 2) &&
	       (followers == 0 ||
	        fprintf(out, "  %llu mapped files and settings of one side only follow from these\n",
	                (unsigned long long)followers) >= 0);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static char *change_words(const comparison *c)
{
	size_t faster = comparison_count(c, VERDICT_FASTER);
	size_t slower = comparison_count(c, VERDICT_SLOWER);
	size_t equal = comparison_count(c, VERDICT_EQUIVALENT);

	return memory_format("%zu faster, %zu slower, %zu equivalent, %zu without a verdict", faster,
	                     slower, equal, c->cases.count - faster - slower - equal);
}

/* malloc'd sentence; numbers: as of change_words. */
static char *answer_words(const attribution *a, const char *numbers)
{
	const stack_group *g = a->groups.items;

	switch (a->answer) {
	case ATTRIBUTION_ATTRIBUTABLE:
		return a->groups.count == 1 ?
		       memory_format("attributable: one change explains the numbers (%s): %s; owner: %s",
		                     numbers, g->title, owner_words(g->owner)) :
		       memory_format("attributable: each step between the results has one change (%s "
		                     "overall)", numbers);
	case ATTRIBUTION_CONFOUNDED:
		return memory_format("confounded: %zu changes at once (%s); none can be named as the "
		                     "cause", a->groups.count, numbers);
	case ATTRIBUTION_UNEXPLAINED:
		return memory_format("unexplained: no layer differs, but the numbers changed (%s); look at "
		                     "what no layer records: load, temperature, memory placement",
		                     numbers);
	case ATTRIBUTION_NO_CHANGE:
		return memory_text("no change: no layer differs, and every case is equivalent");
	case ATTRIBUTION_UNDECIDED:
		return memory_format("undecided: no layer differs, and not every case has a verdict (%s); run "
		                     "more executions", numbers);
	default:
		return memory_text("not comparable: the contract refuses the comparison (see above), so there "
		                   "is no change to attribute");
	}
}

/* Of several steps those that changed a number. */
static bool show_movers(FILE *out, const attribution *a)
{
	bool ok = true;

	for (size_t i = 0; i < a->steps.count && ok; i++) {
		const attribution_step *s = &a->steps.items[i];
		const comparison *c = s->comparison;
		char *line;

		if (c == NULL || s->groups.count != 1 ||
		    comparison_count(c, VERDICT_FASTER) + comparison_count(c, VERDICT_SLOWER) == 0)
			continue;
		line = memory_format("moved by: %s; owner: %s", s->groups.items[0].title,
		                     owner_words(s->groups.items[0].owner));
		ok = table_wrap(out, line, 2);
		free(line);
	}
	return ok;
}

static bool show_answer(FILE *out, const attribution *a)
{
	char *numbers = change_words(&a->comparison), *line = answer_words(a, numbers);
	bool ok = fputc('\n', out) != EOF && table_wrap(out, line, 0);

	if (ok && a->answer == ATTRIBUTION_ATTRIBUTABLE && a->steps.count > 1)
		ok = show_movers(out, a);
	free(line);
	free(numbers);
	return ok;
}

/* ---- the steps, and what to run next --------------------------------------------------------- */

static bool show_steps(FILE *out, const attribution *a)
{
	bool ok = fputs("\nstep by step\n", out) != EOF;

	for (size_t i = 0; i < a->steps.count && ok; i++) {
		const attribution_step *s = &a->steps.items[i];
		char *numbers = s->comparison != NULL ? change_words(s->comparison)
		                                      : memory_text("to be measured");
		char *line = memory_format("%s -> %s: %s", s->from, s->to, numbers);

		ok = table_wrap(out, line, 2) && show_groups(out, &s->groups, 6);
		free(line);
		free(numbers);
	}
	return ok;
}

/* For a shell: names and paths may hold anything. */
static bool print_commands(FILE *out, const attribution *a, const char *names, const char *files)
{
	char *of = text_shell_word(a->protocol), *on = text_shell_word(names);
	char *from = text_shell_word(a->comparison.baseline.path);
	char *to = text_shell_word(a->comparison.other.path);
	bool ok = fprintf(out, "\nto separate them, run:\n"
	                  "  evenhand run %s --on %s -o results/between\n"
	                  "  evenhand attribute %s %s%s\n", of, on, from, to, files) >= 0;

	free(of);
	free(on);
	free(from);
	free(to);
	return ok;
}

static bool show_proposed(FILE *out, const attribution *a)
{
	text names = { 0 }, files = { 0 };
	bool ok = true;

	for (size_t i = 0; i < a->proposed.count; i++) {
		char *file = memory_text(a->proposed.items[i]);

		for (char *c = file; *c != '\0'; c++)
			*c = *c == ':' || *c == '/' ? '-' : *c;
		text_add(&names, "%s%s", names.size > 0 ? "," : "", a->proposed.items[i]);
		text_add(&files, " results/between/%s.json", file);
		free(file);
	}
	if (names.size > 0)
		ok = print_commands(out, a, names.data, files.data);
	text_free(&files);
	text_free(&names);
	return ok;
}

/* The stacks that would split a step that changes several things. */
static bool show_wanted(FILE *out, const attribution_step *s)
{
	bool ok = true;

	for (size_t g = 0; g + 1 < s->groups.count && ok; g++) {
		char *line = memory_format("a stack like %s%s, but with this of %s: %s", s->from,
		                           g > 0 ? " and the stack before" : "", s->to,
		                           s->groups.items[g].title);

		ok = table_wrap(out, line, 4);
		free(line);
	}
	return ok;
}

static bool show_missing(FILE *out, const attribution *a)
{
	bool ok = true;

	if (a->missing > a->proposed.count)
		ok = fputs("\nno stack here separates these changes; to separate them, measure\n", out) != EOF;
	for (size_t i = 0; i < a->steps.count && ok; i++)
		ok = show_wanted(out, &a->steps.items[i]);
	return ok;
}

bool report_attribution(FILE *out, const attribution *a, bool verbose)
{
	return comparison_head(out, &a->comparison, 1, verbose) && show_numbers(out, a, verbose) &&
	       report_groups(out, &a->groups, a->followers) && show_answer(out, a) &&
	       (a->steps.count < 2 || show_steps(out, a)) &&
	       (a->answer != ATTRIBUTION_CONFOUNDED || (show_proposed(out, a) && show_missing(out, a)));
}
