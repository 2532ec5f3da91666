/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the journal to a result, in two passes: the first keeps the head of the record and where
 * each case's lines are, the second puts one case together at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "result/record.h"
#include "result/redact.h"
#include "result/result.h"
#include "result/shape.h"
#include "run/journal.h"

typedef struct case_line {
	size_t case_index;
	uint64_t execution;
	long offset;
} case_line;

typedef struct planned {
	const char *id;
	const cJSON *json;
	size_t index;
} planned;

typedef struct builder {
	const char *journal_path, *executor;
	cJSON *run;            /* the journal's first line                                    */
	cJSON *record;         /* the first executor record of ours                           */
	cJSON *instruments;    /* one per execution                                           */
	cJSON *deviations;     /* what the run itself adds to the protocol's                  */
	cJSON *end;            /* the last "end" line                                         */
	cJSON *pilot;          /* the "pilot" line, where there is one                        */
	cJSON *noise;          /* the last noise floor of our executor, where one is known    */
	planned *cases;        /* in the plan's order                                         */
	planned *by_id;        /* sorted                                                      */
	size_t case_count;
	case_line *lines;      /* ours                                                        */
	size_t line_count, line_room;
	file_writer *out;
	cJSON *digests;
	const char *status;
	result_summary summary;
} builder;

static int planned_compare(const void *a, const void *b)
{
	return strcmp(((const planned *)a)->id, ((const planned *)b)->id);
}

