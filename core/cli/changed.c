/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/changed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/agreements.h"
#include "cli/command.h"
#include "cli/written_results.h"
#include "report/attribution.h"
#include "report/grid.h"

/* ---- measuring ------------------------------------------------------------------------------- */

static eh_status count(void *context, const char *executor, const char *path, const result_summary *summary,
                       eh_error *error)
{
	changed_run *r = context;

	(void)executor;
	(void)path;
	(void)error;
	r->results++;
	r->numbers += summary->valid + summary->not_converged + summary->unproven;
	return EH_OK;
}

/* A run that had to stop leaves incomplete results of what was measured. */
static eh_status write_results(const run_outcome *outcome, eh_status ran, changed_run *out, eh_error *error)
{
	eh_error unread = ERROR_INIT;
	char *place = text_shell_word(outcome->folder);
	eh_status written;

	out->folder = memory_text(outcome->folder);
	out->resume = memory_format("evenhand run --resume %s", place);
	out->complete = outcome->complete;
	written = written_results(outcome, out->resume, count, out, ran == EH_OK ? error : &unread);
	free(place);
	return ran == EH_OK ? written : ran;
}

eh_status changed_measure(run_options o, changed_run *out, eh_error *error)
{
	record_agreement_list agreed = { NULL, 0 };
	run_outcome outcome = { 0 };
	eh_status status = agreements_gather(o.protocol, NULL, &agreed, error);

	*out = (changed_run){ .complete = false };
	o.agreements = &agreed;
	if (status == EH_OK)
		status = run_execute(&o, &outcome, error);
	if (outcome.folder != NULL && (status == EH_OK || outcome.stopped))
		status = write_results(&outcome, status, out, error);
	run_outcome_free(&outcome);
	layout_list_clear(record_agreement_layout(), &agreed);
	return status;
}

void changed_run_free(changed_run *r)
{
	free(r->folder);
	free(r->resume);
}

/* ---- what changed ---------------------------------------------------------------------------- */

const result *changed_find(const cli_input *in, const char *executor)
{
	for (size_t i = 0; i < in->count; i++)
		if (strcmp(in->results[i]->record->executor.name, executor) == 0)
			return in->results[i];
	return NULL;
}

void changed_add(attribution_list *all, const result *before, const result *after, double margin,
                 const char *as_run)
{
	const result *const both[] = { before, after };
	attribution *a = attribute_results(both, 2, NULL, 0, margin, as_run);

	layout_move(attribution_layout(), a, layout_append(attribution_layout(), all));
	attribution_free(a);
}

/* Side by side, as they are in the attributions; free(items) alone. */
static comparison_list comparisons_of(const attribution_list *all)
{
	comparison_list list = { memory_get((all->count + 1) * sizeof(*list.items)), all->count };

	for (size_t i = 0; i < all->count; i++)
		list.items[i] = all->items[i].comparison;
	return list;
}

void changed_print(const attribution_list *all)
{
	comparison_list c = comparisons_of(all);
	text same = { 0 };
	grid g;

	if (c.count > 0) {
		putchar('\n');
		grid_make(&g, c.items, c.count, c.count > 1 ? GRID_PAIRED : GRID_AGAINST);
		(void)grid_print(stdout, &g);
		grid_clear(&g);
	}
	for (size_t i = 0; i < all->count; i++) {
		const attribution *a = &all->items[i];

		if (log_level() < EH_LOG_INFO && a->groups.count == 0 &&
		    (a->answer == ATTRIBUTION_NO_CHANGE || a->answer == ATTRIBUTION_UNDECIDED)) {
			text_add(&same, "%s%s", same.size > 0 ? ", " : "", a->comparison.other.executor);
			continue;
		}
		putchar('\n');
		(void)report_attribution(stdout, a, log_level() >= EH_LOG_INFO);
	}
	if (same.size > 0)
		putchar('\n');
	if (same.size > 0)
		command_put(stdout, "no layer changed, and no case is known to have moved: %s\n", same.data);
	text_free(&same);
	free(c.items);
}

int changed_exit_code(const attribution_list *all, unsigned fail_on)
{
	const unsigned usual = COMPARISON_SLOWER | COMPARISON_OPEN | COMPARISON_NOT_MEASURED;
	comparison_list c = comparisons_of(all);
	int code = comparison_exit_code(&c, fail_on != 0 ? fail_on : usual);

	free(c.items);
	return code;
}
