/* SPDX-License-Identifier: Apache-2.0 */
/* An attribution for people: the numbers, the layers, the answer, and what to run next. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/attribution.h"
#include "report/comparison_parts.h"
#include "report/report.h"

static const char *owner_words(const char *owner)
{
	return owner[0] != '\0' ? owner : "nobody named";
}

/* ---- the numbers ----------------------------------------------------------------------------- */

static bool show_numbers(FILE *out, const attribution *a, bool verbose)
{
	const comparison *c = a->numbers;
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
	if (ok && a->speedup > 0 && c->cases.count > 1) {
		figure_ratio(a->speedup, a->speedup_interval, speedup);
		ok = fprintf(out, "all cases: %s (geometric means of the speed-ups and of their ends)\n",
		             speedup) >= 0;
	}
	return ok;
}

/* ---- the layers ------------------------------------------------------------------------------ */

static bool show_groups(FILE *out, const stack_difference *d, size_t indent)
{
	bool ok = true;

	for (size_t g = 0; g < d->group_count && ok; g++) {
		char *head = memory_format("%zu. %s  [%s]", g + 1, d->groups[g].title,
		                           owner_words(d->groups[g].owner));

		ok = table_wrap(out, head, indent);
		free(head);
		for (size_t i = 0; i < d->change_count && ok; i++) {
			const stack_change *c = &d->changes[i];
			char *line;

			if (c->group != g || (d->groups[g].changes == 1 && c->fields[0] == '\0'))
				continue;
			line = memory_format("%s%s%s  [%s]", c->what, c->fields[0] != '\0' ? ": " : "",
			                     c->fields, owner_words(c->owner));
			ok = table_wrap(out, line, indent + 4);
			free(line);
		}
	}
	return ok;
}