static int line_compare(const void *a, const void *b)
{
	const case_line *x = a;
	const case_line *y = b;

	if (x->case_index != y->case_index)
		return x->case_index < y->case_index ? -1 : 1;
	if (x->execution != y->execution)
		return x->execution < y->execution ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* ---- first pass ------------------------------------------------------------------------------ */

static eh_status take_run(builder *b, const cJSON *line, eh_error *error)
{
	const cJSON *cases = json_path(line, "protocol.canonical.cases");
	const cJSON *item;
	size_t i = 0;

	if (b->run != NULL)
		return error_set(error, EH_E_FORMAT, "%s: a second run line", b->journal_path);
	if (!cJSON_IsArray(cases) || json_path(line, "protocol.digest") == NULL) {
		return error_set(error, EH_E_FORMAT,
		                 "%s: the first line has no protocol.canonical.cases",
		                 b->journal_path);
	}
	b->run = cJSON_Duplicate(line, true);
	cases = json_path(b->run, "protocol.canonical.cases");
	b->case_count = (size_t)cJSON_GetArraySize(cases);
	b->cases = memory_get((b->case_count + 1) * sizeof(*b->cases));
	b->by_id = memory_get((b->case_count + 1) * sizeof(*b->by_id));
	cJSON_ArrayForEach(item, cases) {
		const char *id = json_string(item, "id", NULL);

		if (id == NULL) {
			return error_set(error, EH_E_FORMAT,
			                 "%s: protocol.canonical.cases[%zu].id is missing",
			                 b->journal_path, i);
		}
		b->cases[i] = b->by_id[i] = (planned){ id, item, i };
		i++;
	}
	qsort(b->by_id, b->case_count, sizeof(*b->by_id), planned_compare);
	return EH_OK;
}

static void take_executor(builder *b, const cJSON *record, uint64_t execution)
{
	const char *digest = json_string(record, "digest", "");
	const char *first;
	char *sentence;

	if (b->record == NULL) {
		b->record = cJSON_Duplicate(record, true);
		return;
	}
	first = json_string(b->record, "digest", "");
	if (strcmp(first, digest) == 0)
		return;
	sentence = memory_format("the executor changed during the run: its digest was %.12s and is "
	                         "%.12s in execution %llu", first, digest,
	                         (unsigned long long)execution);
	json_append_string(b->deviations, sentence);
	free(sentence);
}

/* An execution that was resumed, or whose worker was replaced, had several instruments: the one
 * with the largest launch cost is kept, as doubts about clocks are weighed by it. */
static void take_instrument(builder *b, const cJSON *record, uint64_t execution)
{
	cJSON *copy = cJSON_Duplicate(record, true);
	cJSON *item;

	if (json_path(copy, "execution") == NULL)
		json_add_uint(copy, "execution", execution);
	cJSON_ArrayForEach(item, b->instruments) {
		uint64_t number;
		double kept = 0;
		double launch = 0;

		if (!json_uint(item, "execution", &number) || number != execution)
			continue;
		(void)json_double(item, "launch_ns", &kept);
		(void)json_double(copy, "launch_ns", &launch);
		if (launch <= kept)
			cJSON_Delete(copy);
		else
			cJSON_ReplaceItemViaPointer(b->instruments, item, copy);
		return;
	}
	cJSON_AddItemToArray(b->instruments, copy);
}

static eh_status take_case(builder *b, const cJSON *line, uint64_t execution, long offset,
                           eh_error *error)
{
	planned wanted = { json_string(line, "id", ""), NULL, 0 };
	const planned *found =
		bsearch(&wanted, b->by_id, b->case_count, sizeof(*b->by_id), planned_compare);

	if (found == NULL) {
		return error_set(error, EH_E_FORMAT,
		                 "%s: the line at byte %ld is of a case \"%s\" that the protocol "
		                 "does not have", b->journal_path, offset, wanted.id);
	}
	if (b->line_count == b->line_room) {
		b->line_room = b->line_room == 0 ? 64 : b->line_room * 2;
		b->lines = memory_grow(b->lines, b->line_room * sizeof(*b->lines));
	}
	b->lines[b->line_count++] = (case_line){ found->index, execution, offset };
	return EH_OK;
}

static eh_status first_pass(void *context, const cJSON *line, long offset, eh_error *error)
{
	builder *b = context;
	const char *kind = json_string(line, "kind", "");
	const cJSON *record = json_path(line, "record");
	uint64_t execution = 0;

	if (strcmp(kind, "run") == 0)
		return take_run(b, line, error);
	if (b->run == NULL) {
		return error_set(error, EH_E_FORMAT, "%s: the first line is not the run's",
		                 b->journal_path);
	}
	if (strcmp(kind, "end") == 0) {
		cJSON_Delete(b->end);
		b->end = cJSON_Duplicate(line, true);
		return EH_OK;
	}
	if (strcmp(kind, "pilot") == 0) {
		cJSON_Delete(b->pilot);
		b->pilot = cJSON_Duplicate(line, true);
		return EH_OK;
	}
	if (strcmp(json_string(line, "executor", ""), b->executor) != 0)
		return EH_OK;
	if (strcmp(kind, "noise") == 0) {
		cJSON_Delete(b->noise);
		b->noise = cJSON_Duplicate(record, true);
		return EH_OK;
	}
	if (!cJSON_IsObject(record) || !json_uint(line, "execution", &execution)) {
		return error_set(error, EH_E_FORMAT,
		                 "%s: the line at byte %ld has no record or no execution",
		                 b->journal_path, offset);
	}
	if (strcmp(kind, "executor") == 0)
		take_executor(b, record, execution);
	else if (strcmp(kind, "instrument") == 0)
		take_instrument(b, record, execution);
	else if (strcmp(kind, "case") == 0)
		return take_case(b, line, execution, offset, error);
	return EH_OK;
}

/* The first line of an execution of a case counts: what was measured is not measured again. */
static void drop_repeats(builder *b)
{
	size_t kept = 0;
	size_t i;

	if (b->line_count > 0)
		qsort(b->lines, b->line_count, sizeof(*b->lines), line_compare);
	for (i = 0; i < b->line_count; i++) {
		if (kept > 0 && b->lines[kept - 1].case_index == b->lines[i].case_index &&
		    b->lines[kept - 1].execution == b->lines[i].execution)
			continue;
		b->lines[kept++] = b->lines[i];
	}
	b->line_count = kept;
}

/* ---- the head -------------------------------------------------------------------------------- */

static cJSON *copy_or(const cJSON *object, const char *key, cJSON *(*make)(void))
{
	const cJSON *item = json_path(object, key);

	return item != NULL ? cJSON_Duplicate(item, true) : make();
}

static size_t lines_of(const builder *b, uint64_t execution)
{
	size_t count = 0;
	size_t i;

	for (i = 0; i < b->line_count; i++)
		count += b->lines[i].execution == execution;
	return count;
}

/* What the pilot planned for this executor; NULL when there was none. */
static const cJSON *pilot_plan_of(const builder *b)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, json_path(b->pilot, "executors"))
		if (strcmp(json_string(item, "name", ""), b->executor) == 0)
			return item;
	return NULL;
}

