/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading results, which are not trusted.  The places of the rows are found first, then the record
 * without its rows is read, then the rows, on all processors (read_rows.c).  The structure is checked
 * first, so that later checks can rely on types; then derived members; then digests.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json_scan.h"
#include "base/limits.h"
#include "base/parallel.h"
#include "base/text.h"
#include "record/reader.h"
#include "record/redact.h"
#include "record/row_store.h"
#include "record/seal.h"

/* ---- the head -------------------------------------------------------------------------------- */

/* Whether the record has the member; scan then stands before its value.  Adds a finding if the text
 * is malformed before it. */
static bool find_member(json_scan *scan, const char *key, findings *f)
{
	eh_error error = ERROR_INIT;
	bool found;

	scan->error = &error;
	if (json_scan_find(scan, key, &found) != EH_OK)
		(void)findings_add_error(f, CHECK_STRUCTURE, "", scan->name, &error);
	scan->error = NULL;
	return found;
}

/* Whether the text is a record of the format that is read. */
static bool check_format(json_scan whole, findings *f)
{
	json_scan value = whole;
	size_t before = f->count;
	json_quoted format;
	double version;

	if (!find_member(&value, "format", f) || json_scan_peek(&value) != '"' ||
	    json_scan_string(&value, &format) != EH_OK ||
	    !json_quoted_is(format, record_format_word(RECORD_FORMAT_RESULT))) {
		if (f->count == before)
			(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "format", NULL, NULL,
			                   "is not a result: it has no member \"format\": \"%s\"",
			                   record_format_word(RECORD_FORMAT_RESULT));
		return false;
	}
	value = whole;
	if (!find_member(&value, "format_version", f) ||
	    !json_starts_number(json_scan_peek(&value)) || json_scan_number(&value, &version) != EH_OK ||
	    version < RESULT_FORMAT_VERSION || version > RESULT_FORMAT_VERSION) {
		if (f->count == before)
			(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "format_version", NULL, NULL,
			                   "format_version is not %d, the one this evenhand reads; use "
			                   "the evenhand that wrote it, or a newer one",
			                   RESULT_FORMAT_VERSION);
		return false;
	}
	return true;
}

/* ---- texts that cannot be split -------------------------------------------------------------- */

/* Adds the error of the whole text. */
static eh_status explain_text(reader *all, const char *bytes, size_t size, findings *f,
                              eh_error *error)
{
	json_scan scan = json_scan_of(bytes, (json_span){ 0, size }, 0, all->from->name, error);
	eh_error why = ERROR_INIT;
	eh_status status;

	if (!check_format(scan, f))
		return EH_OK;
	scan.error = &why;
	scan.memory = LIMIT_HEAD_MEMORY;
	status = layout_scan(record_result_layout(), scan, "", all->r->record);
	if (status == EH_OK)
		(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "", NULL, NULL,
		                   "a member of the whole has an escape in its name; write it plainly");
	else if (status == EH_E_FORMAT)
		(void)findings_add_error(f, CHECK_STRUCTURE, "", all->from->name, &why);
	else if (error != NULL)
		*error = why;
	return status == EH_E_NO_MEMORY ? status : EH_OK;
}

/* Of a large text only the begin is looked at. */
static void explain_large(const reader *all, const char *bytes, findings *f)
{
	findings begin = { .only_first = true };
	json_scan scan = json_scan_of(bytes, (json_span){ 0, LIMIT_EXPLAINED }, 0, all->from->name, NULL);

	(void)check_format(scan, &begin);
	if (begin.count > 0 && strstr(begin.items[0].sentence, "the text ends") == NULL)
		findings_move(f, &begin);
	else
		(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "", NULL, NULL,
		                   "is not a result, or is damaged: it is no object whose member \"cases\" is "
		                   "an array of rows; of a text of more than %zu MiB the place of the error is "
		                   "not searched for", LIMIT_EXPLAINED / LIMIT_MIB);
	findings_free(&begin);
}

