/* SPDX-License-Identifier: Apache-2.0 */
/* Adding results, each once by its digest. */
#include <stdlib.h>
#include <string.h>

#include "archive/archive_ids.h"
#include "archive/archive_item.h"
#include "base/clock.h"
#include "base/text.h"

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct place { int64_t result, series, stack; } place;

/* What all rows of a result have, and what each has. */
enum { SHARED_VALUES = 3, ROW_VALUES = 9 };

/* The statement for so many rows.  The archive keeps it: a database knows statements by their address. */
static const char *insert_of(archive *a, size_t rows)
{
	text t = { 0 };

	if (a->inserts[rows] != NULL)
		return a->inserts[rows];
	text_add(&t, "INSERT INTO measurement (started, result_id, stack_id, history_id, status, evidence, value, low, "
	         "high, time_ns, executions, samples) VALUES ");
	for (size_t i = 0; i < rows; i++) {
		text_add(&t, "%s($1, $2, $3", i > 0 ? ", " : "");
		for (size_t k = 1; k <= ROW_VALUES; k++)
			text_add(&t, ", $%zu", SHARED_VALUES + i * ROW_VALUES + k);
		text_add(&t, ")");
	}
	a->inserts[rows] = t.data;
	return t.data;
}

static db_value low_of(const interval *i) { return db_of_real(i != NULL ? i->low : NAN); }
static db_value high_of(const interval *i) { return db_of_real(i != NULL ? i->high : NAN); }

/* Values are left out where the row does not count. */
static void row_fill(const result_row *row, const comparison_side *s, int64_t history, db_value *out)
{
	bool counts = record_counts(s->status) && s->evidence.level != EVIDENCE_BAD;
	const db_value values[ROW_VALUES] = {
		db_of_integer(history), db_of_text(record_status_word(s->status)),
		db_of_text(evidence_level_word(s->evidence.level)), db_of_real(counts ? s->value : NAN),
		low_of(counts ? s->value_interval : NULL), high_of(counts ? s->value_interval : NULL),
		db_of_real(counts ? s->median_ns : NAN), db_of_integer((int64_t)s->executions),
		db_of_integer((int64_t)statistics_samples(&row->medians)) };

	memcpy(out, values, sizeof(values));
}

/* `count` rows from the first on. */
static eh_status add_some(archive_ids *ids, const archive_item *i, size_t first, size_t count, const place *at,
                          eh_error *error)
{
	db_value values[SHARED_VALUES + ARCHIVE_ROWS * ROW_VALUES] = {
		db_of_text(i->of->record->run.started), db_of_integer(at->result), db_of_integer(at->stack) };
	eh_status status = EH_OK;

	for (size_t k = 0; k < count && status == EH_OK; k++) {
		const result_row *row = &i->of->rows[first + k];
		int64_t history = 0;

		status = archive_ids_history(ids, row, at->series, &history, error);
		row_fill(row, i->sides[first + k], history, values + SHARED_VALUES + k * ROW_VALUES);
	}
	if (status != EH_OK)
		return status;
	return db_run(ids->a->db, insert_of(ids->a, count), values, SHARED_VALUES + count * ROW_VALUES, NULL, error);
}

static eh_status add_rows(archive_ids *ids, const archive_item *i, const place *at, eh_error *error)
{
	size_t all = i->of->row_count;
	eh_status status = EH_OK;

	for (size_t k = 0; k < all && status == EH_OK; k += ARCHIVE_ROWS)
		status = add_some(ids, i, k, all - k < ARCHIVE_ROWS ? all - k : ARCHIVE_ROWS, at, error);
	return status;
}

/* ---- a result -------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static db_value beside(const char *body)
{
	return body != NULL ? db_of_bytes(body, strlen(body)) : (db_value){ .kind = DB_NULL };
}

/* malloc'd: a line for each redacted member. */
static char *redactions_of(const result *of)
{
	text t = { 0 };

	for (size_t i = 0; i < of->redacted.count; i++)
		text_add(&t, "%s\n", of->redacted.items[i]);
	return t.data != NULL ? t.data : memory_text("");
}

