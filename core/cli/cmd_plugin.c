/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/text.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/trial.h"
#include "plugin/plugin.h"

typedef struct plugin_options {
	const char *only;
	uint64_t device, deadline_ns;
	bool json;
} plugin_options;

typedef struct check {
	const char *path;
	bool json, one_device, probe;
	uint64_t index;
	trial trial;
	answer_conformance answer; /* the current device is the last */
	char *held;        /* the reason of tests not run that are still to be printed ... */
	size_t held_count; /* ... in one line, */
	const char *held_name; /* the first of them */
} check;

static void print_held(check *c)
{
	if (c->held_count == 1)
		printf("  skip  %-25s  %s\n", c->held_name, c->held);
	else if (c->held_count > 1)
		printf("  skip  %zu tests from %s on: %s\n", c->held_count, c->held_name, c->held);
	free(c->held);
	c->held = NULL;
	c->held_count = 0;
}

/* Of EH_TEST_*. */
static const char *outcome_word(uint32_t outcome)
{
	return answer_outcome_word((enum answer_outcome)(outcome + ANSWER_PASS));
}

static void add_test(answer_conformance *a, const char *name, const char *requirement, uint32_t outcome,
                     const char *reason)
{
	uint64_t *const counts[] = { &a->passed, &a->skipped, &a->failed };
	answer_test *test =
		layout_append(answer_test_layout(), &a->devices.items[a->devices.count - 1].tests);

	(*counts[outcome])++;
	text_set(&test->name, name);
	text_set(&test->requirement, requirement);
	test->outcome = (enum answer_outcome)(outcome + ANSWER_PASS);
	if (outcome != EH_TEST_PASS)
		text_set(&test->reason, reason);
}

static void record(void *context, const char *name, const char *requirement, uint32_t outcome,
                   const char *reason)
{
	check *c = context;

	add_test(&c->answer, name, requirement, outcome, reason);
	if (c->json)
		return;
	if (c->held != NULL && (outcome != EH_TEST_SKIP || strcmp(reason, c->held) != 0))
		print_held(c);
	if (outcome == EH_TEST_SKIP && strncmp(reason, "not run: ", 9) == 0) {
		if (c->held_count++ == 0) {
			c->held = memory_text(reason);
			c->held_name = name;
		}
		return;
	}
	if (outcome == EH_TEST_PASS)
		printf("  %s  %s\n", outcome_word(outcome), name);
	else
		printf("  %s  %-25s  %s\n", outcome_word(outcome), name, reason);
	if (outcome == EH_TEST_FAIL)
		printf("        required: %s\n", requirement);
	fflush(stdout);
}

/* name: NULL where the plugin does not list the device. */
static eh_status check_device(check *c, size_t index, const char *name)
{
	answer_device *device = layout_append(answer_device_layout(), &c->answer.devices);
	eh_status status;

	device->index = index;
	text_set(&device->device, name);
	if (!c->json && c->probe)
		printf("%s\n", c->path);
	else if (!c->json)
		printf("%s%s, device %zu%s%s\n", index > 0 && !c->one_device ? "\n" : "", c->path, index,
		       name != NULL ? ": " : "", text_or_empty(name));
	status = trial_run(&c->trial, (uint32_t)index);
	print_held(c);
	return status;
}

/* A backend that cannot list its devices is tested as if it had one. */
static eh_status check_devices(check *c)
{
	text_list names = { 0 };
	eh_status status = EH_OK;
	size_t last;

	trial_devices(&c->trial, &names);
	last = c->one_device ? c->index : names.count > 0 ? names.count - 1 : 0;
	if (c->one_device && c->index > 0 && c->index >= names.count)
		status = error_set(&c->trial.error, EH_E_USAGE, "%s has no device %" PRIu64 ": it has %zu", c->path,
		                   c->index, names.count);
	for (size_t i = c->one_device ? c->index : 0; i <= last && status == EH_OK; i++)
		status = check_device(c, i, i < names.count ? names.items[i] : NULL);
	text_list_clear(&names);
	return status;
}

