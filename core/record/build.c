/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the journal to a result, in two passes: the first keeps the head of the record and where
 * each case's lines are, the second puts one case together at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "record/builder.h"
#include "record/rowpool.h"
#include "record/redact.h"
#include "record/shape.h"
#include "record/journal.h"

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
	bool whole = false;
	cJSON *head = builder_head(b, &whole);
	eh_status status;

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
	status = builder_scan(&b, error);
	if (status == EH_OK)
		status = write_result(&b, complete, path, error);
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
