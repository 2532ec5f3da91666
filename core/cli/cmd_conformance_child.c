/* SPDX-License-Identifier: Apache-2.0 */
/* The process in which `evenhand plugin check` loads a backend or a probe.  It writes one line a
 * step, its fields separated by tabs:
 *   device ID NAME              prepare TEST     begin TEST     pass TEST
 *   skip TEST REASON            fail TEST REASON
 * and as the last line one of
 *   done 0                      error 0 MESSAGE  unavailable 0 MESSAGE
 * Each line begins with the token of the file of --slots, so that what a plugin writes to a
 * descriptor that is not its own is told from a line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/slotfile.h"
#include "plugin/host.h"
#include "plugin/object_file.h"
#include "plugin/plugin.h"
#include "plugin/session.h"
#include "run/voice.h"

typedef struct child_options { const char *slots; } child_options;

typedef struct tester {
	FILE *out;
	const char *token;   /* at the head of each line; "" when there is no --slots         */
	char *path, *place;  /* of the plugin; of slotfile.h, may be NULL                     */
} tester;

/* A plugin that closes descriptors may close this one; then nothing can be reported. */
static void child_flush(FILE *out)
{
	if (fflush(out) == 0)
		return;
	(void)fputs("something in the process of the plugin closed the descriptor of the report, which it "
	            "had not opened\n", stderr);
	_exit(EXIT_CODE_ENVIRONMENT);
}

/* The reason may quote anything, cut anywhere. */
static void child_say(const tester *t, const char *word, size_t number, const char *reason)
{
	char *line = memory_text(reason != NULL ? reason : "");

	text_clean(line);
	fprintf(t->out, "%s\t%s\t%zu\t%s\n", t->token, word, number, line);
	child_flush(t->out);
	free(line);
}

static eh_status child_load_backend(void *ctx, const eh_backend **backend, eh_error *error)
{
	const tester *t = ctx;

	return plugin_load_backend(t->path, backend, error);
}

static eh_status child_load_probe(void *ctx, const eh_probe **probe, eh_error *error)
{
	const tester *t = ctx;

	return plugin_load_probe(t->path, probe, error);
}

static void child_enter(void *ctx, const char *slot)
{
	const tester *t = ctx;

	slotfile_write(t->place, slot);
}

static eh_status run_tests(const tester *t, const eh_suite *suite, const eh_trial *trial, uint32_t first,
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
		child_say(t, "prepare", i, NULL);
		suite->prepare(self, i);
		child_say(t, "begin", i, NULL);
		outcome = suite->run(self, i, &reason);
		child_say(t, words[outcome], i, outcome != EH_TEST_PASS ? reason : NULL);
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

static eh_status child_test(tester *t, uint32_t device, uint32_t first,
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
	exports = object_file_exports(t->path, &count);
	const eh_trial trial = {
		.struct_size = sizeof(trial),
		.device = device,
		.partial = part != NULL,
		.host = host_for(t->path),
		.exports = exports,
		.prelude = prelude,
		.kernels = kernels,
		.ctx = t,
		.load_backend = child_load_backend,
		.load_probe = child_load_probe,
		.enter = child_enter,
	};

	suite = plugin_kind_of(t->path) == PLUGIN_PROBE ? suites->probe : suites->backend;
	status = run_tests(t, suite, &trial, first, part, error);
	free(prelude);
	free(kernels);
	free(exports);
	return status;
}

static eh_status child_devices(const tester *t, eh_error *error)
{
	session s;
	uint32_t count = 0;
	eh_status status = session_start(&s, t->path, error);

	if (status != EH_OK)
		return status;
	status = session_count(&s, &count, error);
	for (uint32_t i = 0; status == EH_OK && i < count; i++) {
		eh_device_info info;

		(void)session_device(&s, i, &info, NULL);
		fprintf(t->out, "%s\tdevice\t%s\t%s\n", t->token, info.id, info.name);
	}
	child_flush(t->out);
	session_close(&s);
	return status;
}

static eh_status child_begin(const cli_call *call, tester *t, eh_error *error)
{
	const child_options *o = call->options;

	t->token = o->slots != NULL ? slotfile_token(o->slots) : "";
	t->place = o->slots != NULL ? slotfile_open(o->slots) : NULL;
	t->path = memory_text(call->words[0]);
	t->out = voice_take();
	return t->out != NULL ? EH_OK : error_system(error, errno, "cannot set up the output");
}

static void child_end_line(tester *t, eh_status status, const eh_error *error)
{
	if (status == EH_E_UNAVAILABLE)
		child_say(t, "unavailable", 0, error->message);
	else if (status != EH_OK)
		child_say(t, "error", 0, error->message);
	else
		child_say(t, "done", 0, NULL);
	fclose(t->out);
	free(t->path);
}

static eh_status devices(cli_call *call, eh_error *error)
{
	tester t = { 0 };
	eh_status status = child_begin(call, &t, error);

	if (status != EH_OK)
		return status;
	/* A probe has places, not devices. */
	if (plugin_kind_of(t.path) != PLUGIN_PROBE)
		status = child_devices(&t, error);
	child_end_line(&t, status, error);
	return EH_OK;
}

static eh_status tests(cli_call *call, eh_error *error)
{
	uint64_t device, first;
	tester t = { 0 };
	eh_status status;

	if (!text_parse_uint(call->words[1], &device) || !text_parse_uint(call->words[2], &first) ||
	    device > UINT32_MAX || first > UINT32_MAX)
		return error_set(error, EH_E_USAGE, "DEVICE and FIRST are numbers");
	status = child_begin(call, &t, error);
	if (status != EH_OK)
		return status;
	status = child_test(&t, (uint32_t)device, (uint32_t)first,
	                    call->count > 3 ? call->words[3] : NULL, error);
	child_end_line(&t, status, error);
	return EH_OK;
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
	.options = (const cli_option[]){
		{ "slots", OPTION_PATH, offsetof(child_options, slots),
		  .about = "the file to write the running slot to", .value = "FILE" }, { 0 } },
	.size = sizeof(child_options),
};