static eh_status check_all(check *c, int *code, eh_error *error)
{
	const answer_conformance *a = &c->answer;
	eh_status status;

	text_set(&c->answer.file, c->path);
	status = check_devices(c);
	if (status == EH_E_INTERRUPTED)
		error_set(&c->trial.error, status, "interrupted before all tests were run");
	else if (status == EH_OK && c->json)
		command_layout(answer_conformance_layout(), a);
	else if (status == EH_OK)
		printf("%" PRIu64 " passed, %" PRIu64 " skipped, %" PRIu64 " failed\n", a->passed,
		       a->skipped, a->failed);
	if (status == EH_OK && a->failed == 0 && !c->trial.reached && c->trial.unreached != NULL)
		status = error_set(&c->trial.error, EH_E_UNAVAILABLE,
		                   "%s could not be tested here: %s", c->path, c->trial.unreached);
	*code = a->failed > 0 ? EXIT_CODE_NEGATIVE : EXIT_CODE_OK;
	*error = c->trial.error;
	free(c->trial.unreached);
	layout_clear(answer_conformance_layout(), &c->answer);
	return status;
}

/* Finds the suite for the file, and whether a test of it is selected. */
static eh_status check_suite(check *c, eh_error *error)
{
	const enum plugin_kind kind = plugin_kind_of(c->path);
	const eh_conformance *suites;
	eh_status status;

	if (kind != PLUGIN_BACKEND && kind != PLUGIN_PROBE)
		return error_set(error, EH_E_USAGE,
		                 "%s is a %s; plugin check tests backends and probes", c->path,
		                 plugin_kind_word(kind));
	status = plugin_find_conformance(&suites, error);
	if (status != EH_OK)
		return status;
	c->probe = kind == PLUGIN_PROBE;
	c->trial.suite = c->probe ? suites->probe : suites->backend;
	for (uint32_t i = 0; i < c->trial.suite->test_count; i++)
		if (trial_selects(&c->trial, i, (uint32_t)c->index))
			return EH_OK;
	return error_set(error, EH_E_USAGE, "no test has '%s' in its name", c->trial.only);
}

static eh_status plugin_check(cli_call *call, eh_error *error)
{
	const plugin_options *o = call->options;
	check c = { .path = call->words[0], .json = o->json, .index = o->device,
		    .one_device = command_given(call, "device"),
		    .trial = { .path = call->words[0], .only = o->only,
		               .deadline_ns = o->deadline_ns, .record = record,
		               .context = &c, .error = ERROR_INIT } };
	eh_status status = EH_OK;

	if (access(c.path, R_OK) != 0)
		status = error_system(error, errno, "cannot read %s", c.path);
	if (status == EH_OK)
		status = check_suite(&c, error);
	if (status != EH_OK)
		return status;
	interrupt_install();
	return check_all(&c, &call->code, error);
}

/* Whether the file stands in the folder itself. */
static bool stands_in(const char *path, const char *folder)
{
	const size_t size = strlen(folder);

	return strncmp(path, folder, size) == 0 && path[size] == '/' &&
	       strchr(path + size + 1, '/') == NULL;
}

static void find_plugins(enum plugin_kind kind, answer_folder_list *out)
{
	char **folders = plugin_folders(kind);
	plugin_file *files;
	size_t count = plugin_search(kind, &files);

	for (size_t f = 0; folders[f] != NULL; f++) {
		answer_folder *folder = layout_append(answer_folder_layout(), out);

		text_set(&folder->folder, folders[f]);
		for (size_t i = 0; i < count; i++) {
			answer_plugin *plugin;

			if (!stands_in(files[i].path, folders[f]))
				continue;
			plugin = layout_append(answer_plugin_layout(), &folder->files);
			text_set(&plugin->name, files[i].name);
			plugin->usable = files[i].status == EH_OK;
			text_set(&plugin->reason, files[i].reason);
		}
	}
	plugin_files_free(files, count);
	plugin_folders_free(folders);
}