static eh_status explain_whole(reader *all, findings *f, eh_error *error)
{
	const source_bytes *from = all->from;
	bool large = from->size > LIMIT_EXPLAINED;
	size_t size = large ? LIMIT_EXPLAINED : from->size;
	char *bytes = memory_grow(NULL, size + 1);
	eh_status status = source_read(from, 0, size, bytes, error);

	if (status == EH_OK && large)
		explain_large(all, bytes, f);
	else if (status == EH_OK)
		status = explain_text(all, bytes, size, f, error);
	free(bytes);
	return status;
}

/* What is compared with each of its kind has a bound. */
static eh_status check_layers(const record_layer_list *layers, const char *name, eh_error *error)
{
	if (layers->count > LIMIT_LAYERS)
		return error_set(error, EH_E_NO_MEMORY, "%s: executor.layers has %zu layers, and %d are the most "
		                 "that are read", name, layers->count, LIMIT_LAYERS);
	for (size_t i = 0; i < layers->count; i++)
		if (layers->items[i].fields.count > LIMIT_FIELDS)
			return error_set(error, EH_E_NO_MEMORY, "%s: executor.layers[%zu].fields has %zu fields, and %d "
			                 "are the most that are read", name, i, layers->items[i].fields.count,
			                 LIMIT_FIELDS);
	return EH_OK;
}

static eh_status check_bounds(const record_result *r, const char *name, eh_error *error)
{
	if (r->run.agreements.count > LIMIT_AGREEMENTS)
		return error_set(error, EH_E_NO_MEMORY, "%s: run.agreements has %zu agreements, and %zu are the most "
		                 "that are read", name, r->run.agreements.count, LIMIT_AGREEMENTS);
	return check_layers(&r->executor.layers, name, error);
}

/* Reads the record without its rows.  *whole: its structure is valid. */
static eh_status take_head(reader *all, findings *f, bool *whole, eh_error *error)
{
	eh_error why = ERROR_INIT;
	eh_status status;

	*whole = check_format(parts_head(&all->parts, all->from->name, NULL), f);
	if (!*whole)
		return EH_OK;
	status = parts_read_head(&all->parts, all->from, all->r->record, &why);
	*whole = status == EH_OK;
	if (status == EH_OK)
		return check_bounds(all->r->record, all->from->name, error);
	if (status == EH_E_FORMAT)
		(void)findings_add_error(f, CHECK_STRUCTURE, "", all->from->name, &why);
	else if (status != EH_OK && error != NULL)
		*error = why;
	return status == EH_E_FORMAT ? EH_OK : status;
}

/* ---- consistency of the parts ---------------------------------------------------------------- */

static void check_counts(const record_result *r, size_t rows, findings *f)
{
	size_t plans = r->protocol.canonical.cases.count;
	size_t seals = r->digests.cases.count;

	if ((plans == rows && seals == rows) || findings_enough(f))
		return;
	(void)findings_add(f, EH_E_ALTERED, CHECK_ROWS, "cases", NULL, NULL,
	                   "cases has %zu rows, protocol.canonical.cases %zu and digests.cases %zu"
	                   FINDING_ALTERED, rows, plans, seals);
}

