/* SPDX-License-Identifier: Apache-2.0 */
#include "run/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "record/identity.h"
#include "record/journal.h"

struct ledger {
	const plan *plan;
	const char *const *names;
	size_t executors;
	uint64_t executions; /* of the pilot, where there is one */
	uint64_t most;
	uint64_t *planned;   /* [executor] */
	bool undecided;
	record_executor *stacks; /* [executor], of its first line */
	bool *done, *unstarted; /* [execution][executor][case]; no worker came as far as the case */
	bool *described, *begun; /* [execution][executor] */
	bool ended, complete; /* of the last line                        */
	journal_cursor read;  /* behind the last line taken */
};

ledger *ledger_new(const plan *p, const char *const *names, size_t executors, uint64_t executions,
                   uint64_t most, const bool *asked)
{
	ledger *l = memory_get(sizeof(*l));
	size_t slots;

	l->plan = p;
	l->names = names;
	l->executors = executors;
	l->executions = executions;
	l->most = most > executions ? most : executions;
	l->undecided = most > executions;
	l->planned = memory_get((executors + 1) * sizeof(*l->planned));
	for (size_t i = 0; i < executors; i++)
		l->planned[i] = executions;
	l->stacks = memory_get((executors + 1) * sizeof(*l->stacks));
	for (size_t i = 0; i < executors; i++)
		layout_init(record_executor_layout(), &l->stacks[i]);
	slots = (size_t)l->most * executors;
	l->done = memory_get((slots * p->case_count + 1) * sizeof(*l->done));
	l->unstarted = memory_get((slots * p->case_count + 1) * sizeof(*l->unstarted));
	for (size_t i = 0; asked != NULL && i < slots * p->case_count; i++)
		l->done[i] = !asked[i % p->case_count];
	l->described = memory_get((slots + 1) * sizeof(*l->described));
	l->begun = memory_get((slots + 1) * sizeof(*l->begun));
	return l;
}

void ledger_free(ledger *l)
{
	if (l == NULL)
		return;
	free(l->done);
	free(l->unstarted);
	free(l->described);
	free(l->begun);
	free(l->planned);
	for (size_t i = 0; i < l->executors; i++)
		layout_clear(record_executor_layout(), &l->stacks[i]);
	free(l->stacks);
	free(l);
}

static size_t slot_of(const ledger *l, uint64_t execution, size_t executor)
{
	return (size_t)(execution - 1) * l->executors + executor;
}

static eh_status find_slot(const ledger *l, const char *executor, uint64_t execution, size_t *slot,
                           eh_error *error)
{
	for (size_t i = 0; i < l->executors; i++)
		if (strcmp(l->names[i], executor) == 0 && execution >= 1 && execution <= l->planned[i]) {
			*slot = slot_of(l, execution, i);
			return EH_OK;
		}
	return error_set(error, EH_E_FORMAT, "the journal has a line of executor '%s', execution %llu, "
	                 "which is not in its plan", executor,
	                 (unsigned long long)execution);
}

static eh_status take_pilot(ledger *l, const record_line_pilot *line, eh_error *error)
{
	size_t found = 0;

	for (size_t k = 0; k < line->executors.count; k++) {
		const record_pilot_plan *p = &line->executors.items[k];

		for (size_t i = 0; i < l->executors; i++)
			if (strcmp(l->names[i], p->name) == 0 && p->planned >= l->executions &&
			    p->planned <= l->most) {
				l->planned[i] = p->planned;
				found++;
			}
	}
	l->undecided = false;
	if (found == l->executors)
		return EH_OK;
	return error_set(error, EH_E_FORMAT, "the journal has a pilot line that does not plan %llu to "
	                 "%llu executions for each executor", (unsigned long long)l->executions,
	                 (unsigned long long)l->most);
}

