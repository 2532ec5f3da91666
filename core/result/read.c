/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a result that somebody else may have written.  Its text is split into the head and the
 * rows; each part is parsed strictly, its structure is checked first, so that all after it may rely
 * on types, then what it must follow from and its digest.  Rows are independent of each other:
 * every processor takes some, and only the samples stay in memory.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "result/check.h"
#include "result/parts.h"
#include "result/record.h"
#include "result/result.h"
#include "result/shape.h"

/* Rows that one thread takes at a time; fewer are not worth a second thread. */
enum { STRIDE = 16, THREADS_MAX = 8 };

typedef struct row_memory { json_arena *arena; size_t opened; } row_memory;

typedef struct result_memory {
	json_arena *head;
	json_arena *kept[THREADS_MAX]; /* the rows of a result that is not lean               */
	result_parts parts;
	row_memory *rows;              /* of a lean one                                        */
} result_memory;

typedef struct reader {
	const char *name, *text;
	result *r;
	const cJSON **plans, **seals;  /* by row; NULL where there is none                     */
	size_t *executions;            /* by row: how many it has                              */
	findings *found;               /* by row                                               */
	bool keep;
	atomic_size_t next;
} reader;

typedef struct row_reader { reader *all; json_arena *arena; pthread_t thread; } row_reader;

/* ---- rows ------------------------------------------------------------------------------------ */

/* The words of a checked row, which outlive its tree. */
static const char *status_word(const cJSON *row)
{
	static const char *const words[] = { "valid", "not-converged", "unsupported", "failed",
		                             "invalid" };
	const char *word = json_string(row, "status", "");
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i], word) == 0)
			return words[i];
	return "";
}

static const char *clock_word(const cJSON *row)
{
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(row, "executions"))
		if (record_counts(e))
			return strcmp(json_string(e, "clock", ""), "device") == 0 ? "device" : "host";
	return "";
}

/* What a plan says, its row says too. */
static void fill_from_plan(result_row *r, const cJSON *plan)
{
	const cJSON *work = json_path(plan, "work");

	r->id = json_string(plan, "id", "");
	r->workload = json_string(plan, "workload", "");
	r->precision = json_string(plan, "precision", "");
	r->tier = json_string(plan, "tier", "");
	r->metric = json_string(work, "metric", "");
	(void)json_double(work, "amount", &r->amount);
	r->status = r->clock = "";
}

static eh_status parse_row(const reader *all, json_arena *arena, size_t i, cJSON **row,
                           eh_error *error)
{
	char *place;
	eh_status status = json_parse_part(arena, all->text, all->r->memory->parts.rows[i], 2, all->name,
	                                   row, error);

	if (status != EH_OK)
		return status;
	place = memory_format("cases[%zu]", i);
	status = shape_check(*row, shape_case, all->name, place, error);
	free(place);
	return status;
}

static void take_row(reader *all, json_arena *arena, size_t i)
{
	result_row *r = &all->r->rows[i];
	eh_error error = ERROR_INIT;
	cJSON *row = NULL;

	fill_from_plan(r, all->plans[i]);
	if (parse_row(all, arena, i, &row, &error) != EH_OK) {
		char *place = memory_format("cases[%zu]", i);

		(void)findings_add_error(&all->found[i], CHECK_STRUCTURE, place, all->name, &error);
		free(place);
		all->executions[i] = SIZE_MAX;
		return;
	}
	all->executions[i] = (size_t)cJSON_GetArraySize(json_path(row, "executions"));
	record_pool_fill(&all->r->pools[i], row);
	check_row(row, &all->r->pools[i], all->plans[i], all->seals[i], i,
	          arena, &all->found[i]);
	r->status = status_word(row);
	r->clock = clock_word(row);
	r->runs = all->executions[i];
	r->side = record_pool_side(&all->r->pools[i]);
	if (all->keep)
		r->json = row;
}

static void *take_rows(void *context)
{
	row_reader *mine = context;
	reader *all = mine->all;
	size_t count = all->r->row_count;

	for (;;) {
		size_t from = atomic_fetch_add(&all->next, STRIDE);
		size_t i;

		if (from >= count)
			return NULL;
		for (i = from; i < count && i < from + STRIDE; i++) {
			if (!all->keep)
				json_arena_reset(mine->arena);
			take_row(all, mine->arena, i);
		}
	}
}

