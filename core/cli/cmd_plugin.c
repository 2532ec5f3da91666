/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "run/death.h"

#define MAX_HANGS 3

extern const cli_command cmd_conformance_child;

typedef struct plugin_options {
	const char *only;
	uint64_t device, deadline_ns;
	bool json;
} plugin_options;

typedef struct check {
	const char *path, *only;
	bool json, one_device, probe;
	uint64_t index, deadline_ns;
	const eh_suite *suite;
	answer_conformance answer; /* the current device is the last */
	char *held;        /* the reason of tests not run that are still to be printed ... */
	size_t held_count; /* ... in one line, */
	const char *held_name; /* the first of them */
	bool reached;      /* at least one device */
	char *unreached;   /* why no device was reached */
	eh_status trouble; /* a failure of evenhand itself: it ends the check */
	eh_error error;
} check;

typedef struct talk { /* the state of one child, from its lines */
	size_t next;       /* the first test that has no outcome */
	size_t current;    /* SIZE_MAX = none is running */
	bool preparing, done, refused;
} talk;

/* Without a device the child lists them. */
static eh_status check_start(const check *c, const char *device, const char *first, child **out,
                             eh_error *error)
{
	const char *const *options = host_options();
	char *program = paths_program();
	size_t count = 0, at = 0;
	const char **argv;
	eh_status status;

	while (options[count] != NULL)
		count++;
	argv = memory_get((2 * count + 8) * sizeof(*argv));
	argv[at++] = program;
	for (size_t i = 0; i < count; i++) {
		argv[at++] = "--set";
		argv[at++] = options[i];
	}
	argv[at++] = cmd_conformance_child.name;
	argv[at++] = device != NULL ? "tests" : "devices";
	argv[at++] = c->path;
	argv[at++] = device;
	argv[at++] = first;
	argv[at] = device != NULL ? c->only : NULL;
	status = child_start(argv, false, out, error);
	free(argv);
	free(program);
	return status;
}

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

