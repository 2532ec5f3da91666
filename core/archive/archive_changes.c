/* SPDX-License-Identifier: Apache-2.0 */
/* Where the level of a line changes for good, and which layers changed there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive/archive_inside.h"
#include "base/parallel.h"
#include "base/text.h"
#include "stat/changepoints.h"
#include "stat/sorted.h"
#include "stat/statistics.h"

/* Spreads below this share of the median count as equal: results of one stack differ by more. */
static const double spread_least = 1e-3;
/* A level that begins so near to where the stack changed begins there. */
enum { NEAR = 2 };

/* ---- levels ---------------------------------------------------------------------------------- */

/* The place where the stack changed that is nearest to `at`, between low and high; `at` without one. */
static size_t where_stack_changed(const int64_t *stacks, size_t at, size_t low, size_t high)
{
	for (size_t d = 0; d <= NEAR; d++) {
		if (at >= low + d && stacks[at - d] != stacks[at - d - 1])
			return at - d;
		if (at + d < high && stacks[at + d] != stacks[at + d - 1])
			return at + d;
	}
	return at;
}

static double level_of(const double *times, const size_t *firsts, size_t count, size_t n, size_t k)
{
	size_t end = k + 1 < count ? firsts[k + 1] : n;

	return statistics_median(times + firsts[k], end - firsts[k]);
}

/* Joins the two neighbours that differ least, as long as they differ by no more than the margin. */
static size_t join(const double *times, size_t n, double margin, size_t *firsts, size_t count)
{
	while (count > 1) {
		double least = INFINITY, before = level_of(times, firsts, count, n, 0);
		size_t best = 1;

		for (size_t k = 1; k < count; k++) {
			double here = level_of(times, firsts, count, n, k);
			double differ = fmax(before, here) / fmin(before, here) - 1;

			if (differ < least) {
				least = differ;
				best = k;
			}
			before = here;
		}
		if (least > margin)
			break;
		memmove(firsts + best, firsts + best + 1, (count - best - 1) * sizeof(*firsts));
		count--;
	}
	return count;
}

/* Appends where the levels of [from, to) begin.  A search takes the values of a shorter level for outliers of
 * the longest, and does not tell two of them apart; so it is repeated within each level. */
static void split(const double *times, size_t from, size_t to, size_t *firsts, size_t *count)
{
	size_t n = to - from, *found, parts;
	double *sorted = sorted_copy(times + from, n);

	parts = changepoints_of(times + from, sorted, n, spread_least * sorted_median(sorted, n), &found);
	free(sorted);
	if (parts == 1)
		firsts[(*count)++] = from;
	for (size_t k = 0; k < parts && parts > 1; k++)
		split(times, from + found[k], k + 1 < parts ? from + found[k + 1] : to, firsts, count);
	free(found);
}

size_t archive_levels(const double *times, const int64_t *stacks, size_t n, double margin, size_t **firsts)
{
	size_t count = 0;

	*firsts = memory_get(n * sizeof(**firsts));
	split(times, 0, n, *firsts, &count);
	for (size_t k = 1; k < count; k++)
		(*firsts)[k] = where_stack_changed(stacks, (*firsts)[k], (*firsts)[k - 1] + 1,
		                                   k + 1 < count ? (*firsts)[k + 1] : n);
	return join(times, n, margin, *firsts, count);
}

/* ---- stacks ---------------------------------------------------------------------------------- */

typedef struct stack_read { int64_t key; record_executor *record; } stack_read;

struct archive_stacks {
	archive *a;
	stack_read *items;
	size_t count;
};

archive_stacks *archive_stacks_new(archive *a)
{
	archive_stacks *s = memory_get(sizeof(*s));

	s->a = a;
	return s;
}

void archive_stacks_free(archive_stacks *s)
{
	for (size_t i = 0; i < s->count; i++)
		layout_free(record_executor_layout(), s->items[i].record);
	free(s->items);
	free(s);
}

