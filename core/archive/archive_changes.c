/* SPDX-License-Identifier: Apache-2.0 */
/* The changes of lines: where, by how much, and which layers changed there. */
#include <stdlib.h>
#include <string.h>

#include "archive/archive_inside.h"
#include "base/parallel.h"
#include "base/text.h"
#include "stat/changepoints.h"
#include "stat/statistics.h"

/* ---- a line ---------------------------------------------------------------------------------- */

/* The points of a line that count, oldest first. */
typedef struct course {
	const archive_line *line;
	double *times, *values;
	int64_t *results, *stacks;
	size_t count, *firsts, levels;
	double margin;
} course;

static void course_free(course *c)
{
	free(c->times);
	free(c->values);
	free(c->results);
	free(c->stacks);
	free(c->firsts);
}

static void course_add(course *c, double time, double value, int64_t of, int64_t stack)
{
	/* Room for a power of two. */
	if ((c->count & (c->count - 1)) == 0) {
		size_t room = c->count > 0 ? 2 * c->count : 1;

		c->times = memory_grow(c->times, room * sizeof(*c->times));
		c->values = memory_grow(c->values, room * sizeof(*c->values));
		c->results = memory_grow(c->results, room * sizeof(*c->results));
		c->stacks = memory_grow(c->stacks, room * sizeof(*c->stacks));
	}
	c->times[c->count] = time;
	c->values[c->count] = value;
	c->results[c->count] = of;
	c->stacks[c->count++] = stack;
}

static void find_levels(void *context, size_t i)
{
	course *c = (course *)context + i;

	if (c->count > 0)
		c->levels = archive_levels(c->times, c->stacks, c->count, c->margin, &c->firsts);
}

/* Between the levels k - 1 and k. */
static eh_status change_fill(archive *a, archive_stacks *stacks, const course *c, size_t k,
                             const archive_note_list *notes, archive_change *out, eh_error *error)
{
	size_t before = c->firsts[k - 1], at = c->firsts[k], end = k + 1 < c->levels ? c->firsts[k + 1] : c->count;
	eh_status status = archive_point_of(a, c->line->key, c->results[at - 1], &out->last_before, error);

	if (status == EH_OK)
		status = archive_point_of(a, c->line->key, c->results[at], &out->first_after, error);
	layout_copy(archive_line_layout(), c->line, &out->line);
	out->before = statistics_median(c->values + before, at - before);
	out->after = statistics_median(c->values + at, end - at);
	out->speedup = statistics_median(c->times + before, at - before) / statistics_median(c->times + at, end - at);
	out->results_before = at - before;
	out->results_after = end - at;
	out->first = at;
	out->stack_changed = c->stacks[at - 1] != c->stacks[at];
	if (status == EH_OK && out->stack_changed)
		status = archive_stacks_differ(stacks, &out->last_before, &out->first_after, &out->groups, error);
	if (status == EH_OK)
		archive_notes_between(notes, c->line, out->last_before.started, out->first_after.started, &out->notes);
	return status;
}

static eh_status changes_fill(archive *a, archive_stacks *stacks, const course *c, bool faster,
                              const archive_note_list *notes, archive_change_list *out, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t k = 1; k < c->levels && status == EH_OK; k++) {
		bool slower = archive_level(c->times, c->firsts, c->levels, c->count, k) >
		              archive_level(c->times, c->firsts, c->levels, c->count, k - 1);

		if (slower || faster)
			status = change_fill(a, stacks, c, k, notes, layout_append(archive_change_layout(), out), error);
	}
	return status;
}

/* ---- lines with their points ------------------------------------------------------------------ */

static course course_of(const archive_history *h, double margin)
{
	course c = { .line = &h->line, .margin = margin };

	for (size_t i = 0; i < h->points.count; i++) {
		const archive_point *p = &h->points.items[i];

		if (p->time_ns > 0)
			course_add(&c, p->time_ns, p->value, p->result, p->stack_key);
	}
	return c;
}

