/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "plugin/host.h"
#include "run/discover.h"
#include "run/survey.h"
#include "run/run.h"
#include "run/sensors.h"

static int worker_run(int argc, char **argv);

extern const command command_worker;
const command command_worker = {
	.name = "worker",
	.summary = NULL,
	.help = "usage: evenhand worker                              job on stdin, progress on stdout\n"
	        "       evenhand worker --list FILE.so [--set BACKEND.KEY=VALUE]...\n"
	        "       evenhand worker --sensors FILE.so [--set PROBE.KEY=VALUE]...\n"
	        "       evenhand worker --describe FILE.so INDEX [--set BACKEND.KEY=VALUE]...\n"
	        "\n"
	        "A process of its own in which one backend is loaded.  `evenhand run` and `evenhand\n"
	        "devices` start it; it is of no use by itself.\n",
	.run = worker_run,
};

/* The settings from argv[from] on; -1 when all are taken, else the exit code. */
static int settings(int argc, char **argv, int from)
{
	eh_error error = ERROR_INIT;

	for (int i = from; i < argc; i += 2) {
		if (strcmp(argv[i], "--set") != 0 || i + 1 == argc) {
			error_set(&error, EH_E_USAGE, "unknown argument '%s'", argv[i]);
			return command_fail(&command_worker, &error);
		}
		if (host_option_set(argv[i + 1], &error) != EH_OK)
			return command_fail(&command_worker, &error);
	}
	return -1;
}

static int list(int argc, char **argv)
{
	int code = settings(argc, argv, 3);

	return code >= 0 ? code : discover_child(argv[2]);
}

static int sensors(int argc, char **argv)
{
	int code = settings(argc, argv, 3);

	return code >= 0 ? code : sensors_child(argv[2]);
}

static int describe(int argc, char **argv)
{
	eh_error error = ERROR_INIT;
	uint64_t index = 0;
	int code;

	if (!text_parse_uint(argv[3], &index) || index > UINT32_MAX) {
		error_set(&error, EH_E_USAGE, "'%s' is no index of a device", argv[3]);
		return command_fail(&command_worker, &error);
	}
	code = settings(argc, argv, 4);
	return code >= 0 ? code : survey_child(argv[2], (uint32_t)index);
}

static int worker_run(int argc, char **argv)
{
	eh_error error = ERROR_INIT;

	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return command_help(&command_worker);
	if (argc >= 3 && strcmp(argv[1], "--sensors") == 0)
		return sensors(argc, argv);
	if (argc >= 3 && strcmp(argv[1], "--list") == 0)
		return list(argc, argv);
	if (argc >= 4 && strcmp(argv[1], "--describe") == 0)
		return describe(argc, argv);
	if (argc == 1)
		return worker_main();
	error_set(&error, EH_E_USAGE, "unknown argument '%s'", argv[1]);
	return command_fail(&command_worker, &error);
}