/* A statement with the row's values; the first is the digest, the last when it was added.  RETURNING id. */
static eh_status write_result(archive_ids *ids, const archive_item *i, const char *sql, bool with_last, place *at,
                              eh_error *error)
{
	const record_result *r = i->of->record;
	char now[24], *redactions = redactions_of(i->of);
	db_rows *rows;
	eh_status status = archive_ids_series(ids, r, &at->series, error);

	if (status == EH_OK)
		status = archive_ids_stack(ids, r, &at->stack, error);
	clock_wall_text(now);
	if (status == EH_OK) {
		const db_value values[] = {
			db_of_text(r->digest), db_of_text(i->of->file_sha256), db_of_text(base_name(i->of->path)),
			db_of_integer((int64_t)i->size), db_of_bytes(i->packed, i->packed_size), beside(i->signatures),
			beside(i->amendments), db_of_text(r->run.id), db_of_text(r->run.started),
			db_of_integer(at->series), db_of_integer(at->stack), db_of_text(text_or_empty(r->who.tester)),
			db_of_text(record_completeness_word(r->status)), db_of_text(evidence_level_word(i->whole.level)),
			db_of_integer((int64_t)i->of->row_count), db_of_text(redactions), db_of_text(now) };

		status = db_query(ids->a->db, sql, values, sizeof(values) / sizeof(*values) - !with_last, &rows, error);
	}
	free(redactions);
	if (status != EH_OK)
		return status;
	if (db_next(rows))
		at->result = db_integer(rows, 0);
	return db_end(rows, error);
}

static eh_status add_new(archive_ids *ids, const archive_item *i, eh_error *error)
{
	place at = { 0 };
	eh_status status = write_result(ids, i, "INSERT INTO result (digest, file_sha256, name, size, packed, signatures, "
	                                "amendments, run, started, series_id, stack_id, tester, status, evidence, cases, "
	                                "redacted, added) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, "
	                                "$14, $15, $16, $17) RETURNING id", true, &at, error);

	return status == EH_OK ? add_rows(ids, i, &at, error) : status;
}

/* ---- a result that is there ------------------------------------------------------------------ */

typedef struct there { int64_t id, series; char *file_sha256, *redacted; } there; /* NULL: it is not */

static eh_status there_find(archive *a, const archive_item *i, there *out, eh_error *error)
{
	const db_value digest = db_of_text(i->of->record->digest);
	db_rows *rows;
	eh_status status = db_query(a->db, "SELECT id, series_id, file_sha256, redacted FROM result WHERE digest = $1",
	                            &digest, 1, &rows, error);

	if (status != EH_OK)
		return status;
	if (db_next(rows))
		*out = (there){ db_integer(rows, 0), db_integer(rows, 1), memory_text(db_text(rows, 2)),
			        memory_text(db_text(rows, 3)) };
	return db_end(rows, error);
}

/* Who vouched for it meanwhile. */
static eh_status renew_beside(archive *a, const archive_item *i, int64_t id, eh_error *error)
{
	eh_status status = EH_OK;

	if (i->signatures != NULL) {
		const db_value values[] = { db_of_integer(id), beside(i->signatures),
			                    db_of_integer((int64_t)strlen(i->signatures)) };

		status = db_run(a->db, "UPDATE result SET signatures = $2 WHERE id = $1 AND "
		                "coalesce(length(signatures), 0) < $3", values, 3, NULL, error);
	}
	if (status == EH_OK && i->amendments != NULL) {
		const db_value values[] = { db_of_integer(id), beside(i->amendments),
			                    db_of_integer((int64_t)strlen(i->amendments)) };

		status = db_run(a->db, "UPDATE result SET amendments = $2 WHERE id = $1 AND "
		                "coalesce(length(amendments), 0) < $3", values, 3, NULL, error);
	}
	return status;
}

