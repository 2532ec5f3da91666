/* SPDX-License-Identifier: Apache-2.0 */
#include "run/slot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "executor/executor.h"
#include "measure/measure.h"
#include "run/supervise.h"

typedef struct work {
	const slot_context *context;
	const schedule_slot *slot;
	const char *name;    /* of the executor            */
	size_t *order;       /* of all cases of the slot   */
	bool replacement;
} work;

/* {kind, executor, execution, [id,] record}; takes record. */
static cJSON *line_new(const work *w, const char *kind, const char *id, cJSON *record)
{
	cJSON *line = cJSON_CreateObject();

	json_add_string(line, "kind", kind);
	json_add_string(line, "executor", w->name);
	json_add_uint(line, "execution", w->slot->execution);
	if (id != NULL)
		json_add_string(line, "id", id);
	json_set(line, "record", record);
	return line;
}

/* The row of a case that no worker could finish. */
static eh_status append_failed(const work *w, size_t position, const char *reason, eh_error *error)
{
	const plan *p = w->context->manifest->plan;
	cJSON *record = measure_absent("failed", reason), *line;
	eh_status status;

	json_set(record, "execution", cJSON_CreateNumber((double)w->slot->execution));
	json_set(record, "position", cJSON_CreateNumber((double)position));
	line = line_new(w, "case", p->cases[w->order[position - 1]].id, record);
	status = journal_append(w->context->journal, line, error);
	cJSON_Delete(line);
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

/* What ends the run with that worker, EH_OK when nothing does. */
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

static void run_worker(const work *w, supervise_end *end)
{
	const slot_context *c = w->context;
	const manifest *m = c->manifest;
	job j = {
		.journal = c->journal_path,
		.plugin = m->plugins[w->slot->executor],
		.executor = w->name,
		.execution = w->slot->execution,
		.coordinator = (uint64_t)getpid(),
		.canary = m->protocol->canary,
		.progress = progress_watched(c->shown),
		.replacement = w->replacement,
		.protocol_source = m->protocol->source,
		.protocol_text = m->protocol->text,
		.protocol_digest = m->plan->digest,
		.protocol_seed = m->protocol->seed,
		.options = (const char *const *)m->options,
		.without = (const char *const *)c->without->names,
	};

	j.cases = memory_get((m->plan->case_count + 1) * sizeof(*j.cases));
	for (size_t i = 1; i <= m->plan->case_count; i++) {
		if (has(w, i))
			continue;
		j.cases[j.case_count].id = m->plan->cases[w->order[i - 1]].id;
		j.cases[j.case_count].position = i;
		j.case_count++;
	}
	supervise_worker(&j, m->plan, c->shown, end);
	free(j.cases);
}

/* When a probe ended the worker: from now on none reads it.  Each only once, so that this ends. */
static bool leave_out(const work *w, const supervise_end *end)
{
	slot_probes *without = w->context->without;

	if (end->probe == NULL || without->count == SLOT_PROBES ||
	    (end->fate != SUPERVISE_DIED && end->fate != SUPERVISE_CANNOT))
		return false;
	for (size_t i = 0; i < without->count; i++)
		if (strcmp(without->names[i], end->probe) == 0)
			return false;
	without->names[without->count++] = memory_text(end->probe);
	log_write(EH_LOG_WARN, "%s, execution %llu: %s in the code of the probe %s%s%s; the run goes on "
	          "without that probe (evenhand devices -v shows whether its library crashes there too)",
	          w->name, (unsigned long long)w->slot->execution, end->reason, end->probe,
	          end->during != NULL ? ", and is measured again from case " : "",
	          end->during != NULL ? end->during : "");
	return true;
}

/* What a worker's end means for the cases it left; *again when another is worth starting. */
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
	/* Workers that get nowhere would be started for ever. */
	if (missing > 0 && missing == missing_before)
		return fail_remaining(w, reason, error);
	*again = missing > 0;
	return EH_OK;
}

/* When every worker died before it could describe its stack: one that does nothing else, and
 * failing that, what can be seen from outside. */
static eh_status describe(work *w, bool try_worker, eh_error *error)
{
	const manifest *m = w->context->manifest;
	supervise_end end = { .fate = SUPERVISE_CANNOT };
	eh_status status = EH_OK;
	record_executor *record;
	cJSON *line;

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
	record = executor_outline(w->name, &m->devices[w->slot->executor], m->site);
	line = line_new(w, "executor", NULL, layout_encode(record_executor_layout(), record));
	layout_free(record_executor_layout(), record);
	status = journal_append(w->context->journal, line, error);
	cJSON_Delete(line);
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
