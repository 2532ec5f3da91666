/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "plugin/host.h"
#include "version.h"

extern const command command_verify, command_key, command_sign, command_amend, command_bundle;
extern const command command_run, command_calibrate, command_devices, command_protocol, command_show, command_compare,
	command_contract, command_plugin, command_attribute, command_diagnose, command_claim, command_reproduce,
	command_series, command_site, command_kernels, command_worker, command_conformance_child;

static const command *const commands[] = {
	&command_run, &command_calibrate, &command_devices, &command_protocol, &command_show, &command_compare,
	&command_contract, &command_verify, &command_key, &command_sign, &command_amend,
	&command_bundle, &command_attribute, &command_diagnose, &command_claim, &command_reproduce,
	&command_series, &command_site, &command_plugin,
	&command_kernels, &command_worker, &command_conformance_child,
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static int usage(const char *message, const char *what, const char *after)
{
	fprintf(stderr, "evenhand: %s%s%s\nTry: evenhand help\n", message, what, after);
	return EXIT_CODE_USAGE;
}

static const command *find(const char *name)
{
	size_t i;

	for (i = 0; i < COMMAND_COUNT; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int unknown(const char *name)
{
	const char *names[COMMAND_COUNT + 2];
	size_t count = 0;
	const char *near;
	size_t i;

	for (i = 0; i < COMMAND_COUNT; i++)
		if (commands[i]->summary != NULL)
			names[count++] = commands[i]->name;
	names[count++] = "help";
	names[count++] = "version";
	near = text_nearest(name, names, count);
	fprintf(stderr, "evenhand: there is no command \"%s\"", name);
	if (near != NULL)
		fprintf(stderr, "; did you mean \"%s\"?", near);
	fputs("\nTry: evenhand help\n", stderr);
	return EXIT_CODE_USAGE;
}

static int print_help(void)
{
	size_t i;

	puts("evenhand measures identical workloads on every accelerator stack of a machine, and says\n"
	     "whether two results may be compared.\n"
	     "\n"
	     "usage: evenhand [-v] [-q] [--set BACKEND.KEY=VALUE] COMMAND [ARGUMENT]...\n");
	for (i = 0; i < COMMAND_COUNT; i++)
		if (commands[i]->summary != NULL)
			printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
	puts("  help       this text; with a COMMAND, its own\n"
	     "  version    version, commit and plugin ABI; also --version and -V\n"
	     "\n"
	     "  -v         more messages; -v -v all of them     -q  errors only\n"
	     "  --set      a setting for a backend\n"
	     "\n"
	     "To begin: evenhand devices; evenhand run quick");
	return EXIT_CODE_OK;
}

static int print_version(int argc, char **argv)
{
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return print_help();
	if (argc > 1)
		return usage("version takes nothing, but got '", argv[1], "'");
	printf("evenhand %s (commit %.12s%s, plugin ABI %d.%d)\n", EVENHAND_VERSION, EVENHAND_COMMIT,
	       EVENHAND_DIRTY > 0 ? ", dirty" : "", EH_ABI_MAJOR, EH_ABI_MINOR);
	return EXIT_CODE_OK;
}

static int help(int argc, char **argv)
{
	const command *c;

	if (argc > 2)
		return usage("help takes one command, '", argv[2], "' is one word more");
	if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "version") == 0 ||
	    strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return print_help();
	if (argv[1][0] == '-')
		return usage("unknown flag '", argv[1], "'");
	c = find(argv[1]);
	return c != NULL ? command_help(c) : unknown(argv[1]);
}

/* Takes the flags before the command; *at is the first word after them.  -1 to go on, else the
 * exit code. */
static int global_flags(int argc, char **argv, int *at)
{
	for (; *at < argc && argv[*at][0] == '-'; (*at)++) {
		const char *flag = argv[*at];

		if (command_level(flag)) {
			continue;
		} else if (strcmp(flag, "--version") == 0 || strcmp(flag, "-V") == 0) {
			return print_version(argc - *at, argv + *at);
		} else if (strcmp(flag, "--help") == 0 || strcmp(flag, "-h") == 0) {
			return print_help();
		} else if (strcmp(flag, "--set") == 0) {
			eh_error error = ERROR_INIT;

			if (*at + 1 >= argc)
				return usage(flag, " needs a value, BACKEND.KEY=VALUE", "");
			if (host_option_set(argv[++*at], &error) != EH_OK)
				return usage(error.message, "", "");
		} else {
			return usage("unknown flag '", flag, "'");
		}
	}
	return -1;
}

static int run_command(const command *c, int argc, char **argv)
{
	eh_error error = ERROR_INIT;

	return command_once(c, argc, argv, &error) == EH_OK ? c->run(argc, argv) :
	                                                      command_fail(c, &error);
}

/* A file that is opened must not become the stdout that was closed: printing would go into it.
 * What cannot be written to reports it. */
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
	int at = 1;
	int code;
	const command *c;

	hold_standard_streams();
	code = global_flags(argc, argv, &at);

	if (code >= 0)
		return command_printed(NULL, code);
	if (at >= argc) {
		(void)print_help();
		return command_printed(NULL, EXIT_CODE_USAGE);
	}
	if (strcmp(argv[at], "help") == 0)
		return command_printed(NULL, help(argc - at, argv + at));
	if (strcmp(argv[at], "version") == 0)
		return command_printed(NULL, print_version(argc - at, argv + at));
	c = find(argv[at]);
	if (c == NULL)
		return unknown(argv[at]);
	return command_printed(NULL, run_command(c, argc - at, argv + at));
}
