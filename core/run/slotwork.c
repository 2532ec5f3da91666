/* SPDX-License-Identifier: Apache-2.0 */
#include "run/slotwork.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "executor/executor.h"

void slotwork_begin(slotwork *w, const slot_context *c, const schedule_slot *slot)
{
	const manifest *m = c->manifest;

	*w = (slotwork){ .context = c, .slot = slot, .name = m->names[slot->executor] };
	w->missing = ledger_missing_in(c->ledger, slot->execution, slot->executor);
	w->order = schedule_cases(m->protocol->seed, m->protocol->interleave, slot->execution,
	                          m->plan->case_count);
	w->replacement = ledger_described(c->ledger, slot->execution, slot->executor) ||
	                 ledger_begun(c->ledger, slot->execution, slot->executor);
	w->place = (supervise_place){ .plan = m->plan, .journal = c->journal, .shown = c->shown,
		                      .label = w->name };
}

void slotwork_end(slotwork *w)
{
	free(w->order);
	w->order = NULL;
}

/* The line of a case without samples.  starts: of line_case, or 0. */
static eh_status append_without(const slotwork *w, size_t position, enum record_status found,
                                const char *reason, unsigned starts, eh_error *error)
{
	const plan *p = w->context->manifest->plan;
	record_line line;
	record_line_case *at = &line.one_case;
	eh_status status;

	record_line_init(&line, RECORD_LINE_CASE);
	text_set(&at->executor, w->name);
	at->execution = at->record.execution = w->slot->execution;
	text_set(&at->id, p->cases[w->order[position - 1]].id);
	if (starts > 0)
		at->starts = starts;
	at->record.position = position;
	at->record.status = found;
	text_list_add(&at->record.reasons, reason);
	status = journal_append(w->context->journal, &line, error);
	record_line_clear(&line);
	return status;
}

/* The executor's record without its backend. */
static eh_status append_outline(const slotwork *w, eh_error *error)
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

bool slotwork_has(const slotwork *w, size_t position)
{
	return ledger_has(w->context->ledger, w->slot->execution, w->slot->executor,
	                  w->order[position - 1]);
}

static eh_status read_journal(const slotwork *w, eh_error *error)
{
	return ledger_read(w->context->ledger, w->context->journal_path, error);
}

static eh_status fail_remaining(const slotwork *w, const char *reason, unsigned starts, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 1; i <= w->context->manifest->plan->case_count && status == EH_OK; i++)
		if (!slotwork_has(w, i))
			status = append_without(w, i, RECORD_FAILED, reason, starts, error);
	return status == EH_OK ? read_journal(w, error) : status;
}

/* No worker comes as far as the cases that are left. */
static eh_status fail_unstarted(const slotwork *w, const char *reason, eh_error *error)
{
	unsigned starts = w->starts > 0 ? w->starts : 1;
	char *why = starts > 1 ? memory_format("measuring could not start, tried %u times: %s", starts, reason) :
	                         memory_format("measuring could not start: %s", reason);
	eh_status status = fail_remaining(w, why, starts, error);

	free(why);
	return status;
}

static eh_status fail_case(const slotwork *w, const char *id, const char *reason, eh_error *error)
{
	const plan *p = w->context->manifest->plan;
	eh_status status = EH_OK;

	for (size_t i = 1; i <= p->case_count; i++)
		if (!slotwork_has(w, i) && strcmp(p->cases[w->order[i - 1]].id, id) == 0)
			status = append_without(w, i, RECORD_FAILED, reason, 0, error);
	return status == EH_OK ? read_journal(w, error) : status;
}

eh_status slotwork_end_of_run(const slotwork *w, const supervise_end *end, eh_error *error)
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

static void fill_job(const slotwork *w, worker_job *j)
{
	const slot_context *c = w->context;
	const manifest *m = c->manifest;

	text_set(&j->plugin, m->plugins[w->slot->executor]);
	text_set(&j->executor, m->executors[w->slot->executor]);
	j->execution = w->slot->execution;
	j->canary = m->protocol->canary;
	j->progress = progress_watched(c->shown);
	j->replacement = w->replacement;
	j->undescribed = w->undescribed;
	text_set(&j->protocol_source, m->protocol->source);
	text_set(&j->protocol_text, m->protocol->text);
	text_set(&j->protocol_digest, m->plan->digest);
	j->size_class = (uint64_t)m->protocol->size_class;
	j->cache_bytes = m->protocol->scales[PROTOCOL_CACHE].size;
	j->compute_units = m->protocol->scales[PROTOCOL_UNITS].size;
	j->protocol_seed = m->protocol->seed;
	for (size_t i = 0; m->options[i] != NULL; i++)
		text_list_add(&j->options, m->options[i]);
	for (size_t i = 0; i < c->without->count; i++)
		text_list_add(&j->without, c->without->items[i]);
}

/* Excludes a probe that ended a worker from the rest of the run.  false when there is none, or it
 * was excluded before: that would never end. */
static bool leave_out(const slotwork *w, const supervise_end *end)
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