static void print_plugins(const char *title, const answer_folder_list *folders)
{
	printf("%s\n", title);
	for (size_t f = 0; f < folders->count; f++) {
		const answer_folder *folder = &folders->items[f];

		printf("  %s%s\n", folder->folder,
		       access(folder->folder, F_OK) == 0 ? "" : "  (not there)");
		for (size_t i = 0; i < folder->files.count; i++)
			printf("    %-16s %s\n", folder->files.items[i].name,
			       text_or_empty(folder->files.items[i].reason));
	}
}

static eh_status plugin_list(cli_call *call, eh_error *error)
{
	const plugin_options *o = call->options;
	answer_plugins all = { 0 };

	(void)error;
	find_plugins(PLUGIN_BACKEND, &all.backends);
	find_plugins(PLUGIN_WORKLOAD, &all.workloads);
	find_plugins(PLUGIN_PROBE, &all.probes);
	find_plugins(PLUGIN_CONFORMANCE, &all.conformance);
	if (o->json) {
		command_layout(answer_plugins_layout(), &all);
	} else {
		print_plugins("backends", &all.backends);
		print_plugins("workloads", &all.workloads);
		print_plugins("probes", &all.probes);
		print_plugins("conformance", &all.conformance);
	}
	layout_clear(answer_plugins_layout(), &all);
	return EH_OK;
}

enum { CHECK, LIST };

const cli_command cmd_plugin = {
	.name = "plugin",
	.group = CLI_EXTENDING,
	.summary = "check a backend or probe for conformance, list the plugins",
	.about = "The suite checks every device of a backend and every test, or some. A probe "
	         "(docs/probes.md) is checked in the same way: its places, channels and readings. "
	         "The plugin is loaded in child processes, so that a crash, or a test that takes "
	         "too long, is a failed test and the others are run all the same. Tests are "
	         "skipped, with the reason, where a plugin need not provide what they check. "
	         "docs/writing-a-backend.md explains how to write one.",
	.forms = (const cli_form[]){
		{ "check", { { "FILE", .kind = OPTION_PATH } },
		  "run the conformance suite on a backend or probe", plugin_check },
		{ "list", { { 0 } },
		  "list the folders in which plugins are looked for, in order, and what is in them",
		  plugin_list }, { 0 } },
	.options = (const cli_option[]){
		{ "device", OPTION_NUMBER, offsetof(plugin_options, device),
		  .about = "only device N, from 0 on", .value = "N", .high = UINT32_MAX - 1.0,
		  .forms = CLI_FORM(CHECK) },
		{ "only", OPTION_TEXT, offsetof(plugin_options, only),
		  .about = "only tests with TEXT in their name", .value = "TEXT",
		  .forms = CLI_FORM(CHECK) },
		{ "deadline", OPTION_DURATION, offsetof(plugin_options, deadline_ns),
		  .about = "how long a test may take", .value = "TIME", .preset = "60s",
		  .forms = CLI_FORM(CHECK) },
		{ "set", OPTION_SETTING, 0,
		  .about = "a setting of the backend", .value = "BACKEND.KEY=VALUE",
		  .forms = CLI_FORM(CHECK) },
		CLI_JSON(plugin_options), { 0 } },
	.size = sizeof(plugin_options),
	.live = CLI_FORM(CHECK),
	.exits = (const cli_item[]){
		{ "0", "nothing failed" },
		{ "1", "a test failed" },
		{ "5",
		  "nothing could be tested, because the plugin or its device is not available "
		  "here" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand plugin check ./mine.so",
		"evenhand plugin check ./host.so --only transfer/ --set host.threads=1",
		"evenhand plugin check build/lib/evenhand/backends/opencl.so --device 1 --json", NULL },
};
