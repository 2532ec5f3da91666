/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_WATCH_ONCE_H
#define CLI_WATCH_ONCE_H

#include "cli/command.h"

typedef struct watch_options {
	const char *on, *db, *name, *remove; /* NULL: not given                                 */
	option_list sbatch;
	int every;                           /* of enum timer_period                            */
	bool once, systemd, slurm, list, json;
} watch_options;

/* `evenhand watch --once`: describes the executors, and measures those whose stack is another one than that
 * of their last result in the archive. */
eh_status watch_once(cli_call *call, eh_error *error);

#endif
