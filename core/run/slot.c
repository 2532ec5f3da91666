/* SPDX-License-Identifier: Apache-2.0 */
#include "run/slot.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "executor/executor.h"
#include "run/supervise.h"

typedef struct work {
	const slot_context *context;
	const schedule_slot *slot;
	const char *name;    /* of the executor            */
	size_t *order;       /* of all cases of the slot   */
	bool replacement;
} work;

/* The line of a case that no worker could finish. */
static eh_status append_failed(const work *w, size_t position, const char *reason, eh_error *error)
{
	const plan *p = w->context->manifest->plan;
	record_line line;
	record_line_case *at = &line.one_case;
	eh_status status;

	record_line_init(&line, RECORD_LINE_CASE);
	text_set(&at->executor, w->name);
	at->execution = at->record.execution = w->slot->execution;
	text_set(&at->id, p->cases[w->order[position - 1]].id);
	at->record.position = position;
	at->record.status = RECORD_FAILED;
	text_list_add(&at->record.reasons, reason);
	status = journal_append(w->context->journal, &line, error);
	record_line_clear(&line);
	return status;
}

/* The executor's record without its backend. */
static eh_status append_outline(const work *w, eh_error *error)
{
	const manifest *m = w->context->manifest;
	record_line line;
	eh_status status;

	record_line_init(&line, RECORD_LINE_EXECUTOR);
	text_set(&line.executor.executor, w->name);
	line.executor.execution = w->slot->execution;
	executor_outline(m->executors[w->slot->executor], &m->devices[w->slot->executor], m->site, &line.executor.record);
	status = journal_append(w->context->journal, &line, error);
	record_line_clear(&line);
	return status;
}

static bool has(const work *w, size_t position)
{
	return ledger_has(w->context->ledger, w->slot->execution, w->slot->executor,
	                  w->order[position - 1]);
}

static eh_status read_journal(const work *w, eh_error *error)
{
	return ledger_read(w->context->ledger, w->context->journal_path, error);
}

static eh_status fail_remaining(const work *w, const char *reason, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 1; i <= w->context->manifest->plan->case_count && status == EH_OK; i++)
		if (!has(w, i))
			status = append_failed(w, i, reason, error);
	return status == EH_OK ? read_journal(w, error) : status;
}

static eh_status fail_case(const work *w, const char *id, const char *reason, eh_error *error)
{
	const plan *p = w->context->manifest->plan;
	eh_status status = EH_OK;

	for (size_t i = 1; i <= p->case_count; i++)
		if (!has(w, i) && strcmp(p->cases[w->order[i - 1]].id, id) == 0)
			status = append_failed(w, i, reason, error);
	return status == EH_OK ? read_journal(w, error) : status;
}

/* Fails when the worker's end is the end of the run. */
static eh_status end_of_run(const work *w, const supervise_end *end, eh_error *error)
{
	if (end->fate == SUPERVISE_INTERRUPTED)
		return error_set(error, EH_E_INTERRUPTED, "interrupted");
	if (end->fate == SUPERVISE_JOURNAL)
		return error_set(error, end->code, "%s", end->reason);
	if (end->fate == SUPERVISE_STOP)
		return error_set(error, EH_E_UNAVAILABLE, "%s, execution %llu: %s", w->name,
		                 (unsigned long long)w->slot->execution, end->reason);
	return EH_OK;
}

static void fill_job(const work *w, worker_job *j)
{
	const slot_context *c = w->context;
	const manifest *m = c->manifest;

	text_set(&j->plugin, m->plugins[w->slot->executor]);
	text_set(&j->executor, m->executors[w->slot->executor]);
	j->execution = w->slot->execution;
	j->canary = m->protocol->canary;
	j->progress = progress_watched(c->shown);
	j->replacement = w->replacement;
	text_set(&j->protocol_source, m->protocol->source);
	text_set(&j->protocol_text, m->protocol->text);
	text_set(&j->protocol_digest, m->plan->digest);
	j->protocol_seed = m->protocol->seed;
	for (size_t i = 0; m->options[i] != NULL; i++)
		text_list_add(&j->options, m->options[i]);
	for (size_t i = 0; i < c->without->count; i++)
		text_list_add(&j->without, c->without->items[i]);
}

/* Measures the cases from `position` on that have no line.  false when the worker has ended. */
static bool measure_from(const work *w, supervised *s, size_t position, supervise_end *end)
{
	const plan *p = w->context->manifest->plan;
	bool goes_on = true;

	for (; position <= p->case_count && goes_on; position++) {
		worker_command c;

		if (has(w, position))
			continue;
		c = supervise_command(WORKER_MEASURE, &p->cases[w->order[position - 1]], position);
		goes_on = supervise_ask(s, &c, NULL, end);
		layout_clear(worker_command_layout(), &c);
	}
	return goes_on;
}

