/* SPDX-License-Identifier: Apache-2.0 */
/* An attribution for people: the answer, the cases that moved or stayed open, what differs, and what
 * to run next. */
#include "report/attribution.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/comparison_parts.h"
#include "report/layers.h"
#include "report/report.h"

/* Lines of a list, unless with -v. */
enum { SHOWN = 8 };

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

/* "and 30 more (-v)" below a list that was cut. */
static bool show_rest(FILE *out, size_t count, size_t shown)
{
	return count <= shown || fprintf(out, "  and %zu more (-v)\n", count - shown) >= 0;
}

static size_t shown_of(size_t count, bool verbose)
{
	return verbose || count <= SHOWN ? count : SHOWN;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* malloc'd: "3 faster, 2 slower, 4 equal, 1 open" of a comparison. */
static char *counts_words(const comparison *c)
{
	size_t faster = comparison_count(c, VERDICT_FASTER);
	size_t slower = comparison_count(c, VERDICT_SLOWER);
	size_t equal = comparison_count(c, VERDICT_EQUIVALENT);

	return memory_format("%zu faster, %zu slower, %zu equal, %zu without a verdict", faster, slower,
	                     equal, c->cases.count - faster - slower - equal);
}

/* malloc'd: the largest margin, as a percentage. */
static char *margin_words(const attribution *a)
{
	double most = 0;

	for (size_t i = 0; i < a->comparison.cases.count; i++)
		most = fmax(most, a->comparison.cases.items[i].margin);
	return memory_format("%.2g %%", most * 100);
}

static char *moved_words(const attribution *a)
{
	size_t faster = 0, count = a->moved.count;

	for (size_t i = 0; i < count; i++)
		faster += a->moved.items[i].verdict == VERDICT_FASTER;
	return memory_format("%zu case%s moved (%zu faster, %zu slower)", count, plural(count), faster,
	                     count - faster);
}

/* malloc'd sentence of answers in which cases moved. */
static char *moved_answer(const attribution *a, const char *moved)
{
	size_t things = a->groups.count;

	switch (a->answer) {
	case ATTRIBUTION_CONDITIONS:
		return memory_format("conditions: no layer differs, but %s; the records show what else "
		                     "differed", moved);
	case ATTRIBUTION_UNEXPLAINED:
		return memory_format("unexplained: no layer differs, but %s; the records show no throttling, "
		                     "power cap, steal, slower machine or neighbours for all of them", moved);
	case ATTRIBUTION_CONFOUNDED:
		return things == 1 ?
		       memory_format("confounded: %s; one thing changed, and the machine differed as well, so "
		                     "neither is known to be the cause", moved) :
		       memory_format("confounded: %s; %zu things changed at once, so none is known to be the "
		                     "cause", moved, things);
	default:
		return things == 1 ?
		       memory_format("%s: %s, and one thing changed", attribution_answer_word(a->answer),
		                     moved) :
		       memory_format("%s: %s, and each step between the results changes one thing",
		                     attribution_answer_word(a->answer), moved);
	}
}

static char *still_answer(const attribution *a, const char *margin)
{
	size_t things = a->groups.count, open = a->open.count;

	switch (a->answer) {
	case ATTRIBUTION_NO_EFFECT:
		return memory_format("no effect: %zu thing%s changed, and all %llu cases are equal within %s",
		                     things, plural(things), (unsigned long long)a->equivalent, margin);
	case ATTRIBUTION_NO_CHANGE:
		return memory_format("no change: no layer differs, and all %llu cases are equal within %s",
		                     (unsigned long long)a->equivalent, margin);
	case ATTRIBUTION_UNDECIDED:
		return a->moved.count > 0 ?
		       memory_format("undecided: no step between the results shows where the %zu case%s moved",
		                     a->moved.count, plural(a->moved.count)) :
		       memory_format("undecided: no case is known to have moved, %zu of %zu ha%s no verdict; "
		                     "%zu thing%s changed", open, open + (size_t)a->equivalent,
		                     open == 1 ? "s" : "ve", things, plural(things));
	default:
		return memory_text("not comparable: the contract refuses the comparison, so there is no "
		                   "change to attribute");
	}
}

static bool is_still(enum attribution_answer answer)
{
	return answer == ATTRIBUTION_NO_EFFECT || answer == ATTRIBUTION_NO_CHANGE ||
	       answer == ATTRIBUTION_UNDECIDED || answer == ATTRIBUTION_NOT_COMPARABLE;
}

/* malloc'd: where a site file names the team of such layers. */
static char *team_remedy(enum record_layer_kind kind)
{
	enum record_area area = record_layer_traits_of(kind)->area;

	return area != record_area_absent && kind != RECORD_LAYER_CONFIGURATION ?
	       memory_format("no team is named here: %s = TEAM in [teams] of the site file",
	                     record_area_word(area)) :
	       memory_text("no team is named here: an [owner NAME] section of the site file does it");
}

/* malloc'd: the layer that is the cause, its maker and its team. */
static char *culprit_words(const attribution *a)
{
	bool owned = a->owner[0] != '\0';
	char *who = layers_who(a->maker, a->owner), *remedy = owned ? NULL : team_remedy(a->layer);
	char *line = memory_format("%s; %s%s%s%s", a->groups.items[0].title,
	                           a->maker[0] != '\0' ? "maker: " : "", who,
	                           !owned && a->maker[0] != '\0' ? "; " : "", owned ? "" : remedy);

	free(remedy);
	free(who);
	return line;
}

static bool show_answer(FILE *out, const attribution *a)
{
	char *words = is_still(a->answer) ? margin_words(a) : moved_words(a);
	char *line = is_still(a->answer) ? still_answer(a, words) : moved_answer(a, words);
	bool ok = table_wrap(out, line, 0);

	if (ok && a->owner != NULL) {
		free(line);
		line = culprit_words(a);
		ok = table_wrap(out, line, 2);
	}
	free(line);
	free(words);
	return ok;
}

/* ---- the cases ------------------------------------------------------------------------------- */

static bool show_moved(FILE *out, const attribution *a, bool verbose)
{
	size_t shown = shown_of(a->moved.count, verbose);
	table *t;
	bool ok;

	if (a->moved.count == 0)
		return true;
	t = table_new("nll");
	for (size_t i = 0; i < shown; i++) {
		const attribution_case *c = &a->moved.items[i];
		char speedup[FIGURE_SIZE];

		figure_ratio(c->speedup, *contract_interval(c->row), speedup);
		table_row(t, (const char *const[]){ c->id, speedup, comparison_verdict_word(c->verdict) });
		if (verbose)
			comparison_notes(t, c->row, verbose);
	}
	ok = fputs("\nmoved\n", out) != EOF && table_print(t, out) &&
	     show_rest(out, a->moved.count, shown) &&
	     (a->equivalent == 0 ||
	      fprintf(out, "equal: %llu case%s\n", (unsigned long long)a->equivalent,
	              plural((size_t)a->equivalent)) >= 0);
	table_free(t);
	return ok;
}

static bool show_open(FILE *out, const attribution *a, bool verbose)
{
	size_t shown = shown_of(a->open.count, verbose);
	bool ok = a->open.count == 0 || fputs("\nwithout a verdict\n", out) != EOF;

	for (size_t i = 0; i < shown && ok; i++) {
		const attribution_open *c = &a->open.items[i];
		char *line = memory_format("%s: %s", c->id, c->why);

		ok = table_wrap(out, line, 2);
		free(line);
	}
	return ok && show_rest(out, a->open.count, shown);
}

/* ---- the machine ----------------------------------------------------------------------------- */

static size_t count_kind(const attribution *a, enum attribution_cause_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < a->causes.count; i++)
		count += a->causes.items[i].kind == kind;
	return count;
}

