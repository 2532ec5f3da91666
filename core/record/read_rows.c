/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a result that is read.  Each is read, checked, and freed unless it is kept. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/parallel.h"
#include "base/text.h"
#include "record/reader.h"
#include "record/row_store.h"

/* A batch has few rows and few findings of each, so that a file of which every row is wrong takes
 * little memory, too. */
enum { BATCH_ROWS = 512, ROW_FINDINGS = 500 };

/* Rows that are read side by side. */
typedef struct batch {
	reader *all;
	size_t first, count;
	findings *found;         /* of each row: by reading, and by each watch                   */
	pthread_mutex_t lock;
	size_t failed;           /* the first row of the batch that could not be read; count: none */
	eh_error failure;
} batch;

/* ---- one row --------------------------------------------------------------------------------- */

/* The bytes of a row.  *owned is what to free. */
static eh_status row_text(const source_bytes *from, json_span span, const char **out, char **owned,
                          eh_error *error)
{
	*owned = NULL;
	if (from->bytes != NULL) {
		*out = from->bytes + span.start;
		return EH_OK;
	}
	*owned = memory_grow(NULL, span.end - span.start + 1);
	*out = *owned;
	return source_read(from, span.start, span.end - span.start, *owned, error);
}

static json_scan row_scan(const char *bytes, json_span span, const char *name, eh_error *error)
{
	json_scan scan = json_scan_of(bytes, (json_span){ 0, span.end - span.start }, 2, name, error);

	scan.memory = LIMIT_ROW_MEMORY;
	return scan;
}

/* Values and statistics of a sample take many times its text. */
static eh_status check_samples(const reader *all, size_t i, const record_case *row, eh_error *error)
{
	size_t samples = 0;

	for (size_t k = 0; k < row->executions.count; k++)
		samples += row->executions.items[k].samples_ns.count;
	return samples <= LIMIT_SAMPLES ? EH_OK :
	       error_set(error, EH_E_NO_MEMORY, "%s: cases[%zu] has %zu samples, and %zu is the most that is "
	                 "read of a case", all->from->name, i, samples, LIMIT_SAMPLES);
}

/* EH_E_FORMAT where the row is not sound. */
static eh_status read_row(const reader *all, size_t i, record_case *row, eh_error *error)
{
	json_span span = all->parts.rows[i];
	const char *bytes;
	char *owned;
	eh_status status = row_text(all->from, span, &bytes, &owned, error);

	if (status == EH_OK) {
		status = layout_scan(record_case_layout(), row_scan(bytes, span, all->from->name, NULL), "",
		                     row);
		/* Only a limit needs its message here. */
		if (status == EH_E_NO_MEMORY) {
			char *place = memory_format("cases[%zu]", i);

			(void)layout_scan(record_case_layout(), row_scan(bytes, span, all->from->name, error),
			                  place, row);
			free(place);
		}
	}
	free(owned);
	return status == EH_OK ? check_samples(all, i, row, error) : status;
}

/* Fills what is asked of a kept row beside its record. */
static void fill_row(result *r, size_t i)
{
	const record_planned_case_list *plans = &r->record->protocol.canonical.cases;
	const record_case *record = &r->record->cases.items[i];
	const record_pool *pool = &r->pools[i];
	result_row *row = &r->rows[i];
	bool load = record_is_load(&record->measure);

	row->record = record;
	row->id = record->id != NULL ? record->id : "";
	row->planned = i < plans->count ? &plans->items[i] : NULL;
	row->side = record_pool_side(pool);
	row->medians = record_pool_medians(pool);
	row->rounds = (const uint64_t *const *)pool->rounds;
	row->amount = load ? 1 : record->work.amount;
	row->metric = load ? RECORD_METRIC_SECONDS : record->work.metric;
}

static eh_status judge_row(const batch *b, size_t i, const record_case *row, const record_pool *pool,
                           eh_error *error)
{
	const reader *all = b->all;
	findings *found = &b->found[(i - b->first) * (all->watch_count + 1)];
	row_check check = { all->r->record, row, &all->order, all->stack_changed, i, found };
	char hex[65];

	if (!row_sums_add(&b->all->sums, row, i))
		return error_set(error, EH_E_NO_MEMORY, "%s: more than %zu executions in all cases, the most "
		                 "that are read", all->from->name, LIMIT_EXECUTIONS);
	layout_digest(record_case_layout(), row, hex);
	check_row(&check, pool, hex);
	for (size_t k = 0; k < all->watch_count; k++)
		all->watches[k]->row(all->watches[k], all->r->record, row, i, &found[k + 1]);
	return EH_OK;
}

static eh_status take_kept(const batch *b, size_t i, eh_error *error)
{
	result *r = b->all->r;
	record_case *row = &r->record->cases.items[i];
	eh_status status = read_row(b->all, i, row, error);

	if (status != EH_OK)
		return status;
	record_pool_fill(&r->pools[i], row);
	status = judge_row(b, i, row, &r->pools[i], error);
	if (r->store != NULL)
		row_store_put(r->store, i, row, &r->pools[i]);
	fill_row(r, i);
	return status;
}

