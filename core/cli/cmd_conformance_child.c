/* SPDX-License-Identifier: Apache-2.0 */
/* The process in which `evenhand plugin check` loads a backend.  It answers one line a step, its
 * fields separated by tabs:
 *   device INDEX ID NAME        prepare TEST     begin TEST     pass TEST
 *   skip TEST REASON            fail TEST REASON
 * and at last one of
 *   done 0                      error 0 MESSAGE  unavailable 0 MESSAGE */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "plugin/conformance.h"
#include "plugin/conformance_probe.h"
#include "plugin/session.h"

static int conformance_child_run(int argc, char **argv);

extern const command command_conformance_child;
const command command_conformance_child = {
	.name = "conformance-child",
	.summary = NULL,
	.help = "usage: evenhand conformance-child FILE.so devices\n"
		"       evenhand conformance-child FILE.so DEVICE FIRST-TEST [NAME-PART]\n"
		"\n"
		"The process in which `evenhand plugin check` loads a backend; of no use by "
	        "itself.\n",
	.run = conformance_child_run,
};

static void child_say(FILE *out, const char *word, size_t number, const char *reason)
{
	char *line = memory_text(reason != NULL ? reason : "");

	for (char *c = line; *c != '\0'; c++)
		if ((unsigned char)*c < 0x20)
			*c = ' ';
	fprintf(out, "%s\t%zu\t%s\n", word, number, line);
	fflush(out);
	free(line);
}

static void child_report_probe(void *context, const conformance_test *test,
                               const enum conformance_outcome *outcome, const char *reason)
{
	static const char *const words[] = { "pass", "skip", "fail" };
	const conformance_test *tests;

	conformance_probe_tests(&tests);
	child_say(context, outcome == NULL ? "begin" : words[*outcome], (size_t)(test - tests),
	          outcome != NULL ? reason : NULL);
}

static void child_report(void *context, const conformance_test *test,
                         const enum conformance_outcome *outcome, const char *reason)
{
	static const char *const words[] = { "pass", "skip", "fail" };
	const conformance_test *tests;

	conformance_tests(&tests);
	child_say(context, outcome == NULL ? reason != NULL ? "prepare" : "begin" : words[*outcome],
	          (size_t)(test - tests), outcome != NULL ? reason : NULL);
}

static eh_status child_devices(FILE *out, const char *path, eh_error *error)
{
	session s;
	uint32_t count = 0;
	eh_status status = session_start(&s, path, error);

	if (status != EH_OK)
		return status;
	status = s.ops->device_count(s.self, &count, error);
	for (uint32_t i = 0; status == EH_OK && i < count; i++) {
		eh_device_info info = { .struct_size = sizeof(info) };

		s.ops->device_info(s.self, i, &info, NULL);
		fprintf(out, "device\t%u\t%.64s\t%.128s\n", i, info.id, info.name);
	}
	fflush(out);
	session_close(&s);
	return status;
}

static int conformance_child_run(int argc, char **argv)
{
	eh_error error = ERROR_INIT;
	uint64_t index, first;
	eh_status status;
	FILE *out;
	int fd;

	if (argc == 2 && strcmp(argv[1], "--help") == 0)
		return command_help(&command_conformance_child);
	if (argc < 3)
		goto usage;
	/* Drivers print what they like to stdout; the report goes where they do not. */
	fd = dup(STDOUT_FILENO);
	if (fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 || (out = fdopen(fd, "w")) == NULL) {
		error_system(&error, errno, "cannot set up the output");
		return command_fail(&command_conformance_child, &error);
	}
	if (argc == 3 && strcmp(argv[2], "devices") == 0 && conformance_is_probe(argv[1]))
		status = EH_OK; /* a probe has places, not devices */
	else if (argc == 3 && strcmp(argv[2], "devices") == 0)
		status = child_devices(out, argv[1], &error);
	else if ((argc == 4 || argc == 5) && text_parse_uint(argv[2], &index) &&
	         text_parse_uint(argv[3], &first) && index <= UINT32_MAX && first <= SIZE_MAX)
		status = conformance_is_probe(argv[1]) ?
		         conformance_probe_run(argv[1], (size_t)first, argc == 5 ? argv[4] : NULL,
		                               child_report_probe, out, &error) :
		         conformance_run(argv[1], (uint32_t)index, (size_t)first,
		                         argc == 5 ? argv[4] : NULL, child_report, out, &error);
	else
		goto usage;
	if (status == EH_E_UNAVAILABLE)
		child_say(out, "unavailable", 0, error.message);
	else if (status != EH_OK)
		child_say(out, "error", 0, error.message);
	else
		child_say(out, "done", 0, NULL);
	fclose(out);
	return EXIT_CODE_OK;
usage:
	error_set(&error, EH_E_USAGE, "it is started by `evenhand plugin check`");
	return command_fail(&command_conformance_child, &error);
}
