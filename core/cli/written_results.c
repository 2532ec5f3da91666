/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/written_results.h"

#include <stdlib.h>

#include "audit/audit.h"
#include "base/file_lock.h"
#include "base/log.h"
#include "base/text.h"
#include "record/journal.h"

static bool is_there(const run_outcome *outcome)
{
	return journal_where(outcome->held) == JOURNAL_THERE;
}

static eh_status write_one(const run_outcome *outcome, size_t index, const char *path, result_summary *summary,
                           eh_error *error)
{
	int lock = -1;
	eh_status status = run_journal_gone(outcome->held, EH_OK, error);

	if (status == EH_OK)
		status = audit_replace(path, &lock, error);
	if (status == EH_OK)
		status = result_build(outcome->journal, outcome->executors[index], outcome->complete,
		                      &outcome->outlines[index], path, summary, error);
	file_lock_release(lock);
	return status == EH_OK ? EH_OK : run_journal_gone(outcome->held, status, error);
}

/* Nothing of what was measured is lost: where it is, and how to go on. */
static void explain(const run_outcome *outcome, const char *next, eh_status status, eh_error *error)
{
	char *remedy;

	if ((status != EH_E_IO && status != EH_E_UNAVAILABLE) || !is_there(outcome))
		return;
	remedy = memory_format("; everything measured is in %s; %s writes what is missing, once it can be written",
	                       outcome->journal, next);
	error_remedy(error, remedy);
	free(remedy);
}

static eh_status write_and_visit(const run_outcome *outcome, const char *next, size_t index,
                                 written_results_visit visit, void *context, eh_error *error)
{
	const char *executor = outcome->executors[index];
	char *path = run_result_path(outcome->folder, executor);
	result_summary summary;
	eh_status status = write_one(outcome, index, path, &summary, error);

	if (status == EH_OK)
		status = visit(context, executor, path, &summary, error);
	else
		explain(outcome, next, status, error);
	free(path);
	return status;
}

eh_status written_results(const run_outcome *outcome, const char *next, written_results_visit visit,
                          void *context, eh_error *error)
{
	eh_status first = EH_OK;

	for (size_t i = 0; outcome->executors[i] != NULL; i++) {
		eh_error own = ERROR_INIT;
		eh_status status = write_and_visit(outcome, next, i, visit, context, &own);

		if (first != EH_OK && status != EH_OK) {
			log_write(EH_LOG_ERROR, "%s", own.message);
		} else if (status != EH_OK) {
			first = status;
			*error = own;
		}
		/* Without the journal nothing more can be written, and that was said. */
		if (first != EH_OK && !is_there(outcome))
			break;
	}
	return first;
}
