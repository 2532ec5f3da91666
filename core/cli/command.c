/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "report/report.h"

/* That stdout takes nothing was said; it is said once. */
static bool output_told;

int command_fail(const command *c, const eh_error *error)
{
	/* Messages quote files, which others may have written. */
	char *message = table_clean(error->message);

	(void)fflush(stdout);
	fprintf(stderr, "evenhand %s: %s", c->name, message);
	free(message);
	if (error->where[0] != '\0' || error->native_name[0] != '\0') {
		fprintf(stderr, " (%s%s%s)", error->where,
		        error->where[0] != '\0' && error->native_name[0] != '\0' ? ": " : "",
		        error->native_name);
	}
	fputc('\n', stderr);
	if (error->code == EH_E_USAGE)
		fprintf(stderr, "Try: evenhand %s --help\n", c->name);
	return error_exit_code(error->code);
}

int command_printed(const command *c, int code)
{
	bool flushed = fflush(stdout) == 0;
	int failure = 0;

	if (flushed && !ferror(stdout))
		return code;
	/* When an earlier write failed, its reason is gone: the next one has the same. */
	if (!flushed || write(STDOUT_FILENO, "\n", 1) < 0)
		failure = errno;
	if (!output_told)
		fprintf(stderr, "evenhand%s%s: cannot write to standard output: %s\n",
		        c != NULL ? " " : "", c != NULL ? c->name : "",
		        failure != 0 ? strerror(failure) : "a part of it was not taken");
	output_told = true;
	return EXIT_CODE_ENVIRONMENT;
}

bool command_level(const char *flag)
{
	if (strcmp(flag, "-v") == 0 || strcmp(flag, "--verbose") == 0)
		log_set_level(log_level() < EH_LOG_DEBUG ? log_level() + 1 : EH_LOG_DEBUG);
	else if (strcmp(flag, "-q") == 0 || strcmp(flag, "--quiet") == 0)
		log_set_level(EH_LOG_ERROR);
	else
		return false;
	return true;
}

int command_help(const command *c)
{
	(void)fputs(c->help, stdout);
	return command_printed(c, EXIT_CODE_OK);
}
