/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "record/builder.h"
#include "record/journal.h"

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

eh_status builder_scan(builder *b, eh_error *error)
{
	eh_status status = journal_each(b->journal_path, first_pass, b, error);

	if (status == EH_OK)
		status = check_executor_known(b, error);
	if (status == EH_OK)
		drop_repeats(b);
	return status;
}
