/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/manual.h"
#include "cli/pager.h"

enum { NAMES_MOST = 64 };

static int refuse_unknown(const char *name)
{
	const char *names[NAMES_MOST], *near;
	size_t count = 0;

	for (size_t i = 0; cli_commands[i] != NULL && count < NAMES_MOST; i++)
		if (cli_commands[i]->group != CLI_HIDDEN)
			names[count++] = cli_commands[i]->name;
	near = text_nearest(name, names, count);
	fprintf(stderr, "evenhand: there is no command '%s'", name);
	if (near != NULL)
		fprintf(stderr, "; did you mean '%s'?", near);
	fputs("\nTry: evenhand help\n", stderr);
	return EXIT_CODE_USAGE;
}

/* Without a command, and with --help or --version. */
static int without_command(bool help)
{
	pager_hold();
	manual_program(stdout);
	return command_printed(NULL, help ? EXIT_CODE_OK : EXIT_CODE_USAGE);
}

static int run_named(int argc, char **argv, bool quiet)
{
	const cli_command *c = command_find(argv[0]);

	return c != NULL ? command_run(c, argc, argv, quiet) : refuse_unknown(argv[0]);
}

/* A file that is opened must not become the stdout that was closed: printing would go into it.
 * Writing to the stand-in fails, and that is reported. */
static void hold_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	bool version = false;
	option_line line = { .options = cli_program_options, .common = cli_common_options,
		             .values = &version, .until_word = true };
	char version_word[] = "version";
	eh_error error = ERROR_INIT;
	int at = 1;

	hold_standard_streams();
	/* A limit on the size of files is an error to report, not a death. */
	signal(SIGXFSZ, SIG_IGN);
	if (option_read(&line, argc, argv, &at, &error) != EH_OK)
		return command_fail(NULL, &error);
	if (line.help)
		return without_command(true);
	if (version)
		argv[--at] = version_word;
	return at < argc ? run_named(argc - at, argv + at, line.quiet) : without_command(false);
}