eh_status archive_changes_of(archive *a, archive_stacks *stacks, archive_history *histories, size_t count,
                             double margin, const archive_note_list *notes, eh_error *error)
{
	course *courses = memory_get((count + 1) * sizeof(*courses));
	eh_status status = EH_OK;

	for (size_t i = 0; i < count; i++)
		courses[i] = course_of(&histories[i], margin);
	parallel_each(count, find_levels, courses);
	for (size_t i = 0; i < count && status == EH_OK; i++)
		status = changes_fill(a, stacks, &courses[i], true, notes, &histories[i].changes, error);
	for (size_t i = 0; i < count; i++)
		course_free(&courses[i]);
	free(courses);
	return status;
}

/* ---- all lines ------------------------------------------------------------------------------- */

static eh_status course_read(archive *a, const archive_filter *f, course *c, eh_error *error)
{
	db_rows *rows;
	eh_status status = archive_times(a, f, c->line->key, &rows, error);

	if (status != EH_OK)
		return status;
	while (db_next(rows))
		course_add(c, db_real(rows, 0), db_real(rows, 1), db_integer(rows, 2), db_integer(rows, 3));
	return db_end(rows, error);
}

/* By number in the database: the rows of a series share pages. */
static int by_key(const void *a, const void *b)
{
	const archive_line *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* The largest first, by how much slower; then the faster ones.  Equal ones by their lines. */
static int largest(const void *a, const void *b)
{
	const archive_change *x = a, *y = b;
	const archive_line *k = &x->line, *l = &y->line;
	const char *const texts[][2] = { { k->id, l->id }, { k->executor, l->executor }, { k->device, l->device },
		                         { k->uuid, l->uuid }, { k->protocol, l->protocol },
		                         { k->protocol_digest, l->protocol_digest } };
	int order = 0;

	if (x->speedup != y->speedup)
		return x->speedup < y->speedup ? -1 : 1;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts) && order == 0; i++)
		order = strcmp(texts[i][0], texts[i][1]);
	return order != 0 ? order : x->first < y->first ? -1 : x->first > y->first;
}

static eh_status read_all(archive *a, const archive_filter *f, const archive_line_list *lines, double margin,
                          course *courses, archive_looked *looked, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < lines->count && status == EH_OK; i++) {
		courses[i] = (course){ .line = &lines->items[i], .margin = margin };
		status = course_read(a, f, &courses[i], error);
		looked->lines += courses[i].count > 0;
		looked->points += courses[i].count;
		looked->few += courses[i].count > 0 && courses[i].count < 2 * CHANGEPOINTS_SEGMENT;
	}
	return status;
}

eh_status archive_changes(archive *a, const archive_filter *f, double margin, bool faster,
                          archive_change_list *out, archive_looked *looked, eh_error *error)
{
	archive_line_list lines = { 0 };
	archive_note_list notes = { 0 };
	archive_stacks *stacks = archive_stacks_new(a);
	eh_status status = archive_lines_find(a, f, &lines, error);
	course *courses = memory_get((lines.count + 1) * sizeof(*courses));

	*looked = (archive_looked){ 0 };
	if (lines.count > 0)
		qsort(lines.items, lines.count, sizeof(*lines.items), by_key);
	if (status == EH_OK)
		status = archive_notes(a, &notes, error);
	if (status == EH_OK)
		status = read_all(a, f, &lines, margin, courses, looked, error);
	if (status == EH_OK)
		parallel_each(lines.count, find_levels, courses);
	for (size_t i = 0; i < lines.count && status == EH_OK; i++)
		status = changes_fill(a, stacks, &courses[i], faster, &notes, out, error);
	if (out->count > 0)
		qsort(out->items, out->count, sizeof(*out->items), largest);
	for (size_t i = 0; i < lines.count; i++)
		course_free(&courses[i]);
	free(courses);
	archive_stacks_free(stacks);
	layout_list_clear(archive_note_layout(), &notes);
	layout_list_clear(archive_line_layout(), &lines);
	return status;
}