static eh_status take_passing(const batch *b, size_t i, eh_error *error)
{
	record_case row;
	record_pool pool;
	eh_status status;

	layout_init(record_case_layout(), &row);
	status = read_row(b->all, i, &row, error);
	if (status == EH_OK) {
		record_pool_fill(&pool, &row);
		status = judge_row(b, i, &row, &pool, error);
		record_pool_free(&pool);
	}
	layout_clear(record_case_layout(), &row);
	return status;
}

/* ---- batches --------------------------------------------------------------------------------- */

/* The error of the first row that could not be read is kept. */
static void keep_failure(batch *b, size_t at, const eh_error *error)
{
	(void)pthread_mutex_lock(&b->lock);
	if (at < b->failed) {
		b->failed = at;
		b->failure = *error;
	}
	(void)pthread_mutex_unlock(&b->lock);
}

static void take_one(void *context, size_t at)
{
	batch *b = context;
	eh_error error = ERROR_INIT;
	size_t i = b->first + at;
	eh_status status = b->all->keep ? take_kept(b, i, &error) : take_passing(b, i, &error);

	if (status != EH_OK && status != EH_E_FORMAT)
		keep_failure(b, at, &error);
}

/* The number of rows from the first on whose texts are together within LIMIT_BATCH; at least one. */
static size_t count_rows(const result_parts *parts, size_t first)
{
	size_t count = 1;

	while (count < BATCH_ROWS && first + count < parts->row_count &&
	       parts->rows[first + count].end - parts->rows[first].start <= LIMIT_BATCH)
		count++;
	return count;
}

/* Moves the findings in the order of the rows, or only those of the first row that has any if that is
 * enough. */
static void take_findings(batch *b)
{
	reader *all = b->all;
	size_t each = all->watch_count + 1;

	for (size_t i = 0; i < b->count * each; i++) {
		findings *to = i % each == 0 ? &all->found : &all->watches[i % each - 1]->found;

		if (findings_enough(to))
			findings_free(&b->found[i]);
		else
			findings_move(to, &b->found[i]);
	}
}

static eh_status take_batch(batch *b, eh_error *error)
{
	size_t each = b->all->watch_count + 1;

	b->found = memory_get(b->count * each * sizeof(*b->found));
	for (size_t i = 0; i < b->count * each; i++) {
		b->found[i].most = ROW_FINDINGS;
		b->found[i].only_first = b->all->only_first && i % each == 0;
	}
	b->failed = b->count;
	parallel_each(b->count, take_one, b);
	take_findings(b);
	free(b->found);
	if (b->failed == b->count)
		return EH_OK;
	if (error != NULL)
		*error = b->failure;
	return b->failure.code;
}

eh_status reader_take_rows(reader *all, eh_error *error)
{
	batch b = { .all = all };
	eh_status status = EH_OK;

	(void)pthread_mutex_init(&b.lock, NULL);
	for (; b.first < all->parts.row_count && status == EH_OK; b.first += b.count) {
		b.count = count_rows(&all->parts, b.first);
		status = take_batch(&b, error);
	}
	(void)pthread_mutex_destroy(&b.lock);
	return status;
}

/* ---- rows that are not sound ----------------------------------------------------------------- */

static eh_status explain_row(const reader *all, size_t i, source_place *at, findings *f,
                             eh_error *error)
{
	json_span span = all->parts.rows[i];
	char *place = memory_format("cases[%zu]", i), *owned;
	eh_error why = ERROR_INIT;
	const char *bytes;
	record_case row;
	eh_status status = row_text(all->from, span, &bytes, &owned, error);

	layout_init(record_case_layout(), &row);
	if (status == EH_OK) {
		json_scan scan = row_scan(bytes, span, all->from->name, &why);

		source_place_move(at, span.start);
		scan.from = (json_place){ bytes, at->line, at->column };
		if (layout_scan(record_case_layout(), scan, place, &row) != EH_OK)
			(void)findings_add_error(f, CHECK_STRUCTURE, place, all->from->name, &why);
		else
			status = source_changed(all->from, error);
	}
	layout_clear(record_case_layout(), &row);
	free(owned);
	free(place);
	return status;
}

eh_status reader_explain_rows(const reader *all, findings *f, eh_error *error)
{
	/* One row after the other, so that lines are counted once however many are not sound. */
	source_place at = source_place_of(all->from);
	eh_status status = EH_OK;

	for (size_t i = 0; i < all->parts.row_count && status == EH_OK && !findings_enough(f); i++)
		if (!all->sums.rows[i].sound)
			status = explain_row(all, i, &at, f, error);
	source_window_free(&at.window);
	return status;
}
