/* SPDX-License-Identifier: Apache-2.0 */
/* Lines over time: their points, the stacks that they were measured on, and their changes. */
#include <stdlib.h>

#include "archive/archive_inside.h"
#include "base/text.h"
#include "stat/statistics.h"

/* Newest first to oldest first. */
static void turn(archive_point_list *points)
{
	for (size_t i = 0; i < points->count / 2; i++) {
		archive_point swap = points->items[i];

		points->items[i] = points->items[points->count - 1 - i];
		points->items[points->count - 1 - i] = swap;
	}
}

static double median_of(const archive_point *points, size_t count)
{
	double *values = memory_get((count + 1) * sizeof(*values)), median;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (points[i].value > 0)
			values[n++] = points[i].value;
	median = n > 0 ? statistics_median(values, n) : NAN;
	free(values);
	return median;
}

static eh_status spans_fill(archive_stacks *stacks, archive_history *h, eh_error *error)
{
	const archive_point *p = h->points.items;
	eh_status status = EH_OK;

	for (size_t i = 0, end = 0; i < h->points.count && status == EH_OK; i = end) {
		archive_span *s = layout_append(archive_span_layout(), &h->spans);

		while (end < h->points.count && p[end].stack_key == p[i].stack_key)
			end++;
		text_set(&s->stack, p[i].stack);
		s->first = i;
		s->count = end - i;
		s->median = median_of(p + i, end - i);
		if (i > 0)
			status = archive_stacks_differ(stacks, &p[i - 1], &p[i], &s->groups, error);
	}
	return status;
}

/* All but the changes and the notes. */
static eh_status history_fill(archive *a, const archive_filter *f, archive_stacks *stacks, archive_line *line,
                              archive_history *h, eh_error *error)
{
	eh_status status;

	layout_move(archive_line_layout(), line, &h->line);
	status = archive_points(a, f, h->line.key, &h->points, &h->older, error);
	turn(&h->points);
	return status == EH_OK ? spans_fill(stacks, h, error) : status;
}

/* Lines whose changes are searched side by side; the visits are one after the other. */
enum { TOGETHER = 32 };

static eh_status visit_some(archive *a, const archive_filter *f, archive_stacks *stacks,
                            const archive_note_list *notes, double margin, archive_line *lines, size_t count,
                            archive_visit *visit, void *context, eh_error *error)
{
	archive_history_list some = { 0 };
	eh_status status = EH_OK;

	for (size_t i = 0; i < count && status == EH_OK; i++)
		status = history_fill(a, f, stacks, &lines[i], layout_append(archive_history_layout(), &some), error);
	if (status == EH_OK)
		status = archive_changes_of(a, stacks, some.items, some.count, margin, notes, error);
	for (size_t i = 0; i < some.count && status == EH_OK; i++) {
		archive_history *h = &some.items[i];

		if (h->points.count == 0)
			continue;
		archive_notes_between(notes, &h->line, h->points.items[0].started,
		                      h->points.items[h->points.count - 1].started, &h->notes);
		status = visit(context, h, error);
	}
	layout_list_clear(archive_history_layout(), &some);
	return status;
}

eh_status archive_each_history(archive *a, const archive_filter *f, double margin, archive_visit *visit,
                               void *context, eh_error *error)
{
	archive_line_list lines = { 0 };
	archive_note_list notes = { 0 };
	archive_stacks *stacks = archive_stacks_new(a);
	eh_status status = archive_lines_find(a, f, &lines, error);

	if (status == EH_OK)
		status = archive_notes(a, &notes, error);
	for (size_t i = 0; i < lines.count && status == EH_OK; i += TOGETHER)
		status = visit_some(a, f, stacks, &notes, margin, lines.items + i,
		                    lines.count - i < TOGETHER ? lines.count - i : TOGETHER, visit, context, error);
	archive_stacks_free(stacks);
	layout_list_clear(archive_note_layout(), &notes);
	layout_list_clear(archive_line_layout(), &lines);
	return status;
}

static eh_status keep_history(void *context, archive_history *h, eh_error *error)
{
	(void)error;
	layout_move(archive_history_layout(), h, layout_append(archive_history_layout(), context));
	return EH_OK;
}

eh_status archive_histories(archive *a, const archive_filter *f, double margin, archive_history_list *out,
                            eh_error *error)
{
	return archive_each_history(a, f, margin, keep_history, out, error);
}
