/* SPDX-License-Identifier: Apache-2.0 */
/* What the stacks of a grid differ in, where that is one answer for the whole grid. */
#include <stdlib.h>
#include <string.h>

#include "analysis/stacks.h"
#include "base/text.h"
#include "report/grid.h"

/* Lines before the rest is left to attribute. */
enum { LINES = 2 };

/* What changed from one side of a comparison to the other. */
static attribution_step *changes_of(const comparison *c)
{
	attribution_step *step = layout_new(attribution_step_layout());

	(void)stacks_compare(&c->a->record->executor, &c->b->record->executor, false, &step->groups);
	return step;
}

static bool same_changes(const stack_group_list *a, const stack_group_list *b)
{
	bool same = a->count == b->count;

	for (size_t i = 0; same && i < a->count; i++)
		same = strcmp(a->items[i].title, b->items[i].title) == 0;
	return same;
}

/* Whether every column has the changes of the first. */
static bool all_alike(const grid *g, const stack_group_list *first)
{
	bool alike = true;

	for (size_t k = 1; alike && k < g->count; k++) {
		attribution_step *other = changes_of(&g->comparisons[k]);

		alike = same_changes(first, &other->groups);
		layout_free(attribution_step_layout(), other);
	}
	return alike;
}

/* malloc'd: the title, with the facts that differ where it is one layer. */
static char *change_words(const stack_group *group)
{
	const char *fields = group->changes.count == 1 ? group->changes.items[0].fields : "";

	return grid_shortened(memory_format("%s%s%s", group->title, fields[0] != '\0' ? ": " : "", fields));
}

static void add_rest(grid *g, size_t count)
{
	char *a = text_shell_word(g->comparisons[0].a->path);
	char *b = text_shell_word(g->comparisons[0].b->path);

	grid_note_add(g, "differs", memory_format("and %zu more: evenhand attribute %s %s", count, a, b));
	free(b);
	free(a);
}

void grid_differs_fill(grid *g)
{
	attribution_step *first = g->mode != GRID_ALONE ? changes_of(&g->comparisons[0]) : NULL;
	size_t count = first != NULL && all_alike(g, &first->groups) ? first->groups.count : 0;
	size_t shown = count > LINES ? LINES : count;

	for (size_t i = 0; i < shown; i++)
		grid_note_add(g, "differs", change_words(&first->groups.items[i]));
	if (shown < count)
		add_rest(g, count - shown);
	layout_free(attribution_step_layout(), first);
}
