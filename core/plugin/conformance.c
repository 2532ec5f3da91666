/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/conformance.h"

#include <stdbool.h>
#include <string.h>

#include "plugin/conformance_kit.h"

#define KIT_PUBLIC(name, level, function, requirement) { name, requirement },
static const conformance_test tests[] = { KIT_TESTS(KIT_PUBLIC) };
#undef KIT_PUBLIC

typedef struct kit_test {
	enum kit_level level;
	void (*run)(kit *k);
} kit_test;

#define KIT_PRIVATE(name, level, function, requirement) { KIT_##level, conformance_##function },
static const kit_test runs[] = { KIT_TESTS(KIT_PRIVATE) };
#undef KIT_PRIVATE

#define TEST_COUNT (sizeof(tests) / sizeof(tests[0]))

size_t conformance_tests(const conformance_test **out)
{
	*out = tests;
	return TEST_COUNT;
}

bool conformance_selected(size_t number, uint32_t index, const char *only)
{
	return number < TEST_COUNT && (index == 0 || runs[number].level == KIT_DEVICE) &&
	       (only == NULL || strstr(tests[number].name, only) != NULL);
}

static eh_status reach(kit *k, enum kit_level level, eh_error *error)
{
	eh_status status = EH_OK;

	if (level >= KIT_LOADED)
		status = kit_load(k, error);
	if (status == EH_OK && level >= KIT_STARTED)
		status = kit_start(k, error);
	if (status == EH_OK && level >= KIT_DEVICE)
		status = kit_open(k, error);
	return status;
}

/* What cannot be reached was found by a test of its own (plugin/load, backend/start,
 * device/open-close), so that the tests behind it say only that they were not run; unless that
 * test was not selected. */
static void not_reached(kit *k, eh_status status, bool alone)
{
	if (k->unwaited)
		kit_skip(k, "not run: queue_wait does not wait, so that nothing behind it could be "
		            "believed");
	else if (alone && status != EH_E_UNAVAILABLE)
		kit_fail(k, "%s", k->error.message);
	else if (k->level < KIT_LOADED)
		kit_skip(k, "not run: the plugin cannot be loaded");
	else if (k->level < KIT_STARTED)
		kit_skip(k, "not run: the backend did not start");
	else
		kit_skip(k, "not run: %s", k->error.message);
}

static void finish_one(kit *k)
{
	kit_clean(k);
	if (k->outcome == CONFORMANCE_FAIL)
		kit_close(k);
}

eh_status conformance_run(const char *path, uint32_t index, size_t first, const char *only,
                          conformance_report report, void *context, eh_error *error)
{
	kit k = { .path = path, .index = index };
	eh_error unreached = ERROR_INIT;
	bool reached = false, failed = false;
	eh_status status;

	if (index > 0) {
		status = reach(&k, KIT_DEVICE, error);
		if (status != EH_OK) {
			session_close(&k.s);
			return status;
		}
	}
	for (size_t i = first; i < TEST_COUNT; i++) {
		if (!conformance_selected(i, index, only))
			continue;
		k.outcome = CONFORMANCE_PASS;
		text_free(&k.reason);
		memset(&k.error, 0, sizeof(k.error));
		k.error.struct_size = sizeof(k.error);
		if (k.level < runs[i].level)
			report(context, &tests[i], NULL, "prepare");
		status = reach(&k, runs[i].level, &k.error);
		report(context, &tests[i], NULL, NULL);
		if (status == EH_OK && !(k.unwaited && runs[i].level == KIT_DEVICE)) {
			runs[i].run(&k);
			reached = reached || runs[i].level == KIT_DEVICE;
		} else {
			if (status != EH_OK)
				unreached = k.error;
			not_reached(&k, status, only != NULL);
		}
		failed = failed || k.outcome == CONFORMANCE_FAIL;
		finish_one(&k);
		report(context, &tests[i], &k.outcome, k.reason.data);
	}
	if (k.level >= KIT_STARTED) {
		kit_close(&k);
		session_close(&k.s);
	}
	text_free(&k.reason);
	if (!reached && !failed && unreached.message[0] != '\0')
		return error_set(error, EH_E_UNAVAILABLE, "%s", unreached.message);
	return EH_OK;
}