/* Of the stack and of a series that no result has any more: they have the texts that were taken out. */
static eh_status remove_texts(archive *a, const archive_item *i, const there *was, const place *at, eh_error *error)
{
	char *record = layout_text(record_executor_layout(), &i->of->record->executor, false);
	const db_value stack[] = { db_of_integer(at->stack), db_of_text(record) }, series = db_of_integer(was->series);
	eh_status status = db_run(a->db, "UPDATE stack SET record = $2 WHERE id = $1", stack, 2, NULL, error);

	free(record);
	if (status == EH_OK)
		status = db_run(a->db, "DELETE FROM history WHERE series_id = $1 AND "
		                "NOT EXISTS (SELECT 1 FROM result WHERE series_id = $1)", &series, 1, NULL, error);
	if (status == EH_OK)
		status = db_run(a->db, "DELETE FROM series WHERE id = $1 AND "
		                "NOT EXISTS (SELECT 1 FROM result WHERE series_id = $1)", &series, 1, NULL, error);
	return status;
}

/* The copy with more redactions takes the place of the one that is there. */
static eh_status redact(archive_ids *ids, const archive_item *i, const there *was, eh_error *error)
{
	const db_value id = db_of_integer(was->id);
	place at = { 0 };
	eh_status status = db_run(ids->a->db, "DELETE FROM measurement WHERE result_id = $1 AND "
	                          "started = (SELECT started FROM result WHERE id = $1) AND history_id IN "
	                          "(SELECT h.id FROM history h JOIN result r ON r.series_id = h.series_id WHERE r.id = $1)",
	                          &id, 1, NULL, error);

	if (status == EH_OK)
		status = write_result(ids, i, "UPDATE result SET file_sha256 = $2, name = $3, size = $4, packed = $5, "
		                      "signatures = $6, amendments = $7, run = $8, started = $9, series_id = $10, "
		                      "stack_id = $11, tester = $12, status = $13, evidence = $14, cases = $15, "
		                      "redacted = $16 WHERE digest = $1 RETURNING id", false, &at, error);
	if (status == EH_OK)
		status = add_rows(ids, i, &at, error);
	if (status == EH_OK)
		status = remove_texts(ids->a, i, was, &at, error);
	archive_ids_clear(ids);
	return status;
}

/* How many lines `redacted` has, and how many of them are among the members. */
static void count_shared(const char *redacted, const text_list *members, size_t *lines, size_t *shared)
{
	*lines = *shared = 0;
	while (*redacted != '\0') {
		size_t size = strcspn(redacted, "\n");
		char *member = memory_format("%.*s", (int)size, redacted);

		*shared += text_list_has(members, member);
		++*lines;
		free(member);
		redacted += size + (redacted[size] == '\n');
	}
}

static eh_status meet(archive_ids *ids, const archive_item *i, const there *was, enum archive_outcome *outcome,
                      eh_error *error)
{
	size_t before, shared, now = i->of->redacted.count;

	*outcome = ARCHIVE_WAS_THERE;
	if (strcmp(was->file_sha256, i->of->file_sha256) == 0)
		return renew_beside(ids->a, i, was->id, error);
	count_shared(was->redacted, &i->of->redacted, &before, &shared);
	if (shared == now)
		return EH_OK;
	if (shared == before) {
		*outcome = ARCHIVE_REDACTED;
		return redact(ids, i, was, error);
	}
	return error_set(error, EH_E_USAGE, "%s: archive %s has this result with other redactions: write that one with "
	                 "`evenhand archive export %.12s -o DIR`, redact it further, and add it", i->of->path,
	                 ids->a->where, i->of->record->digest);
}

static eh_status add_one(archive_ids *ids, const archive_item *i, enum archive_outcome *outcome, eh_error *error)
{
	there was = { 0 };
	eh_status status = there_find(ids->a, i, &was, error);

	*outcome = ARCHIVE_ADDED;
	if (status == EH_OK)
		status = was.file_sha256 == NULL ? add_new(ids, i, error) : meet(ids, i, &was, outcome, error);
	free(was.file_sha256);
	free(was.redacted);
	return status;
}

eh_status archive_add(archive *a, archive_item *const *items, size_t count, enum archive_outcome *outcomes,
                      eh_error *error)
{
	archive_ids ids = { .a = a };
	eh_status status = db_begin(a->db, error);

	if (status != EH_OK)
		return status;
	for (size_t i = 0; i < count && status == EH_OK; i++)
		status = add_one(&ids, items[i], &outcomes[i], error);
	archive_ids_clear(&ids);
	if (status == EH_OK)
		return db_commit(a->db, error);
	db_undo(a->db);
	return status;
}