/* A backend that ends the worker, or hangs, where it describes its stack costs that description alone. */
static bool leave_undescribed(slotwork *w, const supervise_end *end)
{
	if (!end->describing || w->undescribed || (end->fate != SUPERVISE_DIED && end->fate != SUPERVISE_CANNOT))
		return false;
	w->undescribed = true;
	log_write(EH_LOG_WARN, "%s, execution %llu: %s where its backend described its stack; it is started again "
	          "without that", w->name, (unsigned long long)w->slot->execution, end->reason);
	return true;
}

/* Whether a worker that died costs its start alone: it came as far as no case, and not too often. */
static bool start_again(slotwork *w, const supervise_end *end, size_t before)
{
	if (w->missing < before || end->during != NULL)
		w->starts = 0;
	if (!end->died || end->during != NULL || w->missing == 0 || ++w->starts >= SLOTWORK_STARTS)
		return false;
	log_write(EH_LOG_WARN, "%s, execution %llu: %s before it measured anything; it is started again (%u of %d)",
	          w->name, (unsigned long long)w->slot->execution, end->reason, w->starts + 1, SLOTWORK_STARTS);
	return true;
}

eh_status slotwork_settle(slotwork *w, const supervise_end *end, bool *again, eh_error *error)
{
	const slot_context *c = w->context;
	const char *reason = end->reason != NULL ? end->reason : "the worker ended without measuring it";
	const size_t before = w->missing;
	eh_status status = read_journal(w, error);

	*again = false;
	if (status != EH_OK)
		return status;
	w->missing = ledger_missing_in(c->ledger, w->slot->execution, w->slot->executor);
	w->replacement = w->replacement || end->during != NULL || w->missing < before || end->probe != NULL;
	if (leave_undescribed(w, end) || (end->probe == NULL && start_again(w, end, before))) {
		*again = true;
		return EH_OK;
	}
	status = slotwork_end_of_run(w, end, error);
	if (status != EH_OK)
		return status;
	if (leave_out(w, end)) {
		*again = w->missing > 0;
		return EH_OK;
	}
	if (end->fate == SUPERVISE_ENDED)
		return fail_remaining(w, reason, 0, error);
	if (end->fate == SUPERVISE_CANNOT)
		return fail_unstarted(w, reason, error);

	log_write(EH_LOG_INFO, "%s, execution %llu: %s", w->name,
	          (unsigned long long)w->slot->execution, reason);
	if (end->during != NULL)
		status = fail_case(w, end->during, reason, error);
	if (status != EH_OK)
		return status;
	w->missing = ledger_missing_in(c->ledger, w->slot->execution, w->slot->executor);
	/* Workers without progress would be started for ever. */
	if (w->missing > 0 && w->missing == before)
		return fail_unstarted(w, reason, error);
	*again = w->missing > 0;
	return EH_OK;
}

eh_status slotwork_skip(slotwork *w, size_t position, eh_error *error)
{
	eh_status status = append_without(w, position, RECORD_OUT_OF_TIME,
	                                  "The run's budget had no time for this execution of the case.", 0,
	                                  error);

	if (status == EH_OK)
		status = read_journal(w, error);
	w->missing = ledger_missing_in(w->context->ledger, w->slot->execution, w->slot->executor);
	return status;
}

supervised *slotwork_start(const slotwork *w, supervise_end *end)
{
	supervised *s = slotwork_launch(w, end);

	return s != NULL && supervise_up(s, end) && supervise_calibrate(s, end) ? s : NULL;
}

supervised *slotwork_launch(const slotwork *w, supervise_end *end)
{
	worker_job j;
	supervised *s;

	layout_init(worker_job_layout(), &j);
	fill_job(w, &j);
	s = supervise_start(&j, &w->place, end);
	layout_clear(worker_job_layout(), &j);
	return s;
}

/* One worker that describes its stack and ends; *again when it died and another one is worth it. */
static eh_status try_to_describe(slotwork *w, unsigned tried, bool *again, eh_error *error)
{
	supervise_end end = { .fate = SUPERVISE_CANNOT };
	supervised *s = slotwork_start(w, &end);
	eh_status status;

	if (s != NULL) {
		supervise_finish(s);
		supervise_finish_await(s, &end);
	}
	*again = end.died && tried < SLOTWORK_STARTS;
	status = *again ? EH_OK : slotwork_end_of_run(w, &end, error);
	supervise_end_free(&end);
	return status == EH_OK ? read_journal(w, error) : status;
}

eh_status slotwork_describe(slotwork *w, bool try_worker, eh_error *error)
{
	const slot_context *c = w->context;
	eh_status status = EH_OK;
	bool again = try_worker;

	for (unsigned tried = 1; again && status == EH_OK &&
	     !ledger_described(c->ledger, w->slot->execution, w->slot->executor); tried++)
		status = try_to_describe(w, tried, &again, error);
	if (status != EH_OK || ledger_described(c->ledger, w->slot->execution, w->slot->executor))
		return status;
	status = append_outline(w, error);
	return status == EH_OK ? read_journal(w, error) : status;
}
