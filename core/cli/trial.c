/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/trial.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/slotfile.h"
#include "plugin/host.h"

#define MAX_HANGS 3

extern const cli_command cmd_conformance_child;

/* mode: "tests" with device and first, or "devices" without. */
static eh_status start(trial *t, const char *mode, const char *device, const char *first,
                       child **out)
{
	const char *const *options = host_options();
	char *program = paths_program();
	size_t count = 0, at = 0;
	const char **argv;
	eh_status status;

	while (options[count] != NULL)
		count++;
	argv = memory_get((2 * count + 10) * sizeof(*argv));
	argv[at++] = program;
	for (size_t i = 0; i < count; i++) {
		argv[at++] = "--set";
		argv[at++] = options[i];
	}
	argv[at++] = cmd_conformance_child.name;
	argv[at++] = mode;
	argv[at++] = "--slots";
	argv[at++] = t->slots.path;
	argv[at++] = t->path;
	argv[at++] = device;
	argv[at++] = first;
	argv[at] = device != NULL ? t->only : NULL;
	status = child_start(argv, false, out, &t->error);
	free(argv);
	free(program);
	return status;
}

bool trial_selects(const trial *t, size_t number, uint32_t index)
{
	return t->suite->selects((uint32_t)number, index, t->only) != 0;
}

/* ---- outcomes -------------------------------------------------------------------------------- */

static void record_test(trial *t, size_t number, uint32_t outcome, const char *reason)
{
	const eh_test *test = &t->suite->tests[number];

	t->record(t->context, test->name, test->requirement, outcome, reason);
}

/* Takes reason. */
static void record_process(trial *t, const char *name, const char *requirement, char *reason)
{
	t->record(t->context, name, requirement, EH_TEST_FAIL, reason);
	free(reason);
}

/* Gives all selected tests without an outcome before `end` this one. */
static void conclude_rest(trial *t, size_t end, uint32_t outcome, const char *reason)
{
	for (; t->next < end; t->next++)
		if (trial_selects(t, t->next, t->index))
			record_test(t, t->next, outcome, reason);
}

static void lose(trial *t, size_t end)
{
	conclude_rest(t, end, EH_TEST_FAIL, "its outcome did not arrive: something in the process of the "
	              "plugin writes to descriptors that it did not open");
}

/* ---- the child's lines ----------------------------------------------------------------------- */

/* A line that is not the child's own, or begins with what is not. */
static void hear_stray(trial *t, const char *line, size_t size)
{
	const char *test = t->current != SIZE_MAX ? t->suite->tests[t->current].name : "start or stop";

	if (!t->strayed)
		record_process(t, "process/descriptors",
		               "the plugin writes only to descriptors that it opened",
		               memory_format("during %s something in the process of the plugin wrote to the "
		                             "report: '%.*s'", test, size < 40 ? (int)size : 40, line));
	t->strayed = true;
}

static void hear_end(trial *t, const char *word, const char *reason)
{
	t->done = true;
	if (strcmp(word, "done") == 0)
		t->reached = true;
	else if (strcmp(word, "unavailable") == 0) {
		free(t->unreached);
		t->unreached = memory_text(reason);
	} else if (t->begun)
		record_process(t, "process/stop", "stop leaves the process as it was", memory_text(reason));
	else {
		t->refused = true;
		record_process(t, "device/reach", "the device can be opened", memory_text(reason));
	}
}

static void hear_outcome(trial *t, size_t number, const char *word, const char *reason)
{
	for (uint32_t outcome = EH_TEST_PASS; outcome <= EH_TEST_FAIL; outcome++) {
		if (strcmp(word, answer_outcome_word((enum answer_outcome)(outcome + ANSWER_PASS))) != 0)
			continue;
		lose(t, number);
		record_test(t, number, outcome, reason);
		t->next = number + 1;
		t->current = SIZE_MAX;
	}
}

static void hear_words(trial *t, const char *word, size_t number, const char *reason)
{
	if (strcmp(word, "done") == 0 || strcmp(word, "unavailable") == 0 || strcmp(word, "error") == 0)
		hear_end(t, word, reason);
	else if (number < t->next || number >= t->suite->test_count)
		return;
	else if (strcmp(word, "prepare") == 0 || strcmp(word, "begin") == 0) {
		lose(t, number);
		t->current = number;
		t->begun = true;
		t->preparing = word[0] == 'p';
	} else
		hear_outcome(t, number, word, reason);
}

/* A line of the child is its token, a word, a number and a text, with tabs between. */
static void hear(trial *t, const char *line)
{
	const char *own = strstr(line, slotfile_token(t->slots.path));
	char word[16];
	int size = 0;
	size_t number;

	if (own != line)
		hear_stray(t, line, own != NULL ? (size_t)(own - line) : strlen(line));
	if (own != NULL &&
	    sscanf(own + SLOTFILE_TOKEN, "\t%15[a-z]\t%zu%n", word, &number, &size) == 2 &&
	    own[SLOTFILE_TOKEN + size] == '\t')
		hear_words(t, word, number, own + SLOTFILE_TOKEN + size + 1);
}

/* ---- the child's end ------------------------------------------------------------------------- */