/* As many threads as there are processors and strides; what cannot be started, others do.  This
 * thread does `meanwhile` first. */
static void take_all_rows(reader *all, void (*meanwhile)(void *), void *context)
{
	row_reader readers[THREADS_MAX];
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t want = processors < 1 ? 1 : processors > THREADS_MAX ? THREADS_MAX : (size_t)processors;
	size_t count = 1;
	size_t i;

	if (want > (all->r->row_count + STRIDE - 1) / STRIDE)
		want = (all->r->row_count + STRIDE - 1) / STRIDE;
	for (i = 0; i < THREADS_MAX; i++)
		readers[i] = (row_reader){ .all = all };
	for (i = 0; i < want || i == 0; i++)
		readers[i].arena = json_arena_new();
	while (count < want &&
	       pthread_create(&readers[count].thread, NULL, take_rows, &readers[count]) == 0)
		count++;
	meanwhile(context);
	(void)take_rows(&readers[0]);
	for (i = 1; i < count; i++)
		(void)pthread_join(readers[i].thread, NULL);
	for (i = 0; i < THREADS_MAX; i++) {
		if (all->keep)
			all->r->memory->kept[i] = readers[i].arena;
		else
			json_arena_free(readers[i].arena);
	}
}

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
	bool samples = false;
	size_t i;

	all->plans = list_of(json_path(r->root, "protocol.canonical.cases"), r->row_count);
	all->seals = list_of(json_path(r->root, "digests.cases"), r->row_count);
	all->executions = memory_get((r->row_count + 1) * sizeof(*all->executions));
	all->found = memory_get((r->row_count + 1) * sizeof(*all->found));
	for (i = 0; i < r->row_count; i++)
		all->found[i].only_first = f->only_first;
	take_all_rows(all, check_head, &h);
	for (i = 0; i < r->row_count; i++)
		samples = samples || r->pools[i].executions > 0;
	take_findings(f, &h.before);
	check_executions(r->root, all->executions, r->row_count, f);
	take_findings(f, &h.after);
	check_run(r->root, samples, f);
	check_counts(r, f);
	for (i = 0; i < r->row_count; i++)
		findings_move(f, &all->found[i]);
	check_digest(r->root, f);
	free(all->found);
	free(all->executions);
	free(all->seals);
	free(all->plans);
}

static result *examine(const char *name, char *bytes, size_t size, bool keep, findings *f)
{
	result *r = memory_get(sizeof(*r));
	reader all = { .name = name, .text = bytes, .r = r, .keep = keep };
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
		whole = check_structure(r->root, true, name, f);
	if (!whole) {
		result_free(r);
		return NULL;
	}
	fill_head(r);
	r->row_count = r->memory->parts.row_count;
	r->rows = memory_get((r->row_count + 1) * sizeof(*r->rows));
	r->pools = memory_get((r->row_count + 1) * sizeof(*r->pools));
	check_all(&all, f);
	if (keep) {
		link_rows(r);
		parts_free(&r->memory->parts);
		free(r->bytes);
		r->bytes = NULL;
	} else {
		r->memory->rows = memory_get((r->row_count + 1) * sizeof(*r->memory->rows));
	}
	return r;
}

result *result_examine(const char *name, char *bytes, size_t size, findings *f)
{
	return examine(name, bytes, size, false, f);
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

static eh_status read_checked(const char *path, bool keep, result **out, eh_error *error)
{
	findings f = { .only_first = true };
	char *bytes;
	size_t size;
	result *r;
	eh_status status = file_read(path, &bytes, &size, error);

	if (status != EH_OK)
		return status;
	r = examine(path, bytes, size, keep, &f);
	if (f.count > 0) {
		status = first_finding(&f, path, error);
		result_free(r);
	} else {
		*out = r;
	}
	findings_free(&f);
	return status;
}

eh_status result_read(const char *path, result **out, eh_error *error)
{
	return read_checked(path, true, out, error);
}

eh_status result_read_lean(const char *path, result **out, eh_error *error)
{
	return read_checked(path, false, out, error);
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
	for (i = 0; i < THREADS_MAX; i++)
		json_arena_free(r->memory->kept[i]);
	json_arena_free(r->memory->head);
	parts_free(&r->memory->parts);
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