/* Each kind once, with its first case as the example. */
static bool show_causes(FILE *out, const attribution *a, bool verbose)
{
	bool ok = a->causes.count == 0 || fputs("\nwhat else the records show\n", out) != EOF;

	for (size_t i = 0, seen = 0; i < a->causes.count && ok; i++) {
		const attribution_cause *c = &a->causes.items[i];
		bool first = (seen >> c->kind & 1) == 0;
		char *line;

		if (!first && !verbose)
			continue;
		seen |= (size_t)1 << c->kind;
		line = memory_format("%s, %zu of %zu cases that moved; %s: %s",
		                     attribution_cause_kind_word(c->kind), count_kind(a, c->kind),
		                     a->moved.count, c->id, c->evidence);
		ok = table_wrap(out, line, 2);
		free(line);
	}
	return ok;
}

/* ---- the layers ------------------------------------------------------------------------------ */

/* malloc'd "TEXT  [MAKER; owner: TEAM]", or the text alone. */
static char *owned(const char *words, const char *maker, const char *owner, bool owners)
{
	char *who = layers_who(maker, owner);
	char *all = owners ? memory_format("%s  [%s]", words, who[0] != '\0' ? who : "nobody named")
	                   : memory_text(words);

	free(who);
	return all;
}

static bool show_changes(FILE *out, const stack_group *g, bool owners, size_t indent)
{
	bool ok = true;

	for (size_t i = 0; i < g->changes.count && ok; i++) {
		const stack_change *c = &g->changes.items[i];
		char *what, *line;

		/* The title says it already. */
		if (g->changes.count == 1 && c->fields[0] == '\0')
			break;
		what = memory_format("%s%s%s", c->what, c->fields[0] != '\0' ? ": " : "", c->fields);
		line = owned(what, c->maker, c->owner, owners);
		ok = table_wrap(out, line, indent);
		free(line);
		free(what);
	}
	return ok;
}

