/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading results, which are not trusted.  Rows are parsed one by one, on all processors, and kept
 * as structs: there is never a tree of the whole file.  The structure is checked first, so that
 * later checks can rely on types; then derived members; then digests.
 */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/json.h"
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
	char *text;              /* the file; rows are overwritten by blanks after reading        */
	size_t size;
	result *r;
	cJSON *root;             /* the tree without the rows                                    */
	bool only_first;         /* stop at the first finding                                    */
	const json_span *parts;  /* where the rows are                                           */
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

static void take_row(void *context, size_t i)
{
	reader *all = context;
	record_case *row = &all->r->record->cases.items[i];
	char *place = memory_format("cases[%zu]", i);
	eh_error error = ERROR_INIT;
	cJSON *tree = NULL;
	eh_status status = json_parse_at(all->text, all->parts[i], 2, all->name, &tree, &error);

	if (status == EH_OK)
		status = layout_decode(record_case_layout(), tree, all->name, place, row, &error);
	if (status == EH_OK) {
		json_digest(tree, all->rows[i].digest);
	} else {
		(void)findings_add_error(&all->rows[i].found, CHECK_STRUCTURE, place, all->name, &error);
		empty_row(row);
	}
	all->rows[i].sound = status == EH_OK;
	cJSON_Delete(tree);
	free(place);
}

/* Overwrites everything in the array "cases" except line feeds by blanks.  The rest parses as a
 * record without rows, and messages still have the right lines and columns. */
static void blank_rows(reader *all, const result_parts *parts)
{
	size_t from = parts->row_count > 0 ? parts->rows[0].start : 0;
	size_t to = parts->row_count > 0 ? parts->rows[parts->row_count - 1].end : 0;

	for (size_t i = from; i < to; i++)
		if (all->text[i] != '\n')
			all->text[i] = ' ';
}

static void take_rows(reader *all, const result_parts *parts)
{
	all->rows = memory_get((parts->row_count + 1) * sizeof(*all->rows));
	all->parts = parts->rows;
	for (size_t i = 0; i < parts->row_count; i++) {
		all->rows[i].found.only_first = all->only_first;
		(void)layout_append(record_case_layout(), &all->r->record->cases);
	}
	parallel_each(parts->row_count, take_row, all);
	all->parts = NULL;
	blank_rows(all, parts);
}

/* ---- the head -------------------------------------------------------------------------------- */

static bool check_format(const cJSON *root, findings *f)
{
	const cJSON *format = cJSON_GetObjectItemCaseSensitive(root, "format");
	const char *wanted = record_format_word(RECORD_FORMAT_RESULT);
	uint64_t version = 0;

	if (!cJSON_IsString(format) || strcmp(format->valuestring, wanted) != 0) {
		(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "format", NULL, NULL,
		                   "is not a result: it has no member \"format\": \"%s\"", wanted);
		return false;
	}
	if (!json_uint(root, "format_version", &version) || version != RESULT_FORMAT_VERSION) {
		(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "format_version", NULL, NULL,
		                   "format_version is not %d, the one this evenhand reads; use the "
		                   "evenhand that wrote it, or a newer one", RESULT_FORMAT_VERSION);
		return false;
	}
	return true;
}

/* Decodes the rest of the record, whose rows are decoded already. */
static bool take_head(reader *all, findings *f)
{
	record_case_list rows = all->r->record->cases;
	eh_error error = ERROR_INIT;
	eh_status status;

	if (json_parse(all->text, all->size, all->name, &all->root, &error) != EH_OK) {
		(void)findings_add_error(f, CHECK_STRUCTURE, "", all->name, &error);
		return false;
	}
	if (!check_format(all->root, f))
		return false;
	all->r->record->cases = (record_case_list){ NULL, 0 };
	status = layout_decode(record_result_layout(), all->root, all->name, "", all->r->record, &error);
	if (status != EH_OK)
		(void)findings_add_error(f, CHECK_STRUCTURE, "", all->name, &error);
	/* If the text was not split, the tree has the rows. */
	if (rows.items != NULL) {
		free(all->r->record->cases.items);
		all->r->record->cases = rows;
	}
	return status == EH_OK;
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
	check_salts(all->root, f);
	if (!findings_enough(f))
		check_protocol(r, f);
	check_executions(r, f);
	check_sections(all->root, r, f);
	if (!findings_enough(f))
		check_text(r, f);
	check_run(r, f);
	check_counts(r, f);
	check_ids(r, f);
	parallel_each(all->r->row_count, check_one, all);
	for (size_t i = 0; i < all->r->row_count; i++)
		take_findings(f, &all->rows[i].found);
	take_findings(f, &order_findings);
	if (all_sound(all))
		check_order(r, &all->order, f);
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
	redact_list(all->root, &r->redacted);
}

static bool read_parts(reader *all, findings *f)
{
	result_parts parts;
	/* A text that cannot be split is parsed as a whole, which gives the error. */
	bool split = parts_find(all->text, all->size, &parts);
	bool whole;

	if (split)
		take_rows(all, &parts);
	parts_free(&parts);
	whole = take_head(all, f);
	if (whole && !split) {
		(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "", NULL, NULL,
		                   "a member of the whole has an escape in its name; write it plainly");
		whole = false;
	}
	return whole;
}

/* Takes ownership of the bytes. */
static result *examine(const char *name, char *bytes, size_t size, findings *f)
{
	result *r = memory_get(sizeof(*r));
	reader all = { .name = name, .text = bytes, .size = size, .r = r,
		       .only_first = f->only_first };
	bool whole;

	r->path = memory_text(name);
	r->record = layout_new(record_result_layout());
	digest_bytes(bytes, size, r->file_sha256);
	whole = read_parts(&all, f);
	if (whole) {
		fill_result(&all);
		check_all(&all, f);
	}
	cJSON_Delete(all.root);
	for (size_t i = 0; all.rows != NULL && i < r->record->cases.count; i++)
		findings_free(&all.rows[i].found);
	free(all.rows);
	free(bytes);
	if (whole)
		return r;
	result_free(r);
	return NULL;
}

result *result_examine(const char *name, const char *bytes, size_t size, findings *f)
{
	char *copy = memory_get(size + 1);

	memcpy(copy, bytes, size);
	return examine(name, copy, size, f);
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
	result *r = examine(name, bytes, size, &f);

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

void result_free(result *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->row_count; i++)
		record_pool_free(&r->pools[i]);
	layout_free(record_result_layout(), r->record);
	for (size_t i = 0; i < r->redacted.count; i++)
		free(r->redacted.items[i]);
	free(r->redacted.items);
	free(r->pools);
	free(r->rows);
	free(r->path);
	free(r);
}

const result_row *result_row_by_id(const result *r, const char *id)
{
	for (size_t i = 0; i < r->row_count; i++)
		if (strcmp(r->rows[i].id, id) == 0)
			return &r->rows[i];
	return NULL;
}

const char *result_row_word(const result_row *row)
{
	return row->record->executions.count > 0 ? record_status_word(row->record->status) : "not run";
}

bool result_row_counts(const result_row *row)
{
	return record_counts(row->record->status);
}

bool result_row_is_load(const result_row *row)
{
	return record_is_load(&row->record->measure);
}
