/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/command.h"
#include "cli/devices_show.h"
#include "cli/sensors_show.h"
#include "plugin/host.h"
#include "run/sensors.h"

static int devices_run(int argc, char **argv);

extern const command command_devices;
const command command_devices = {
	.name = "devices",
	.summary = "what can be measured here, and what would help where it cannot",
	.help = "usage: evenhand devices [--json] [-v] [--fields] [--set BACKEND.KEY=VALUE]...\n"
	        "\n"
	        "Lists every backend that was found and every device of it, each under the name that\n"
	        "`evenhand run --on NAME` takes.  For what is not usable it says why, and what would\n"
	        "help.  Each backend is loaded in a process of its own.\n"
	        "\n"
	        "  --json         the same as JSON on stdout, for programs\n"
	        "  -v, --verbose  more about each device, its layers with their owners, where each\n"
	        "                 backend came from, and which sensors can be read (with their values\n"
	        "                 now), which cannot, and what would help; with --json too, as \"probes\"\n"
	        "  --fields       which facts each executor discloses, and where they come from: what\n"
	        "                 `requires` of a protocol can ask for\n"
	        "  --set BACKEND.KEY=VALUE   a setting of a backend, as for `run`\n"
	        "\n"
	        "Exit code: 0 when something is usable, 5 when nothing is.\n"
	        "\n"
	        "  evenhand devices\n"
	        "  evenhand devices --json | python3 -m json.tool\n",
	.run = devices_run,
	.again = "--set",
};

typedef struct flags { bool json, verbose, fields; } flags;

static eh_status read_flags(int argc, char **argv, flags *f, eh_error *error)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--json") == 0) {
			f->json = true;
		} else if (strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "--verbose") == 0) {
			f->verbose = true;
		} else if (strcmp(argv[i], "--fields") == 0) {
			f->fields = true;
		} else if (strcmp(argv[i], "--set") == 0) {
			eh_status status = host_option_set(i + 1 < argc ? argv[++i] : "", error);

			if (status != EH_OK)
				return status;
		} else {
			return error_set(error, EH_E_USAGE, "unknown %s '%s'",
			                 argv[i][0] == '-' ? "flag" : "argument", argv[i]);
		}
	}
	return EH_OK;
}

static size_t count_usable(const discover_report *here)
{
	size_t usable = 0;

	for (size_t b = 0; b < here->backends.count; b++)
		for (size_t d = 0; d < here->backends.items[b].devices.count; d++)
			usable += discover_is(here->backends.items[b].devices.items[d].status,
			                      EH_OK);
	return usable;
}

static void print_json(const discover_report *here)
{
	char *body = layout_text(discover_report_layout(), here, true);

	puts(body);
	free(body);
}

static void print_all(const flags *f, discover_report *here)
{
	/* command_printed() sees whether stdout took it. */
	if (f->fields) {
		devices_print_facts(here, f->json);
		return;
	}
	if (!f->json)
		(void)devices_print(here, f->verbose);
	if (f->verbose)
		sensors_list(here);
	if (f->json) {
		print_json(here);
	} else if (f->verbose) {
		(void)sensors_print(&here->probes);
		devices_print_layers(here);
	}
}

static int devices_run(int argc, char **argv)
{
	flags f = { .verbose = log_level() >= EH_LOG_INFO };
	eh_error error = ERROR_INIT;
	discover_report here;
	size_t usable;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return command_help(&command_devices);
	if (read_flags(argc, argv, &f, &error) != EH_OK)
		return command_fail(&command_devices, &error);
	layout_init(discover_report_layout(), &here);
	discover(&here);
	usable = count_usable(&here);
	print_all(&f, &here);
	layout_clear(discover_report_layout(), &here);
	return command_printed(&command_devices, usable > 0 ? EXIT_CODE_OK : EXIT_CODE_ENVIRONMENT);
}
