/* SPDX-License-Identifier: Apache-2.0 */
/* What guard and watch share: a run that is a part of a command, and what changed since an earlier one. */
#ifndef CLI_CHANGED_H
#define CLI_CHANGED_H

#include "analysis/attribute.h"
#include "cli/input_results.h"
#include "run/run.h"

typedef struct changed_run {
	char *folder, *resume;    /* resume: the command that completes it                      */
	size_t results, numbers;  /* numbers: rows with one                                     */
	bool complete;
} changed_run;

/* Measures with the teams' agreements that hold, writes the results, and prints nothing of them.
 * *out needs changed_run_free in any case.  EH_OK also where cases failed or a signal ended the run. */
eh_status changed_measure(run_options o, changed_run *out, eh_error *error);
void changed_run_free(changed_run *r);
/* A size of an earlier plan for run_options: 0 where that has none. */
static inline uint64_t changed_size(uint64_t planned)
{
	return planned != LAYOUT_NO_UINT ? planned : 0;
}

/* The result of the executor, or NULL. */
const result *changed_find(const cli_input *in, const char *executor);
/* Appends what differs between two results of one executor, which outlive the list.  margin 0: the
 * protocol's; as_run: the protocol as `evenhand run` takes it. */
void changed_add(attribution_list *all, const result *before, const result *after, double margin,
                 const char *as_run);
/* The grid of all, then the attribution of each where a layer or a number changed; with -v of all. */
void changed_print(const attribution_list *all);
/* By a mask of comparison_failure; 0: slower, open and not-measured.  3 where nothing was compared. */
int changed_exit_code(const attribution_list *all, unsigned fail_on);

#endif
