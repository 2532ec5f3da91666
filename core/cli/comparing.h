/* SPDX-License-Identifier: Apache-2.0 */
/* The comparisons that words of the command line ask for: who is compared with whom is the same in
 * every command that shows a grid. */
#ifndef CLI_COMPARING_H
#define CLI_COMPARING_H

#include <stdbool.h>

#include "cli/command.h"
#include "cli/input_results.h"
#include "contract/contract.h"
#include "report/grid.h"

typedef struct comparing_options {
	const char *baseline; /* NULL: not given                                               */
	option_list cases;    /* empty: all                                                    */
	const char *agreed;   /* "TEAM,TEAM"; NULL: nobody has to have agreed                   */
	contract_options contract;
	bool alone;           /* one result is compared with itself; else it is refused        */
} comparing_options;

typedef struct comparing {
	cli_input *groups;    /* one for each word                                             */
	size_t count;
	comparison_report *report; /* its comparisons borrow the results                       */
	enum grid_mode mode;
	char **names;         /* of the teams                                                  */
	audit_team_list teams;
} comparing;

/* Two folders or bundles are two runs, each executor against itself; else all against the reference.
 * On success *out needs comparing_free. */
eh_status comparing_make(const cli_call *call, const comparing_options *o, comparing *out, eh_error *error);
void comparing_free(comparing *c);
/* EXIT_CODE_NOT_COMPARABLE, after a message for everything that is not as teams agreed who had to; else
 * EXIT_CODE_OK. */
int comparing_refused(const comparing *c);

#endif
