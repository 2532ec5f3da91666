/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading results, which are not trusted.  Rows are read on all processors, then the rest.  The
 * structure is checked first, so that later checks can rely on types; then derived members; then
 * digests.
 */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/json_scan.h"
#include "base/parallel.h"
#include "base/text.h"
#include "record/check.h"
#include "record/parts.h"
#include "record/redact.h"
#include "record/result.h"
#include "record/seal.h"

typedef struct row_state {
	char digest[65];         /* of its canonical form                                        */
	bool sound;              /* its structure is valid                                       */
	findings found;
} row_state;

typedef struct reader {
	const char *name;
	const char *text;        /* the file                                                     */
	size_t size;
	result *r;
	bool only_first;         /* stop at the first finding                                    */
	result_parts parts;
	row_state *rows;
	run_order order;
} reader;

/* ---- rows ------------------------------------------------------------------------------------ */

/* Replaces an invalid row by an empty one, so that the other rows can be shown. */
static void empty_row(record_case *row)
{
	text_set(&row->id, "");
	text_set(&row->workload, "");
	text_set(&row->precision, "");
}

static void take_row(reader *all, size_t i)
{
	record_case *row = &all->r->record->cases.items[i];
	json_scan scan = json_scan_of(all->text, all->parts.rows[i], 2, all->name, NULL);

	all->rows[i].sound = layout_scan(record_case_layout(), scan, "", row) == EH_OK;
	if (all->rows[i].sound)
		layout_digest(record_case_layout(), row, all->rows[i].digest);
	else
		empty_row(row);
}

/* Adds the error of a row that is not sound, by reading it again.  `from` is moved to the row. */
static void explain_row(reader *all, size_t i, json_place *from, findings *f)
{
	json_span span = all->parts.rows[i];
	char *place = memory_format("cases[%zu]", i);
	eh_error error = ERROR_INIT;
	json_scan scan = json_scan_of(all->text, span, 2, all->name, &error);
	record_case row;

	json_place_move(from, all->text + span.start);
	scan.from = *from;
	layout_init(record_case_layout(), &row);
	if (layout_scan(record_case_layout(), scan, place, &row) != EH_OK)
		(void)findings_add_error(f, CHECK_STRUCTURE, place, all->name, &error);
	layout_clear(record_case_layout(), &row);
	free(place);
}

/* One row after the other, so that lines are counted once however many rows are not sound. */
static void explain_rows(reader *all, findings *f)
{
	json_place from = { all->text, 1, 1 };

	for (size_t i = 0; i < all->parts.row_count && !findings_enough(f); i++)
		if (!all->rows[i].sound)
			explain_row(all, i, &from, f);
}

/* The digest of the file, or a row. */
static void take_piece(void *context, size_t i)
{
	reader *all = context;

	if (i == 0)
		digest_bytes(all->text, all->size, all->r->file_sha256);
	else
		take_row(all, i - 1);
}

static void take_rows(reader *all)
{
	size_t count = all->parts.row_count;

	all->rows = memory_get((count + 1) * sizeof(*all->rows));
	for (size_t i = 0; i < count; i++) {
		all->rows[i].found.only_first = all->only_first;
		(void)layout_append(record_case_layout(), &all->r->record->cases);
	}
	parallel_each(count + 1, take_piece, all);
}

/* ---- the head -------------------------------------------------------------------------------- */

/* Whether the record has the member; *value then stands before its value.  Adds a finding if the text
 * is malformed before it. */
static bool find_member(const reader *all, const char *key, json_scan *value, findings *f)
{
	eh_error error = ERROR_INIT;
	bool found;

	*value = json_scan_of(all->text, (json_span){ 0, all->size }, 0, all->name, &error);
	if (json_scan_find(value, key, &found) != EH_OK)
		(void)findings_add_error(f, CHECK_STRUCTURE, "", all->name, &error);
	value->error = NULL;
	return found;
}