static uint64_t planned_executions(const builder *b)
{
	const cJSON *executions = json_path(b->run, "executions");
	uint64_t count = 0;

	if (json_uint(pilot_plan_of(b), "planned", &count))
		return count;
	if (!json_uint(executions, "planned", &count))
		(void)json_uint(executions, "declared", &count);
	return count;
}

/* The pilot beside its plan: the case that needs most decides. */
static void add_pilot(const builder *b, cJSON *executions)
{
	const cJSON *plan = pilot_plan_of(b);
	const cJSON *deciding = NULL;
	const cJSON *item;
	uint64_t most_needed = 0;
	uint64_t value = 0;
	cJSON *pilot;

	if (plan == NULL)
		return;
	(void)json_uint(plan, "planned", &value);
	json_add_uint(executions, "planned", value);
	pilot = json_add_object(executions, "pilot");
	(void)json_uint(b->pilot, "executions", &value);
	json_add_uint(pilot, "executions", value);
	(void)json_uint(b->pilot, "most", &value);
	json_add_uint(pilot, "most", value);
	json_add_bool(pilot, "reached", json_bool(plan, "reached", false));
	cJSON_ArrayForEach(item, json_path(plan, "cases"))
		if (json_uint(item, "needed", &value) && value > most_needed) {
			most_needed = value;
			deciding = item;
		}
	if (deciding != NULL)
		json_set(pilot, "deciding", cJSON_Duplicate(deciding, true));
}

/* Appends the executor's places in a line's order; returns how many of them have all cases. */
static uint64_t take_order(const builder *b, const cJSON *line, cJSON *order)
{
	const cJSON *item;
	uint64_t done = 0;

	cJSON_ArrayForEach(item, json_path(line, "order")) {
		uint64_t execution = 0;
		uint64_t position = 0;
		size_t count;
		cJSON *entry;

		if (strcmp(json_string(item, "executor", ""), b->executor) != 0 ||
		    !json_uint(item, "execution", &execution) ||
		    !json_uint(item, "position", &position))
			continue;
		count = lines_of(b, execution);
		if (count == 0)
			continue;
		done += count == b->case_count;
		entry = cJSON_CreateObject();
		json_add_uint(entry, "execution", execution);
		json_add_uint(entry, "position", position);
		cJSON_AddItemToArray(order, entry);
	}
	return done;
}

static cJSON *head_run(const builder *b, bool *whole)
{
	cJSON *run = cJSON_CreateObject();
	cJSON *executions;
	cJSON *order;
	uint64_t declared = 0;
	uint64_t done;
	uint64_t planned_count = planned_executions(b);

	json_add_string(run, "id", json_string(b->run, "id", ""));
	cJSON_AddItemToObject(run, "seed", copy_or(b->run, "seed", cJSON_CreateNull));
	json_add_string(run, "started", json_string(b->run, "started", ""));
	json_add_string(run, "ended", json_string(b->end, "ended", ""));
	executions = json_add_object(run, "executions");
	order = json_add_array(run, "order");
	done = take_order(b, b->run, order) + take_order(b, b->pilot, order);
	(void)json_uint(json_path(b->run, "executions"), "declared", &declared);
	json_add_uint(executions, "declared", declared);
	json_add_uint(executions, "done", done);
	add_pilot(b, executions);
	if (b->noise != NULL)
		json_set(run, "noise_floor", cJSON_Duplicate(b->noise, true));
	*whole = done >= planned_count;
	return run;
}

static cJSON *head_protocol(const builder *b)
{
	cJSON *protocol = cJSON_Duplicate(json_path(b->run, "protocol"), true);
	cJSON *deviations = cJSON_GetObjectItemCaseSensitive(protocol, "deviations");
	const cJSON *item;

	if (!cJSON_IsArray(deviations))
		deviations = json_set(protocol, "deviations", cJSON_CreateArray());
	cJSON_ArrayForEach(item, b->deviations)
		json_append_string(deviations, item->valuestring);
	return protocol;
}

static cJSON *head_who(const builder *b)
{
	cJSON *who = copy_or(b->run, "who", cJSON_CreateObject);

	if (json_path(who, "verified") == NULL)
		json_add_bool(who, "verified", false);
	return who;
}

/* A backend whose device could not even be opened leaves no record; its rows say why. */
static cJSON *head_executor(const builder *b)
{
	cJSON *record;

	if (b->record != NULL)
		return cJSON_Duplicate(b->record, true);
	record = cJSON_CreateObject();
	json_add_string(record, "name", b->executor);
	json_add_string(record, "digest", "");
	json_add_bool(record, "simulated", false);
	json_add_object(record, "device");
	json_add_array(record, "layers");
	return record;
}