static void record(check *c, const char *name, const char *requirement, uint32_t outcome,
                   const char *reason)
{
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

static void record_test(check *c, size_t number, uint32_t outcome, const char *reason)
{
	const eh_test *test = &c->suite->tests[number];

	record(c, test->name, test->requirement, outcome, reason);
}

static bool selects(const check *c, size_t number, uint32_t index)
{
	return c->suite->selects((uint32_t)number, index, c->only) != 0;
}

/* Skips all selected tests from `next` on. */
static void skip_rest(check *c, size_t next, uint32_t index, const char *reason)
{
	for (; next < c->suite->test_count; next++)
		if (selects(c, next, index))
			record_test(c, next, EH_TEST_SKIP, reason);
}

static void hear(check *c, talk *t, const char *line)
{
	const char *tab = strchr(line, '\t');
	char *end;
	size_t number;

	if (tab == NULL)
		return;
	number = strtoul(tab + 1, &end, 10);
	if (*end != '\t' || number >= c->suite->test_count)
		return;
	if (strncmp(line, "done\t", 5) == 0)
		t->done = c->reached = true;
	else if (strncmp(line, "unavailable\t", 12) == 0) {
		t->done = true;
		free(c->unreached);
		c->unreached = memory_text(end + 1);
	} else if (strncmp(line, "error\t", 6) == 0) {
		t->done = t->refused = true;
		record(c, "device/reach", "the device can be opened", EH_TEST_FAIL, end + 1);
	} else if (strncmp(line, "prepare\t", 8) == 0 || strncmp(line, "begin\t", 6) == 0) {
		t->current = number;
		t->preparing = line[0] == 'p';
	} else
		for (uint32_t outcome = 0; outcome < 3; outcome++) {
			if (strncmp(line, outcome_word(outcome), 4) != 0 || line[4] != '\t')
				continue;
			record_test(c, number, outcome, end + 1);
			t->next = number + 1;
			t->current = SIZE_MAX;
		}
}

static char *cause_of_death(const child_end *end, bool hung, uint64_t deadline_ns)
{
	const char *colon = end->last_words[0] != '\0' ? ": " : "";
	char limit[32];

	text_format_ns((double)deadline_ns, limit);
	if (hung)
		return memory_format("did not end within %s%s%s", limit, colon, end->last_words);
	if (end->signalled)
		return memory_format("the process died of signal %d (%s)%s%s", end->code,
		                     strsignal(end->code), colon, end->last_words);
	return memory_format("the process exited with status %d%s%s", end->code, colon,
	                     end->last_words);
}

/* The most frequent cause of a death in that test, or "". */
static const char *likely(const char *test, const child_end *end, bool hung)
{
	return !hung && end->signalled && strcmp(test, "kernel/stack") == 0
		? "; a group of this kernel uses 516 KiB of its thread's stack: give every thread that "
		  "runs kernels at least 1 MiB"
		: "";
}

/* Fails the test in which a child died; skips the rest when further children would die as well. */
static void bury(check *c, talk *t, uint32_t index, size_t start, int hangs, const child_end *end,
                 bool hung)
{
	const bool hopeless = t->preparing || (t->current == SIZE_MAX && start == t->next);
	size_t victim = t->current != SIZE_MAX ? t->current : t->next;

	while (victim < c->suite->test_count && !selects(c, victim, index))
		victim++;
	if (victim < c->suite->test_count) {
		char *cause = cause_of_death(end, hung, c->deadline_ns);
		char *reason =
			memory_format("%s%s", cause, likely(c->suite->tests[victim].name, end, hung));

		record_test(c, victim, EH_TEST_FAIL, reason);
		free(reason);
		free(cause);
	}
	t->next = victim + 1;
	if (!hopeless && hangs < MAX_HANGS)
		return;
	skip_rest(c, t->next, index, !hopeless ? "not run: three tests have hung" :
	          hung ? "not run: starting the backend exceeds the deadline" :
	          "not run: starting the backend ends the process");
	t->next = c->suite->test_count;
}

/* One child, from test t->next on.  False when no further child is to be started. */
static bool run_child(check *c, uint32_t index, talk *t, int *hangs)
{
	char device[16], first[24], *cause;
	const size_t start = t->next;
	child_end end = { 0 };
	eh_status status;
	bool hung;
	child *process;

	snprintf(device, sizeof(device), "%u", index);
	snprintf(first, sizeof(first), "%zu", start);
	t->current = SIZE_MAX;
	t->preparing = t->done = false;
	c->trouble = check_start(c, device, first, &process, &c->error);
	if (c->trouble != EH_OK)
		return false;
	do {
		const char *line;

		status = child_line(process, clock_now_ns() + c->deadline_ns, &line, &c->error);
		if (status == EH_OK)
			hear(c, t, line);
	} while (status == EH_OK);
	hung = status == EH_E_TIMEOUT;
	if (status != EH_E_NOT_FOUND && !hung)
		c->trouble = status;
	if (status != EH_E_NOT_FOUND)
		child_signal(process, SIGKILL);
	child_finish(process, c->deadline_ns, &end);
	death_survivors(c->path, &end);
	if (c->trouble != EH_OK || t->refused)
		return false;
	if (!hung && !end.signalled && end.code == 0 && t->done)
		return false;
	*hangs += hung;
	if (t->done) {
		cause = cause_of_death(&end, hung, c->deadline_ns);
		record(c, "process/exit", "the process exits with status 0 after stop",
		       EH_TEST_FAIL, cause);
		free(cause);
	} else
		bury(c, t, index, start, *hangs, &end, hung);
	return !t->done && t->next < c->suite->test_count;
}

static eh_status run_device(check *c, uint32_t index)
{
	talk t = { 0 };
	int hangs = 0;

	while (run_child(c, index, &t, &hangs))
		;
	print_held(c);
	return c->trouble;
}

/* "ID (NAME)" of each device that the backend lists. */
static void list_devices(const check *c, text_list *devices)
{
	eh_error error = ERROR_INIT;
	const char *line;
	child *process;
	child_end end;

	if (check_start(c, NULL, NULL, &process, &error) != EH_OK)
		return;
	while (child_line(process, clock_now_ns() + c->deadline_ns, &line, &error) == EH_OK) {
		const char *id = strncmp(line, "device\t", 7) == 0 ? strchr(line + 7, '\t') : NULL;
		const char *name = id != NULL ? strchr(id + 1, '\t') : NULL;

		if (name != NULL)
			text_list_format(devices, "%.*s (%s)", (int)(name - id - 1), id + 1, name + 1);
	}
	child_signal(process, SIGKILL);
	child_finish(process, 0, &end);
	death_survivors(c->path, &end);
}

/* name: NULL where the plugin does not list the device. */
static eh_status check_device(check *c, size_t index, const char *name)
{
	answer_device *device = layout_append(answer_device_layout(), &c->answer.devices);

	device->index = index;
	text_set(&device->device, name);
	if (!c->json && c->probe)
		printf("%s\n", c->path);
	else if (!c->json)
		printf("%s%s, device %zu%s%s\n", index > 0 && !c->one_device ? "\n" : "", c->path, index,
		       name != NULL ? ": " : "", text_or_empty(name));
	return run_device(c, (uint32_t)index);
}

/* A backend that cannot list its devices is tested as if it had one. */
static eh_status check_devices(check *c)
{
	text_list names = { 0 };
	eh_status status = EH_OK;
	size_t last;

	list_devices(c, &names);
	last = c->one_device ? c->index : names.count > 0 ? names.count - 1 : 0;
	if (c->one_device && c->index > 0 && c->index >= names.count)
		status = error_set(&c->error, EH_E_USAGE, "%s has no device %" PRIu64 ": it has %zu", c->path,
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
		error_set(&c->error, status, "interrupted before all tests were run");
	else if (status == EH_OK && c->json)
		command_layout(answer_conformance_layout(), a);
	else if (status == EH_OK)
		printf("%" PRIu64 " passed, %" PRIu64 " skipped, %" PRIu64 " failed\n", a->passed,
		       a->skipped, a->failed);
	if (status == EH_OK && a->failed == 0 && !c->reached && c->unreached != NULL)
		status = error_set(&c->error, EH_E_UNAVAILABLE,
		                   "%s could not be tested here: %s", c->path, c->unreached);
	*code = a->failed > 0 ? EXIT_CODE_NEGATIVE : EXIT_CODE_OK;
	*error = c->error;
	free(c->unreached);
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
	c->suite = c->probe ? suites->probe : suites->backend;
	for (uint32_t i = 0; i < c->suite->test_count; i++)
		if (selects(c, i, (uint32_t)c->index))
			return EH_OK;
	return error_set(error, EH_E_USAGE, "no test has '%s' in its name", c->only);
}

static eh_status plugin_check(cli_call *call, eh_error *error)
{
	const plugin_options *o = call->options;
	check c = { .path = call->words[0], .only = o->only, .json = o->json, .index = o->device,
		    .one_device = command_given(call, "device"), .deadline_ns = o->deadline_ns,
		    .error = ERROR_INIT };
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
