/* SPDX-License-Identifier: Apache-2.0 */
#include "page/publish.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "page/publish_parts.h"
#include "stat/changepoints.h"

/* ---- what is kept of a line ------------------------------------------------------------------ */

/* The points of a line that count. */
typedef struct counted { double *values, *times; size_t count; } counted;

static counted counted_of(const archive_history *h)
{
	counted c = { memory_get((h->points.count + 1) * sizeof(double)),
		      memory_get((h->points.count + 1) * sizeof(double)), 0 };

	for (size_t i = 0; i < h->points.count; i++)
		if (h->points.items[i].time_ns > 0) {
			c.values[c.count] = h->points.items[i].value;
			c.times[c.count++] = h->points.items[i].time_ns;
		}
	return c;
}

static interval speedup_of(const double *before, size_t n, const double *after, size_t m)
{
	size_t most = n > m ? n : m;
	const double **sides = memory_get(2 * most * sizeof(*sides));
	size_t *ones = memory_get(most * sizeof(*ones));
	interval around;

	for (size_t i = 0; i < most; i++) {
		ones[i] = 1;
		sides[i] = before + (i < n ? i : 0);
		sides[most + i] = after + (i < m ? i : 0);
	}
	{
		const statistics_side x = { .samples = sides + most, .counts = ones, .executions = m };
		const statistics_side y = { .samples = sides, .counts = ones, .executions = n };

		(void)statistics_ratio(&x, &y, 0.95, &around);
	}
	free(ones);
	free(sides);
	return around;
}

static void keep_change(publishing *p, const counted *c, archive_change *of)
{
	size_t first = (size_t)of->first, before = (size_t)of->results_before, after = (size_t)of->results_after;
	publish_change *to;

	p->changes = memory_grow(p->changes, (p->change_count + 1) * sizeof(*p->changes));
	to = &p->changes[p->change_count++];
	to->before = publish_level_of(c->values + first - before, before);
	to->after = publish_level_of(c->values + first, after);
	to->speedup = speedup_of(c->times + first - before, before, c->times + first, after);
	layout_init(archive_change_layout(), &to->of);
	layout_copy(archive_change_layout(), of, &to->of);
}

/* malloc'd; what belongs to the line and nothing else is in its digest. */
static char *anchor_of(const archive_line *l, size_t number)
{
	char digest[65], *page = publish_case_page(l->id, number), *anchor;

	layout_digest(archive_line_layout(), l, digest);
	anchor = memory_format("%s#line-%.12s", page, digest);
	free(page);
	return anchor;
}

static eh_status keep_line(publishing *p, const archive_history *h, eh_error *error)
{
	counted c = counted_of(h);
	publish_line *l;
	eh_status status;

	p->lines = memory_grow(p->lines, (p->line_count + 1) * sizeof(*p->lines));
	l = &p->lines[p->line_count++];
	*l = (publish_line){ .anchor = anchor_of(&h->line, p->number), .number = p->number, .first_change = p->change_count,
		             .changes = h->changes.count };
	layout_init(archive_line_layout(), &l->line);
	layout_copy(archive_line_layout(), &h->line, &l->line);
	status = archive_count(p->a, &p->o->filter, &h->line, &l->all, error);
	layout_init(archive_point_layout(), &l->last);
	for (size_t i = h->points.count; i > 0 && l->last.digest == NULL; i--)
		if (h->points.items[i - 1].value > 0)
			layout_copy(archive_point_layout(), &h->points.items[i - 1], &l->last);
	for (size_t i = 0; i < h->changes.count; i++)
		keep_change(p, &c, &h->changes.items[i]);
	p->looked.lines += c.count > 0;
	p->looked.few += c.count > 0 && c.count < 2 * CHANGEPOINTS_SEGMENT;
	free(c.times);
	free(c.values);
	return status;
}

/* ---- the pages of cases ---------------------------------------------------------------------- */

static eh_status write_case(publishing *p, eh_error *error)
{
	const publish_pick pick = { .id = p->now.count > 0 ? p->now.items[0].line.id : NULL, .number = p->number };
	char *name, *title;
	eh_status status;

	if (p->now.count == 0)
		return EH_OK;
	name = publish_case_page(pick.id, pick.number);
	title = memory_format("%s over time", pick.id);
	status = publish_page(p, name, title, publish_case, &pick, error);
	free(title);
	free(name);
	layout_list_clear(archive_history_layout(), &p->now);
	return status;
}

