/* SPDX-License-Identifier: Apache-2.0 */
/* The process in which `evenhand plugin check` loads a backend or a probe.  It writes one line a
 * step, its fields separated by tabs:
 *   device INDEX ID NAME        prepare TEST     begin TEST     pass TEST
 *   skip TEST REASON            fail TEST REASON
 * and as the last line one of
 *   done 0                      error 0 MESSAGE  unavailable 0 MESSAGE */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "plugin/host.h"
#include "plugin/object_file.h"
#include "plugin/plugin.h"
#include "plugin/session.h"
#include "run/voice.h"

/* The reason may quote anything, cut anywhere. */
static void child_say(FILE *out, const char *word, size_t number, const char *reason)
{
	char *line = memory_text(reason != NULL ? reason : "");

	text_clean(line);
	fprintf(out, "%s\t%zu\t%s\n", word, number, line);
	fflush(out);
	free(line);
}

static eh_status child_load_backend(void *path, const eh_backend **backend, eh_error *error)
{
	return plugin_load_backend(path, backend, error);
}

static eh_status child_load_probe(void *path, const eh_probe **probe, eh_error *error)
{
	return plugin_load_probe(path, probe, error);
}

static eh_status run_tests(FILE *out, const eh_suite *suite, const eh_trial *trial, uint32_t first,
                           const char *part, eh_error *error)
{
	static const char *const words[] = { "pass", "skip", "fail" };
	void *self;
	eh_status status = suite->begin(trial, &self, error);

	if (status != EH_OK)
		return status;
	for (uint32_t i = first; i < suite->test_count; i++) {
		const char *reason = NULL;
		uint32_t outcome;

		if (!suite->selects(i, trial->device, part))
			continue;
		child_say(out, "prepare", i, NULL);
		suite->prepare(self, i);
		child_say(out, "begin", i, NULL);
		outcome = suite->run(self, i, &reason);
		child_say(out, words[outcome], i, outcome != EH_TEST_PASS ? reason : NULL);
	}
	return suite->end(self, error);
}

/* The loader refuses a plugin whose name is not its file's, so the host table can be made before it
 * is loaded. */
static const eh_host *host_for(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = memory_text(slash != NULL ? slash + 1 : path);
	const eh_host *host;

	name[strcspn(name, ".")] = '\0';
	host = host_table(name);
	free(name);
	return host;
}

static eh_status child_test(FILE *out, char *path, uint32_t device, uint32_t first,
                            const char *part, eh_error *error)
{
	const eh_conformance *suites;
	const eh_suite *suite;
	char *prelude, *kernels, *exports;
	size_t count;
	eh_status status = plugin_find_conformance(&suites, error);

	if (status == EH_OK)
		status = session_texts("conformance", &prelude, &kernels, error);
	if (status != EH_OK)
		return status;
	exports = object_file_exports(path, &count);
	const eh_trial trial = {
		.struct_size = sizeof(trial),
		.device = device,
		.partial = part != NULL,
		.host = host_for(path),
		.exports = exports,
		.prelude = prelude,
		.kernels = kernels,
		.ctx = path,
		.load_backend = child_load_backend,
		.load_probe = child_load_probe,
	};

	suite = plugin_kind_of(path) == PLUGIN_PROBE ? suites->probe : suites->backend;
	status = run_tests(out, suite, &trial, first, part, error);
	free(prelude);
	free(kernels);
	free(exports);
	return status;
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
		eh_device_info info;

		(void)session_device(&s, i, &info, NULL);
		fprintf(out, "device\t%u\t%s\t%s\n", i, info.id, info.name);
	}
	fflush(out);
	session_close(&s);
	return status;
}

static void child_end_line(FILE *out, eh_status status, const eh_error *error)
{
	if (status == EH_E_UNAVAILABLE)
		child_say(out, "unavailable", 0, error->message);
	else if (status != EH_OK)
		child_say(out, "error", 0, error->message);
	else
		child_say(out, "done", 0, NULL);
	fclose(out);
}

static eh_status devices(cli_call *call, eh_error *error)
{
	FILE *out = voice_take();
	eh_status status = EH_OK;

	if (out == NULL)
		return error_system(error, errno, "cannot set up the output");
	/* A probe has places, not devices. */
	if (plugin_kind_of(call->words[0]) != PLUGIN_PROBE)
		status = child_devices(out, call->words[0], error);
	child_end_line(out, status, error);
	return EH_OK;
}

static eh_status tests(cli_call *call, eh_error *error)
{
	char *path = memory_text(call->words[0]);
	uint64_t device, first;
	FILE *out = NULL;
	eh_status status = EH_OK;

	if (!text_parse_uint(call->words[1], &device) || !text_parse_uint(call->words[2], &first) ||
	    device > UINT32_MAX || first > UINT32_MAX)
		status = error_set(error, EH_E_USAGE, "DEVICE and FIRST are numbers");
	if (status == EH_OK && (out = voice_take()) == NULL)
		status = error_system(error, errno, "cannot set up the output");
	if (out != NULL) {
		status = child_test(out, path, (uint32_t)device, (uint32_t)first,
		                    call->count > 3 ? call->words[3] : NULL, error);
		child_end_line(out, status, error);
		status = EH_OK;
	}
	free(path);
	return status;
}

const cli_command cmd_conformance_child = {
	.name = "conformance-child",
	.group = CLI_HIDDEN,
	.summary = "load a backend or probe to check it",
	.about = "`evenhand plugin check` starts it; it is not for use by hand.",
	.forms = (const cli_form[]){
		{ "devices", { { "FILE", .kind = OPTION_PATH } }, "list the devices", devices },
		{ "tests",
		  { { "FILE", .kind = OPTION_PATH }, { "DEVICE", .kind = OPTION_TEXT }, { "FIRST", .kind = OPTION_TEXT }, { "PART", .kind = OPTION_TEXT, .optional = true } },
		  "run the tests from number FIRST on", tests }, { 0 } },
};
