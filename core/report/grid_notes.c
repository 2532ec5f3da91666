/* SPDX-License-Identifier: Apache-2.0 */
/* The lines below a grid: what would decide the open cells, why others have no number, and caveats.
 * What holds for most cells is told once. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "contract/evidence.h"
#include "report/grid_groups.h"

/* Lines of one kind, and characters of a reason, before the rest is left to explain. */
enum { LINES = 4, WORDS = 110 };

/* ---- lines ----------------------------------------------------------------------------------- */

void grid_note_add(grid *g, const char *mark, char *words)
{
	grid_notes *notes = &g->notes;

	notes->items = memory_grow(notes->items, (notes->count + 1) * sizeof(*notes->items));
	notes->items[notes->count++] = (grid_note){ memory_text(mark), words };
}

static int by_size(const void *a, const void *b)
{
	const group *x = a, *y = b;
	int order = (x->count < y->count) - (x->count > y->count);

	return order != 0 ? order : strcmp(x->what, y->what);
}

char *grid_shortened(char *words)
{
	size_t size = WORDS;
	char *cut;

	if (strlen(words) <= WORDS)
		return words;
	while (size > 0 && words[size] != ' ')
		size--;
	cut = memory_format("%.*s ...", size > 0 ? (int)size : WORDS, words);
	free(words);
	return cut;
}

/* malloc'd: a sentence as it follows a colon.  A word with another capital is a name: OpenBLAS. */
static char *lowered(const char *sentence)
{
	char *copy = memory_text(sentence);
	size_t size = strlen(copy), word = strcspn(copy, " ");
	bool name = false;

	for (size_t i = 1; i < word; i++)
		name = name || isupper((unsigned char)copy[i]);
	if (size > 1 && !name && (islower((unsigned char)copy[1]) || copy[1] == ' '))
		copy[0] = (char)tolower((unsigned char)copy[0]);
	if (size > 0 && copy[size - 1] == '.')
		copy[size - 1] = '\0';
	return grid_shortened(copy);
}

/* "MARK  WHERE: WHAT" of each group, those of most cells first; or "WHAT: WHERE". */
static void notes_of(grid *g, const char *mark, groups *all, bool what_first)
{
	size_t shown = all->count > LINES ? LINES - 1 : all->count;

	if (all->count > 1)
		qsort(all->items, all->count, sizeof(*all->items), by_size);
	for (size_t i = 0; i < shown; i++) {
		char *where = group_names(g, &all->items[i]), *what = lowered(all->items[i].what);

		grid_note_add(g, mark, what_first ? memory_format("%s: %s", what, where)
		                                  : memory_format("%s: %s", where, what));
		free(what);
		free(where);
	}
	if (shown < all->count)
		grid_note_add(g, mark, memory_format("and %zu more; -v has all of them", all->count - shown));
	groups_free(all);
}

/* ---- open cells ------------------------------------------------------------------------------ */

static const contract_reason *first_of(const contract_reason_list *reasons, enum contract_level level)
{
	for (size_t i = 0; i < reasons->count; i++)
		if (reasons->items[i].level == level)
			return &reasons->items[i];
	return NULL;
}

/* Rounded up to steps that group alike cells. */
static uint64_t round_up(double count)
{
	double step = pow(10, floor(log10(count)));

	for (int halves = 2; halves <= 20; halves += halves < 4 ? 1 : 2)
		if (halves * step / 2 >= count - 1e-9)
			return (uint64_t)(halves * step / 2 + 0.5);
	return (uint64_t)count;
}

/* The wall time of the case in all executions, where they took turns; else 0. */
static double span_ns(const record_case *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->executions.count; i++) {
		const record_execution *e = &c->executions.items[i];
		size_t last = e->starts_ns.count;

		if (e->turns != NULL && last > 0 && last == e->samples_ns.count)
			sum += (double)e->starts_ns.items[last - 1] + (double)e->samples_ns.items[last - 1];
	}
	return sum;
}

/* Why no estimate says how much more would decide it. */
static const char *stuck_words(const comparison_row *row)
{
	for (size_t i = 0; i < row->reasons.count; i++)
		if (strcmp(row->reasons.items[i].rule, "noise-floor") == 0 ||
		    strcmp(row->reasons.items[i].rule, "processes-differ") == 0)
			return row->reasons.items[i].sentence;
	return "the ratio is too near to the margin's edge to be decided";
}

