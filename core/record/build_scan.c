/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/builder.h"
#include "record/identity.h"

static int by_id_compare(const void *a, const void *b)
{
	return strcmp((*(const record_planned_case *const *)a)->id,
	              (*(const record_planned_case *const *)b)->id);
}

static int line_compare(const void *a, const void *b)
{
	const builder_line *x = a;
	const builder_line *y = b;

	if (x->case_index != y->case_index)
		return x->case_index < y->case_index ? -1 : 1;
	if (x->execution != y->execution)
		return x->execution < y->execution ? -1 : 1;
	if (x->unstarted != y->unstarted)
		return x->unstarted ? 1 : -1;
	return (x->at.offset > y->at.offset) - (x->at.offset < y->at.offset);
}

static eh_status take_run(builder *b, record_line_run *line, eh_error *error)
{
	const record_planned_case_list *cases = &b->record.protocol.canonical.cases;

	if (b->by_id != NULL)
		return error_set(error, EH_E_FORMAT, "%s: a second run line", b->journal_path);
	layout_move(record_harness_layout(), &line->harness, &b->record.harness);
	layout_move(record_who_layout(), &line->who, &b->record.who);
	layout_move(record_protocol_layout(), &line->protocol, &b->record.protocol);
	layout_move(record_line_run_layout(), line, &b->run);
	b->by_id = memory_get((cases->count + 1) * sizeof(*b->by_id));
	for (size_t i = 0; i < cases->count; i++)
		b->by_id[i] = &cases->items[i];
	qsort(b->by_id, cases->count, sizeof(*b->by_id), by_id_compare);
	return EH_OK;
}

/* A worker that was killed left no line of its executor.  The next one that measured, or described, must have
 * found the same stack. */
static void compare_stacks(builder *b, const char *before, const char *found, const char *where)
{
	if (before[0] != '\0' && found[0] != '\0' && strcmp(before, found) != 0)
		text_list_format(&b->record.protocol.deviations, RECORD_EXECUTOR_CHANGED
		                 ": its digest before the cases was %.12s and is %.12s %s", before, found, where);
}

static void compare_next(builder *b, const char *found, uint64_t execution)
{
	char where[40];

	snprintf(where, sizeof(where), "in execution %llu", (unsigned long long)execution);
	compare_stacks(b, b->measured_on, found, where);
}

/* The result has the first line of the executor; a later one with another stack is a deviation.  An execution of
 * fewer cases, because the others are decided, may have used less of the same. */
static void take_executor(builder *b, record_line_executor *line)
{
	record_executor *ours = &b->record.executor;

	compare_next(b, text_or_empty(line->stack), line->execution);
	b->measured_on[0] = '\0';
	snprintf(b->described_on, sizeof(b->described_on), "%s", text_or_empty(line->stack));
	if (ours->name == NULL)
		layout_move(record_executor_layout(), &line->record, ours);
	else if (strcmp(ours->digest, line->record.digest) != 0 && !identity_within(ours, &line->record))
		text_list_format(&b->record.protocol.deviations, RECORD_EXECUTOR_CHANGED
		                 ": its digest was %.12s and is %.12s in execution %llu", ours->digest,
		                 line->record.digest, (unsigned long long)line->execution);
}

/* An execution that was resumed or whose worker was replaced has several instruments.  Keeps the
 * one with the largest launch cost: the checks of clocks use it, so this is the safe side.  Samples
 * may be by the device's clock when one of the workers trusted it. */
static void merge_instrument(record_instrument *kept, record_instrument *other)
{
	bool trusted = kept->device_time || other->device_time;

	if (other->launch_ns > kept->launch_ns)
		layout_move(record_instrument_layout(), other, kept);
	kept->device_time = trusted;
	if (trusted)
		text_set(&kept->device_time_reason, "");
}

static void take_instrument(builder *b, record_line_instrument *line)
{
	record_instrument_list *all = &b->record.instruments;

	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].execution == line->record.execution) {
			merge_instrument(&all->items[i], &line->record);
			return;
		}
	layout_move(record_instrument_layout(), &line->record,
	            layout_append(record_instrument_layout(), all));
}

static eh_status take_case(builder *b, const record_line_case *line, long offset, eh_error *error)
{
	const record_planned_case_list *cases = &b->record.protocol.canonical.cases;
	const record_planned_case wanted = { .id = line->id }, *key = &wanted;
	const record_planned_case **found = bsearch(&key, b->by_id, cases->count, sizeof(*b->by_id),
	                                            by_id_compare);

	if (found == NULL) {
		return error_set(error, EH_E_FORMAT,
		                 "%s: the line at byte %ld is of a case \"%s\" that the protocol "
		                 "does not have", b->journal_path, offset, line->id);
	}
	if (b->line_count == b->line_room) {
		b->line_room = b->line_room == 0 ? 64 : b->line_room * 2;
		b->lines = memory_grow(b->lines, b->line_room * sizeof(*b->lines));
	}
	compare_next(b, b->stack, line->execution);
	if (b->stack[0] != '\0')
		snprintf(b->measured_on, sizeof(b->measured_on), "%s", b->stack);
	b->lines[b->line_count++] =
		(builder_line){ line->starts != LAYOUT_NO_UINT, (size_t)(*found - cases->items), line->execution,
			        b->at };
	return EH_OK;
}