static eh_status check_executor_known(const builder *b, eh_error *error)
{
	const cJSON *item;

	if (b->run == NULL)
		return error_set(error, EH_E_FORMAT, "%s: holds no whole line", b->journal_path);
	cJSON_ArrayForEach(item, json_path(b->run, "executors"))
		if (strcmp(json_string(item, "name", ""), b->executor) == 0)
			return EH_OK;
	return error_set(error, EH_E_NOT_FOUND, "%s: the run has no executor %s", b->journal_path,
	                 b->executor);
}

/* ---- writing --------------------------------------------------------------------------------- */

static eh_status put(builder *b, const char *before, const cJSON *item, const char *after,
                     eh_error *error)
{
	char *body = json_text(item, false);
	eh_status status = file_writer_add(b->out, before, strlen(before), error);

	if (status == EH_OK)
		status = file_writer_add(b->out, body, strlen(body), error);
	if (status == EH_OK)
		status = file_writer_add(b->out, after, strlen(after), error);
	free(body);
	return status;
}

static eh_status put_head(builder *b, const cJSON *head, eh_error *error)
{
	text start = { 0 };
	eh_status status;
	size_t i;

	text_add(&start, "{\n\"format\": \"%s\", \"format_version\": %d,\n\"status\": \"%s\",\n",
	         RESULT_FORMAT, RESULT_FORMAT_VERSION, b->status);
	status = file_writer_add(b->out, start.data, start.size, error);
	text_free(&start);
	for (i = 0; record_sections[i] != NULL && status == EH_OK; i++) {
		const cJSON *section = json_path(head, record_sections[i]);
		char *before = memory_format("\"%s\": ", record_sections[i]);
		char hex[65];

		record_section_digest(head, record_sections[i], hex);
		json_add_string(b->digests, record_sections[i], hex);
		status = put(b, before, section, ",\n", error);
		free(before);
	}
	if (status == EH_OK && json_path(head, "salts") != NULL)
		status = put(b, "\"salts\": ", json_path(head, "salts"), ",\n", error);
	return status;
}

static eh_status make_row(builder *b, size_t index, size_t *line, cJSON **out, eh_error *error)
{
	cJSON *row = cJSON_Duplicate(b->cases[index].json, true);
	cJSON *executions = json_add_array(row, "executions");
	cJSON *derived;
	cJSON *item;

	for (; *line < b->line_count && b->lines[*line].case_index == index; (*line)++) {
		const case_line *at = &b->lines[*line];
		cJSON *whole;
		cJSON *record;
		eh_status status = journal_line_at(b->journal_path, at->offset, &whole, error);

		if (status != EH_OK) {
			cJSON_Delete(row);
			return status;
		}
		record = cJSON_DetachItemFromObjectCaseSensitive(whole, "record");
		cJSON_Delete(whole);
		if (json_path(record, "execution") == NULL)
			json_add_uint(record, "execution", at->execution);
		cJSON_AddItemToArray(executions, record);
	}
	derived = result_derive(row);
	executions = cJSON_DetachItemFromObjectCaseSensitive(row, "executions");
	while ((item = derived->child) != NULL) {
		bool last = strcmp(item->string, "derived") == 0;

		item = cJSON_DetachItemViaPointer(derived, item);
		if (last)
			cJSON_AddItemToObject(row, "executions", executions);
		cJSON_AddItemToObject(row, item->string, item);
		if (last)
			executions = NULL;
	}
	if (executions != NULL)
		cJSON_AddItemToObject(row, "executions", executions);
	cJSON_Delete(derived);
	*out = row;
	return EH_OK;
}

static void count_row(result_summary *s, const cJSON *row)
{
	const char *status = json_string(row, "status", "");

	if (cJSON_GetArraySize(json_path(row, "executions")) == 0) {
		s->not_run++;
		return;
	}
	s->valid += strcmp(status, "valid") == 0;
	s->not_converged += strcmp(status, "not-converged") == 0;
	s->unsupported += strcmp(status, "unsupported") == 0;
	s->failed += strcmp(status, "failed") == 0;
	s->invalid += strcmp(status, "invalid") == 0;
}