static bool check_format(const reader *all, findings *f)
{
	json_scan value;
	size_t before = f->count;
	json_quoted format;
	double version;

	if (!find_member(all, "format", &value, f) || json_scan_peek(&value) != '"' ||
	    json_scan_string(&value, &format) != EH_OK ||
	    !json_quoted_is(format, record_format_word(RECORD_FORMAT_RESULT))) {
		if (f->count == before)
			(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "format", NULL, NULL,
			                   "is not a result: it has no member \"format\": \"%s\"",
			                   record_format_word(RECORD_FORMAT_RESULT));
		return false;
	}
	if (!find_member(all, "format_version", &value, f) ||
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

/* Reads the rest of the record, whose rows are read already. */
static bool take_head(reader *all, findings *f)
{
	record_result *r = all->r->record;
	record_case_list rows = r->cases;
	eh_error error = ERROR_INIT;
	eh_status status;

	r->cases = (record_case_list){ NULL, 0 };
	status = parts_read_head(&all->parts, all->text, all->size, all->name, r, &error);
	if (status != EH_OK)
		(void)findings_add_error(f, CHECK_STRUCTURE, "", all->name, &error);
	/* The head was read with an empty list of rows. */
	if (rows.items != NULL) {
		free(r->cases.items);
		r->cases = rows;
	}
	return status == EH_OK;
}

/* Reads a text that cannot be split, which has an error. */
static void take_whole(reader *all, findings *f)
{
	eh_error error = ERROR_INIT;

	if (layout_read(record_result_layout(), all->text, all->size, all->name, all->r->record,
	                &error) != EH_OK)
		(void)findings_add_error(f, CHECK_STRUCTURE, "", all->name, &error);
	else
		(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "", NULL, NULL,
		                   "a member of the whole has an escape in its name; write it plainly");
}

static bool read_record(reader *all, findings *f)
{
	if (!check_format(all, f))
		return false;
	if (!parts_find(all->text, all->size, &all->parts)) {
		take_whole(all, f);
		return false;
	}
	take_rows(all);
	if (!take_head(all, f))
		return false;
	/* Before all checks, so that a malformed row is not called altered. */
	explain_rows(all, f);
	return true;
}

/* ---- consistency of the parts ---------------------------------------------------------------- */

static void check_counts(const record_result *r, findings *f)
{
	size_t plans = r->protocol.canonical.cases.count;
	size_t seals = r->digests.cases.count;

	if ((plans == r->cases.count && seals == r->cases.count) || findings_enough(f))
		return;
	(void)findings_add(f, EH_E_ALTERED, CHECK_ROWS, "cases", NULL, NULL,
	                   "cases has %zu rows, protocol.canonical.cases %zu and digests.cases %zu"
	                   FINDING_ALTERED, r->cases.count, plans, seals);
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

static void check_one(void *context, size_t i)
{
	reader *all = context;
	row_state *row = &all->rows[i];

	if (row->sound)
		check_row(all->r->record, i, &all->order, &all->r->pools[i], row->digest, &row->found);
}

static bool all_sound(const reader *all)
{
	for (size_t i = 0; i < all->r->row_count; i++)
		if (!all->rows[i].sound)
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

/* Runs all checks in the order of docs/result-format.md. */
static void check_all(reader *all, findings *f)
{
	record_result *r = all->r->record;
	findings order_findings = { .only_first = f->only_first };

	all->order = run_order_take(r, &order_findings);
	check_salts(r, f);
	if (!findings_enough(f))
		check_protocol(r, f);
	check_executions(r, f);
	check_sections(r, f);
	if (!findings_enough(f))
		check_text(r, f);
	check_run(r, f);
	check_executor(r, f);
	check_counts(r, f);
	check_ids(r, f);
	parallel_each(all->r->row_count, check_one, all);
	for (size_t i = 0; i < all->r->row_count; i++)
		take_findings(f, &all->rows[i].found);
	take_findings(f, &order_findings);
	if (all_sound(all)) {
		check_order(r, &all->order, f);
		check_positions(r, f);
	}
	check_digest(r, f);
}

/* ---- the result ------------------------------------------------------------------------------ */

static void fill_row(void *context, size_t i)
{
	result *r = context;
	const record_planned_case_list *plans = &r->record->protocol.canonical.cases;
	const record_case *record = &r->record->cases.items[i];
	result_row *row = &r->rows[i];
	bool load = record_is_load(&record->measure);

	record_pool_fill(&r->pools[i], record);
	row->record = record;
	row->id = record->id != NULL ? record->id : "";
	row->planned = i < plans->count ? &plans->items[i] : NULL;
	row->side = record_pool_side(&r->pools[i]);
	row->medians = record_pool_medians(&r->pools[i]);
	row->rounds = (const uint64_t *const *)r->pools[i].rounds;
	row->amount = load ? 1 : record->work.amount;
	row->metric = load ? RECORD_METRIC_SECONDS : record->work.metric;
}

static void fill_result(reader *all)
{
	result *r = all->r;

	r->row_count = r->record->cases.count;
	r->rows = memory_get((r->row_count + 1) * sizeof(*r->rows));
	r->pools = memory_get((r->row_count + 1) * sizeof(*r->pools));
	parallel_each(r->row_count, fill_row, r);
	redact_list(r->record, &r->redacted);
}

/* `owned` is freed as soon as it is not needed; NULL = the text is not owned. */
static result *examine(const char *name, const char *bytes, size_t size, char *owned, findings *f)
{
	result *r = memory_get(sizeof(*r));
	reader all = { .name = name, .text = bytes, .size = size, .r = r,
		       .only_first = f->only_first };
	bool whole;

	r->path = memory_text(name);
	r->record = layout_new(record_result_layout());
	whole = read_record(&all, f);
	parts_free(&all.parts);
	free(owned);
	if (whole) {
		fill_result(&all);
		check_all(&all, f);
	}
	for (size_t i = 0; all.rows != NULL && i < r->record->cases.count; i++)
		findings_free(&all.rows[i].found);
	free(all.rows);
	if (whole)
		return r;
	result_free(r);
	return NULL;
}

result *result_examine(const char *name, const char *bytes, size_t size, findings *f)
{
	return examine(name, bytes, size, NULL, f);
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

eh_status result_read_bytes(const char *name, char *bytes, size_t size, result **out, eh_error *error)
{
	findings f = { .only_first = true };
	eh_status status = EH_OK;
	result *r = examine(name, bytes, size, bytes, &f);

	if (f.count > 0) {
		status = first_finding(&f, name, error);
		result_free(r);
	} else {
		*out = r;
	}
	findings_free(&f);
	return status;
}

eh_status result_read(const char *path, result **out, eh_error *error)
{
	char *bytes;
	size_t size;
	eh_status status = file_read(path, &bytes, &size, error);

	return status == EH_OK ? result_read_bytes(path, bytes, size, out, error) : status;
}

static void free_row(void *context, size_t i)
{
	result *r = context;

	record_pool_free(&r->pools[i]);
	layout_clear(record_case_layout(), &r->record->cases.items[i]);
}

void result_free(result *r)
{
	if (r == NULL)
		return;
	parallel_each(r->row_count, free_row, r);
	layout_free(record_result_layout(), r->record);
	for (size_t i = 0; i < r->redacted.count; i++)
		free(r->redacted.items[i]);
	free(r->redacted.items);
	free(r->pools);
	free(r->rows);
	free(r->path);
	free(r);
}

const char *result_row_word(const result_row *row)
{
	return row->record->executions.count > 0 ? record_status_word(row->record->status) : "not run";
}

bool result_row_counts(const result_row *row)
{
	return record_counts(row->record->status);
}