static bool show_groups(FILE *out, const stack_group_list *groups, bool owners, size_t indent)
{
	bool ok = true;

	for (size_t i = 0; i < groups->count && ok; i++) {
		const stack_group *g = &groups->items[i];
		char *title = owned(g->title, g->maker, g->owner, owners);
		char *head = memory_format("%zu. %s", i + 1, title);

		ok = table_wrap(out, head, indent) && show_changes(out, g, owners, indent + 4);
		free(head);
		free(title);
	}
	return ok;
}

bool report_groups(FILE *out, const stack_group_list *groups, uint64_t followers, bool owners)
{
	if (groups->count == 0)
		return fputs("\nlayers: no differences\n", out) != EOF;
	return fprintf(out, "\nlayers: %zu change%s\n", groups->count, plural(groups->count)) >= 0 &&
	       show_groups(out, groups, owners, 2) &&
	       (followers == 0 ||
	        fprintf(out, "  %llu mapped files and settings of one side only follow from these\n",
	                (unsigned long long)followers) >= 0);
}

/* ---- the steps, and what to run next --------------------------------------------------------- */

/* Whether a case moved in the step by its one change: only then it has an owner. */
static bool step_owns(const attribution_step *s)
{
	const comparison *c = s->comparison;

	return c != NULL && s->groups.count == 1 &&
	       comparison_count(c, VERDICT_FASTER) + comparison_count(c, VERDICT_SLOWER) > 0;
}

static bool show_steps(FILE *out, const attribution *a)
{
	bool ok = fputs("\nstep by step\n", out) != EOF;

	for (size_t i = 0; i < a->steps.count && ok; i++) {
		const attribution_step *s = &a->steps.items[i];
		char *numbers = s->comparison != NULL ? counts_words(s->comparison)
		                                      : memory_text("to be measured");
		char *line = memory_format("%s -> %s: %s", s->from, s->to, numbers);

		ok = table_wrap(out, line, 2) && show_groups(out, &s->groups, step_owns(s), 6);
		free(line);
		free(numbers);
	}
	return ok;
}

static const char *runs_title(const attribution *a)
{
	if (a->answer == ATTRIBUTION_CONFOUNDED)
		return "to separate them, run:";
	return a->answer == ATTRIBUTION_PARTLY || a->answer == ATTRIBUTION_UNDECIDED ?
	       "to decide what is open, run:" : "to see whether it stays so, run:";
}

static bool show_runs(FILE *out, const attribution *a)
{
	bool ok = a->runs.count == 0 || fprintf(out, "\n%s\n", runs_title(a)) >= 0;

	for (size_t i = 0; i < a->runs.count && ok; i++)
		ok = fprintf(out, "  %s\n", a->runs.items[i]) >= 0;
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

	if (a->answer != ATTRIBUTION_CONFOUNDED || a->missing <= a->proposed.count)
		return true;
	ok = fputc('\n', out) != EOF &&
	     table_sentence(out, "no stack here separates these changes; to separate them, measure");
	for (size_t i = 0; i < a->steps.count && ok; i++)
		ok = show_wanted(out, &a->steps.items[i]);
	return ok;
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool show_sides(FILE *out, const attribution *a)
{
	table *t = table_new("lnn");
	bool ok;

	table_row(t, (const char *const[]){ "from", a->comparison.baseline.executor,
	                                    a->comparison.baseline.path });
	table_row(t, (const char *const[]){ "to", a->comparison.other.executor,
	                                    a->comparison.other.path });
	ok = table_print(t, out) && fputc('\n', out) != EOF;
	table_free(t);
	return ok;
}

bool report_attribution(FILE *out, const attribution *a, bool verbose)
{
	bool refused = a->answer == ATTRIBUTION_NOT_COMPARABLE;

	return (verbose || refused ? comparison_head(out, &a->comparison, 1, verbose)
	                           : show_sides(out, a)) &&
	       show_answer(out, a) && show_moved(out, a, verbose) && show_open(out, a, verbose) &&
	       show_causes(out, a, verbose) &&
	       report_groups(out, &a->groups, a->followers, a->owner != NULL) &&
	       (a->steps.count < 2 || show_steps(out, a)) && show_missing(out, a) && show_runs(out, a);
}
