/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds a result from a journal in two passes: the first collects the head of the record and the
 * places of the cases' lines, the second builds one case at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/text.h"
#include "record/builder.h"
#include "record/derive.h"
#include "record/redact.h"
#include "record/seal.h"

/* ---- a row ----------------------------------------------------------------------------------- */

/* Copies the plan of the case to its row. */
static void take_planned(const record_planned_case *planned, record_case *row)
{
	record_planned_case copy;

	layout_init(record_planned_case_layout(), &copy);
	layout_copy(record_planned_case_layout(), planned, &copy);
	row->id = copy.id;
	row->workload = copy.workload;
	row->revision = copy.revision;
	row->tier = copy.tier;
	row->precision = copy.precision;
	row->parameters = copy.parameters;
	row->work = copy.work;
	row->measure = copy.measure;
}

/* Reads the executions of a case.  b->lines is sorted by case: *at moves from the case's first line
 * to that of the next case. */
static eh_status take_executions(const builder *b, size_t index, size_t *at, record_case *row,
                                 eh_error *error)
{
	eh_status status = EH_OK;

	for (; *at < b->line_count && b->lines[*at].case_index == index && status == EH_OK; (*at)++) {
		record_line line;

		status = journal_line_again(b->journal_path, &b->lines[*at].at, &line, error);
		if (status == EH_OK)
			layout_move(record_execution_layout(), &line.one_case.record,
			            layout_append(record_execution_layout(), &row->executions));
		record_line_clear(&line);
	}
	return status;
}

static void count_row(result_summary *s, const record_case *row, bool asked)
{
	if (row->executions.count == 0) {
		s->not_run += asked;
		return;
	}
	s->valid += row->status == RECORD_VALID;
	s->not_converged += row->status == RECORD_NOT_CONVERGED;
	s->unproven += row->status == RECORD_UNPROVEN;
	s->unsupported += row->status == RECORD_UNSUPPORTED;
	s->out_of_time += row->status == RECORD_OUT_OF_TIME;
	s->failed += row->status == RECORD_FAILED;
	s->invalid += row->status == RECORD_INVALID;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Writes both texts and frees the second. */
static eh_status put(builder *b, const char *before, char *body, eh_error *error)
{
	eh_status status = file_writer_add(b->out, before, strlen(before), error);

	if (status == EH_OK)
		status = file_writer_add(b->out, body, strlen(body), error);
	free(body);
	return status;
}

/* Writes a row in its canonical form, so that anybody can check its digest with sha256sum. */
static eh_status put_case(builder *b, const char *before, const record_case *row, eh_error *error)
{
	char *body = layout_canonical(record_case_layout(), row, NULL);
	char hex[65];

	digest_bytes(body, strlen(body), hex);
	text_list_add(&b->record.digests.cases, hex);
	return put(b, before, body, error);
}

static eh_status put_row(builder *b, size_t index, size_t *line, eh_error *error)
{
	record_case row;
	eh_status status;

	layout_init(record_case_layout(), &row);
	take_planned(&b->record.protocol.canonical.cases.items[index], &row);
	status = take_executions(b, index, line, &row, error);
	if (status == EH_OK) {
		record_derive_row(&row);
		count_row(&b->summary, &row, record_asked(&b->record.run.asked, row.id));
		status = put_case(b, index > 0 ? ",\n" : "\n", &row, error);
	}
	layout_clear(record_case_layout(), &row);
	return status;
}

static eh_status put_cases(builder *b, eh_error *error)
{
	eh_status status = file_writer_add(b->out, "\"cases\": [", 10, error);
	size_t line = 0;

	for (size_t i = 0; i < b->record.protocol.canonical.cases.count && status == EH_OK; i++)
		status = put_row(b, i, &line, error);
	return status == EH_OK ? file_writer_add(b->out, "\n]", 2, error) : status;
}

/* Makes the salts, and the digests of the sections. */
static void seal_head(builder *b)
{
	/* The run's secret stays in the journal. */
	if (b->run.salt != NULL)
		redact_salt(&b->record, b->run.salt, b->executor);
	for (size_t i = 0; record_sections[i] != NULL; i++) {
		char hex[65];

		record_section_digest(&b->record, record_sections[i], hex);
		text_set(record_digest_of(&b->record.digests, record_sections[i]), hex);
	}
}

static void seal(builder *b)
{
	char hex[65];

	record_digest(b->record.status, &b->record.digests, hex);
	text_set(&b->record.digest, hex);
}

/* Writes the record, one member a line. */
static eh_status put_record(builder *b, eh_error *error)
{
	const layout *l = record_result_layout();
	eh_status status = EH_OK;

	for (size_t i = 0; i < l->count && status == EH_OK; i++) {
		const layout_field *f = &l->fields[i];
		const char *between = i > 0 ? ",\n" : "{\n";
		char *body;

		if (strcmp(f->key, "cases") == 0) {
			status = file_writer_add(b->out, between, 2, error);
			if (status == EH_OK)
				status = put_cases(b, error);
			seal(b);
		} else if ((body = layout_member_json(f, &b->record)) != NULL) {
			char *before = memory_format("%s\"%s\": ", between, f->key);

			status = put(b, before, body, error);
			free(before);
		}
	}
	return status == EH_OK ? file_writer_add(b->out, "\n}\n", 3, error) : status;
}

static eh_status write_result(builder *b, bool complete, const char *path, eh_error *error)
{
	bool whole = builder_finish_head(b);
	eh_status status = file_writer_open(path, &b->out, error);

	if (status != EH_OK)
		return status;
	b->record.format = RECORD_FORMAT_RESULT;
	b->record.format_version = RESULT_FORMAT_VERSION;
	b->record.status = complete && whole ? RECORD_COMPLETE : RECORD_INCOMPLETE;
	seal_head(b);
	status = put_record(b, error);
	if (status != EH_OK) {
		file_writer_abandon(b->out);
		return status;
	}
	return file_writer_commit(b->out, error);
}

eh_status result_build(const char *journal_path, const char *executor, bool complete,
                       const record_executor *outline, const char *path, result_summary *summary,
                       eh_error *error)
{
	builder b = { .journal_path = journal_path, .executor = executor, .outline = outline };
	eh_status status;

	layout_init(record_line_run_layout(), &b.run);
	layout_init(record_line_pilot_layout(), &b.pilot);
	layout_init(record_result_layout(), &b.record);
	status = builder_scan(&b, error);
	if (status == EH_OK)
		status = write_result(&b, complete, path, error);
	if (status == EH_OK && summary != NULL)
		*summary = b.summary;
	layout_clear(record_line_run_layout(), &b.run);
	layout_clear(record_line_pilot_layout(), &b.pilot);
	layout_clear(record_result_layout(), &b.record);
	free(b.by_id);
	free(b.lines);
	return status;
}
