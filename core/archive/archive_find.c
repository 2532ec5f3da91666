/* SPDX-License-Identifier: Apache-2.0 */
/* Which results and lines a filter wants. */
#include <stdlib.h>
#include <string.h>

#include "archive/archive_inside.h"
#include "base/text.h"

static bool part_of(const char *part, const char *name)
{
	return part == NULL || strstr(name, part) != NULL;
}

static const char *since_of(const archive_filter *f)
{
	return f->since != NULL ? f->since : "";
}

static char *until_of(const archive_filter *f)
{
	/* Behind every time that begins so. */
	return memory_format("%s~", f->until != NULL ? f->until : "");
}

/* A LIMIT; 0: none. */
static db_value most(uint64_t last)
{
	return db_of_integer(last > 0 && last < INT64_MAX ? (int64_t)last : INT64_MAX);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void line_fill(db_rows *rows, archive_line *l)
{
	const char *tier = db_text(rows, 4), *metric = db_text(rows, 6);

	l->key = db_integer(rows, 0);
	text_set(&l->id, db_text(rows, 1));
	text_set(&l->workload, db_text(rows, 2));
	text_set(&l->precision, db_text(rows, 3));
	l->tier = (enum record_tier)layout_word_value(record_tier_words(), tier, strlen(tier));
	text_set(&l->parameters, db_text(rows, 5));
	l->metric = (enum record_metric)layout_word_value(record_metric_words(), metric, strlen(metric));
	text_set(&l->executor, db_text(rows, 7));
	text_set(&l->device, db_text(rows, 8));
	text_set(&l->uuid, db_text(rows, 9));
	text_set(&l->protocol, db_text(rows, 10));
	text_set(&l->protocol_digest, db_text(rows, 11));
}

static bool line_wanted(const archive_filter *f, const archive_line *l)
{
	return part_of(f->executor, l->executor) && part_of(f->device, l->device) &&
	       part_of(f->protocol, l->protocol) &&
	       (f->cases == NULL || f->cases->count == 0 || text_list_has(f->cases, l->id));
}

eh_status archive_lines_find(archive *a, const archive_filter *f, archive_line_list *out, eh_error *error)
{
	db_rows *rows;
	eh_status status = db_query(a->db, "SELECT h.id, k.name, k.workload, k.precision, k.tier, k.parameters, k.metric, "
	                            "s.executor, s.device, s.uuid, s.protocol, s.protocol_digest FROM history h "
	                            "JOIN kind k ON k.id = h.kind_id JOIN series s ON s.id = h.series_id "
	                            "ORDER BY k.name, s.executor, s.device, s.protocol, h.id", NULL, 0, &rows, error);

	if (status != EH_OK)
		return status;
	while (db_next(rows)) {
		archive_line *l = layout_append(archive_line_layout(), out);

		line_fill(rows, l);
		if (!line_wanted(f, l)) {
			layout_clear(archive_line_layout(), l);
			out->count--;
		}
	}
	return db_end(rows, error);
}

eh_status archive_cases(archive *a, text_list *out, eh_error *error)
{
	db_rows *rows;
	eh_status status = db_query(a->db, "SELECT DISTINCT name FROM kind ORDER BY name", NULL, 0, &rows, error);

	if (status != EH_OK)
		return status;
	while (db_next(rows))
		text_list_add(out, db_text(rows, 0));
	return db_end(rows, error);
}

/* ---- results --------------------------------------------------------------------------------- */

static void entry_fill(db_rows *rows, archive_entry *e)
{
	char *const *const texts[] = { &e->digest, &e->started, &e->run, &e->name, &e->executor, &e->device, &e->stack,
		                       &e->protocol, &e->protocol_digest, &e->tester, &e->added };
	const char *status = db_text(rows, 11), *level = db_text(rows, 12);

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		text_set((char **)texts[i], db_text(rows, i));
	e->status = (enum record_completeness)layout_word_value(record_completeness_words(), status, strlen(status));
	e->evidence = (enum evidence_level)layout_word_value(evidence_level_words(), level, strlen(level));
	e->cases = (uint64_t)db_integer(rows, 13);
	e->size = (uint64_t)db_integer(rows, 14);
}

static eh_status marks_fill(archive *a, archive_entry *e, eh_error *error)
{
	const db_value digest = db_of_text(e->digest);
	db_rows *rows;
	eh_status status = db_query(a->db, "SELECT m.name FROM mark m JOIN result r ON r.id = m.result_id "
	                            "WHERE r.digest = $1 ORDER BY m.name", &digest, 1, &rows, error);

	if (status != EH_OK)
		return status;
	while (db_next(rows))
		text_list_add(&e->marks, db_text(rows, 0));
	return db_end(rows, error);
}

static eh_status list_series(archive *a, const archive_filter *f, int64_t series, const char *until,
                             archive_entry_list *out, eh_error *error)
{
	/* Testers are looked at here, so the first may be somebody else's. */
	const db_value values[] = { db_of_integer(series), db_of_text(since_of(f)), db_of_text(until),
		                    most(f->tester != NULL ? 0 : f->last) };
	db_rows *rows;
	uint64_t taken = 0;
	eh_status status = db_query(a->db, "SELECT r.digest, r.started, r.run, r.name, s.executor, s.device, k.digest, "
	                            "s.protocol, s.protocol_digest, r.tester, r.added, r.status, r.evidence, r.cases, "
	                            "r.size FROM result r JOIN series s ON s.id = r.series_id "
	                            "JOIN stack k ON k.id = r.stack_id WHERE r.series_id = $1 AND r.started >= $2 AND "
	                            "r.started <= $3 ORDER BY r.started DESC, r.id DESC LIMIT $4", values, 4, &rows,
	                            error);

	if (status != EH_OK)
		return status;
	while ((f->last == 0 || taken < f->last) && db_next(rows)) {
		archive_entry *e;

		if (!part_of(f->tester, db_text(rows, 9)))
			continue;
		e = layout_append(archive_entry_layout(), out);
		entry_fill(rows, e);
		taken++;
	}
	return db_end(rows, error);
}

typedef struct series_ids { int64_t *items; size_t count; } series_ids;

static eh_status series_find(archive *a, const archive_filter *f, series_ids *out, eh_error *error)
{
	db_rows *rows;
	eh_status status = db_query(a->db, "SELECT id, executor, device, protocol FROM series ORDER BY id", NULL, 0, &rows,
	                            error);

	if (status != EH_OK)
		return status;
	while (db_next(rows)) {
		if (!part_of(f->executor, db_text(rows, 1)) || !part_of(f->device, db_text(rows, 2)) ||
		    !part_of(f->protocol, db_text(rows, 3)))
			continue;
		out->items = memory_grow(out->items, (out->count + 1) * sizeof(*out->items));
		out->items[out->count++] = db_integer(rows, 0);
	}
	return db_end(rows, error);
}

static int newest_entry(const void *a, const void *b)
{
	const archive_entry *x = a, *y = b;
	int order = strcmp(y->started, x->started);

	return order != 0 ? order : strcmp(x->executor, y->executor);
}

eh_status archive_list(archive *a, const archive_filter *f, archive_entry_list *out, eh_error *error)
{
	series_ids ids = { 0 };
	char *until = until_of(f);
	eh_status status = series_find(a, f, &ids, error);

	for (size_t i = 0; i < ids.count && status == EH_OK; i++)
		status = list_series(a, f, ids.items[i], until, out, error);
	if (out->count > 0)
		qsort(out->items, out->count, sizeof(*out->items), newest_entry);
	while (f->last > 0 && out->count > f->last)
		layout_clear(archive_entry_layout(), &out->items[--out->count]);
	for (size_t i = 0; i < out->count && status == EH_OK; i++)
		status = marks_fill(a, &out->items[i], error);
	free(ids.items);
	free(until);
	return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void point_fill(db_rows *rows, archive_point *p)
{
	const char *status = db_text(rows, 3), *level = db_text(rows, 4);

	text_set(&p->digest, db_text(rows, 0));
	text_set(&p->started, db_text(rows, 1));
	text_set(&p->stack, db_text(rows, 2));
	p->status = (enum record_status)layout_word_value(record_status_words(), status, strlen(status));
	p->evidence = (enum evidence_level)layout_word_value(evidence_level_words(), level, strlen(level));
	p->value = db_real(rows, 5);
	p->low = db_real(rows, 6);
	p->high = db_real(rows, 7);
	p->time_ns = db_real(rows, 8);
	p->executions = (uint64_t)db_integer(rows, 9);
	p->samples = (uint64_t)db_integer(rows, 10);
	p->result = db_integer(rows, 11);
	p->stack_key = db_integer(rows, 12);
}

eh_status archive_points(archive *a, const archive_filter *f, int64_t line, archive_point_list *out,
                         bool *older, eh_error *error)
{
	char *until = until_of(f);
	const db_value values[] = { db_of_integer(line), db_of_text(since_of(f)), db_of_text(until),
		                    most(f->last > 0 ? f->last + 1 : 0) };
	db_rows *rows;
	eh_status status = db_query(a->db, "SELECT r.digest, m.started, k.digest, m.status, m.evidence, m.value, m.low, "
	                            "m.high, m.time_ns, m.executions, m.samples, m.result_id, m.stack_id "
	                            "FROM measurement m JOIN result r ON r.id = m.result_id "
	                            "JOIN stack k ON k.id = m.stack_id WHERE m.history_id = $1 AND m.started >= $2 AND "
	                            "m.started <= $3 ORDER BY m.started DESC, m.result_id DESC LIMIT $4", values, 4, &rows,
	                            error);

	while (status == EH_OK && (f->last == 0 || out->count < f->last) && db_next(rows))
		point_fill(rows, layout_append(archive_point_layout(), out));
	if (older != NULL)
		*older = status == EH_OK && db_next(rows);
	free(until);
	return status == EH_OK ? db_end(rows, error) : status;
}

static int newest_row(const void *a, const void *b)
{
	const archive_row *x = a, *y = b;
	int order = strcmp(y->point.started, x->point.started);

	if (order == 0)
		order = strcmp(x->line.id, y->line.id);
	return order != 0 ? order : strcmp(x->line.executor, y->line.executor);
}

/* The texts of the line are those of its rows. */
static void rows_of_line(const archive_line *line, archive_point_list *points, archive_row_list *out)
{
	for (size_t i = 0; i < points->count; i++) {
		archive_row *r = layout_append(archive_row_layout(), out);

		layout_copy(archive_line_layout(), line, &r->line);
		layout_move(archive_point_layout(), &points->items[i], &r->point);
	}
}

eh_status archive_query(archive *a, const archive_filter *f, archive_row_list *out, eh_error *error)
{
	archive_line_list lines = { 0 };
	eh_status status = archive_lines_find(a, f, &lines, error);

	for (size_t i = 0; i < lines.count && status == EH_OK; i++) {
		archive_point_list points = { 0 };

		status = archive_points(a, f, lines.items[i].key, &points, NULL, error);
		rows_of_line(&lines.items[i], &points, out);
		layout_list_clear(archive_point_layout(), &points);
	}
	layout_list_clear(archive_line_layout(), &lines);
	if (out->count > 0)
		qsort(out->items, out->count, sizeof(*out->items), newest_row);
	while (f->last > 0 && out->count > f->last)
		layout_clear(archive_row_layout(), &out->items[--out->count]);
	return status;
}

/* ---- points ---------------------------------------------------------------------------------- */

eh_status archive_point_of(archive *a, int64_t line, int64_t of, archive_point *out, eh_error *error)
{
	const db_value values[] = { db_of_integer(line), db_of_integer(of) };
	db_rows *rows;
	eh_status status = db_query(a->db, "SELECT r.digest, m.started, k.digest, m.status, m.evidence, m.value, m.low, "
	                            "m.high, m.time_ns, m.executions, m.samples, m.result_id, m.stack_id FROM result r "
	                            "JOIN measurement m ON m.history_id = $1 AND m.started = r.started AND "
	                            "m.result_id = r.id JOIN stack k ON k.id = m.stack_id WHERE r.id = $2", values, 2,
	                            &rows, error);

	if (status != EH_OK)
		return status;
	if (db_next(rows))
		point_fill(rows, out);
	return db_end(rows, error);
}

eh_status archive_count(archive *a, const archive_filter *f, const archive_line *line, uint64_t *out, eh_error *error)
{
	char *until = until_of(f);
	const db_value values[] = { db_of_integer(line->key), db_of_text(since_of(f)), db_of_text(until) };
	db_rows *rows;
	eh_status status = db_query(a->db, "SELECT count(*) FROM measurement WHERE history_id = $1 AND started >= $2 AND "
	                            "started <= $3", values, 3, &rows, error);

	free(until);
	if (status != EH_OK)
		return status;
	if (db_next(rows))
		*out = (uint64_t)db_integer(rows, 0);
	return db_end(rows, error);
}

eh_status archive_times(archive *a, const archive_filter *f, int64_t line, db_rows **rows, eh_error *error)
{
	char *until = until_of(f);
	const db_value values[] = { db_of_integer(line), db_of_text(since_of(f)), db_of_text(until) };
	eh_status status = db_query(a->db, "SELECT time_ns, value, result_id, stack_id FROM measurement "
	                            "WHERE history_id = $1 AND started >= $2 AND started <= $3 AND time_ns IS NOT NULL "
	                            "ORDER BY started, result_id", values, 3, rows, error);

	free(until);
	return status;
}
