/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a result that somebody else may have written.  Its text is split into the head and the
 * rows; each part is parsed strictly, its structure is checked first, so that all after it may rely
 * on types, then what it must follow from and its digest.
 */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "record/check.h"
#include "record/reader.h"
#include "record/rowpool.h"
#include "record/shape.h"

/* ---- the head -------------------------------------------------------------------------------- */

static void link_item(cJSON *parent, cJSON *child)
{
	if (parent->child == NULL) {
		parent->child = child->prev = child;
		return;
	}
	child->prev = parent->child->prev;
	child->prev->next = child;
	parent->child->prev = child;
}

static cJSON *new_item(json_arena *arena, int type, const char *name)
{
	cJSON *item = json_arena_get(arena, sizeof(*item));

	item->type = type;
	if (name != NULL) {
		item->string = json_arena_get(arena, strlen(name) + 1);
		memcpy(item->string, name, strlen(name) + 1);
	}
	return item;
}

static eh_status parse_head(result *r, const char *name, const char *text_given, eh_error *error)
{
	json_arena *arena = r->memory->head;
	const result_parts *parts = &r->memory->parts;
	size_t i;

	r->root = new_item(arena, cJSON_Object, NULL);
	for (i = 0; i < parts->member_count; i++) {
		cJSON *item = NULL;
		cJSON *named;
		eh_status status = json_parse_part(arena, text_given, parts->members[i].value, 1, name,
		                                   &item, error);

		if (status != EH_OK)
			return status;
		named = new_item(arena, item->type, parts->members[i].name);
		named->child = item->child;
		named->valuestring = item->valuestring;
		named->valuedouble = item->valuedouble;
		named->valueint = item->valueint;
		link_item(r->root, named);
	}
	return EH_OK;
}

/* Why the text cannot be split: it is no JSON, or no result. */
static void explain(result *r, const char *name, const char *given, size_t size, findings *f)
{
	eh_error error = ERROR_INIT;
	cJSON *whole = NULL;
	size_t before = f->count;

	if (json_parse_part(r->memory->head, given, (json_span){ 0, size }, 0, name, &whole, &error) !=
	    EH_OK)
		(void)findings_add_error(f, CHECK_STRUCTURE, "", name, &error);
	else if (check_structure(whole, false, name, f) || f->count == before)
		(void)findings_add(f, EH_E_FORMAT, CHECK_STRUCTURE, "", NULL, NULL,
		                   "a member of the whole has an escape in its name; write it plainly");
}

static const cJSON **list_of(const cJSON *array, size_t count)
{
	const cJSON **list = memory_get((count + 1) * sizeof(const cJSON *));
	const cJSON *item = array != NULL ? array->child : NULL;
	size_t i;

	for (i = 0; i < count && item != NULL; i++, item = item->next)
		list[i] = item;
	return list;
}

static void check_counts(const result *r, findings *f)
{
	int plans = cJSON_GetArraySize(json_path(r->root, "protocol.canonical.cases"));
	int seals = cJSON_GetArraySize(json_path(r->root, "digests.cases"));

	if ((size_t)plans == r->row_count && (size_t)seals == r->row_count)
		return;
	(void)findings_add(f, EH_E_ALTERED, CHECK_ROWS, "cases", NULL, NULL,
	                   "cases has %zu rows, protocol.canonical.cases %d and digests.cases %d: the "
	                   "file was altered", r->row_count, plans, seals);
}