static void run_worker(const work *w, supervise_end *end)
{
	const supervise_place place = { .plan = w->context->manifest->plan,
		                        .journal = w->context->journal,
		                        .shown = w->context->shown, .label = w->name };
	supervised *s;
	worker_job j;

	layout_init(worker_job_layout(), &j);
	fill_job(w, &j);
	s = supervise_start(&j, &place, end);
	if (s != NULL && measure_from(w, s, 1, end))
		supervise_finish(s, end);
	layout_clear(worker_job_layout(), &j);
}

/* Excludes a probe that ended a worker from the rest of the run.  false when there is none, or it
 * was excluded before: that would never end. */
static bool leave_out(const work *w, const supervise_end *end)
{
	if (end->probe == NULL || text_list_has(w->context->without, end->probe) ||
	    (end->fate != SUPERVISE_DIED && end->fate != SUPERVISE_CANNOT))
		return false;
	text_list_add(w->context->without, end->probe);
	log_write(EH_LOG_WARN, "%s, execution %llu: %s in the code of the probe %s%s%s; the run goes on "
	          "without that probe (evenhand devices -v shows whether its library crashes there too)",
	          w->name, (unsigned long long)w->slot->execution, end->reason, end->probe,
	          end->during != NULL ? ", and is measured again from case " : "",
	          end->during != NULL ? end->during : "");
	return true;
}

/* Writes failed lines for cases that the worker's end decides; *again when another worker is worth
 * starting. */
static eh_status settle(work *w, const supervise_end *end, size_t missing_before, bool *again,
                        eh_error *error)
{
	const slot_context *c = w->context;
	const char *reason = end->reason != NULL ? end->reason : "the worker ended without measuring it";
	eh_status status = read_journal(w, error);
	size_t missing;

	*again = false;
	if (status == EH_OK)
		status = end_of_run(w, end, error);
	if (status != EH_OK)
		return status;
	if (leave_out(w, end)) {
		*again = ledger_missing_in(c->ledger, w->slot->execution, w->slot->executor) > 0;
		return EH_OK;
	}
	if (end->fate == SUPERVISE_ENDED)
		return fail_remaining(w, reason, error);
	if (end->fate == SUPERVISE_CANNOT) {
		char *why = memory_format("measuring could not start: %s", reason);

		status = fail_remaining(w, why, error);
		free(why);
		return status;
	}

	log_write(EH_LOG_INFO, "%s, execution %llu: %s", w->name,
	          (unsigned long long)w->slot->execution, reason);
	if (end->during != NULL)
		status = fail_case(w, end->during, reason, error);
	if (status != EH_OK)
		return status;
	missing = ledger_missing_in(c->ledger, w->slot->execution, w->slot->executor);
	/* Workers without progress would be started for ever. */
	if (missing > 0 && missing == missing_before)
		return fail_remaining(w, reason, error);
	*again = missing > 0;
	return EH_OK;
}

/* For an execution whose workers all died before they described their stack: tries a worker without
 * cases; if that fails, writes what is known without the backend. */
static eh_status describe(work *w, bool try_worker, eh_error *error)
{
	supervise_end end = { .fate = SUPERVISE_CANNOT };
	eh_status status = EH_OK;

	if (try_worker) {
		run_worker(w, &end);
		status = end_of_run(w, &end, error);
		supervise_end_free(&end);
		if (status == EH_OK)
			status = read_journal(w, error);
	}
	if (status != EH_OK || ledger_described(w->context->ledger, w->slot->execution,
	                                        w->slot->executor))
		return status;
	status = append_outline(w, error);
	return status == EH_OK ? read_journal(w, error) : status;
}

eh_status slot_run(const slot_context *c, const schedule_slot *slot, eh_error *error)
{
	const manifest *m = c->manifest;
	work w = { .context = c, .slot = slot, .name = m->names[slot->executor] };
	size_t missing = ledger_missing_in(c->ledger, slot->execution, slot->executor);
	bool again = missing > 0, could = true;
	eh_status status = EH_OK;

	w.order = schedule_cases(m->protocol->seed, m->protocol->interleave, slot->execution,
	                         m->plan->case_count);
	w.replacement = ledger_described(c->ledger, slot->execution, slot->executor) ||
	                missing < m->plan->case_count;
	if (again)
		progress_slot(c->shown, w.name, slot->execution,
		              ledger_planned(c->ledger, slot->executor));
	while (again && status == EH_OK) {
		supervise_end end;

		run_worker(&w, &end);
		could = end.fate != SUPERVISE_CANNOT;
		status = settle(&w, &end, missing, &again, error);
		supervise_end_free(&end);
		missing = ledger_missing_in(c->ledger, slot->execution, slot->executor);
		w.replacement = true;
	}
	if (status == EH_OK && !ledger_described(c->ledger, slot->execution, slot->executor))
		status = describe(&w, could, error);
	free(w.order);
	return status;
}
