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

/* Which of the words between blanks it is, from 0 on; -1: none. */
static int word_index(const char *words, const char *word)
{
	size_t size = strlen(word);

	for (int at = 0; words != NULL && words[0] != '\0'; at++) {
		size_t length = strcspn(words, " ");

		if (length == size && strncmp(words, word, size) == 0)
			return at;
		words += length + strspn(words + length, " ");
	}
	return -1;
}

bool command_takes_value(const command *c, const char *word)
{
	return word_index(c->values, word) >= 0 || word_index(c->again, word) >= 0;
}

eh_status command_once(const command *c, int argc, char **argv, eh_error *error)
{
	unsigned seen = 0;

	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return EH_OK;
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		int at = word_index(c->values, argv[i]);

		if (!command_takes_value(c, argv[i]))
			continue;
		if (at >= 0 && (seen & 1U << at) != 0)
			return error_set(error, EH_E_USAGE, "%s is given twice, '%s' the second time; name it "
			                 "once", argv[i], i + 1 < argc ? argv[i + 1] : "");
		seen |= at >= 0 ? 1U << at : 0;
		i++;
	}
	return EH_OK;
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