static int by_id(const void *a, const void *b)
{
	const result_row *const *x = a;
	const result_row *const *y = b;
	int order = strcmp((*x)->id, (*y)->id);

	return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Cases are looked up and paired by their ids. */
static void check_ids(const result *r, findings *f)
{
	const result_row **sorted = memory_get((r->row_count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < r->row_count; i++)
		sorted[i] = &r->rows[i];
	if (r->row_count > 1)
		qsort(sorted, r->row_count, sizeof(*sorted), by_id);
	for (size_t i = 1; i < r->row_count && !findings_enough(f); i++) {
		char *place;

		if (sorted[i]->plan == NULL || strcmp(sorted[i - 1]->id, sorted[i]->id) != 0)
			continue;
		place = memory_format("cases[%zu].id", (size_t)(sorted[i] - r->rows));
		(void)findings_add(f, EH_E_FORMAT, CHECK_ROWS, place, json_path(sorted[i]->plan, "id"),
		                   NULL, "%s is %.80s, which is the id of cases[%zu] already", place,
		                   sorted[i]->id, (size_t)(sorted[i - 1] - r->rows));
		free(place);
	}
	free(sorted);
}

static void fill_head(result *r)
{
	const cJSON *protocol = json_path(r->root, "protocol");

	r->protocol_name = json_string(protocol, "name", "");
	r->protocol_digest = json_string(protocol, "digest", "");
	(void)json_uint(protocol, "version", &r->protocol_version);
	r->executor = json_string(json_path(r->root, "executor"), "name", "");
	r->simulated = json_bool(json_path(r->root, "executor"), "simulated", true);
	r->complete = strcmp(json_string(r->root, "status", ""), "complete") == 0;
}

static void link_rows(result *r)
{
	cJSON *cases = new_item(r->memory->head, cJSON_Array, "cases");
	size_t i;

	for (i = 0; i < r->row_count; i++)
		if (r->rows[i].json != NULL)
			link_item(cases, (cJSON *)r->rows[i].json);
	link_item(r->root, cases);
}

/* The head as structs, with room for the rows; false when it is malformed. */
static bool decode_head(result *r, const char *name, findings *f)
{
	cJSON *cases = new_item(r->memory->head, cJSON_Array, "cases");
	cJSON *last = r->root->child->prev;
	eh_error error = ERROR_INIT;
	eh_status status;

	link_item(r->root, cases);
	r->record = layout_new(record_result_layout());
	status = layout_decode(record_result_layout(), r->root, name, "", r->record, &error);
	last->next = NULL;
	r->root->child->prev = last;
	if (status != EH_OK) {
		(void)findings_add_error(f, CHECK_STRUCTURE, "", name, &error);
		return false;
	}
	for (size_t i = 0; i < r->memory->parts.row_count; i++)
		(void)layout_append(record_case_layout(), &r->record->cases);
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* What is checked of the head while others take rows: it needs none. */
typedef struct head_check { result *r; findings before, after; } head_check;

static void check_head(void *context)
{
	head_check *h = context;

	digest_bytes(h->r->bytes, h->r->size, h->r->file_sha256);
	check_salts(h->r->root, &h->before);
	check_protocol(h->r->root, &h->before);
	check_sections(h->r->root, &h->after);
	check_text(h->r->root, &h->after);
}

/* No more than the first where that is enough. */
static void take_findings(findings *f, findings *from)
{
	if (findings_enough(f))
		findings_free(from);
	else
		findings_move(f, from);
}

static void check_all(reader *all, findings *f)
{
	result *r = all->r;
	head_check h = { .r = r, .before.only_first = f->only_first,
		         .after.only_first = f->only_first };
	findings listed = { .only_first = f->only_first };
	bool samples = false;
	bool malformed = false;
	size_t i;

	all->plans = list_of(json_path(r->root, "protocol.canonical.cases"), r->row_count);
	all->seals = list_of(json_path(r->root, "digests.cases"), r->row_count);
	all->executions = memory_get((r->row_count + 1) * sizeof(*all->executions));
	all->found = memory_get((r->row_count + 1) * sizeof(*all->found));
	for (i = 0; i < r->row_count; i++)
		all->found[i].only_first = f->only_first;
	run_order_take(r->root, &all->order, &listed);
	reader_take_rows(all, check_head, &h);
	for (i = 0; i < r->row_count; i++) {
		samples = samples || r->pools[i].executions > 0;
		malformed = malformed || all->executions[i] == SIZE_MAX;
	}
	take_findings(f, &h.before);
	check_executions(r->root, all->executions, r->row_count, f);
	take_findings(f, &h.after);
	check_run(r->root, samples, f);
	check_counts(r, f);
	check_ids(r, f);
	for (i = 0; i < r->row_count; i++)
		findings_move(f, &all->found[i]);
	take_findings(f, &listed);
	if (!malformed && !findings_enough(f))
		check_order(r->root, &all->order, r->row_count, f);
	check_digest(r->root, f);
	run_order_free(&all->order);
	free(all->found);
	free(all->executions);
	free(all->seals);
	free(all->plans);
}

/* What is kept of the rows, beside their samples. */
typedef enum keeping { KEEP_TREES, KEEP_TEXT, KEEP_TAKEN } keeping;

static void keep(result *r, keeping what)
{
	if (what == KEEP_TREES)
		link_rows(r);
	if (what == KEEP_TEXT) {
		r->memory->rows = memory_get((r->row_count + 1) * sizeof(*r->memory->rows));
		return;
	}
	parts_free(&r->memory->parts);
	free(r->bytes);
	r->bytes = NULL;
}

static result *examine(const char *name, char *bytes, size_t size, keeping what,
                       const result_keeper *keeper, findings *f)
{
	result *r = memory_get(sizeof(*r));
	reader all = { .name = name, .text = bytes, .r = r, .trees = what == KEEP_TREES,
		       .keeper = keeper };
	eh_error error = ERROR_INIT;
	bool whole = false;

	r->path = memory_text(name);
	r->memory = memory_get(sizeof(*r->memory));
	r->memory->head = json_arena_new();
	r->bytes = bytes;
	r->size = size;
	/* What is malformed further up is said first. */
	if (!parts_find(bytes, size, &r->memory->parts) ||
	    parse_head(r, name, bytes, &error) != EH_OK)
		explain(r, name, bytes, size, f);
	else
		whole = check_structure(r->root, true, name, f) && decode_head(r, name, f);
	if (!whole) {
		result_free(r);
		return NULL;
	}
	fill_head(r);
	r->row_count = r->memory->parts.row_count;
	r->rows = memory_get((r->row_count + 1) * sizeof(*r->rows));
	r->pools = memory_get((r->row_count + 1) * sizeof(*r->pools));
	check_all(&all, f);
	keep(r, what);
	return r;
}

result *result_examine(const char *name, char *bytes, size_t size, findings *f)
{
	return examine(name, bytes, size, KEEP_TEXT, NULL, f);
}

/* What is malformed is said before what was altered. */
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

/* Takes the bytes. */
static eh_status check_bytes(const char *name, char *bytes, size_t size, keeping what,
                             const result_keeper *keeper, result **out, eh_error *error)
{
	findings f = { .only_first = true };
	eh_status status = EH_OK;
	result *r = examine(name, bytes, size, what, keeper, &f);

	if (f.count > 0) {
		status = first_finding(&f, name, error);
		result_free(r);
	} else {
		*out = r;
	}
	findings_free(&f);
	return status;
}

static eh_status read_checked(const char *path, keeping what, const result_keeper *keeper,
                              result **out, eh_error *error)
{
	char *bytes;
	size_t size;
	eh_status status = file_read(path, &bytes, &size, error);

	return status == EH_OK ? check_bytes(path, bytes, size, what, keeper, out, error) : status;
}

eh_status result_read_bytes(const char *name, char *bytes, size_t size, result **out, eh_error *error)
{
	return check_bytes(name, bytes, size, KEEP_TREES, NULL, out, error);
}

eh_status result_read(const char *path, result **out, eh_error *error)
{
	return read_checked(path, KEEP_TREES, NULL, out, error);
}

eh_status result_read_lean(const char *path, result **out, eh_error *error)
{
	return read_checked(path, KEEP_TEXT, NULL, out, error);
}

eh_status result_read_keeping(const char *path, const result_keeper *keeper, result **out,
                              eh_error *error)
{
	return read_checked(path, KEEP_TAKEN, keeper, out, error);
}

void result_free(result *r)
{
	size_t i;

	if (r == NULL)
		return;
	for (i = 0; i < r->row_count; i++)
		record_pool_free(&r->pools[i]);
	for (i = 0; i < r->row_count && r->memory->rows != NULL; i++)
		json_arena_free(r->memory->rows[i].arena);
	for (i = 0; i < READER_THREADS_MAX; i++)
		json_arena_free(r->memory->kept[i]);
	json_arena_free(r->memory->head);
	parts_free(&r->memory->parts);
	layout_free(record_result_layout(), r->record);
	free(r->memory->rows);
	free(r->memory);
	free(r->pools);
	free(r->rows);
	free(r->bytes);
	free(r->path);
	free(r);
}

void result_row_open(const result *r, const result_row *row)
{
	size_t i = (size_t)(row - r->rows);
	row_memory *m = r->memory->rows != NULL ? &r->memory->rows[i] : NULL;
	cJSON *tree = NULL;

	if (m == NULL || m->opened++ > 0)
		return;
	m->arena = json_arena_new();
	/* It was checked when the result was read. */
	if (json_parse_part(m->arena, r->bytes, r->memory->parts.rows[i], 2, r->path, &tree, NULL) ==
	    EH_OK)
		r->rows[i].json = tree;
}

void result_row_close(const result *r, const result_row *row)
{
	size_t i = (size_t)(row - r->rows);
	row_memory *m = r->memory->rows != NULL ? &r->memory->rows[i] : NULL;

	if (m == NULL || m->opened == 0 || --m->opened > 0)
		return;
	r->rows[i].json = NULL;
	json_arena_free(m->arena);
	m->arena = NULL;
}

const result_row *result_row_by_id(const result *r, const char *id)
{
	size_t i;

	for (i = 0; i < r->row_count; i++)
		if (strcmp(r->rows[i].id, id) == 0)
			return &r->rows[i];
	return NULL;
}

const char *result_row_word(const result_row *row)
{
	return row->runs > 0 ? row->status : "not run";
}

bool result_row_is_load(const result_row *row)
{
	return pool_is_load(row->plan);
}