/* A copy of the text, as the row's may be gone. */
static eh_status stack_read_one(archive *a, int64_t key, record_executor *out, eh_error *error)
{
	const db_value value = db_of_integer(key);
	db_rows *rows;
	char *body = NULL;
	eh_status status = db_query(a->db, "SELECT record FROM stack WHERE id = $1", &value, 1, &rows, error);

	if (status != EH_OK)
		return status;
	if (db_next(rows))
		body = memory_text(db_text(rows, 0));
	status = db_end(rows, error);
	if (status == EH_OK && body != NULL)
		status = layout_read(record_executor_layout(), body, strlen(body), a->where, out, error);
	free(body);
	return status;
}

static eh_status stack_of(archive_stacks *s, const archive_point *p, const record_executor **out, eh_error *error)
{
	record_executor *record;
	eh_status status;

	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].key == p->stack_key) {
			*out = s->items[i].record;
			return EH_OK;
		}
	record = layout_new(record_executor_layout());
	status = stack_read_one(s->a, p->stack_key, record, error);
	if (status != EH_OK) {
		layout_free(record_executor_layout(), record);
		return status;
	}
	s->items = memory_grow(s->items, (s->count + 1) * sizeof(*s->items));
	s->items[s->count++] = (stack_read){ p->stack_key, record };
	*out = record;
	return EH_OK;
}

eh_status archive_stacks_differ(archive_stacks *s, const archive_point *from, const archive_point *to,
                                stack_group_list *groups, eh_error *error)
{
	const record_executor *x, *y;
	eh_status status = stack_of(s, from, &x, error);

	if (status == EH_OK)
		status = stack_of(s, to, &y, error);
	if (status == EH_OK)
		(void)stacks_compare(x, y, false, groups);
	return status;
}

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

static bool between(const archive_note *n, const archive_change *c)
{
	return (n->executor[0] == '\0' || strstr(c->line.executor, n->executor) != NULL) &&
	       strncmp(n->at, c->last_before.started, strlen(n->at)) >= 0 &&
	       strncmp(n->at, c->first_after.started, strlen(n->at)) <= 0;
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
	for (size_t i = 0; i < notes->count && status == EH_OK; i++)
		if (between(&notes->items[i], out))
			layout_copy(archive_note_layout(), &notes->items[i],
			            layout_append(archive_note_layout(), &out->notes));
	return status;
}

static eh_status changes_fill(archive *a, archive_stacks *stacks, const course *c, bool faster,
                              const archive_note_list *notes, archive_change_list *out, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t k = 1; k < c->levels && status == EH_OK; k++) {
		bool slower = level_of(c->times, c->firsts, c->levels, c->count, k) >
		              level_of(c->times, c->firsts, c->levels, c->count, k - 1);

		if (slower || faster)
			status = change_fill(a, stacks, c, k, notes, layout_append(archive_change_layout(), out), error);
	}
	return status;
}

eh_status archive_changes_of(archive *a, archive_stacks *stacks, const archive_line *line,
                             const archive_point_list *points, double margin, const archive_note_list *notes,
                             archive_change_list *out, eh_error *error)
{
	course c = { .line = line, .margin = margin };
	eh_status status;

	for (size_t i = 0; i < points->count; i++)
		if (points->items[i].time_ns > 0)
			course_add(&c, points->items[i].time_ns, points->items[i].value, points->items[i].result,
			           points->items[i].stack_key);
	find_levels(&c, 0);
	status = changes_fill(a, stacks, &c, true, notes, out, error);
	course_free(&c);
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

/* The largest first, by how much slower; then the faster ones. */
static int largest(const void *a, const void *b)
{
	const archive_change *x = a, *y = b;

	if (x->speedup != y->speedup)
		return x->speedup < y->speedup ? -1 : 1;
	return strcmp(x->line.id, y->line.id);
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