static eh_status put_cases(builder *b, eh_error *error)
{
	cJSON *seals = json_add_array(b->digests, "cases");
	eh_status status = file_writer_add(b->out, "\"cases\": [", 10, error);
	size_t line = 0;
	size_t i;

	for (i = 0; i < b->case_count && status == EH_OK; i++) {
		char *place = memory_format("cases[%zu]", i);
		cJSON *row = NULL;
		char hex[65];

		status = make_row(b, i, &line, &row, error);
		if (status == EH_OK)
			status = shape_check(row, shape_case, b->journal_path, place, error);
		if (status == EH_OK) {
			json_digest(row, hex);
			json_append_string(seals, hex);
			count_row(&b->summary, row);
			status = put(b, i > 0 ? ",\n" : "\n", row, "", error);
		}
		cJSON_Delete(row);
		free(place);
	}
	return status == EH_OK ? file_writer_add(b->out, "\n],\n", 4, error) : status;
}

static eh_status put_end(builder *b, eh_error *error)
{
	char hex[65];
	char *last;
	eh_status status;

	record_digest(b->status, b->digests, hex);
	last = memory_format(",\n\"digest\": \"%s\"\n}\n", hex);
	status = put(b, "\"digests\": ", b->digests, last, error);
	free(last);
	return status;
}

/* The head has the format's shape: a journal that was tampered with does not become a result. */
static eh_status check_head(const builder *b, const cJSON *head, eh_error *error)
{
	const shape *m;
	shape sections[16];
	size_t count = 0;
	size_t i;

	for (m = shape_result; m->key != NULL; m++)
		for (i = 0; record_sections[i] != NULL; i++)
			if (strcmp(m->key, record_sections[i]) == 0)
				sections[count++] = *m;
	sections[count] = (shape){ NULL, SHAPE_TEXT, false, NULL, NULL };
	return shape_check(head, sections, b->journal_path, "", error);
}

static eh_status write_result(builder *b, bool complete, const char *path, eh_error *error)
{
	cJSON *head = cJSON_CreateObject();
	bool whole = false;
	eh_status status;

	cJSON_AddItemToObject(head, "harness", copy_or(b->run, "harness", cJSON_CreateObject));
	cJSON_AddItemToObject(head, "who", head_who(b));
	cJSON_AddItemToObject(head, "protocol", head_protocol(b));
	cJSON_AddItemToObject(head, "run", head_run(b, &whole));
	cJSON_AddItemToObject(head, "executor", head_executor(b));
	cJSON_AddItemReferenceToObject(head, "instruments", b->instruments);
	b->status = complete && whole ? "complete" : "incomplete";
	status = check_head(b, head, error);
	/* The run's secret stays in the journal. */
	if (status == EH_OK && json_string(b->run, "salt", NULL) != NULL)
		cJSON_AddItemToObject(head, "salts", redact_salts(head, json_string(b->run, "salt", "")));
	if (status == EH_OK)
		status = file_writer_open(path, &b->out, error);
	if (status == EH_OK)
		status = put_head(b, head, error);
	cJSON_Delete(head);
	if (status == EH_OK)
		status = put_cases(b, error);
	if (status == EH_OK)
		status = put_end(b, error);
	if (status != EH_OK) {
		file_writer_abandon(b->out);
		return status;
	}
	return file_writer_commit(b->out, error);
}

eh_status result_build(const char *journal_path, const char *executor, bool complete,
                       const char *path, result_summary *summary, eh_error *error)
{
	builder b = { .journal_path = journal_path, .executor = executor };
	eh_status status;

	b.instruments = cJSON_CreateArray();
	b.deviations = cJSON_CreateArray();
	b.digests = cJSON_CreateObject();
	status = journal_each(journal_path, first_pass, &b, error);
	if (status == EH_OK)
		status = check_executor_known(&b, error);
	if (status == EH_OK) {
		drop_repeats(&b);
		status = write_result(&b, complete, path, error);
	}
	if (status == EH_OK && summary != NULL)
		*summary = b.summary;
	cJSON_Delete(b.run);
	cJSON_Delete(b.record);
	cJSON_Delete(b.instruments);
	cJSON_Delete(b.deviations);
	cJSON_Delete(b.end);
	cJSON_Delete(b.pilot);
	cJSON_Delete(b.noise);
	cJSON_Delete(b.digests);
	free(b.cases);
	free(b.by_id);
	free(b.lines);
	return status;
}