bool report_stack_difference(FILE *out, const stack_difference *d)
{
	if (d->group_count == 0)
		return fputs("\nlayers: none differs\n", out) != EOF;
	return fprintf(out, "\nlayers: %zu change%s\n", d->group_count,
	               d->group_count == 1 ? "" : "s") >= 0 &&
	       show_groups(out, d, 2) &&
	       (d->followers == 0 ||
	        fprintf(out, "  %zu mapped files are on one side only and follow from these\n",
	                d->followers) >= 0);
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

static bool show_step(FILE *out, const attribution *a, size_t i)
{
	const attribution_step *s = &a->steps[i];
	char *numbers = s->numbers != NULL ? change_words(s->numbers) : memory_text("to be measured");
	char *line = memory_format("%s -> %s: %s", a->stops[i].name, a->stops[i + 1].name, numbers);
	bool ok = table_wrap(out, line, 2) && show_groups(out, s->stacks, 6);

	free(line);
	free(numbers);
	return ok;
}

static bool show_hold(FILE *out, const attribution *a, size_t i)
{
	const stack_difference *d = a->steps[i].stacks;
	bool ok = true;

	for (size_t g = 0; g + 1 < d->group_count && ok; g++) {
		char *line = memory_format("a stack like %s%s, but with this of %s: %s",
		                           a->stops[i].name, g > 0 ? " and the stack before" : "",
		                           a->stops[i + 1].name, d->groups[g].title);

		ok = table_wrap(out, line, 4);
		free(line);
	}
	return ok;
}

/* For a shell: names and paths may hold anything. */
static bool print_commands(FILE *out, const attribution *a, const char *protocol, const char *names,
                           const char *files)
{
	char *of = text_shell_word(protocol), *on = text_shell_word(names);
	char *from = text_shell_word(a->from->path), *to = text_shell_word(a->to->path);
	bool ok = fprintf(out, "\nto separate them, run:\n"
	                  "  evenhand run %s --on %s -o results/between\n"
	                  "  evenhand attribute %s %s%s\n", of, on, from, to, files) >= 0;

	free(of);
	free(on);
	free(from);
	free(to);
	return ok;
}

static bool show_proposal(FILE *out, const attribution *a, const char *protocol)
{
	bool ok = true, held = false;
	text names = { 0 }, files = { 0 };

	for (size_t i = 0; i < a->stop_count; i++) {
		if (a->stops[i].result == NULL) {
			char *file = memory_text(a->stops[i].name);

			for (char *c = file; *c != '\0'; c++)
				*c = *c == ':' || *c == '/' ? '-' : *c;
			text_add(&names, "%s%s", names.size > 0 ? "," : "", a->stops[i].name);
			text_add(&files, " results/between/%s.json", file);
			free(file);
		}
	}
	if (names.size > 0)
		ok = print_commands(out, a, protocol, names.data, files.data);
	for (size_t i = 0; i + 1 < a->stop_count && ok; i++) {
		if (a->steps[i].stacks->group_count < 2)
			continue;
		if (!held)
			ok = fputs("\nno stack at hand comes between these; to separate them, measure\n",
			           out) != EOF;
		held = true;
		ok = ok && show_hold(out, a, i);
	}
	text_free(&files);
	text_free(&names);
	return ok;
}

/* Of several steps those that moved a number. */
static bool show_movers(FILE *out, const attribution *a)
{
	bool ok = true;

	for (size_t i = 0; i + 1 < a->stop_count && ok; i++) {
		const attribution_step *s = &a->steps[i];
		char *line;

		if (s->numbers == NULL || s->stacks->group_count != 1 ||
		    comparison_count(s->numbers, VERDICT_FASTER) +
		            comparison_count(s->numbers, VERDICT_SLOWER) == 0)
			continue;
		line = memory_format("moved by: %s; its owner: %s", s->stacks->groups[0].title,
		                     owner_words(s->stacks->groups[0].owner));
		ok = table_wrap(out, line, 2);
		free(line);
	}
	return ok;
}

static bool show_answer(FILE *out, const attribution *a)
{
	char *numbers = change_words(a->numbers);
	const stack_group *g = a->stacks->group_count > 0 ? &a->stacks->groups[0] : NULL;
	char *line = NULL;
	bool ok;

	switch (a->answer) {
	case ATTRIBUTION_ATTRIBUTABLE:
		line = a->stacks->group_count == 1 ?
			memory_format("attributable: whatever changed (%s) is the work of one change, %s; "
			              "its owner: %s", numbers, g->title, owner_words(g->owner)) :
			memory_format("attributable: each step between the results changes one thing only "
			              "(%s over all)", numbers);
		break;
	case ATTRIBUTION_CONFOUNDED:
		line = memory_format("confounded: %zu things changed at once (%s); none of them can be "
		                     "named as the cause", a->stacks->group_count, numbers);
		break;
	case ATTRIBUTION_UNEXPLAINED:
		line = memory_format("unexplained: no layer differs, yet the numbers moved (%s); look for "
		                     "what no layer records: load, temperature, the place in memory",
		                     numbers);
		break;
	case ATTRIBUTION_NO_CHANGE:
		line = memory_format("no change: no layer differs, and every case is equivalent");
		break;
	case ATTRIBUTION_UNDECIDED:
		line = memory_format("undecided: no layer differs, and the numbers do not tell whether "
		                     "they moved (%s); run more executions", numbers);
		break;
	default:
		line = memory_format("not comparable: the contract refuses the comparison (above), so "
		                     "there is no change to attribute");
		break;
	}
	ok = fputc('\n', out) != EOF && table_wrap(out, line, 0);
	if (ok && a->answer == ATTRIBUTION_ATTRIBUTABLE && a->stop_count > 2)
		ok = show_movers(out, a);
	free(line);
	free(numbers);
	return ok;
}

bool report_attribution(FILE *out, const attribution *a, const char *protocol, bool verbose)
{
	bool steps = a->stop_count > 2 || a->proposed > 0;
	bool ok = comparison_head(out, a->numbers, 1, verbose) &&
	          show_numbers(out, a, verbose) &&
	          report_stack_difference(out, a->stacks) && show_answer(out, a);

	if (ok && steps)
		ok = fputs("\nstep by step\n", out) != EOF;
	for (size_t i = 0; steps && i + 1 < a->stop_count && ok; i++)
		ok = show_step(out, a, i);
	return ok && (a->answer != ATTRIBUTION_CONFOUNDED || show_proposal(out, a, protocol));
}