char *grid_open_words(const comparison *c, const comparison_row *row)
{
	const contract_reason *reason = first_of(&row->reasons, CONTRACT_DESCRIPTION);
	uint64_t executions = row->other->executions;
	double span = row->b != NULL ? span_ns(row->b->record) * 1e-9 : 0;

	if (reason == NULL)
		reason = first_of(&c->reasons, CONTRACT_DESCRIPTION);
	if (reason != NULL)
		return memory_text(reason->sentence);
	if (contract_cites(&row->reasons, "many-cases"))
		return memory_text("beyond the margin alone, but not among so many cases");
	if (isnan(row->more))
		return memory_text(stuck_words(row));
	if (span > 0)
		return memory_format("about %llu s more of the case should decide",
		                     (unsigned long long)round_up(fmax(1, span * (row->more - 1))));
	return memory_format("about %llu executions of each should decide",
	                     (unsigned long long)round_up((double)executions * row->more));
}

static void open_notes(grid *g)
{
	groups all = { 0 };

	for (size_t k = 0; k < g->count; k++)
		for (size_t i = 0; i < g->row_count; i++) {
			const grid_cell *cell = &g->rows[i].cells[k];
			char *words;

			if (cell->kind != GRID_OPEN || g->mode == GRID_ALONE)
				continue;
			words = grid_open_words(&g->comparisons[k], cell->row);
			group_add(&all, words, k, i);
			free(words);
		}
	notes_of(g, "open", &all, false);
}

/* ---- cells without a number ------------------------------------------------------------------ */

static const char *told(const contract_reason *reason)
{
	return reason->detail[0] != '\0' ? reason->detail : reason->sentence;
}

/* Why the row of a result is bad; NULL where it is not. */
static const char *bad_words(const comparison_source *source, const comparison_side *side)
{
	const contract_reason *own = evidence_worst(&side->evidence);
	const contract_reason *whole = evidence_worst(&source->evidence);

	if (own != NULL && own->level == CONTRACT_REFUSED)
		return told(own);
	return whole != NULL && whole->level == CONTRACT_REFUSED ? told(whole) : NULL;
}

/* malloc'd: why two sound rows are not compared. */
static char *refused_words(const comparison *c, const comparison_row *row)
{
	const contract_reason *reason = first_of(&c->reasons, CONTRACT_REFUSED);

	if (reason == NULL)
		reason = first_of(&row->reasons, CONTRACT_REFUSED);
	if (reason == NULL)
		return memory_text("no ratio");
	return memory_format("not comparable: %s %s", reason->sentence, reason->detail);
}

static void add_bad(groups *bad, const grid *g, size_t k, size_t i)
{
	const grid_cell *cell = &g->rows[i].cells[k];
	const comparison *c = &g->comparisons[k];
	const comparison_row *row = cell->row;
	const char *words = row->other != NULL ? bad_words(&c->other, row->other) : NULL;
	char *refused = words == NULL ? refused_words(c, row) : NULL;

	group_add(bad, words != NULL ? words : refused, k, i);
	free(refused);
}

/* Cells of the reference that have no number, and those of others that are not supported. */
static void add_absent(groups *bad, groups *missing, const grid *g, size_t k, size_t i)
{
	const comparison *c = &g->comparisons[k];
	const grid_cell *cell = &g->rows[i].cells[k];
	const comparison_row *row = cell->row;
	const char *words;

	if (row == NULL)
		return;
	words = row->baseline != NULL && !record_counts(row->baseline->status) ?
	        bad_words(&c->baseline, row->baseline) : NULL;
	if (words != NULL && strcmp(g->rows[i].reference.number, "X") == 0)
		group_add_reference(bad, words, g, k, i);
	if (words != NULL && strcmp(g->rows[i].reference.number, "n/a") == 0)
		group_add_reference(missing, words, g, k, i);
	if (cell->kind == GRID_WORD && strcmp(cell->text, "n/a") == 0 && g->mode != GRID_ALONE)
		group_add(missing, bad_words(&c->other, row->other), k, i);
}

static void bad_notes(grid *g)
{
	groups bad = { 0 }, missing = { 0 };

	for (size_t k = 0; k < g->count; k++)
		for (size_t i = 0; i < g->row_count; i++) {
			if (g->rows[i].cells[k].kind == GRID_BAD && g->mode != GRID_ALONE)
				add_bad(&bad, g, k, i);
			add_absent(&bad, &missing, g, k, i);
		}
	notes_of(g, "X", &bad, false);
	notes_of(g, "n/a", &missing, false);
}

