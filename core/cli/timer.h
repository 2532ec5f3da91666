/* SPDX-License-Identifier: Apache-2.0 */
/* What runs a command again and again: a timer of this user's systemd, or lines of Slurm's crontab. */
#ifndef CLI_TIMER_H
#define CLI_TIMER_H

#include <stdbool.h>

#include "base/layout.h"
#include "cli/option.h"

enum timer_period { TIMER_HOUR, TIMER_DAY, TIMER_WEEK };

typedef struct timer {
	char *name;            /* "quick" of evenhand-watch-quick                               */
	int every;             /* of enum timer_period                                         */
	text_list command;     /* env(1) by its whole path, NAME=VALUE..., program, words; the last is the protocol */
	option_list sbatch;    /* options for Slurm, such as --gres=gpu:1                      */
} timer;

/* What stands at the beginning of each line that marks something as ours, and before its name. */
#define TIMER_MARK "# Written by evenhand watch: "
#define TIMER_PREFIX "evenhand-watch-"

/* EH_E_USAGE unless it is of letters, digits, '.', '_' and '-'. */
eh_status timer_check_name(const char *name, eh_error *error);
/* The name as well.  EH_E_USAGE for a word that text_clean would change: it could end the line in a unit file
 * or a crontab. */
eh_status timer_check(const timer *t, eh_error *error);
/* malloc'd: TIMER_MARK, name, protocol, and how to take it back; one line with its end.  A timer of another
 * protocol has another one. */
char *timer_head(const timer *t);
/* `line`: the first of what is there under the name.  EH_E_USAGE where it is of another protocol. */
eh_status timer_check_same(const timer *t, const char *line, eh_error *error);
/* Runs a tool of the system and waits for its end; words end with NULL, and words[0] is found along PATH.
 * *out, if not NULL: malloc'd, its stdout byte for byte.  EH_E_UNAVAILABLE with its own message where it is
 * not here, fails or hangs. */
eh_status timer_ask(const char *const words[], char **out, eh_error *error);

/* A file of this name that evenhand did not write is refused.  Where systemd does not answer nothing is
 * written. */
eh_status timer_systemd_install(const timer *t, eh_error *error);
eh_status timer_systemd_remove(const char *name, bool *found, eh_error *error);
/* Prints a line for each, and counts them. */
eh_status timer_systemd_list(size_t *count, eh_error *error);

/* All other lines of the crontab stay as they are. */
eh_status timer_slurm_install(const timer *t, eh_error *error);
eh_status timer_slurm_remove(const char *name, bool *found, eh_error *error);
eh_status timer_slurm_list(size_t *count, eh_error *error);

#endif