/* Keeps the last line. */
static void take_noise(builder *b, record_line_noise *line)
{
	record_noise_floor **ours = &b->record.run.noise_floor;

	if (*ours == NULL)
		*ours = layout_new(record_noise_floor_layout());
	layout_move(record_noise_floor_layout(), &line->record, *ours);
}

/* A session of the run; LAYOUT_NO_UINT makes the whole unknown. */
static void add_spent(builder *b, uint64_t session_ns)
{
	b->spent_ns = b->spent_ns == LAYOUT_NO_UINT || session_ns == LAYOUT_NO_UINT ? LAYOUT_NO_UINT :
	              b->spent_ns + session_ns;
}

/* What was lost may be the end of a session. */
static void take_salvage(builder *b, const record_line_salvage *line)
{
	add_spent(b, LAYOUT_NO_UINT);
	text_list_format(&b->record.protocol.deviations, RECORD_SALVAGED ": lines lost: %llu, left out: "
	                 "%llu, kept: %llu", (unsigned long long)line->lost,
	                 (unsigned long long)line->left_out, (unsigned long long)line->kept);
}

/* Checks that the execution's number in the line equals the number in its record. */
static eh_status check_execution(const builder *b, uint64_t stated, uint64_t recorded, long offset,
                                 eh_error *error)
{
	if (stated == recorded)
		return EH_OK;
	return error_set(error, EH_E_FORMAT, "%s: the line at byte %ld is of execution %llu, its record "
	                 "of execution %llu", b->journal_path, offset, (unsigned long long)stated,
	                 (unsigned long long)recorded);
}

static bool is_ours(const builder *b, const char *executor)
{
	return strcmp(executor, b->executor) == 0;
}

static eh_status first_pass(void *context, record_line *line, long offset, eh_error *error)
{
	builder *b = context;
	eh_status status = EH_OK;

	if (line->kind != RECORD_LINE_RUN && b->by_id == NULL)
		return error_set(error, EH_E_FORMAT, "%s: the first line is not the run's",
		                 b->journal_path);
	switch (line->kind) {
	case RECORD_LINE_RUN:
		return take_run(b, &line->run, error);
	case RECORD_LINE_EXECUTOR:
		if (is_ours(b, line->executor.executor))
			take_executor(b, &line->executor);
		break;
	case RECORD_LINE_INSTRUMENT:
		if (!is_ours(b, line->instrument.executor))
			break;
		status = check_execution(b, line->instrument.execution,
		                         line->instrument.record.execution, offset, error);
		if (status == EH_OK) {
			snprintf(b->stack, sizeof(b->stack), "%s", text_or_empty(line->instrument.stack));
			take_instrument(b, &line->instrument);
		}
		break;
	case RECORD_LINE_CASE:
		if (!is_ours(b, line->one_case.executor))
			break;
		status = check_execution(b, line->one_case.execution, line->one_case.record.execution,
		                         offset, error);
		if (status == EH_OK)
			status = take_case(b, &line->one_case, offset, error);
		break;
	case RECORD_LINE_PILOT:
		layout_move(record_line_pilot_layout(), &line->pilot, &b->pilot);
		break;
	case RECORD_LINE_NOISE:
		if (is_ours(b, line->noise.executor))
			take_noise(b, &line->noise);
		break;
	case RECORD_LINE_SALVAGE:
		take_salvage(b, &line->salvage);
		break;
	case RECORD_LINE_END:
		text_set(&b->record.run.ended, line->end.ended);
		add_spent(b, line->end.spent_ns);
		break;
	case record_line_kind_absent:
		break;
	}
	return status;
}

/* Drops all but the first line of each execution of a case, as nothing is measured twice; a line for
 * which no worker started is the last. */
static void drop_repeats(builder *b)
{
	size_t kept = 0;

	if (b->line_count > 0)
		qsort(b->lines, b->line_count, sizeof(*b->lines), line_compare);
	for (size_t i = 0; i < b->line_count; i++) {
		if (kept > 0 && b->lines[kept - 1].case_index == b->lines[i].case_index &&
		    b->lines[kept - 1].execution == b->lines[i].execution)
			continue;
		b->lines[kept++] = b->lines[i];
	}
	b->line_count = kept;
}

static eh_status check_executor_known(const builder *b, eh_error *error)
{
	if (b->by_id == NULL)
		return error_set(error, EH_E_FORMAT, "%s: holds no whole line", b->journal_path);
	for (size_t i = 0; i < b->run.executors.count; i++)
		if (is_ours(b, b->run.executors.items[i].name))
			return EH_OK;
	return error_set(error, EH_E_NOT_FOUND, "%s: the run has no executor %s", b->journal_path,
	                 b->executor);
}

eh_status builder_scan(builder *b, eh_error *error)
{
	eh_status status = journal_each_from(b->journal_path, &b->at, first_pass, b, error);

	if (status == EH_OK)
		status = check_executor_known(b, error);
	if (status == EH_OK)
		compare_stacks(b, b->described_on, b->measured_on, "in the last cases");
	if (status == EH_OK)
		drop_repeats(b);
	return status;
}