static eh_status take_executor(ledger *l, record_line_executor *line, eh_error *error)
{
	size_t slot = 0;
	eh_status status = find_slot(l, line->executor, line->execution, &slot, error);
	record_executor *first;

	if (status != EH_OK)
		return status;
	l->described[slot] = true;
	first = &l->stacks[slot % l->executors];
	if (first->name == NULL)
		layout_move(record_executor_layout(), &line->record, first);
	else if (strcmp(first->digest, line->record.digest) != 0 && !identity_within(first, &line->record))
		log_write(EH_LOG_WARN, "%s, execution %llu: its stack is another than that of the first one; the "
		          "result says so", line->executor, (unsigned long long)line->execution);
	return EH_OK;
}

static eh_status take_case(ledger *l, const record_line_case *line, eh_error *error)
{
	const plan_case *c = plan_case_by_id(l->plan, line->id);
	size_t slot = 0, at;
	eh_status status = find_slot(l, line->executor, line->execution, &slot, error);

	if (status != EH_OK)
		return status;
	if (c == NULL)
		return error_set(error, EH_E_FORMAT, "the journal has a line of case '%s', which its "
		                 "protocol does not have", line->id);
	at = slot * l->plan->case_count + (size_t)(c - l->plan->cases);
	l->begun[slot] = l->begun[slot] || line->starts == LAYOUT_NO_UINT;
	/* A case that was measured stays so. */
	l->unstarted[at] = line->starts != LAYOUT_NO_UINT && (!l->done[at] || l->unstarted[at]);
	l->done[at] = true;
	return EH_OK;
}

static eh_status visit(void *context, record_line *line, long offset, eh_error *error)
{
	ledger *l = context;

	(void)offset;
	l->ended = line->kind == RECORD_LINE_END;
	l->complete = l->ended && line->end.status == RECORD_ENDED_COMPLETE;
	switch (line->kind) {
	case RECORD_LINE_PILOT: return take_pilot(l, &line->pilot, error);
	case RECORD_LINE_EXECUTOR: return take_executor(l, &line->executor, error);
	case RECORD_LINE_CASE: return take_case(l, &line->one_case, error);
	default: return EH_OK;
	}
}

eh_status ledger_read(ledger *l, const char *journal_path, eh_error *error)
{
	return journal_each_from(journal_path, &l->read, visit, l, error);
}

bool ledger_has(const ledger *l, uint64_t execution, size_t executor, size_t index)
{
	return l->done[slot_of(l, execution, executor) * l->plan->case_count + index];
}

bool ledger_begun(const ledger *l, uint64_t execution, size_t executor)
{
	return l->begun[slot_of(l, execution, executor)];
}

bool ledger_described(const ledger *l, uint64_t execution, size_t executor)
{
	return l->described[slot_of(l, execution, executor)];
}

size_t ledger_missing(const ledger *l)
{
	size_t missing = 0;

	for (size_t i = 0; i < l->executors; i++)
		for (uint64_t n = 1; n <= l->planned[i]; n++)
			missing += ledger_missing_in(l, n, i);
	return missing;
}

bool ledger_undecided(const ledger *l)
{
	return l->undecided;
}

const char *ledger_digest(const ledger *l, size_t executor)
{
	return text_or_empty(l->stacks[executor].digest);
}

uint64_t ledger_planned(const ledger *l, size_t executor)
{
	return l->planned[executor];
}

bool ledger_whole(const ledger *l)
{
	for (size_t i = 0; i < l->executors; i++)
		for (uint64_t n = 1; n <= l->planned[i]; n++)
			if (!ledger_described(l, n, i))
				return false;
	return !l->undecided && ledger_missing(l) == 0;
}

size_t ledger_missing_in(const ledger *l, uint64_t execution, size_t executor)
{
	size_t missing = 0;

	for (size_t i = 0; i < l->plan->case_count; i++)
		missing += !ledger_has(l, execution, executor, i);
	return missing;
}

void ledger_forget_unstarted(ledger *l)
{
	size_t count = (size_t)l->most * l->executors * l->plan->case_count;

	for (size_t i = 0; i < count; i++)
		if (l->unstarted[i])
			l->done[i] = l->unstarted[i] = false;
}

bool ledger_ended(const ledger *l)
{
	return l->ended;
}

bool ledger_ended_complete(const ledger *l)
{
	return l->complete;
}