/* Lines come by case; a case with many has several pages. */
static eh_status take_history(void *context, archive_history *h, eh_error *error)
{
	publishing *p = context;
	bool other = p->now.count == 0 || strcmp(p->now.items[0].line.id, h->line.id) != 0;
	bool full = p->now.count == PUBLISH_CASE_LINES;
	eh_status status = other || full ? write_case(p, error) : EH_OK;

	p->number = other ? 1 : p->number + full;
	if (status == EH_OK)
		status = keep_line(p, h, error);
	layout_move(archive_history_layout(), h, layout_append(archive_history_layout(), &p->now));
	return status;
}

/* ---- the others ------------------------------------------------------------------------------ */

static eh_status write_group(publishing *p, const char *name, const publish_pick *pick, const char *of,
                             text_list *done, eh_error *error)
{
	char *title;
	eh_status status;

	if (text_list_has(done, name))
		return EH_OK;
	text_list_add(done, name);
	title = memory_format("%s over time", of);
	status = publish_page(p, name, title, publish_group, pick, error);
	free(title);
	return status;
}

static eh_status write_groups(publishing *p, eh_error *error)
{
	text_list done = { 0 };
	eh_status status = EH_OK;

	for (size_t i = 0; i < p->line_count && status == EH_OK; i++) {
		const archive_line *l = &p->lines[i].line;
		const publish_pick executor = { .executor = l->executor };
		const publish_pick protocol = { .protocol = l->protocol, .protocol_digest = l->protocol_digest };
		char *page = publish_executor_page(l), *other = publish_protocol_page(l);

		status = write_group(p, page, &executor, l->executor, &done, error);
		if (status == EH_OK)
			status = write_group(p, other, &protocol, l->protocol, &done, error);
		free(other);
		free(page);
	}
	text_list_clear(&done);
	return status;
}

/* The index last, when everything that it names is there. */
static eh_status write_all(publishing *p, eh_error *error)
{
	const publish_pick all = { 0 };
	eh_status status = publish_assets(p, error);

	if (status == EH_OK)
		status = archive_each_history(p->a, &p->o->filter, p->o->margin, take_history, p, error);
	if (status == EH_OK)
		status = write_case(p, error);
	if (status == EH_OK)
		status = write_groups(p, error);
	if (status == EH_OK)
		status = publish_page(p, "changes.html", "What changed", publish_changes, &all, error);
	if (status == EH_OK)
		status = publish_page(p, "index.html", "Results over time", publish_index, &all, error);
	return status == EH_OK ? publish_folder_sweep(&p->folder, error) : status;
}

static eh_status check_wanted(archive *a, const archive_filter *filter, eh_error *error)
{
	archive_filter f = *filter;
	archive_entry_list entries = { 0 };
	eh_status status;

	f.last = 1;
	status = archive_list(a, &f, &entries, error);
	if (status == EH_OK && entries.count == 0)
		status = error_set(error, EH_E_USAGE, "archive %s has no result to publish; add results, or select others", a->where);
	layout_list_clear(archive_entry_layout(), &entries);
	return status;
}

static void publishing_free(publishing *p)
{
	for (size_t i = 0; i < p->line_count; i++) {
		layout_clear(archive_line_layout(), &p->lines[i].line);
		layout_clear(archive_point_layout(), &p->lines[i].last);
		free(p->lines[i].anchor);
	}
	for (size_t i = 0; i < p->change_count; i++)
		layout_clear(archive_change_layout(), &p->changes[i].of);
	free(p->lines);
	free(p->changes);
	layout_list_clear(archive_history_layout(), &p->now);
	publish_folder_close(&p->folder);
}

eh_status publish_archive(archive *a, const publish_options *o, const char *folder, publish_counts *counts,
                          eh_error *error)
{
	publishing p = { .a = a, .o = o };
	eh_status status = check_wanted(a, &o->filter, error);

	if (status == EH_OK)
		status = publish_folder_open(folder, &p.folder, error);
	if (status != EH_OK)
		return status;
	status = write_all(&p, error);
	*counts = p.folder.counts;
	publishing_free(&p);
	return status;
}
