/* SPDX-License-Identifier: Apache-2.0 */
/* One subcommand per file: cmd_NAME.c defines `const command command_NAME`; main.c lists them. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>

#include "base/error.h"

typedef struct command {
	const char *name;
	const char *summary;  /* one line for `evenhand help`; NULL = hidden                       */
	const char *help;     /* the whole text of `evenhand NAME --help`, with examples           */
	int (*run)(int argc, char **argv); /* argv[0] is the subcommand; returns the exit code     */
	/* The flags that take a value, with blanks between; NULL: none.  Each may be given once, but
	 * those in `again`. */
	const char *values, *again;
} command;

/* Prints "evenhand NAME: message" (and the hint to --help for EH_E_USAGE); gives the exit code. */
int command_fail(const command *c, const eh_error *error);
/* Whether the word is one of these flags. */
bool command_takes_value(const command *c, const char *word);
/* EH_E_USAGE where a flag that takes one value is given a second time: neither may be passed over. */
eh_status command_once(const command *c, int argc, char **argv, eh_error *error);
/* After everything was printed: code, or, when stdout did not take it (a full disk, a closed
 * descriptor), EXIT_CODE_ENVIRONMENT after saying so; c is NULL for the program itself. */
int command_printed(const command *c, int code);
/* Takes -v, --verbose, -q and --quiet: sets the level of messages; false for another word. */
bool command_level(const char *flag);
/* Prints c->help on stdout. */
int command_help(const command *c);

#endif