static char *cause_of_death(const trial *t, const child_end *end, bool hung)
{
	const char *colon = end->last_words[0] != '\0' ? ": " : "";
	char *slot = slotfile_read(&t->slots), *where, *cause;
	char limit[32];

	text_format_ns((double)t->deadline_ns, limit);
	where = slot != NULL ? memory_format(" in %s", slot) : memory_text("");
	if (hung)
		cause = memory_format("did not end within %s%s%s%s", limit, where, colon, end->last_words);
	else if (end->signalled)
		cause = memory_format("the process died of signal %d (%s)%s%s%s", end->code,
		                      strsignal(end->code), where, colon, end->last_words);
	else
		cause = memory_format("the process exited with status %d%s%s%s", end->code, where, colon,
		                      end->last_words);
	free(where);
	free(slot);
	return cause;
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
static void bury(trial *t, size_t first, const child_end *end, bool hung)
{
	const bool hopeless = t->preparing || (t->current == SIZE_MAX && first == t->next);
	size_t victim = t->current != SIZE_MAX ? t->current : t->next;
	char *cause = cause_of_death(t, end, hung);

	while (victim < t->suite->test_count && !trial_selects(t, victim, t->index))
		victim++;
	if (victim < t->suite->test_count) {
		char *reason = memory_format("%s%s", cause,
		                             likely(t->suite->tests[victim].name, end, hung));

		record_test(t, victim, EH_TEST_FAIL, reason);
		free(reason);
		free(cause);
	} else
		record_process(t, "process/exit", "the process exits with status 0 after stop", cause);
	t->next = victim + 1;
	if (!hopeless && t->hangs < MAX_HANGS)
		return;
	conclude_rest(t, t->suite->test_count, EH_TEST_SKIP,
	              !hopeless ? "not run: three tests have hung" :
	              hung ? "not run: starting the backend exceeds the deadline" :
	              "not run: starting the backend ends the process");
}

static void finish_done(trial *t, const child_end *end, bool hung)
{
	lose(t, t->suite->test_count);
	if (end->survivors[0] != '\0')
		record_process(t, "process/left", "no process of the plugin outlives stop",
		               memory_format("these processes still ran after stop: %s", end->survivors));
	if (hung || end->signalled || end->code != 0)
		record_process(t, "process/exit", "the process exits with status 0 after stop",
		               cause_of_death(t, end, hung));
}

/* Reads until the child ends or hangs; true when it hung. */
static bool listen(trial *t, child *process)
{
	eh_status status;

	do {
		const char *line;

		status = child_line(process, clock_now_ns() + t->deadline_ns, &line, &t->error);
		if (status == EH_OK)
			hear(t, line);
	} while (status == EH_OK);
	if (status != EH_E_NOT_FOUND && status != EH_E_TIMEOUT)
		t->trouble = status;
	if (status != EH_E_NOT_FOUND)
		child_signal(process, SIGKILL);
	return status == EH_E_TIMEOUT;
}

/* One child, from test t->next on.  False when no further child is to be started. */
static bool run_child(trial *t)
{
	char device[16], first[24];
	const size_t start_at = t->next;
	child_end end = { 0 };
	child *process;
	bool hung;

	snprintf(device, sizeof(device), "%u", t->index);
	snprintf(first, sizeof(first), "%zu", start_at);
	t->current = SIZE_MAX;
	t->preparing = t->begun = t->done = false;
	t->trouble = start(t, "tests", device, first, &process);
	if (t->trouble != EH_OK)
		return false;
	hung = listen(t, process);
	child_finish(process, t->deadline_ns, &end);
	if (t->trouble != EH_OK || t->refused)
		return false;
	t->hangs += hung;
	if (t->done)
		finish_done(t, &end, hung);
	else
		bury(t, start_at, &end, hung);
	return !t->done && t->next < t->suite->test_count;
}

eh_status trial_run(trial *t, uint32_t index)
{
	t->index = index;
	t->next = 0;
	t->hangs = 0;
	t->strayed = t->refused = false;
	do {
		t->trouble = slotfile_make(&t->slots, &t->error);
		if (t->trouble != EH_OK)
			return t->trouble;
		if (!run_child(t))
			index = UINT32_MAX;
		fresh_drop(&t->slots);
	} while (index != UINT32_MAX);
	return t->trouble;
}

void trial_devices(trial *t, text_list *devices)
{
	const uint64_t deadline = clock_now_ns() + t->deadline_ns;
	const char *line;
	child *process;

	if (slotfile_make(&t->slots, &t->error) != EH_OK)
		return;
	if (start(t, "devices", NULL, NULL, &process) == EH_OK) {
		while (child_line(process, deadline, &line, &t->error) == EH_OK) {
			const char *id = strstr(line, "\tdevice\t");
			const char *name = id != NULL ? strchr(id + 8, '\t') : NULL;

			if (name != NULL)
				text_list_format(devices, "%.*s (%s)", (int)(name - id - 8), id + 8, name + 1);
		}
		child_signal(process, SIGKILL);
		child_finish(process, 0, NULL);
	}
	fresh_drop(&t->slots);
}