static int by_id(const void *a, const void *b)
{
	const record_planned_case *const *x = a;
	const record_planned_case *const *y = b;
	int order = strcmp((*x)->id, (*y)->id);

	return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Checks that ids are unique: cases are looked up and paired by them. */
static void check_ids(const record_result *r, findings *f)
{
	const record_planned_case_list *plans = &r->protocol.canonical.cases;
	const record_planned_case **sorted = memory_get((plans->count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < plans->count; i++)
		sorted[i] = &plans->items[i];
	if (plans->count > 1)
		qsort(sorted, plans->count, sizeof(*sorted), by_id);
	for (size_t i = 1; i < plans->count && !findings_enough(f); i++) {
		char *place;

		if (strcmp(sorted[i - 1]->id, sorted[i]->id) != 0)
			continue;
		place = memory_format("cases[%zu].id", (size_t)(sorted[i] - plans->items));
		(void)findings_add(f, EH_E_FORMAT, CHECK_ROWS, place, NULL, NULL,
		                   "%s is %.80s, which is the id of cases[%zu] already", place,
		                   sorted[i]->id, (size_t)(sorted[i - 1] - plans->items));
		free(place);
	}
	free(sorted);
}

static bool all_sound(const reader *all)
{
	for (size_t i = 0; i < all->sums.row_count; i++)
		if (!all->sums.rows[i].sound)
			return false;
	return true;
}

/* Moves the findings, or only the first one if that is enough. */
static void take_findings(findings *f, findings *from)
{
	if (findings_enough(f))
		findings_free(from);
	else
		findings_move(f, from);
}

/* Runs all checks in the order of docs/result-format.md.  Those of rows are made already. */
static void check_all(reader *all, findings *order_findings, findings *f)
{
	record_result *r = all->r->record;

	check_salts(r, f);
	if (!findings_enough(f))
		check_protocol(r, f);
	check_executions(r, &all->sums, f);
	check_sections(r, f);
	if (!findings_enough(f))
		check_text(r, f);
	check_run(r, &all->sums, f);
	check_executor(r, f);
	check_counts(r, all->sums.row_count, f);
	check_ids(r, f);
	take_findings(f, &all->found);
	take_findings(f, order_findings);
	if (all_sound(all)) {
		check_order(r, &all->sums, f);
		check_positions(&all->sums, f);
	}
	check_digest(r, f);
}

/* ---- the file's digest ----------------------------------------------------------------------- */

/* Made beside everything else, by a thread of its own where there can be one. */
typedef struct hashing {
	const source_bytes *from;
	char *hex;
	pthread_t thread;
	bool apart;
	eh_status status;
	eh_error error;
} hashing;

static void *make_hash(void *context)
{
	hashing *h = context;

	h->status = source_digest(h->from, h->hex, &h->error);
	return NULL;
}

static void hashing_begin(hashing *h)
{
	h->apart = pthread_create(&h->thread, NULL, make_hash, h) == 0;
}

static eh_status hashing_end(hashing *h, eh_error *error)
{
	if (h->apart)
		(void)pthread_join(h->thread, NULL);
	else
		(void)make_hash(h);
	if (h->status != EH_OK && error != NULL)
		*error = h->error;
	return h->status;
}

/* ---- the result ------------------------------------------------------------------------------ */

static void make_room(reader *all)
{
	result *r = all->r;

	r->row_count = all->parts.row_count;
	if (!all->keep)
		return;
	r->rows = memory_get((r->row_count + 1) * sizeof(*r->rows));
	r->pools = memory_get((r->row_count + 1) * sizeof(*r->pools));
	if (all->from->size > LIMIT_KEPT)
		r->store = row_store_new(r->row_count);
	for (size_t i = 0; i < r->row_count; i++)
		(void)layout_append(record_case_layout(), &r->record->cases);
}

/* Reads and checks the rows, and what needs them. */
static eh_status take_rows(reader *all, findings *f, eh_error *error)
{
	findings order_findings = { .only_first = f->only_first };
	eh_status status;

	make_room(all);
	all->order = run_order_take(all->r->record, &order_findings);
	all->stack_changed = check_stack_changed(all->r->record);
	row_sums_make(&all->sums, all->r->record, &all->order, all->parts.row_count);
	for (size_t i = 0; i < all->watch_count; i++)
		if (all->watches[i]->head != NULL)
			all->watches[i]->head(all->watches[i], all->r->record);
	status = reader_take_rows(all, error);
	/* Before all checks, so that a malformed row is not called altered. */
	if (status == EH_OK)
		status = reader_explain_rows(all, f, error);
	if (status == EH_OK) {
		redact_list(all->r->record, &all->r->redacted);
		check_all(all, &order_findings, f);
	}
	findings_free(&order_findings);
	row_sums_clear(&all->sums);
	return status;
}

/* *whole: there is a result. */
static eh_status take_all(reader *all, findings *f, bool *whole, eh_error *error)
{
	eh_status status = parts_find(all->from, &all->parts, error);

	*whole = false;
	if (status == EH_E_FORMAT)
		return explain_whole(all, f, error);
	if (status == EH_OK)
		status = take_head(all, f, whole, error);
	free(all->parts.head);
	all->parts.head = NULL;
	return status == EH_OK && *whole ? take_rows(all, f, error) : status;
}

static eh_status examine(reader *all, findings *f, result **out, eh_error *error)
{
	result *r = memory_get(sizeof(*r));
	hashing hash = { .from = all->from, .hex = r->file_sha256, .error = ERROR_INIT };
	eh_status status, hashed;
	bool whole;

	all->r = r;
	all->only_first = all->found.only_first = f->only_first;
	r->path = memory_text(all->from->name);
	r->trust = memory_get(sizeof(*r->trust));
	r->record = layout_new(record_result_layout());
	hashing_begin(&hash);
	status = take_all(all, f, &whole, error);
	parts_free(&all->parts);
	findings_free(&all->found);
	hashed = hashing_end(&hash, status == EH_OK ? error : NULL);
	status = status == EH_OK ? hashed : status;
	if (status == EH_OK)
		status = source_check(all->from, error);
	*out = status == EH_OK && whole ? r : NULL;
	if (*out == NULL)
		result_free(r);
	return status;
}

eh_status result_examine(const source_bytes *from, result_watch *const *watches, size_t watch_count,
                         findings *f, result **out, eh_error *error)
{
	reader all = { .from = from, .watches = watches, .watch_count = watch_count };

	return examine(&all, f, out, error);
}

/* Structural errors come before contradictions. */
static eh_status first_finding(const findings *f, const char *path, eh_error *error)
{
	size_t i;

	for (i = 0; i < f->count && f->items[i].code != EH_E_FORMAT; i++)
		;
	if (i == f->count)
		i = 0;
	return error_set(error, f->items[i].code, "%s%s%s", path,
	                 f->items[i].sentence[0] == ':' ? "" : ": ", f->items[i].sentence);
}

eh_status result_read_source(const source_bytes *from, result **out, eh_error *error)
{
	reader all = { .from = from, .keep = true };
	findings f = { .only_first = true };
	result *r = NULL;
	eh_status status = examine(&all, &f, &r, error);

	if (status == EH_OK && f.count > 0) {
		status = first_finding(&f, from->name, error);
		result_free(r);
	} else if (status == EH_OK) {
		*out = r;
	}
	findings_free(&f);
	return status;
}

eh_status result_read_bytes(const char *name, char *bytes, size_t size, result **out, eh_error *error)
{
	const source_bytes from = source_of_bytes(name, bytes, size);
	eh_status status = result_read_source(&from, out, error);

	free(bytes);
	return status;
}

eh_status result_read(const char *path, result **out, eh_error *error)
{
	source_bytes from;
	eh_status status = source_open(path, &from, error);

	if (status != EH_OK)
		return status;
	status = result_read_source(&from, out, error);
	source_close(&from);
	return status;
}

static void free_row(void *context, size_t i)
{
	result *r = context;

	row_store_take_out(r->store, i, &r->record->cases.items[i], &r->pools[i]);
	record_pool_free(&r->pools[i]);
	layout_clear(record_case_layout(), &r->record->cases.items[i]);
}

void result_free(result *r)
{
	if (r == NULL)
		return;
	if (r->rows != NULL)
		parallel_each(r->row_count, free_row, r);
	row_store_free(r->store);
	if (r->trust->found != NULL)
		r->trust->free_found(r->trust->found);
	free(r->trust);
	layout_free(record_result_layout(), r->record);
	for (size_t i = 0; i < r->redacted.count; i++)
		free(r->redacted.items[i]);
	free(r->redacted.items);
	free(r->pools);
	free(r->rows);
	free(r->path);
	free(r);
}

void result_row_rest(const result *r, const result_row *row)
{
	row_store_rest(r->store, (size_t)(row - r->rows));
}

const char *result_row_word(const result_row *row)
{
	return row->record->executions.count > 0 ? record_status_word(row->record->status) : "not run";
}

bool result_row_counts(const result_row *row)
{
	return record_counts(row->record->status);
}