/* ---- caveats of cells ------------------------------------------------------------------------ */

/* Told otherwise: the swing of the machine's speed stands below, what decides a cell above. */
static bool told_elsewhere(const grid *g, const char *rule)
{
	return strcmp(rule, "canary-drift") == 0 || strcmp(rule, "many-cases") == 0 ||
	       (g->mode == GRID_ALONE && strcmp(rule, "not-converged") == 0);
}

static size_t compared_cells(const grid *g)
{
	return g->kinds[GRID_FASTER] + g->kinds[GRID_SLOWER] + g->kinds[GRID_EQUAL] +
	       g->kinds[GRID_OPEN];
}

/* Every flag that the rule `flags` names of a side. */
static void add_flags(groups *all, const evidence *e, size_t k, size_t i)
{
	const contract_reason *reason = evidence_reason(e, "flags");
	const char *rest = reason != NULL ? reason->detail : "";

	while (*rest != '\0') {
		char *flag = memory_format("%.*s", (int)strcspn(rest, ", "), rest);

		group_add_once(all, flag, k, i);
		rest += strlen(flag);
		rest += strspn(rest, ", ");
		free(flag);
	}
}

static void add_caveat(groups *all, const grid *g, const char *rule, size_t k, size_t i)
{
	const comparison_row *row = g->rows[i].cells[k].row;

	if (strcmp(rule, "flags") == 0) {
		add_flags(all, &row->baseline->evidence, k, i);
		add_flags(all, &row->other->evidence, k, i);
	} else if (!told_elsewhere(g, rule)) {
		group_add(all, rule, k, i);
	}
}

/* The cells for which each caveat fires, flags by their own names. */
static groups caveats_of(const grid *g)
{
	groups all = { 0 };

	for (size_t k = 0; k < g->count; k++)
		for (size_t i = 0; i < g->row_count; i++) {
			const comparison_row *row = g->rows[i].cells[k].row;

			for (size_t r = 0; row != NULL && row->speedup > 0 && r < row->reasons.count; r++)
				if (row->reasons.items[r].level == CONTRACT_CAVEAT)
					add_caveat(&all, g, row->reasons.items[r].rule, k, i);
		}
	return all;
}

/* Whether a side is a cause of a caveat: by a rule of its evidence, or by a flag. */
static bool causes(const evidence *e, const char *what)
{
	const contract_reason *flags = evidence_reason(e, "flags");
	const char *at = flags != NULL ? strstr(flags->detail, what) : NULL;
	size_t size = strlen(what);

	while (at != NULL && (strchr(", ", at[size]) == NULL || (at > flags->detail && at[-1] != ' ')))
		at = strstr(at + 1, what);
	return at != NULL || evidence_reason(e, what) != NULL;
}

/* The cells of a caveat as those who are the cause: a side by its evidence, else the column. */
static void add_causes(groups *out, const grid *g, const group *of)
{
	for (size_t p = 0; p < of->count; p++) {
		size_t k = of->places[p].column, i = of->places[p].row;
		const comparison_row *row = g->rows[i].cells[k].row;
		bool base = causes(&row->baseline->evidence, of->what);
		bool other = causes(&row->other->evidence, of->what);

		if (base)
			group_add_reference(out, of->what, g, k, i);
		/* Alone and paired both sides stand under one name. */
		if (!base || (other && g->mode == GRID_AGAINST))
			group_add(out, of->what, k, i);
	}
}

static void caveat_notes(grid *g)
{
	groups all = caveats_of(g), few = { 0 };
	text most = { 0 };

	for (size_t i = 0; i < all.count; i++)
		if (all.items[i].count * 2 > compared_cells(g))
			text_add(&most, "%s%s", most.size > 0 ? ", " : "", all.items[i].what);
		else
			add_causes(&few, g, &all.items[i]);
	notes_of(g, "caveat", &few, true);
	if (most.size > 0)
		grid_note_add(g, "", memory_format("caveats of most cells: %s", most.data));
	text_free(&most);
	groups_free(&all);
}

void grid_notes_fill(grid *g)
{
	open_notes(g);
	bad_notes(g);
	grid_answers_fill(g);
	grid_errors_fill(g);
	caveat_notes(g);
	grid_differs_fill(g);
	grid_facts_fill(g);
}
